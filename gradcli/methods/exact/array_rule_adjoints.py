"""Adjoints of array rules in many digits, based on the rule's forward computation alone.

Where a rule only moves numbers, applying it to indices shows where each number came from. Elsewhere gradcli's
vector-Jacobian product is computed in many digits, and accepted if along a random direction it agrees with a central
difference of the forward computation (step 1e-20, some 30 correct digits). If it cannot compute with such numbers, or
does not agree, there is a difference for each number of the argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.shape import unbroadcast
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal, is_complex
from gradcli.methods.exact.replay import forward, single, zero_dimensional

STEP = Decimal("1e-20")
BENT = Decimal("1e-10")  # difference of the slopes to the two sides that shows a kink, relative to their terms
AGREEMENT = Decimal("1e-16")  # of the two sides of the dot product, relative to the size of their terms
DIRECTIONS = np.array([Decimal(n) / 8 for n in range(-9, 10, 2)], dtype=object)


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
        taken = by_differences(rule, position, ct, v, arguments, static)
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
    above, below, length = _sides(rule, position, direction, arguments, static)
    return (above - below) / (2 * length)


def _sides(
    rule: ArrayRule, position: int, direction: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> tuple[Any, Any, Any]:
    """The forward computation a step along a direction and a step back, and the length of the step."""
    before, after, argument = arguments[:position], arguments[position + 1 :], arguments[position]
    length = STEP * (max(map(abs, np.ravel(argument)), default=decimals.ONE) or 1)
    above, below = (forward(rule, [*before, argument + way * length * direction, *after], static) for way in (1, -1))
    return above, below, length


def by_differences(
    rule: ArrayRule, position: int, ct: Any, v: Any, arguments: Sequence[Any], static: Mapping[str, Any]
) -> Any:
    """The cotangent of one argument by a difference of the forward computation for each of its numbers.

    Nan where the slopes to the two sides differ, as those of the vectors of equal eigenvalues.
    """
    argument = np.asarray(arguments[position], dtype=object)
    cotangent = np.full(argument.shape, decimals.ZERO)
    for place in np.ndindex(argument.shape):
        for unit in (ComplexDecimal(1), ComplexDecimal(0, 1))[: 1 + is_complex(argument)]:
            direction = np.full(argument.shape, decimals.ZERO)
            direction[place] = unit if is_complex(argument) else decimals.ONE
            above, below, length = _sides(rule, position, single(direction), arguments, static)
            moved = np.not_equal(above, below)  # what does not move counts for nothing, even times nan
            rises = np.ravel(np.where(moved, ct * (above - below), decimals.ZERO))
            bend = abs(sum(np.ravel(np.where(moved, ct * (above - v + below - v), decimals.ZERO))).real)
            room = BENT * sum(map(abs, rises)) + AGREEMENT * length * sum(map(abs, np.ravel(ct)))
            slope = sum(rises).real / (2 * length) if bend <= room else decimals.NAN
            cotangent[place] += slope * unit.conjugate() if is_complex(argument) else slope
    return single(cotangent)


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
