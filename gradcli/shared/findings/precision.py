"""G501 to G604: types with fewer digits, steps that lose digits, and uncertainty that bends."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G501",
        "integer input",
        "note",
        "The point holds an array of integers. It was converted to float64, because a derivative by an integer "
        "has no meaning. Integers inside the program, such as an index, a bound or an exponent, are unchanged.",
        "gradcli.grad(f)(np.array([1, 2, 3]))",
        "Nothing, or write the point as floats: np.array([1.0, 2.0, 3.0]).",
    ),
    Entry(
        "G503",
        "whole division",
        "warning",
        "An input reaches the result only through //, which rounds down: its gradient is zero "
        "wherever there is one. In programs written for Python 2, true division was meant.",
        "gradcli grad 'x // 2' --at 3",
        "Write / if true division is meant. % is fine: it has a derivative.",
    ),
    Entry(
        "G504",
        "narrowed",
        "note",
        "A step converted float64 to a type with fewer digits. Later results have no more digits than that: 7 in "
        "float32, 3 in float16.",
        "def f(x):\n    return np.sum(x.astype(np.float32) ** 2)",
        "Keep float64, or use a float32 point from the start if that is intended.",
    ),
    Entry(
        "G505",
        "accumulation",
        "warning",
        "Many numbers of a narrow type were added one after another, and the sum has lost digits that the numbers "
        "have: in float64 the sum is different.",
        "def f(x):        # an array (1_000_000, 2) of float32\n    return np.sum(x, axis=0)[0]",
        "Add in float64: np.sum(x, dtype=np.float64).",
    ),
    Entry(
        "G601",
        "cancellation",
        "warning",
        "Two nearly equal numbers were subtracted, and the result consists of their rounding errors. The "
        "derivative suffers more than the value: although the chain rule is exact, its result may have no correct "
        "digit.",
        "gradcli check '(1 - cos(x))/x**2' --at 1e-8",
        "Rewrite the step so that nothing cancels: 2*sin(x/2)**2 for 1 - cos(x). `gradcli precision` names the step.",
    ),
    Entry(
        "G602",
        "a better formula",
        "warning",
        "The step that loses most digits has a well-known equivalent that loses none: log1p(x) for log(1 + x), "
        "expm1(x) for exp(x) - 1, hypot for the root of a sum of squares, and the like.",
        "gradcli precision 'log(1 + x)' --at 1e-17",
        "Use the formula that the finding names.",
    ),
    Entry(
        "G603",
        "inaccurate function",
        "warning",
        "SciPy's function, or the derivative that follows from it, has fewer digits at these arguments than "
        "floating-point numbers hold. Both are compared with 50 digits.",
        "gradcli precision 'beta(x, 0.1)' --at 242705",
        "Use a function that is accurate there, such as the logarithm betaln for beta, or accept the digits that "
        "the finding gives.",
    ),
    Entry(
        "G604",
        "bend",
        "warning",
        "Over one standard deviation of the inputs the result bends: the second-order term, as the root mean square "
        "for normal inputs, is more than a tenth of the linear uncertainty, or the point is at a kink. The mean is "
        "then not the value at the point, and J C Jᵀ not the whole variance.",
        "gradcli propagate 'x**2' --at 0.01 --std 0.005",
        "Use the mean and the standard deviation to second order, which the finding gives; where they are far from the "
        "linear ones, sample the inputs.",
    ),
)
