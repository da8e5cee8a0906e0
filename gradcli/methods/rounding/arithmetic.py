"""Numbers and arrays that carry a bound of their rounding error, and the operations of the language on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.language import array, evaluate, scalar
from gradcli.rules.table import RULES, Elementwise

HALF_ULP = 2.0**-53  # of float64: what one correct rounding moves, of the value
TINY = {2.0**-53: 2.0**-1074, 2.0**-24: 2.0**-149, 2.0**-11: 2.0**-24}  # by the rounding: what underflow moves
VAGUE = 1e-3  # of an argument: a larger error is tried out, for partials no longer tell what it does

EXACT = frozenset(
    ("neg", "pos", "abs", "maximum", "minimum", "fmax", "fmin", "clip", "relu", "copysign", "sign", "fmod", "where")
)
ROUNDED = frozenset(("add", "sub", "mul", "div", "sqrt", "square", "reciprocal", "mod", "remainder"))
LINEAR = {  # in how many of the first arguments, as far as the terms of sums are concerned
    **dict.fromkeys(("neg", "pos", "abs", "relu", "square", "pow", "div", "clip"), 1),
    **dict.fromkeys(("add", "sub", "mul", "maximum", "minimum", "fmax", "fmin"), 2),
}
SPECIAL = frozenset(("gamma", "lgamma", "digamma", "polygamma"))
SHORT = 24  # bits; a constant that needs no more, such as 0.5 or 3, is meant to be exactly what it is
WHOLE_UP_TO = 1e7  # sums and products of whole numbers are exact, as an exponent less 1 is


def units(name: str) -> float:
    """How many correct roundings the result of an operation may be off by."""
    if name in EXACT:
        return 0.0
    return 1.0 if name in ROUNDED else 64.0 if name in SPECIAL else 8.0


@dataclass(frozen=True, slots=True)
class Rounded:
    """A number or an array, and a bound of its error; of complex numbers that of the distance in the plane."""

    value: Any
    error: Any


def exactly(x: Any) -> Rounded:
    """A number without error."""
    if type(x) is Rounded:
        return x
    if isinstance(x, np.ndarray):
        return Rounded(x, 0.0)
    return Rounded(complex(x) if np.iscomplexobj(x) else float(x), 0.0)


def is_short(x: Any) -> Any:
    """Whether a number, or each number of an array, has so few bits that it is not rounded."""
    if np.iscomplexobj(x):
        return is_short(np.real(x)) & is_short(np.imag(x))
    if not isinstance(x, np.ndarray):
        return (math.frexp(x)[0] * 2.0**SHORT).is_integer()
    scaled = np.frexp(x)[0] * 2.0**SHORT
    return scaled == np.rint(scaled)


class Arithmetic(dict[str, Callable[..., Any]]):
    """The functions of the language on such numbers, in a type whose correct rounding moves at most `half_ulp`.

    With `typed`, the constants of the program were rounded too when they were written down.
    """

    unknown = 1.0  # of a rounding: what is taken into account in operations on arrays without a bound of their own

    def __init__(self, half_ulp: float, *, typed: bool = False) -> None:
        super().__init__(where=_where)
        self.half_ulp = half_ulp
        self.typed = typed
        self.tiny = TINY.get(half_ulp, TINY[HALF_ULP])
        self.constants = {name: Rounded(value, half_ulp * value) for name, value in _CONSTANTS.items()}

    def __missing__(self, name: str) -> Callable[..., Any]:
        rule = RULES.get(name)
        if isinstance(rule, Elementwise):
            self[name] = lambda *arguments: self.apply(rule, arguments)
        else:  # a comparison, or another plain fact
            self[name] = lambda *arguments: _fact(name, [_value(x) for x in arguments])
        return self[name]

    def constant(self, x: Any) -> Rounded:
        """A constant of the program."""
        if not self.typed or (isinstance(x, np.ndarray) and x.dtype.kind not in "fc"):
            return exactly(x)
        short, size = is_short(x), self.half_ulp * abs(x)
        if isinstance(x, np.ndarray):
            return Rounded(x, np.where(short, 0.0, size))
        return Rounded(exactly(x).value, 0.0 if short else float(size))

    def apply(self, rule: Elementwise, arguments: Sequence[Any]) -> Rounded:
        """One operation: its own rounding, and the errors of its arguments passed on."""
        known = [exactly(x) for x in arguments]
        values = [x.value for x in known]
        if any(isinstance(x, (np.ndarray, complex)) for x in values):
            return self._on_arrays(rule, known, values)
        value = rule.ieee(*values)
        passed = sum(_passed(rule, n, value, values, x.error) for n, x in enumerate(known) if x.error)
        return Rounded(value, _sure(self.own(rule, value, values) + passed))

    def own(self, rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
        """What the rounding of one operation itself may move."""
        if isinstance(value, np.ndarray):
            return np.where(_are_whole(rule, value, values), 0.0, self._unit(rule, np.abs(value)))
        exact = _is_whole(rule, value, values) or (value == 0 and rule.name in ROUNDED and 0 in values)
        return 0.0 if exact else self._unit(rule, abs(value))

    def _unit(self, rule: Elementwise, size: Any) -> Any:
        """Special functions lose their digits near their zeros."""
        scale = size if rule.name not in SPECIAL else np.maximum(size, 1.0)
        return units(rule.name) * (self.half_ulp * scale + self.tiny)

    def _on_arrays(self, rule: Elementwise, known: list[Rounded], values: list[Any]) -> Rounded:
        rule = _on_their_numbers(rule, values)
        with np.errstate(all="ignore"):
            value = np.asarray(rule.on_arrays(*values))
            errors = [_passed_arrays(rule, n, value, values, x.error) for n, x in enumerate(known) if np.any(x.error)]
            error = sum(errors, start=np.zeros(value.shape)) + self.own(rule, value, values)
        return Rounded(value, np.where(np.isnan(error), np.inf, error))

    def partial(self, rule: Elementwise, position: int, arguments: Sequence[Rounded], value: Rounded) -> Rounded:
        """The partial of an operation by one argument as our rule computes it."""
        tree = rule.partial_trees[position]
        if tree is None:
            return Rounded(0.0, 0.0)
        names = {**self.constants, **dict(zip(rule.parameters, arguments, strict=True)), "v": value}
        return exactly(evaluate(tree, names, self))


class Summands(Arithmetic):
    """Follows the terms of sums in place of what rounding moves: as if these alone were off, by `half_ulp` each.

    They are followed through sums and products only: a sum inside a cosine is not one of the result.
    """

    unknown = 0.0

    def apply(self, rule: Elementwise, arguments: Sequence[Any]) -> Rounded:
        """One operation: the terms that it adds, and those of the arguments in which it is linear."""
        known = [exactly(x) for x in arguments]
        through = LINEAR.get(rule.name, 0)
        return super().apply(rule, [x if n < through else Rounded(x.value, 0.0) for n, x in enumerate(known)])

    def own(self, rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
        """The larger of the terms of a sum or difference; nothing for other operations."""
        if rule.name not in ("add", "sub"):
            return 0.0
        sizes = [self.half_ulp * abs(x) for x in values]
        return np.maximum(*sizes) if any(isinstance(x, np.ndarray) for x in sizes) else max(sizes)


_CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e}


def _on_their_numbers(rule: Elementwise, values: Sequence[Any]) -> Elementwise:
    """The row that holds on complex numbers, where there are any."""
    row = rule.on_complex if any(map(np.iscomplexobj, values)) else None
    return row if isinstance(row, Elementwise) else rule


def _value(x: Any) -> Any:
    return x.value if type(x) is Rounded else x


def _fact(name: str, values: list[Any]) -> Any:
    if any(isinstance(x, (np.ndarray, complex)) for x in values):
        with np.errstate(all="ignore"):
            return array.functions(np)[name](*values)
    return scalar.IEEE[name](*values)


def _where(condition: Any, x: Any, y: Any) -> Any:
    condition = _value(condition)
    if not isinstance(condition, np.ndarray):
        return x if condition else y
    x, y = exactly(x), exactly(y)
    return Rounded(np.where(condition, x.value, y.value), np.where(condition, x.error, y.error))


def _is_whole(rule: Elementwise, value: float, values: Sequence[float]) -> bool:
    """Whether a result is exact because it is a whole number made of whole numbers."""
    return (
        rule.name in ("add", "sub", "mul") and abs(value) < WHOLE_UP_TO and all(float(x).is_integer() for x in values)
    )


def _are_whole(rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
    if rule.name not in ("add", "sub", "mul") or any(map(np.iscomplexobj, values)):
        return False
    whole = np.abs(value) < WHOLE_UP_TO
    for x in values:
        whole = whole & (np.asarray(x) == np.floor(x))
    return whole


def _sure(error: float) -> float:
    return math.inf if math.isnan(error) else error


# What the errors of the arguments do


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


def _has_pole(rule: Elementwise, position: int, values: list[Any]) -> bool:
    """Whether an operation has a pole where the argument is 0."""
    by_power = rule.name == "pow" and position == 0 and bool(np.any(values[1] < 0))
    return by_power or rule.name == "reciprocal" or (rule.name == "div" and position == 1)


def _partial(rule: Elementwise, position: int, value: float, values: list[float], error: float) -> float:
    """The partial by an argument times the error of the argument."""
    if rule.name == "div" and position == 1:
        return value * (error / values[1]) if values[1] else math.inf  # the partial may underflow where this does not
    partial = rule.number_partials[position]
    return float(partial(value, *values)) * error if partial else 0.0


def _passed_arrays(rule: Elementwise, position: int, value: Any, values: list[Any], error: Any) -> Any:
    """The same as `_passed` for each number of arrays."""
    x = np.asarray(values[position])
    moved = np.where(error == 0, 0.0, np.abs(_partial_arrays(rule, position, value, values, error)))
    vague = error > VAGUE * np.abs(x)
    if not np.any(vague):
        return moved
    tried = [
        np.abs(rule.on_arrays(*values[:position], near, *values[position + 1 :]) - value)
        for near in (x - error, x + error)
    ]
    tried = [np.where(np.isnan(change), np.inf, change) for change in tried]
    if _has_pole(rule, position, values):
        tried.append(np.where(error >= np.abs(x), np.inf, 0.0))
    return np.where(vague, np.maximum.reduce([np.broadcast_to(t, value.shape) for t in (moved, *tried)]), moved)


def _partial_arrays(rule: Elementwise, position: int, value: Any, values: list[Any], error: Any) -> Any:
    if rule.name == "div" and position == 1:
        return value * (error / values[1])
    partial = rule.array_partials[position]
    if partial is None:
        return np.zeros(np.shape(value))
    slope = np.asarray(partial(value, *values))
    return np.where((slope == 0) & rule.selects, 0.0, slope * error)
