"""How far rounding can move what a program computes in binary floating point: a running error analysis.

Each number carries a bound of its error, each operation adds what its own rounding can do and passes on, through its
partials, what its arguments may be off.  The reverse sweep is analysed like any other program, down to the arithmetic
inside our partials.  First order, and by trial where an argument is hardly known at all.
(J. Wilkinson, Rounding Errors in Algebraic Processes, 1963, chapter 1.)
"""

from gradcli.numerics.rounding.arithmetic import HALF_ULP, is_short
from gradcli.numerics.rounding.bounds import (
    own_errors,
    running_errors,
    sweep_errors,
    sweep_summands,
    value_errors,
    value_summands,
)
from gradcli.numerics.rounding.trials import SAFETY, moved_by_trial

__all__ = [
    "HALF_ULP",
    "SAFETY",
    "is_short",
    "moved_by_trial",
    "own_errors",
    "running_errors",
    "sweep_errors",
    "sweep_summands",
    "value_errors",
    "value_summands",
]
