"""G301 to G317: the limits of finite differences in `gradcli check`, and the causes of failures."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G301",
        "noisy",
        "note",
        "The values of the function at neighbouring numbers scatter by more than rounding explains, like those of "
        "a simulation or a table. Differences of such values have a large error, which is estimated and shown; an "
        "exact reference is not affected.",
        "def f(x):\n    return math.exp(x) + 1e-9 * (hash(x) % 7)",
        "Remove the noise from the function if differences are to decide.",
    ),
    Entry(
        "G302",
        "coarse type",
        "note",
        "Some of the program computes in fewer digits than its point has: float32 or float16. The tolerance for a "
        "right gradient follows that type, and differences take longer steps and have a larger error.",
        "def f(x):\n    return np.sum(x.astype(np.float32) ** 2)",
        "Compute in float64 to be checked to more digits.",
    ),
    Entry(
        "G303",
        "no usable step",
        "note",
        "Neighbouring floating-point numbers are so far apart here that no step is both long enough to change the "
        "number and short enough for the function to be linear. Differences withdrew. They are always divided by "
        "the actual distance of the two points in floating point, never by the intended step.",
        "gradcli check 'sin(x)' --at 1e20",
        "Nothing to fix. Differences can decide closer to 0, or after a change of units.",
    ),
    Entry(
        "G304",
        "edge of the domain",
        "note",
        "Close to the point, on one side, the function raises or has no finite value: the point is at the edge of the "
        "domain, or a step overflows there. Differences used shorter "
        "steps, or only the other side; other components are not affected.",
        "gradcli check 'sqrt(x - 1)' --at 1.00001",
        "Nothing to fix.",
    ),
    Entry(
        "G305",
        "vanishing gradient",
        "note",
        "Every component of the gradient is zero, or indistinguishable from zero, as at a minimum. Many mistakes "
        "do not show there. The check was repeated at a neighbouring point and its mirror image, and the finding gives "
        "the result. A gradient that is wrong there is a warning; the verdict is that of the point itself, or "
        "inconclusive with --strict, or if --box reaches there.",
        "gradcli check '(x - 1)**2' --at 1",
        "Check at a point where the gradient is large: copy the neighbouring point after --at, or add --points 10.",
    ),
    Entry(
        "G310",
        "shared memory",
        "note",
        "Two inputs of the point overlap in memory, so a change of one would change the other. Each call of the "
        "function got copies of its own, and the derivatives by both are computed separately.",
        "gradcli.check(f, at=(a[:3], a[1:]))",
        "Nothing to fix. If the two are meant to change together, make them one argument.",
    ),
    Entry(
        "G312",
        "slip",
        "error",
        "A hand-written derivative is wrong, and a slip explains all its wrong components, here and at a second "
        "point nearby. The numbers may be the right ones times a factor, plus a constant, in another order, or by the "
        "logarithm, the square or the inverse of an input; in all components, or in a row, a column or an input. Or "
        "the derivative of one step is wrong: a factor of the chain rule, a sign, a term, a mask, an axis, an index, "
        "another variable, the derivative of another function, n - 1 for n, a missing transpose or inverse. Then the "
        "finding names the line of the function that it concerns, and the line of the gradient that computes the wrong "
        "number, if there is one. A function that changes its argument is named as well. A gradient given as numbers "
        "cannot be evaluated at a second point: at least three of its components, with different derivatives, must "
        "fit, and the finding holds at this point.",
        "gradcli check 'sin(3*x)' --against 'cos(3*x)' --at 0.5",
        "Correct the gradient as the finding says, and check it again.",
    ),
    Entry(
        "G313",
        "wrong rule",
        "error",
        "gradcli's own gradient is wrong, because the rule of one operation is: its derivative does not match the "
        "operation's values at these arguments. The rule is one of gradcli's, which is a bug, or your own: that of "
        "gradcli.rule, custom_vjp or custom_jvp.",
        'gradcli.rule("f(x)", "where(x < 100, x, x**2)", "1")',
        "Correct the named rule; if it is not yours, please report it.",
    ),
    Entry(
        "G314",
        "references disagree",
        "warning",
        "The exact derivative of the recorded run and the finite differences of the plain function contradict "
        "each other by more than both their errors, and no kink, branch, outcome or gradcli.stop_gradient "
        "explains it. One of them differentiates a different function: most often, the function computes "
        "something else when it is recorded, because it inspects the type of its argument. Such a component gets "
        "no verdict; the exit code is 3.",
        "def f(x):\n    return 3*x - 3 if sys.getsizeof(x) > 24 else 2*x        # at 3",
        "Let the function compute the same for every kind of number. If it does, the derivative of an operation is "
        "wrong: please report it.",
    ),
    Entry(
        "G315",
        "values disagree",
        "warning",
        "The function has one value when it is recorded and another when it is called plainly with the same "
        "inputs, and rounding does not explain the difference. Neither run can vouch for the other, so nothing "
        "passes and nothing fails; the exit code is 3.",
        "def f(x):\n    return 3*x if sys.getsizeof(x) > 24 else 2*x",
        "Let the function compute the same for every kind of number, and keep no state between calls.",
    ),
    Entry(
        "G317",
        "no slip known",
        "note",
        "A hand-written derivative is wrong, and none of the mistakes that gradcli tries explains its components: no "
        "factor, order or other variable, and no mistake in the derivative of one step. The finding says "
        "which components are wrong and which are right, and the lines whose part of the derivative reaches exactly "
        "the wrong ones, if there are any. To prove a cause, a gradient given as numbers needs three different ones.",
        "gradcli check 'sin(x)*y' --against 'cos(x)*y + x, sin(x)' --at x=0.5,y=2",
        "Check parts: a shorter function, fewer inputs (--wrt), or single terms of the sum.",
    ),
)
