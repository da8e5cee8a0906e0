"""Splitting of an array operation into scalar steps in many digits, recorded with their rules and arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import CONSTANT
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal
from gradcli.methods.exact.partials import partial_of
from gradcli.methods.exact.replay import forward


class Step(NamedTuple):
    """One scalar step: its rule, its arguments and the earlier steps that computed them; an input has no rule.

    A part of a complex number has the name of the part in place of a rule.
    """

    rule: Elementwise | str | None
    arguments: tuple[Any, ...]
    sources: tuple[int, ...]


class Trail(list[Step]):
    """The steps of an operation, in order."""

    def add(self, step: Step) -> int:
        """Append a step and return its position."""
        self.append(step)
        return len(self) - 1

    def apply(self, name: str, arguments: tuple[Any, ...]) -> Traced:
        """Apply one elementwise rule to numbers in many digits."""
        rule = RULES[name]
        assert isinstance(rule, Elementwise)
        values = tuple(map(_value, arguments))
        sources = tuple(x.position if type(x) is Traced else CONSTANT for x in arguments)
        return Traced(self, decimals.function_of(rule)(*values), self.add(Step(rule, values, sources)))


class Traced:
    """A number in many digits that records how it was computed."""

    __slots__ = ("position", "trail", "value")

    def __init__(self, trail: Trail, value: Any, position: int) -> None:
        self.trail = trail
        self.value = value
        self.position = position

    @property
    def real(self) -> Traced:
        """The real part."""
        return self.part("real", self.value.real) if type(self.value) is ComplexDecimal else self

    @property
    def imag(self) -> Traced:
        """The imaginary part."""
        return self.part("imag", self.value.imag)

    def conjugate(self) -> Traced:
        """The complex conjugate."""
        return self.part("conj", self.value.conjugate()) if type(self.value) is ComplexDecimal else self

    def part(self, name: str, value: Any) -> Traced:
        """A part of the number, as a step of its own."""
        return Traced(self.trail, value, self.trail.add(Step(name, (self.value,), (self.position,))))


def _operator(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Traced, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.trail.apply(name, (other, self) if reflected else (self, other))

    return method


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: compare(self.value, _value(other))


def _install() -> None:
    for name in ("add", "sub", "mul", "div", "pow", "mod"):
        method = "truediv" if name == "div" else name
        setattr(Traced, f"__{method}__", _operator(name))
        setattr(Traced, f"__r{method}__", _operator(name, reflected=True))
    for name in ("neg", "pos", "abs"):
        setattr(Traced, f"__{name}__", lambda self, name=name: self.trail.apply(name, (self,)))
    for name in ("sqrt", "exp", "log"):  # methods that NumPy calls on the elements of an object array
        setattr(Traced, name, lambda self, name=name: self.trail.apply(name, (self,)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Traced, f"__{name}__", _comparison(getattr(operator, name)))
    Traced.__hash__ = None  # type: ignore[assignment]


_install()

PARTS: Mapping[str, Callable[[Any], Any]] = {
    "real": lambda ct: ct.real,
    "imag": lambda ct: ct.real * ComplexDecimal(0, -1),
    "conj": lambda ct: ct.conjugate(),
}
"""The cotangent of the whole number, given that of a part: Re(ct * t) is the same for both."""


def _value(x: Any) -> Any:
    if type(x) is Traced:
        return x.value
    return decimals.number(x) if isinstance(x, float) else int(x) if isinstance(x, np.integer) else x


def argument_cotangent(
    rule: ArrayRule, position: int, ct: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> Any:
    """The cotangent of argument `position` if that of the result is `ct`, in the shape of the argument."""
    trail = Trail()
    argument = arguments[position]
    traced = np.frompyfunc(lambda x: Traced(trail, x, trail.add(Step(None, (), ()))), 1, 1)(argument)
    given = [*arguments[:position], traced, *arguments[position + 1 :]]
    result = forward(rule, given, static)
    cotangents: list[Any] = [decimals.ZERO] * len(trail)
    for number, cotangent in zip(np.ravel(np.asarray(result, dtype=object)), np.ravel(ct), strict=True):
        if type(number) is Traced:
            cotangents[number.position] += cotangent
    sweep(trail, cotangents)
    places = np.frompyfunc(lambda x: cotangents[x.position], 1, 1)
    return places(traced)


def sweep(trail: Trail, cotangents: list[Any]) -> None:
    """Add the contributions of later steps to the cotangents of all steps."""
    for at in range(len(trail) - 1, -1, -1):
        rule, arguments, sources = trail[at]
        if rule is None or not cotangents[at]:
            continue
        if isinstance(rule, str):
            cotangents[sources[0]] += PARTS[rule](cotangents[at])
            continue
        for position, source in enumerate(sources):
            if source != CONSTANT:
                exponent = arguments[1] if rule.is_power and sources[1] == CONSTANT else None
                partial = partial_of(rule, position, None if exponent is None else float(exponent))
                cotangents[source] += cotangents[at] * partial.function(*arguments)
