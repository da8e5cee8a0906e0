"""Adjoints of array rules in many digits, based on the rule's forward computation alone.

Where a rule only moves numbers, applying it to indices shows where each number came from. Elsewhere gradcli's
vector-Jacobian product is computed in many digits, and accepted if along a random direction it agrees with a central
difference of the forward computation (step 1e-20, some 30 correct digits). If it cannot compute with such numbers, or
does not agree, the forward computation is split into scalar steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import CONSTANT
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.mathematics.rules.shape import unbroadcast
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal, is_complex
from gradcli.methods.exact.partials import partial_of
from gradcli.methods.exact.replay import forward, single, zero_dimensional


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


STEP = Decimal("1e-20")
AGREEMENT = Decimal("1e-16")  # of the two sides of the dot product, relative to the size of their terms
DIRECTIONS = np.array([Decimal(n) / 8 for n in range(-9, 10, 2)], dtype=object)

# Exceptions of rules that cannot compute with object arrays of decimals.
UNABLE = (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError)


class Adjoint(NamedTuple):
    """The cotangent of one argument; `agrees` says whether gradcli's own product equals it, or None if untested."""

    cotangent: Any
    agrees: bool | None = None


def adjoint(
    rule: ArrayRule, position: int, ct: Any, v: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> Adjoint:
    """The cotangent of argument `position`, in its shape; nan if there is no derivative."""
    pulled = None
    try:
        pulled = _shaped(_asked(rule, position, ct, v, arguments, static), arguments[position])
        if _at_kink(rule, ct, v, arguments, static):
            return Adjoint(pulled)
        if agrees(rule, position, ct, pulled, arguments, static):
            return Adjoint(pulled, True)
        if any(map(is_complex, (ct, *arguments))):
            pulled = None  # the products recognise complex numbers by their dtype
    except UNABLE:
        pass
    try:
        taken = argument_cotangent(rule, position, ct, arguments, static)
    except UNABLE:
        return Adjoint(np.full(np.shape(arguments[position]), decimals.NAN)[()], None if pulled is None else False)
    return Adjoint(taken, None if pulled is None else False)


def _at_kink(rule: ArrayRule, ct: Any, v: Any, arguments: Sequence[Any], static: Mapping[str, Any]) -> bool:
    """Whether the forward computation has no unique derivative to compare with."""
    if rule.kink is None or any(map(is_complex, (ct, *arguments))):
        return False
    ct, v, *plain = (np.asarray(x, dtype=float) for x in (ct, v, *arguments))
    return rule.kink(ct, v, *plain, **static)


def _asked(rule: ArrayRule, position: int, ct: Any, v: Any, arguments: Sequence[Any], static: Mapping[str, Any]) -> Any:
    """The result of gradcli's vector-Jacobian product in many digits."""

    def vjp(cotangent: Any, value: Any, *given: Any) -> Any:
        return rule.vjp(position, cotangent, value, given, static)

    return decimals.tolerant(vjp, [zero_dimensional(x) for x in (ct, v, *arguments)], {})


def _shaped(cotangent: Any, argument: Any) -> Any:
    shape = np.shape(argument)
    return single(cotangent if np.shape(cotangent) == shape else unbroadcast(cotangent, shape))


def agrees(
    rule: ArrayRule, position: int, ct: Any, pulled: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> bool:
    """Whether a cotangent agrees with the forward computation, by a dot product along a random direction."""
    generator = np.random.default_rng(position)
    direction = _direction(generator, np.shape(pulled))
    if is_complex(arguments[position]):
        direction = direction + ComplexDecimal(0, 1) * _direction(generator, np.shape(pulled))
    moved = derivative_along(rule, position, direction, arguments, static)
    ahead, back = np.ravel(ct * moved), np.ravel(pulled * direction)
    size = sum(map(abs, ahead)) + sum(map(abs, back))
    return bool(abs((sum(ahead) - sum(back)).real) <= AGREEMENT * size)


def _direction(generator: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return single(DIRECTIONS[generator.integers(len(DIRECTIONS), size=shape)])


def derivative_along(
    rule: ArrayRule, position: int, direction: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> Any:
    """The derivative of the forward computation when one argument moves in a direction."""
    before, after = arguments[:position], arguments[position + 1 :]
    if rule.bilinear:
        return forward(rule, [*before, direction, *after], static)
    if rule.linear:
        zeros = [np.full(np.shape(x), decimals.ZERO)[()] for x in arguments]
        return forward(rule, [*zeros[:position], direction, *zeros[position + 1 :]], static)
    argument = arguments[position]
    length = STEP * (max(map(abs, np.ravel(argument)), default=decimals.ONE) or 1)
    above, below = (forward(rule, [*before, argument + way * length * direction, *after], static) for way in (1, -1))
    return (above - below) / (2 * length)


# Rules that move numbers


def source_indices(rule: ArrayRule, position: int, arguments: Sequence[Any], static: Mapping[str, Any]) -> Any:
    """For each number of the result, its index in argument `position`, from 1; 0 if it comes from elsewhere."""
    if rule.casts:
        return _numbered(np.shape(arguments[0]))
    given = [
        _numbered(np.shape(x)) if n == position else np.zeros(np.shape(x), dtype=int) for n, x in enumerate(arguments)
    ]
    return rule.forward(*given, **static)


@lru_cache(maxsize=64)
def _numbered(shape: tuple[int, ...]) -> Any:
    return np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
