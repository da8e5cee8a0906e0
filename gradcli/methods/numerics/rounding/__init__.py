"""A running error analysis of programs in binary floating point.

Each number carries a bound on its error. Each operation adds its own rounding error and passes on the errors of its
arguments through its partials. The reverse sweep is analysed like any other program, down to the arithmetic inside
gradcli's partials. The analysis is of first order, and by trial where an argument has a large relative error. (J.
Wilkinson, Rounding Errors in Algebraic Processes, 1963, chapter 1.)
"""

from gradcli.methods.numerics.rounding.arithmetic import HALF_ULP, is_short
from gradcli.methods.numerics.rounding.bounds import (
    ErrorAnalysis,
    error_analysis,
    own_errors,
    sweep_errors,
    sweep_summands,
    value_errors,
    value_summands,
)
from gradcli.methods.numerics.rounding.trials import SAFETY, moved_by_trial

__all__ = [
    "HALF_ULP",
    "SAFETY",
    "ErrorAnalysis",
    "error_analysis",
    "is_short",
    "moved_by_trial",
    "own_errors",
    "sweep_errors",
    "sweep_summands",
    "value_errors",
    "value_summands",
]
