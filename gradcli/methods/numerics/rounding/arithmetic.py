"""Numbers and arrays with bounds on their rounding errors, and the operations of the language on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.mathematics.language import Name, Number, float_functions, numpy_like_functions
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import MANY, ROUNDED, Elementwise, Partials
from gradcli.shared.float_errors import ignored_float_errors

HALF_ULP = 2.0**-53  # relative error of one correct rounding in float64
TINY = {2.0**-53: 2.0**-1074, 2.0**-24: 2.0**-149, 2.0**-11: 2.0**-24}  # absolute error of underflow, by rounding unit
VAGUE = 1e-3  # relative error of an argument above which partials are not trusted and the effect is tried

SHORT = 24  # bits; a constant that needs no more, such as 0.5 or 3, is taken as exact
WHOLE_UP_TO = 1e7  # bound below which sums and products of whole numbers are exact, such as an exponent less 1


class Rounded(NamedTuple):
    """A number or an array with a bound on its error; for complex numbers, the error is a distance in the plane."""

    value: Any
    error: Any


def exact_number(x: Any) -> Rounded:
    """A number without error."""
    if type(x) is Rounded:
        return x
    if type(x) is float or isinstance(x, np.ndarray):
        return Rounded(x, 0.0)
    return Rounded(complex(x) if np.iscomplexobj(x) else float(x), 0.0)


def is_short(x: Any) -> Any:
    """Whether a number, or each number of an array, has so few bits that it is exact as typed."""
    if np.iscomplexobj(x):
        return is_short(np.real(x)) & is_short(np.imag(x))
    if not isinstance(x, np.ndarray):
        return (math.frexp(x)[0] * 2.0**SHORT).is_integer()
    scaled = np.frexp(x)[0] * 2.0**SHORT
    return scaled == np.rint(scaled)


class Arithmetic(dict[str, Callable[..., Any]]):
    """The functions of the language on such numbers, in a dtype whose rounding has a relative error of `half_ulp`.

    With `typed`, constants of the program have been rounded too, when they were typed.
    """

    unknown = 1.0  # fraction of a rounding that is assumed for array operations without a bound of their own

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
        else:  # comparisons and other functions with plain results
            self[name] = lambda *arguments: _fact(name, [_value(x) for x in arguments])
        return self[name]

    def constant(self, x: Any) -> Rounded:
        """A constant of the program."""
        if not self.typed or (isinstance(x, np.ndarray) and x.dtype.kind not in "fc"):
            return exact_number(x)
        short, size = is_short(x), self.half_ulp * abs(x)
        if isinstance(x, np.ndarray):
            return Rounded(x, np.where(short, 0.0, size))
        return Rounded(exact_number(x).value, 0.0 if short else float(size))

    def apply(self, rule: Elementwise, arguments: Sequence[Any], value: Any = None) -> Rounded:
        """Apply one operation: its own rounding error, and the errors passed on from its arguments.

        `value` is the result, where it is known.
        """
        known = [x if type(x) is Rounded else exact_number(x) for x in arguments]
        values = [x.value for x in known]
        for x in values:
            if isinstance(x, (np.ndarray, complex)):
                return self._on_arrays(rule, known, values, value)
        value = rule.ieee(*values) if value is None else float(value)
        passed = 0.0
        for position, (_, error) in enumerate(known):
            if error:
                passed += _passed(rule, position, value, values, error)
        return Rounded(value, _sure(self.own(rule, value, values) + passed))

    def own(self, rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
        """A bound on the rounding error of one operation itself."""
        if isinstance(value, np.ndarray):
            return np.where(_are_whole(rule, value, values), 0.0, self._unit(rule, np.abs(value)))
        exact = _is_whole(rule, value, values) or (value == 0 and rule.roundings <= ROUNDED and 0 in values)
        return 0.0 if exact else self._unit(rule, abs(value))

    def _unit(self, rule: Elementwise, size: Any) -> Any:
        scale = size if rule.roundings < MANY else np.maximum(size, 1.0)
        return rule.roundings * (self.half_ulp * scale + self.tiny)

    def _on_arrays(self, rule: Elementwise, known: list[Rounded], values: list[Any], value: Any) -> Rounded:
        rule = _on_their_numbers(rule, values)
        with ignored_float_errors():
            value = np.asarray(rule.on_arrays(*values) if value is None else value)
            errors = [_passed_arrays(rule, n, value, values, x.error) for n, x in enumerate(known) if np.any(x.error)]
            error = sum(errors, start=np.zeros(value.shape)) + self.own(rule, value, values)
        return Rounded(value, np.where(np.isnan(error), np.inf, error))

    def partial(self, slopes: Partials, position: int) -> Callable[[Sequence[Rounded], Rounded], Rounded]:
        """The partial by one argument, with the error that gradcli's rule makes: a function of arguments and value."""
        tree = slopes.trees[position]
        if tree is None or isinstance(tree, Number):
            constant = exact_number(tree.value if tree else 0.0)
            return lambda arguments, value: constant
        names = *slopes.parameters, "v"
        if isinstance(tree, Name) and tree.id in names:
            place = names.index(tree.id)
            return lambda arguments, value: (*arguments, value)[place]

        def computed(arguments: Sequence[Rounded], value: Rounded) -> Rounded:
            known = {**self.constants, **dict(zip(names, (*arguments, value), strict=True))}
            return exact_number(evaluate(tree, known, self))

        return computed


