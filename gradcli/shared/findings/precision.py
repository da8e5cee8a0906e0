"""G601 to G604: steps that lose digits, and uncertainty that bends."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
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
