"""The derivative of the recorded straight-line program at the exact binary point, with 50 digits or more.

The program is played again on numbers of many digits, its outcomes fixed, every array operation taken apart into single
numbers; then one reverse sweep multiplies SymPy's derivatives of each row's value.  It owes nothing to our partials.
The same sweep carries a running error analysis of the floating-point sweep (Wilkinson, Rounding Errors in Algebraic
Processes, 1963), so that each component comes with the rounding error that a right program may show.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import mpmath
import numpy as np

from gradcli.language import exact, symbolic
from gradcli.rules.table import RULES, ArrayRule, Elementwise, Functions
from gradcli.tape.replay import lift, replay_system
from gradcli.tape.tape import CONSTANT, Tape

PRECISIONS = (60, 120, 240)
AGREEMENT = mpmath.mpf(10) ** -30
HALF_ULP = mpmath.mpf(2) ** -53


@dataclass
class Trail:
    """What was computed number by number: for each, the rule, the arguments and their positions on the trail."""

    rules: list[Elementwise | None] = field(default_factory=list)
    arguments: list[tuple[Any, ...]] = field(default_factory=list)
    sources: list[tuple[int, ...]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)

    def append(self, rule: Elementwise | None, arguments: tuple[Any, ...], sources: tuple[int, ...], value: Any) -> int:
        """Add one number and return its position."""
        self.rules.append(rule)
        self.arguments.append(arguments)
        self.sources.append(sources)
        self.values.append(value)
        return len(self.values) - 1


class Exact:
    """A number of many digits that keeps how it was computed."""

    __slots__ = ("position", "trail", "value")

    def __init__(self, trail: Trail, value: Any, position: int) -> None:
        self.trail = trail
        self.value = value
        self.position = position


def _operator(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Exact, other: Any) -> Any:
        arguments = (other, self) if reflected else (self, other)
        return apply(self.trail, name, arguments)

    return method


for _name, _method in {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "pow": "pow", "mod": "mod"}.items():
    setattr(Exact, f"__{_method}__", _operator(_name, reflected=False))
    setattr(Exact, f"__r{_method}__", _operator(_name, reflected=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Exact, f"__{_name}__", lambda self, other, compare=getattr(operator, _name): compare(self.value, _value(other)))
Exact.__hash__ = None  # type: ignore[assignment]
Exact.__neg__ = lambda self: apply(self.trail, "neg", (self,))  # type: ignore[attr-defined]


def _value(x: Any) -> Any:
    return x.value if type(x) is Exact else exact.number(x) if isinstance(x, (int, float)) else x


def apply(trail: Trail, name: str, arguments: tuple[Any, ...]) -> Exact:
    """One elementwise rule on numbers of many digits."""
    rule = RULES[name]
    assert isinstance(rule, Elementwise)
    values = tuple(map(_value, arguments))
    value = _exact_value(rule)(*values)
    sources = tuple(x.position if type(x) is Exact else CONSTANT for x in arguments)
    return Exact(trail, value, trail.append(rule, values, sources, value))


@cache
def _functions() -> Functions:
    return Functions(exact.functions(), exact.number, {"pi": mpmath.pi, "tau": 2 * mpmath.pi, "e": mpmath.e})


@cache
def symbolic_functions() -> Functions:
    """SymPy's functions of the words of the language."""
    import sympy

    return Functions(symbolic.functions(), symbolic.number, {"pi": sympy.pi, "tau": 2 * sympy.pi, "e": sympy.E})


def _exact_value(rule: Elementwise) -> Callable[..., Any]:
    return lambda *arguments: _functions().evaluate(rule, arguments)


@cache
def derivative(rule: Elementwise, position: int, exponent: Any = None) -> Callable[..., Any]:
    """SymPy's derivative of the value of `rule` by one argument, as a function of mpmath numbers.

    A constant exponent is put in before SymPy differentiates, so that `x**2` is `2*x`, at 0 too.
    """
    import sympy

    symbols = tuple(sympy.Symbol(name, real=True) for name in rule.parameters)
    arguments = symbols if exponent is None else (symbols[0], symbolic.number(exponent))
    value = symbolic_functions().evaluate(rule, arguments)
    return numeric(symbols, symbolic.derivative(value, symbols[position]))


def numeric(symbols: tuple[Any, ...], expression: Any) -> Callable[..., Any]:
    """A SymPy expression as a function of mpmath numbers, Piecewise evaluated lazily."""
    import sympy

    function: Callable[..., Any] = sympy.lambdify(symbols, expression, modules=[dict(exact.functions()), "mpmath"], cse=True)
    return function


