"""The derivative of the recorded straight-line program at the exact binary point, with 30 sure digits.

The program is played again on numbers of many digits, its outcomes fixed, every array operation taken apart into single
numbers; then one reverse sweep multiplies SymPy's derivatives of each row's value.  It owes nothing to our partials.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath

from gradcli.language import exact, symbolic
from gradcli.methods.trail import Played, Step, Trail, play
from gradcli.rules.table import Elementwise, Functions
from gradcli.tape.tape import CONSTANT, Tape

PRECISIONS = (60, 120, 240, 480)
DEEPEST = PRECISIONS[-1]  # for what comes out as nothing: sech(300)**2 is 1e-260, written as 1 - tanh(300)**2
AGREEMENT = mpmath.mpf(10) ** -30

Number = Any  # of mpmath's


@dataclass(frozen=True)
class ExactGradient:
    """The derivative by each number of the inputs.

    Attributes:
        derivatives: with 30 digits or more; None where there is none at this point.
        largest: the largest of the contributions that each derivative is the sum of, in absolute value.
        played: the program as it was played with the most digits.
    """

    derivatives: tuple[Number | None, ...]
    largest: tuple[Number, ...]
    played: Played


def gradient(tape: Tape, result: int, inputs: Sequence[int]) -> ExactGradient:
    """The derivative of row `result` by every number of the rows `inputs`.

    The number of digits is raised until two precisions agree.  The cost is linear in the number of single numbers on
    the tape, some 60 microseconds each.

    Raises:
        ArithmeticError: the program takes too many steps.
    """
    before: list[Number] = []
    for digits in PRECISIONS:
        with mpmath.workdps(digits):
            played = play(tape, inputs, [result])
            derivatives, largest = sweep(played)
            found = [settled(*each) for each in zip(before, derivatives, largest, strict=False)]
        if before and all(x is not None or not mpmath.isfinite(y) for x, y in zip(found, derivatives, strict=True)):
            break
        before = derivatives
    found = [_vanished(*each) for each in zip(before, derivatives, found, strict=True)]
    return ExactGradient(tuple(found), tuple(largest), played)


def settled(before: Number, now: Number, largest: Number = 0) -> Number | None:
    """The number on which two precisions agree; 0 where only the last digits of larger contributions are left."""
    if not (mpmath.isfinite(before) and mpmath.isfinite(now)):
        return None
    if max(abs(before), abs(now)) <= AGREEMENT * largest:
        return mpmath.mpf(0)
    return now if abs(before - now) <= AGREEMENT * abs(now) else None


def _vanished(before: Number, now: Number, found: Number | None) -> Number | None:
    """0 for a number that is still falling with the last precision, and so nothing but its last digits."""
    falls = found is None and mpmath.isfinite(now) and abs(now) <= AGREEMENT * abs(before)
    return mpmath.mpf(0) if falls else found


def sweep(played: Played) -> tuple[list[Number], list[Number]]:
    """The derivative of the one result by each input, and the largest contribution to it."""
    trail, last = played.trail, played.results[0]
    cotangents: dict[int, Number] = {last: mpmath.mpf(1)}
    largest: dict[int, Number] = {}
    for at in range(last, -1, -1):
        if at not in cotangents or trail[at].rule is None:
            continue
        for position, source in enumerate(trail[at].sources):
            if source != CONSTANT and (contribution := _contribution(trail, at, position, cotangents[at])) is not None:
                cotangents[source] = cotangents.get(source, 0) + contribution
                largest[source] = max(largest.get(source, 0), abs(contribution))
    zero = mpmath.mpf(0)
    return [cotangents.get(n, zero) for n in played.inputs], [largest.get(n, zero) for n in played.inputs]


def _contribution(trail: Trail, at: int, position: int, cotangent: Number) -> Number | None:
    """Cotangent times partial; nothing at all where a rule that hands one argument through did not take this one."""
    partial = partial_of(trail[at], position)
    rule = trail[at].rule
    return None if not partial and rule is not None and rule.selects else cotangent * partial


def partial_of(step: Step, position: int) -> Number:
    """SymPy's derivative of one step by one argument, with more digits where it comes out as next to nothing."""
    rule = step.rule
    assert rule is not None
    if rule.name == "pow" and position == 1 and not step.arguments[0]:
        return mpmath.mpf(0) if step.arguments[1] > 0 else mpmath.nan
    constant = rule.name == "pow" and step.sources[1] == CONSTANT
    function = derivative(rule, position, float(step.arguments[1]) if constant else None)
    partial = real(function, step.arguments)
    if abs(partial) < mpmath.eps:
        with mpmath.workdps(DEEPEST):
            partial = real(function, step.arguments)
    return partial


def real(function: Callable[..., Any], arguments: Sequence[Number]) -> Number:
    """The value of a function of mpmath numbers; nan where it has none."""
    try:
        return mpmath.mpf(function(*arguments))
    except (ArithmeticError, ValueError, TypeError, mpmath.libmp.NoConvergence):
        return mpmath.nan


# SymPy's derivatives of the rows of the table


@cache
def derivative(rule: Elementwise, position: int, exponent: float | None = None) -> Callable[..., Any]:
    """SymPy's derivative of the value of `rule` by one argument, as a function of mpmath numbers.

    A constant exponent is put in before SymPy differentiates, so that `x**2` is `2*x`, at 0 too.
    """
    import sympy

    symbols = tuple(sympy.Symbol(name, real=True) for name in rule.parameters)
    arguments = symbols if exponent is None else (symbols[0], symbolic.number(exponent))
    value = symbolic_functions().evaluate(rule, arguments)
    found = symbolic.derivative(value, symbols[position])
    return numeric(symbols, sympy.powsimp(found) if rule.name == "pow" else found)


@cache
def symbolic_functions() -> Functions:
    """SymPy's functions of the words of the language."""
    import sympy

    return Functions(symbolic.functions(), symbolic.number, {"pi": sympy.pi, "tau": 2 * sympy.pi, "e": sympy.E})


def numeric(symbols: tuple[Any, ...], expression: Any) -> Callable[..., Any]:
    """A SymPy expression as a function of mpmath numbers, Piecewise evaluated lazily."""
    import sympy

    ours = {**exact.functions(), "sinc": mpmath.sinc}  # SymPy's is sin(x) / x
    function: Callable[..., Any] = sympy.lambdify(symbols, expression, modules=[ours, "mpmath"], cse=True)
    return function
