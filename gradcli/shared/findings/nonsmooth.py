"""G201 to G215: points at which the function bends, jumps, or is put together from pieces."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G201",
        "kink",
        "note",
        "The function is continuous at the point, but its slopes to the left and to the right differ: there is no "
        "derivative, and every value between the slopes is equally valid. gradcli uses the one that `gradcli help "
        "conventions` lists. `check` passes a candidate between the slopes and fails one outside.",
        "gradcli check 'abs(x)' --at 0",
        "Nothing to fix if the kink is intended. With --strict, `check` reports such a component as inconclusive "
        "(exit 3).",
    ),
    Entry(
        "G202",
        "kink nearby",
        "note",
        "The function takes another path, or has a kink, within the usual step of finite differences. The steps "
        "were shortened, or taken on one side only, to stay on the point's side.",
        "gradcli check 'abs(x - 1)' --at 1.00001",
        "Nothing to fix. Close to a kink, differences have fewer digits; the exact reference has all of them.",
    ),
    Entry(
        "G203",
        "tie",
        "note",
        "Several arguments of a maximum or minimum are equal, and each of them could have been selected. "
        "np.maximum, np.max and the like share the derivative equally; Python's own max and min return one of "
        "their arguments and pass the whole derivative to it.",
        "gradcli grad 'maximum(x, y)' --at 1,1",
        "Nothing to fix. `gradcli help conventions` shows the choices of other libraries; `check` accepts all of them.",
    ),
    Entry(
        "G204",
        "jump",
        "warning",
        "The value itself jumps at the point, like floor at an integer: differences grow as their step shrinks, "
        "and there is no derivative. The tape returns the derivative next to the jump.",
        "gradcli check 'x + floor(x)' --at 2",
        "Check at a point next to the jump. If the function should be continuous, its pieces do not meet here.",
    ),
    Entry(
        "G205",
        "cut",
        "warning",
        "An input reaches the result only through steps that are flat wherever they have a derivative: a "
        "comparison, round, floor, int, //, sign, argmax. Its gradient is exactly zero and does not show what "
        "happens when the input changes far enough. In the library, a gradient that is zero throughout for this "
        "reason raises a warning, once per line; zeros in single components are findings of `trace` and `check`.",
        "gradcli grad 'floor(3*x)' --at 0.5",
        "If the input should matter, replace the step by a smooth one.",
    ),
    Entry(
        "G206",
        "branch boundary",
        "note",
        "The point is exactly on the boundary of a branch, or on a path that only the point and its immediate "
        "neighbours take. The tape differentiates the side that was taken; the finding says whether the other "
        "side agrees. `check` reports a kink or a jump there as such. A path that the point takes alone is a warning, "
        "in the library too, and so is a side on which an input acts only through flat steps (G205).",
        "def f(x):\n    return x * x if x < 1 else 2 * x - 1        # at 1",
        "Nothing to fix if both sides agree. Otherwise look at the named comparison.",
    ),
    Entry(
        "G207",
        "loop ended by comparison",
        "warning",
        "A comparison of recorded values ended a loop that converges, and one more iteration would change the "
        "derivative by more than the tolerance. The tape differentiates the iterations that ran, not the limit that "
        "they approach; the derivative converges later than the value.",
        "def root(a):\n    y = 1.0\n    while abs(y * y - a) > 1e-6:\n        y = (y + a / y) / 2\n"
        "    return y        # at 1: no iteration runs, and the derivative is 0",
        "Run at least one more iteration after the loop has converged, or tighten its tolerance.",
    ),
    Entry(
        "G208",
        "at a bound",
        "note",
        "A number equals the bound at which it is clipped: its slope is 1 on one side and 0 on the other. clip "
        "uses the mean of the two.",
        "gradcli grad 'clip(x, 0, 1)' --at 1",
        "Nothing to fix. `gradcli help conventions` shows the choices of other libraries.",
    ),
    Entry(
        "G209",
        "removable singularity",
        "error",
        "The formula is 0/0 at the point, although the function that it represents is smooth: computed in many "
        "digits, it has the same finite limit on both sides. The program itself still computes nan. The exit code "
        "is 4.",
        "gradcli grad 'sin(x)/x' --at 0",
        "Use a function that is defined at the point, such as np.sinc(x/np.pi) for sin(x)/x, or np.expm1(x), or "
        "handle the point in a branch of its own.",
    ),
    Entry(
        "G210",
        "no total derivative",
        "note",
        "The function has all partial derivatives but no total derivative: when its inputs change together, the "
        "slope is not the sum of the partial ones. No gradient predicts the function around the point. `check` "
        "reports KINK: it passes the partial derivatives and, if the gradients nearby are bounded, whatever lies "
        "between those, as at any kink; it fails everything else.",
        "gradcli check 'minimum(abs(x), abs(y))' --at 0,0",
        "Nothing to fix if the kink is intended. A step along the gradient, which may be 0, says nothing about "
        "the value nearby.",
    ),
    Entry(
        "G211",
        "inexact solution",
        "note",
        "A solver of SciPy stopped at a solution of its equation that a step of Newton's method would still move. The "
        "gradient is that of the solution where the solver stopped. It has about as many good digits as the solution, "
        "and differs by as much from the gradient of the exact solution.",
        "def f(a):\n    found = optimize.minimize(lambda x: (x[0] - a) ** 4 + x[0] ** 2, [1.0])\n"
        "    return found.x[0]        # at 2: good to 6 digits",
        "Pass the option that the message names, or a slope of the function (jac=), to the solver.",
    ),
    Entry(
        "G212",
        "jump inside an integral",
        "warning",
        "The right-hand side of a differential equation, or the function of an integral, jumps where an input or the "
        "solution passes a value: a dose that ends, a valve that opens. The derivative of solve_ivp, odeint or "
        "quad_vec is that of the steps that were taken. It lacks the derivative of the place of the jump and may be "
        "wrong, so `check` lets differences alone decide. A change without a jump, such as that of max(0, u), is not "
        "reported.",
        "def f(p):  # at 0.7\n    return solve_ivp(lambda t, y: [1 if t < p else 3], (0, 2), [0]).y[0, -1]",
        "Integrate up to the jump, and from there on: solve_ivp(before, (0, p), ...), then solve_ivp(after, (p, 2), "
        "...).",
    ),
    Entry(
        "G213",
        "no second derivative",
        "warning",
        "A step stands at its kink, such as abs at 0, or the program compares equal numbers, and the rest of it does "
        "not smooth this out: the second derivatives beside the point have no common limit, so that there is none at "
        "the point. The number given is the derivative of the convention for the first one, or of the path taken. "
        "Where the limits agree, as those of abs(x)**2 do, gradcli gives the limit and says nothing.",
        "gradcli hessian 'x*abs(x)' --at 0",
        "Evaluate the second derivative at a point beside the kink, or smooth the step.",
    ),
    Entry(
        "G214",
        "limit at equal values",
        "note",
        "Eigenvalues or singular values are equal, or a singular value is 0, and the program uses their vectors, which "
        "are not unique there. The derivatives at points beside this one, in many directions, have one limit: it is "
        "the derivative of a function that is smooth, and it is given.",
        "def f(A):\n    w, V = np.linalg.eigh(A)\n    return np.sum((V * np.sqrt(w)) @ V.T)        # at the identity",
        "Nothing is wrong here. A matrix function of SciPy, such as scipy.linalg.sqrtm, needs no limit and is faster.",
    ),
    Entry(
        "G215",
        "equal values",
        "warning",
        "Eigenvalues or singular values are equal, or a singular value is 0, and the result depends on the choice of "
        "their vectors, which are not unique: the derivatives beside the point have no common limit, and what a "
        "sweep gives, often nan, depends on the choice.",
        "def f(A):\n    w, V = np.linalg.eigh(A)\n    return V[0, 0]        # at the identity",
        "For a function of a matrix use scipy.linalg.sqrtm, expm, logm or funm; for a system of equations "
        "np.linalg.solve; for a determinant np.linalg.slogdet. Single vectors have no derivative at such a matrix.",
    ),
)