class ExactSystem:
    """Numbers of many digits, each kept on a trail."""

    def __init__(self) -> None:
        self.trail = Trail()

    def number(self, value: float) -> Exact:
        """The number that is exactly the binary value, a constant."""
        return Exact(self.trail, exact.number(value), CONSTANT)

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule as a function of these numbers; a choice by a plain condition takes its side."""
        if rule.name == "where":
            return lambda c, x, y: x if _value(c) else y
        return lambda *arguments: apply(self.trail, rule.name, arguments)

    def extreme(self, rule: ArrayRule, values: Any, recorded: Any, **static: Any) -> Any:
        """The extreme number along axes; ties are left to the check for kinks."""
        return rule.forward(values, **static)


@dataclass(frozen=True)
class ExactGradient:
    """The derivative by each input number, the rounding error a right program may show, and the largest contribution."""

    derivatives: tuple[Any, ...]
    rounding: tuple[Any, ...]
    largest: tuple[Any, ...]
    value: Any
    value_rounding: Any


def gradient(tape: Tape, result: int, inputs: list[int]) -> ExactGradient:
    """The derivative of row `result` by every number of the rows `inputs`, with at least 30 sure digits.

    The number of digits is raised until two precisions agree.  The cost is linear in the number of single numbers on the
    tape, some 20 microseconds each.

    Raises:
        ArithmeticError: no two precisions agree, or a number is not finite.
    """
    before: ExactGradient | None = None
    for digits in PRECISIONS:
        with mpmath.workdps(digits):
            now = _sweep(*_play(tape, result, inputs))
        if before is not None and _agree(before, now):
            return _with_zeros(now)
        before = now
    raise ArithmeticError("no two precisions agree")


def _play(tape: Tape, result: int, inputs: list[int]) -> tuple[Trail, int, list[int]]:
    system = ExactSystem()
    lifted = {index: lift(system, tape.rows[index][1]) for index in inputs}
    numbers = [x for index in inputs for x in np.atleast_1d(np.asarray(lifted[index], dtype=object)).ravel()]
    for x in numbers:
        x.position = system.trail.append(None, (), (), x.value)
    values = replay_system(tape, system, lifted, result)
    return system.trail, values[result].position, [x.position for x in numbers]


def _sweep(trail: Trail, last: int, inputs: list[int]) -> ExactGradient:
    zero = mpmath.mpf(0)
    errors = _value_errors(trail, last)
    size = last + 1
    cotangents, rounding, largest = [zero] * size, [zero] * size, [zero] * size
    cotangents[last] = mpmath.mpf(1)
    for at in range(last, -1, -1):
        rule, ct = trail.rules[at], cotangents[at]
        if rule is None or not ct and not rounding[at]:
            continue
        for position, source in enumerate(trail.sources[at]):
            if source >= 0:
                partial, uncertain = _partial(trail, at, position, errors)
                contribution = ct * partial
                cotangents[source] += contribution
                rounding[source] += abs(partial) * rounding[at] + abs(ct) * uncertain + 2 * HALF_ULP * abs(contribution)
                largest[source] = max(largest[source], abs(contribution))
    pick = [source if source <= last else None for source in inputs]
    return ExactGradient(
        *(tuple(zero if n is None else series[n] for n in pick) for series in (cotangents, rounding, largest)),
        trail.values[last],
        errors[last],
    )


def _partial(trail: Trail, at: int, position: int, errors: list[Any]) -> tuple[Any, Any]:
    """A partial, and by how much it moves when its arguments move by their rounding errors."""
    arguments = trail.arguments[at]
    function = _derivative_at(trail, at, position)
    partial = mpmath.mpf(function(*arguments))
    uncertain = HALF_ULP * abs(partial)
    for other, source in enumerate(trail.sources[at]):
        if source >= 0 and errors[source]:
            shifted = list(arguments)
            shifted[other] = shifted[other] + errors[source]
            uncertain += abs(mpmath.mpf(function(*shifted)) - partial)
    return partial, uncertain


def _derivative_at(trail: Trail, at: int, position: int) -> Callable[..., Any]:
    rule = trail.rules[at]
    assert rule is not None
    constant = rule.name == "pow" and trail.sources[at][1] < 0
    return derivative(rule, position, float(trail.arguments[at][1]) if constant else None)


def _value_errors(trail: Trail, last: int) -> list[Any]:
    """A bound of the rounding error of each number when the program runs in double precision."""
    errors: list[Any] = []
    for at in range(last + 1):
        rule = trail.rules[at]
        error = mpmath.mpf(0)
        if rule is not None:
            error = HALF_ULP * abs(trail.values[at])
            for position, source in enumerate(trail.sources[at]):
                if source >= 0 and errors[source]:
                    error += abs(mpmath.mpf(_derivative_at(trail, at, position)(*trail.arguments[at]))) * errors[source]
        errors.append(error)
    return errors


def _agree(before: ExactGradient, now: ExactGradient) -> bool:
    pairs = zip(before.derivatives, now.derivatives, now.largest, strict=True)
    return all(abs(a - b) <= AGREEMENT * abs(b) or max(abs(a), abs(b)) <= AGREEMENT * big for a, b, big in pairs)


def _with_zeros(found: ExactGradient) -> ExactGradient:
    """What is nothing but the last digits of larger contributions is zero."""
    derivatives = tuple(
        x if abs(x) > AGREEMENT * big else mpmath.mpf(0) for x, big in zip(found.derivatives, found.largest, strict=True)
    )
    return ExactGradient(derivatives, found.rounding, found.largest, found.value, found.value_rounding)
