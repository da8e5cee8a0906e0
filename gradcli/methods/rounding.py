"""How far rounding can move what a program computes in binary floating point: a running error analysis.

Each number carries a bound of its error, each operation adds what its own rounding can do and passes on, through its
partials, what its arguments may be off.  The reverse sweep is analysed like any other program, down to the arithmetic
inside our partials.  First order, and by trial where an argument is hardly known at all.
(J. Wilkinson, Rounding Errors in Algebraic Processes, 1963, chapter 1.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gradcli.language import evaluate, scalar
from gradcli.methods.trail import Played, Step
from gradcli.rules.table import RULES, Elementwise
from gradcli.tape.tape import CONSTANT

HALF_ULP = 2.0**-53  # of float64: what one correct rounding moves, of the value
TINY = 2.0**-1074  # what underflow moves
VAGUE = 1e-3  # of an argument: a larger error is tried out, for partials no longer tell what it does

EXACT = frozenset(
    ("neg", "pos", "abs", "maximum", "minimum", "fmax", "fmin", "clip", "relu", "copysign", "sign", "fmod")
)
ROUNDED = frozenset(("add", "sub", "mul", "div", "sqrt", "square", "reciprocal", "mod", "remainder"))
SPECIAL = frozenset(("gamma", "lgamma", "digamma", "polygamma"))


def units(name: str) -> float:
    """How many correct roundings the result of an operation may be off by."""
    if name in EXACT:
        return 0.0
    return 1.0 if name in ROUNDED else 64.0 if name in SPECIAL else 8.0


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number and a bound of its error."""

    value: float
    error: float


class Arithmetic(dict[str, Callable[..., Any]]):
    """The functions of the language on such numbers, in a type whose correct rounding moves at most `half_ulp`."""

    def __init__(self, half_ulp: float) -> None:
        super().__init__(where=lambda condition, x, y: x if condition else y)
        self.half_ulp = half_ulp
        self.constants = {name: Rounded(value, half_ulp * value) for name, value in _CONSTANTS.items()}

    def __missing__(self, name: str) -> Callable[..., Any]:
        rule = RULES.get(name)
        if isinstance(rule, Elementwise):
            self[name] = lambda *arguments: self.apply(rule, arguments)
        else:  # a comparison, or another plain fact
            self[name] = lambda *arguments: scalar.IEEE[name](*map(_value, arguments))
        return self[name]

    def apply(self, rule: Elementwise, arguments: Sequence[Any]) -> Rounded:
        """One operation: its own rounding, and the errors of its arguments passed on."""
        known = [x if type(x) is Rounded else Rounded(float(x), 0.0) for x in arguments]
        values = [x.value for x in known]
        value = rule.ieee(*values)
        own = 0.0 if _is_whole(rule, value, values) else units(rule.name) * (self.half_ulp * _scale(rule, value) + TINY)
        passed = sum(_passed(rule, n, value, values, x.error) for n, x in enumerate(known) if x.error)
        return Rounded(value, _sure(own + passed))

    def partial(self, step: Step, position: int, arguments: Sequence[Rounded], value: Rounded) -> Rounded:
        """The partial of a step by one argument as our rule computes it."""
        rule = step.rule
        assert rule is not None
        tree = rule.partial_trees[position]
        if tree is None:
            return Rounded(0.0, 0.0)
        names = {**self.constants, **dict(zip(rule.parameters, arguments, strict=True)), "v": value}
        found = evaluate(tree, names, self)
        return found if type(found) is Rounded else Rounded(float(found), 0.0)


_CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e}


def _is_whole(rule: Elementwise, value: float, values: list[float]) -> bool:
    """Whether a result is exact because it is a whole number made of whole numbers, as an exponent less 1 is."""
    return rule.name in ("add", "sub", "mul") and abs(value) < 1e7 and all(x.is_integer() for x in values)


def _scale(rule: Elementwise, value: float) -> float:
    """What the rounding of a result is in proportion to: special functions lose their digits near their zeros."""
    return max(abs(value), 1.0) if rule.name in SPECIAL else abs(value)


def _value(x: Any) -> Any:
    return x.value if type(x) is Rounded else x


def _sure(error: float) -> float:
    return math.inf if math.isnan(error) else error


def _passed(rule: Elementwise, position: int, value: float, values: list[float], error: float) -> float:
    """By how much the result may move when one argument moves by its error."""
    x = values[position]
    moved = abs(_partial(rule, position, value, values, error))
    if error <= VAGUE * abs(x):
        return moved
    if error >= abs(x) and _has_pole(rule, position, values):
        return math.inf
    tried = (rule.ieee(*values[:position], near, *values[position + 1 :]) for near in (x - error, x + error))
    return max(moved, *(_sure(abs(result - value)) for result in tried))


def _has_pole(rule: Elementwise, position: int, values: list[float]) -> bool:
    """Whether an operation has a pole where the argument is 0."""
    by_power = rule.name == "pow" and position == 0 and values[1] < 0
    return by_power or rule.name == "reciprocal" or (rule.name == "div" and position == 1)


def _partial(rule: Elementwise, position: int, value: float, values: list[float], error: float) -> float:
    """The partial by an argument times the error of the argument."""
    if rule.name == "div" and position == 1:
        return value * (error / values[1]) if values[1] else math.inf  # the partial may underflow where this does not
    partial = rule.number_partials[position]
    return float(partial(value, *values)) * error if partial else 0.0


def value_errors(played: Played, half_ulp: float = HALF_ULP) -> list[float]:
    """A bound of the rounding error of each result when the program runs in floating point."""
    errors = [x.error for x in _run(played, Arithmetic(half_ulp))]
    return [errors[n] if n != CONSTANT else 0.0 for n in played.results]


def sweep_errors(played: Played, half_ulp: float = HALF_ULP) -> list[float]:
    """A bound of the rounding error of the derivative of the one result by each input, when our sweep computes it."""
    arithmetic = Arithmetic(half_ulp)
    numbers = _run(played, arithmetic)
    multiply, add = arithmetic["mul"], arithmetic["add"]
    last = played.results[0]
    cotangents = {last: Rounded(1.0, 0.0)}
    for at in range(last, -1, -1):
        step, cotangent = played.trail[at], cotangents.get(at)
        if cotangent is None or step.rule is None:
            continue
        arguments = _arguments(step, numbers)
        for position, source in enumerate(step.sources):
            if source == CONSTANT:
                continue
            partial = arithmetic.partial(step, position, arguments, numbers[at])
            if partial.value or not step.rule.selects:
                contribution = multiply(cotangent, partial)
                cotangents[source] = add(cotangents[source], contribution) if source in cotangents else contribution
    return [cotangents[n].error if n in cotangents else 0.0 for n in played.inputs]


def _run(played: Played, arithmetic: Arithmetic) -> list[Rounded]:
    """Every number of the program with its error; the inputs are exact."""
    numbers: list[Rounded] = []
    for step in played.trail:
        if step.rule is None:
            numbers.append(Rounded(float(step.value), 0.0))
        else:
            numbers.append(arithmetic.apply(step.rule, _arguments(step, numbers)))
    return numbers


def _arguments(step: Step, numbers: list[Rounded]) -> list[Rounded]:
    return [
        Rounded(float(x), 0.0) if n == CONSTANT else numbers[n]
        for n, x in zip(step.sources, step.arguments, strict=True)
    ]
