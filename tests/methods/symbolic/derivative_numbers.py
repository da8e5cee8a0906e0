"""The numbers of SymPy's derivatives of a whole program."""

from collections.abc import Sequence
from typing import Any

import mpmath

from gradcli.mathematics.language import mpmath_functions
from gradcli.methods.exact import decimals
from gradcli.methods.exact.gradient import PRECISIONS, agreed_number
from gradcli.methods.exact.partials import DEEPEST, numeric, real
from gradcli.methods.symbolic.closed_form import SymbolicProgram


def numbers(program: SymbolicProgram, at: Sequence[float]) -> list[Any]:
    """SymPy's derivatives at the exact binary point, on which two precisions agree; None where there is none."""
    return [_number(numeric(program.symbols, derivative), at) for derivative in program.derivatives()]


def _number(function: Any, at: Sequence[float]) -> Any:
    before, now = mpmath.nan, mpmath.nan
    for digits in (*PRECISIONS, 2 * DEEPEST):
        with mpmath.workdps(digits):
            before, now = now, real(function, [mpmath_functions.number(float(x)) for x in at])
            if abs(now) > mpmath.mpf(10) ** (-digits // 4) and (sure := _agreed(before, now)) is not None:
                return sure
    vanished = bool(abs(now) < mpmath.mpf(10) ** (-DEEPEST * 3 // 2))
    return mpmath.mpf(0) if vanished else _agreed(before, now)


def _agreed(before: Any, now: Any) -> Any:
    with decimals.digits(2 * DEEPEST):
        sure = agreed_number(decimals.from_mpmath(before), decimals.from_mpmath(now))
        return None if sure is None else decimals.to_mpmath(sure)
