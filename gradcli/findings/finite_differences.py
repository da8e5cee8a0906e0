"""G301 to G315: what finite differences can and cannot tell, in `gradcli check`, and whose fault a failure is."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
    Entry(
        "G301",
        "noisy",
        "note",
        "The values of the function at neighbouring numbers scatter by more than rounding explains, as those of a "
        "simulation or of a table do. Differences of such values have a large error, which is estimated and shown; "
        "an exact reference is not touched by it.",
        "def f(x):\n    return math.exp(x) + 1e-9 * (hash(x) % 7)",
        "Take the noise out of the function if differences are to decide.",
    ),
    Entry(
        "G302",
        "coarse type",
        "note",
        "The program computes, somewhere, in fewer digits than its point has: float32 or float16. The slack for "
        "another right formula follows that type, and differences take longer steps and have a larger error.",
        "def f(x):\n    return np.sum(x.astype(np.float32) ** 2)",
        "Compute in float64 to be checked to more digits.",
    ),
    Entry(
        "G303",
        "no usable step",
        "note",
        "The numbers beside this one are so far apart that no step is both long enough to move it and short enough to "
        "stay where the function is straight. Differences withdrew. They are always divided by the difference of the "
        "two points as they are in floating point, never by the step that was wanted.",
        "gradcli check 'sin(x)' --at 1e20",
        "Nothing to repair. Differences can decide closer to 0, or after a change of units.",
    ),
    Entry(
        "G304",
        "edge of the domain",
        "note",
        "Close to the point, on one side, the function raises or has no finite value. Differences kept to shorter "
        "steps, or to the other side; the other components were not touched.",
        "gradcli check 'sqrt(x - 1)' --at 1.00001",
        "Nothing to repair.",
    ),
    Entry(
        "G305",
        "vanishing gradient",
        "note",
        "Every component of the gradient is zero, or so small that a zero would pass for it, as at a minimum. Much "
        "that is wrong looks right there. The check was done a second time at a point beside it, and the finding "
        "says what came of that; the verdict is that of the point itself.",
        "gradcli check '(x - 1)**2' --at 1",
        "Check at a point where the gradient is large: --points 10 takes ten of them.",
    ),
    Entry(
        "G306",
        "scale of the tolerance",
        "note",
        "An absolute tolerance accepts wrong gradients of small functions and rejects right ones of large functions. "
        "gradcli has none: the tolerance of a component is relative to the component itself, or its own rounding "
        "bound, and is printed.",
        "gradcli check '1e-9 * x**2' --against '3e-9 * x' --at 1",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G307",
        "power of the check",
        "note",
        "A loose tolerance hides errors. gradcli has no option that loosens it: each tolerance follows from computed "
        "bounds and one fixed slack, and the smallest relative error that would be found is printed below the table.",
        "gradcli check 'sin(x)' --at 1",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G309",
        "second differences",
        "note",
        "Second differences of a function keep about four digits. gradcli never takes them: second derivatives come "
        "from the tape of the gradient, and are compared with first differences of it.",
        "gradcli hessian 'x**2 * y' --at 1,2",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G310",
        "shared memory",
        "note",
        "Two inputs of the point overlap in memory, so that a change of one would change the other. Each call of the "
        "function got copies of its own, and the derivatives by both are taken apart.",
        "gradcli.check(f, at=(a[:3], a[1:]))",
        "Nothing to repair. If the two are meant to move together, make them one argument.",
    ),
    Entry(
        "G311",
        "what a check tells",
        "note",
        "A check compares a gradient with the function that was given. That the function itself is what you meant is "
        "not checked, and cannot be.",
        "gradcli check 'x**3' --against '3*x**2' --at 2        # and if x**2 was meant?",
        "Compare some values with numbers that you trust.",
        silent=True,
    ),
    Entry(
        "G312",
        "slip",
        "error",
        "A gradient written by hand is wrong, and one slip accounts for all of its wrong numbers, at the point and "
        "at a second one beside it: a factor, a sign, components in another order, a term that was left out or "
        "counted twice, a factor of the chain rule that was forgotten, another formula for a derivative, a logarithm "
        "of another base, n - 1 for n, a constant that was left out, a matrix that is transposed or not inverted. "
        "Where the slip is about one step of the function, its line is named. A gradient given as numbers cannot be "
        "asked for at a second point; what is said of it is true of this point, and is no proof.",
        "gradcli check 'sin(3*x)' --against 'cos(3*x)' --at 0.5",
        "Correct the gradient as the finding says, and check it again.",
    ),
    Entry(
        "G313",
        "wrong rule",
        "error",
        "The tape's own gradient is wrong, because the rule of one operation is: its derivative is not that of the "
        "operation's own values at the numbers it was given. Such a rule is one of gradcli's, which is a fault of "
        "ours, or was added by gradcli.rule and is right only elsewhere.",
        'gradcli.rule("f(x)", "where(x < 100, x, x**2)", "1")',
        "Correct the rule that is named; if it is not yours, please report it.",
    ),
    Entry(
        "G314",
        "references disagree",
        "warning",
        "The exact derivative of the recorded run and the finite differences of the plain function contradict each "
        "other by more than both their errors, and no kink, branch, outcome or gradcli.stop_gradient explains it. One "
        "of them belongs to another function than yours: most often the function computes something else when it is "
        "recorded, because it asks what its argument is made of. No verdict is given on such a component; the exit "
        "code is 3.",
        "def f(x):\n    return 3*x - 3 if sys.getsizeof(x) > 24 else 2*x        # at 3",
        "Let the function compute the same for every kind of number. If it does, the derivative of an operation is "
        "wrong: please report it.",
    ),
    Entry(
        "G315",
        "values disagree",
        "warning",
        "The function has one value when it is recorded and another when it is called plainly with the same inputs, "
        "and rounding does not explain it. What holds of the one need not hold of the other, so that nothing passes "
        "and nothing fails; the exit code is 3.",
        "def f(x):\n    return 3*x if sys.getsizeof(x) > 24 else 2*x",
        "Let the function compute the same for every kind of number, and let it keep no state between calls.",
    ),
)