class Summands(Arithmetic):
    """The sizes of the terms of sums, in place of rounding errors, as if each term were off by `half_ulp`.

    Terms are followed only through sums and products: a sum inside a cosine is not a sum of the result.
    """

    unknown = 0.0

    def apply(self, rule: Elementwise, arguments: Sequence[Any], value: Any = None) -> Rounded:
        """Apply one operation: the terms that it adds, and those of the arguments whose sums it passes on."""
        known = map(exact_number, arguments)
        carried = [x if n < rule.carries else Rounded(x.value, 0.0) for n, x in enumerate(known)]
        return super().apply(rule, carried, value)

    def own(self, rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
        """The larger term of a sum or difference; 0 for other operations."""
        if not rule.adds:
            return 0.0
        sizes = [self.half_ulp * abs(x) for x in values]
        return np.maximum(*sizes) if any(isinstance(x, np.ndarray) for x in sizes) else max(sizes)


_CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e}


def _on_their_numbers(rule: Elementwise, values: Sequence[Any]) -> Elementwise:
    """The complex version of a rule if an argument is complex."""
    row = rule.on_complex if any(map(np.iscomplexobj, values)) else None
    return row if isinstance(row, Elementwise) else rule


def _value(x: Any) -> Any:
    return x.value if type(x) is Rounded else x


def _fact(name: str, values: list[Any]) -> Any:
    if any(isinstance(x, (np.ndarray, complex)) for x in values):
        with ignored_float_errors():
            return numpy_like_functions.functions(np)[name](*values)
    return float_functions.IEEE[name](*values)


def _where(condition: Any, x: Any, y: Any) -> Any:
    condition = _value(condition)
    if not isinstance(condition, np.ndarray):
        return x if condition else y
    x, y = exact_number(x), exact_number(y)
    return Rounded(np.where(condition, x.value, y.value), np.where(condition, x.error, y.error))


def _is_whole(rule: Elementwise, value: float, values: Sequence[float]) -> bool:
    """Whether a result is exact because it is a whole number computed from whole numbers."""
    if not (rule.keeps_whole and value.is_integer() and abs(value) < WHOLE_UP_TO):
        return False
    return all(float(x).is_integer() for x in values)


def _are_whole(rule: Elementwise, value: Any, values: Sequence[Any]) -> Any:
    if not rule.keeps_whole or any(map(np.iscomplexobj, values)):
        return False
    whole = np.abs(value) < WHOLE_UP_TO
    for x in values:
        whole = whole & (np.asarray(x) == np.floor(x))
    return whole


def _sure(error: float) -> float:
    return math.inf if math.isnan(error) else error


# Effects of the errors of arguments


def _passed(rule: Elementwise, position: int, value: float, values: list[float], error: float) -> float:
    """A bound on the change of the result when one argument changes by its error."""
    x, product = values[position], rule.slopes.number_products[position]
    moved = abs(float(product(error, value, *values))) if product else 0.0  # the partial alone may underflow
    if error <= VAGUE * abs(x) and (moved or not rule.is_power):  # so may that of a power, times the error
        return moved

    def at(near: float) -> float:
        return rule.ieee(*values[:position], near, *values[position + 1 :])  # type: ignore[no-any-return]

    if error >= abs(x) and not math.isfinite(at(0.0)):
        return math.inf
    return max(moved, _sure(abs(at(x - error) - value)), _sure(abs(at(x + error) - value)))


def _passed_arrays(rule: Elementwise, position: int, value: Any, values: list[Any], error: Any) -> Any:
    """The elementwise version of `_passed` for arrays."""
    x = np.asarray(values[position])
    moved = np.where(error == 0, 0.0, np.abs(_partial_arrays(rule, position, value, values, error)))
    vague = error > VAGUE * np.abs(x)
    if rule.is_power:
        vague = vague | ((moved == 0) & (error > 0))  # the partial may underflow
    if not np.any(vague):
        return moved
    tried = [
        np.abs(rule.on_arrays(*values[:position], near, *values[position + 1 :]) - value)
        for near in (x - error, x + error)
    ]
    tried = [np.where(np.isnan(change), np.inf, change) for change in tried]
    at_zero = rule.on_arrays(*values[:position], np.zeros_like(x), *values[position + 1 :])
    tried.append(np.where((error >= np.abs(x)) & ~np.isfinite(at_zero), np.inf, 0.0))
    return np.where(vague, np.maximum.reduce([np.broadcast_to(t, value.shape) for t in (moved, *tried)]), moved)


def _partial_arrays(rule: Elementwise, position: int, value: Any, values: list[Any], error: Any) -> Any:
    partial, product = rule.slopes.on_arrays[position], rule.slopes.array_products[position]
    if partial is None or product is None:
        return np.zeros(np.shape(value))
    moved = product(error, value, *values)
    return np.where(np.asarray(partial(value, *values)) == 0, 0.0, moved) if rule.selects else moved
