"""The limit of a function at a point, if its values along many rays from there have the same limit.

Each ray gives values at distances that shrink by a constant factor, from which Neville's scheme extrapolates. Rays lie
opposite to one another, and the mean of two opposite ones has no odd powers of the distance, so that long distances
suffice, over which differences of nearly equal numbers keep their digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SHRINK = 2.0
LONGEST, SHORTEST = 2, 24  # the powers of 1 / SHRINK that are distances
PROBE = 16  # the power that is used first: values so close to the point already show a jump
LEAST_DIRECTIONS = 8
MOST_AXES = 8  # the most components for which there are directions near the axes
NEAR_AXIS = 0.03
CLOSE = 1e-9  # error, relative to the size of a component near the point, that needs no shorter distance
AGREED = 1e-7  # the largest such difference between the limits of rays
COARSE = 1e-2  # the largest such difference between the values near the point
ROUNDING = 1e-3  # share of the largest component that counts as the size of a smaller one
CANCELLED = 1e-1  # the same where the error comes from differences of nearly equal numbers
SLOWEST = 0.97  # the factor by which a distance from a limit shrinks at least
MOST = 8  # successive distances that are used together
FAR = 4  # the largest power whose distances are far from the point
JUMP = 0.25  # least difference between rays near the point, relative to their size, that ends the search early
SHRUNK = 0.5  # share of the differences between rays far from the point that a jump leaves near it
SAFETY = 4.0
DIGITS = 44  # bits of a limit

Values = Callable[[Any], Any]  # from a step in units of the point to a vector, or None beyond a branch


def directions(size: int) -> list[Any]:
    """Random directions, in which any two components have equal signs in one and opposite signs in another.

    For few components there is also one near each axis, as between two kinks that lie close together.
    """
    if size == 1:
        return [np.ones(1)]
    random, places = np.random.default_rng(0), np.arange(size)
    bits = max(size - 1, 1).bit_length()
    signs = [np.ones(size), *(1.0 - 2.0 * (places >> bit & 1) for bit in range(bits))]
    signs += [random.choice((-1.0, 1.0), size) for _ in range(LEAST_DIRECTIONS - len(signs))]
    anywhere = [sign * random.uniform(0.5, 1.0, size) for sign in signs]
    axes = np.eye(size) if size <= MOST_AXES else ()
    return anywhere + [axis + random.uniform(-NEAR_AXIS, NEAR_AXIS, size) for axis in axes]


def limit_along_rays(values: Values, size: int, here: Any, count: int, unit: float, floor: float = 0.0) -> Any | None:
    """The limit of a function and its derivatives as its `size` arguments go to 0; None if the rays do not agree.

    Args:
        values: the function, whose first `count` results are values and whose others are their derivatives.
        size: the number of its arguments.
        here: its computed result at 0, which is accepted where the results near 0 fall to it slowly.
        count: the number of values.
        unit: the unit of the arguments: values divided by it are of the size of derivatives.
        floor: the size of numbers whose rounding the values have, if they are smaller themselves.

    Rays along which no value is defined do not count, as beyond the end of a domain.
    """
    rays = [way * direction for direction in directions(size) for way in (1.0, -1.0)]
    near = _level(values, rays, PROBE)
    if near is None:
        return None
    inside = np.all(np.isfinite(near[:, :count]), axis=1)  # the domain of the function
    near, rays = near[inside], [ray for ray, is_inside in zip(rays, inside, strict=True) if is_inside]
    if not rays or not np.all(np.isfinite(near)):
        return None
    sizes, close = (_sizes(near, count, unit, floor, share) for share in (ROUNDING, CANCELLED))
    levels: list[Any] = []
    for power in range(LONGEST, SHORTEST + 1):
        level = _level(values, rays, power)
        levels = [*levels[1 - MOST :], level] if level is not None and np.all(np.isfinite(level)) else []
        if not levels:
            continue
        if power <= FAR and np.any(_spread(near) > np.maximum(JUMP * sizes, SHRUNK * _spread(level))):
            return None  # rays that differ near the point as they do far from it, as at a jump
        limits, errors = _limits(levels, sizes, close, is_paired=bool(np.all(inside)))
        if limits is None or np.any(errors > CLOSE * close):
            continue
        closest, exponent = (near, PROBE) if power < PROBE else (level, power)
        if _is_approached(limits, levels[0], closest, COARSE * sizes, exponent - (power + 1 - len(levels))):
            return _rounded(limits, errors)
    return here if len(levels) == MOST and np.all(_falls(levels, here)) else None


def _is_approached(limits: Any, farthest: Any, closest: Any, coarse: Any, shrinks: int) -> bool:
    """Whether values have come so near to the limits as their distance says, which shrank so many times."""
    return bool(np.all(np.abs(closest - limits) <= coarse + SAFETY * SHRINK**-shrinks * np.abs(farthest - limits)))


def _level(values: Values, rays: Sequence[Any], power: int) -> Any | None:
    results: list[Any] = []
    for ray in rays:
        results.append(values(ray * SHRINK**-power))
        if results[-1] is None:  # beyond a branch
            return None
    return np.array(results)


def _sizes(near: Any, count: int, unit: float, floor: float, share: float) -> Any:
    """The size of each component near the point, with a share of the largest value and derivative for rounding."""
    sizes = np.max(np.abs(near), axis=0)
    value = max(np.max(sizes[:count], initial=floor), unit * np.max(sizes[count:], initial=0.0))
    return sizes + share * np.repeat((value, value / unit), (count, len(sizes) - count))


def _spread(rays: Any) -> Any:
    return np.max(rays, axis=0) - np.min(rays, axis=0)


def _limits(levels: Sequence[Any], sizes: Any, close: Any, *, is_paired: bool) -> tuple[Any | None, Any]:
    """The limit of each ray, or of each pair of opposite ones, if all of them agree, else None; and its error."""
    limits, errors = extrapolated(levels, 1)
    if np.any(errors > AGREED * close) or np.any(_spread(limits) > AGREED * sizes + SAFETY * np.max(errors, axis=0)):
        return None, errors
    if is_paired:
        means = [(level[::2] + level[1::2]) / 2 for level in levels]
        even, least = (np.repeat(part, 2, axis=0) for part in extrapolated(means, 2))
        limits, errors = np.where(least < errors, even, limits), np.minimum(errors, least)
    return (limits if np.all(_spread(limits) <= AGREED * sizes) else None), errors


def extrapolated(levels: Sequence[Any], order: int) -> tuple[Any, Any]:
    """The values at distance 0 by Neville's scheme, from powers of the distance to this order, and their errors."""
    best, least = levels[-1], np.full_like(levels[-1], np.inf)
    before: list[Any] = []
    for latest in levels:
        line = [latest]
        for power, value in enumerate(before, start=1):
            new = line[-1] + (line[-1] - value) / (SHRINK ** (order * power) - 1)
            error = np.maximum(np.abs(new - line[-1]), np.abs(new - value))
            best, least = np.where(error < least, new, best), np.minimum(error, least)
            line.append(new)
        before = line
    return best, least


def _falls(levels: Sequence[Any], here: Any) -> Any:
    """Whether each component falls to that at the point, at any power of the distance."""
    gaps = np.abs(np.array(levels) - here)
    return np.all(gaps[1:] <= SLOWEST * gaps[:-1], axis=(0, 1))


def _rounded(limits: Any, errors: Any) -> Any:
    """The median of the limits, without their last digits, which rounding has changed."""
    middle = np.median(limits, axis=0)
    mantissa, exponent = np.frexp(np.where(np.abs(middle) <= SAFETY * np.max(errors, axis=0), 0.0, middle))
    return np.ldexp(np.rint(mantissa * 2.0**DIGITS), exponent - DIGITS)
