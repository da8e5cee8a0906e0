"""Limits of a function at a point whose recorded path holds only there, as behind `if x == 0`.

The program is recorded next to the point on each side, then replayed ever closer to it in many digits with those
outcomes. If the values and slopes converge, they have a limit, however few digits the program itself has left so close
to the point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.traces.node import STOP_GRADIENT
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.engine.traces.trace_replay import Diverged
from gradcli.methods.exact import decimals
from gradcli.methods.exact.replay import Replay
from gradcli.methods.numerics.coordinates import Coordinate, arguments_along, arguments_with_number
from gradcli.methods.numerics.deadline import Deadline
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import leaves

DIGITS = 120
NEXT = 2.0**-40  # in scales of the input: the distance at which the path beside the point is recorded
DISTANCES = (Decimal("1e-14"), Decimal("1e-18"))  # distances at which it is replayed
BEYOND = 32.0  # times the width of the path at the point: the distance at which the formula beside it holds
LOST = 1e-10  # relative error of a value above which a formula has lost its digits
AGREEMENT = Decimal("1e-10")
SECONDS = 2.0
NARROW = 1e-4  # width, in scales of the input, below which a path is isolated
SHRINK = 16.0


class OneSidedLimits(NamedTuple):
    """The limits of a function in one number of its point, from below and from above.

    Attributes:
        below, above: the limits of the value.
        left, right: the limits of the slope.
        error: a bound on the error of the slopes.
        lost: whether the formula beside the point has no value, or few correct digits, at the point in floating point.
    """

    below: float
    above: float
    left: float
    right: float
    error: float
    lost: bool = True


def scale(part: Coordinate) -> float:
    """The scale on which an input is assumed to vary."""
    return max(abs(part.value), 1e-3) if part.value else 1.0


def on_path(run: Trace, point: Mapping[str, Any], part: Coordinate, value: float) -> list[Any] | None:
    """The values of all nodes with one number of the point replaced; None off the path."""
    return replayed_values(run, arguments_with_number(point, part, value))


def replayed_values(run: Trace, arguments: list[Any], *, blindly: bool = False) -> list[Any] | None:
    """The values of all nodes at other arguments; None if the path changes, unless `blindly` is set."""
    inputs = dict(zip(run.input_indices(), map(_floating, leaves(arguments)), strict=True))
    try:
        return run.values_at(inputs, blindly=blindly)
    except Diverged:
        return None


def _floating(x: Any) -> Any:
    return x if hasattr(x, "dtype") or isinstance(x, complex) else float(x)


def stands_alone(run: Trace, point: Mapping[str, Any], part: Coordinate) -> bool:
    """Whether the recorded path holds for this number alone, and for no neighbour on either side."""
    kind = real_type(point, part)
    steps = (
        max(float(np.spacing(abs(kind(part.value)))), negligible_distance(kind) * scale(part)),
        next_to(kind) * scale(part),
    )
    return all(on_path(run, point, part, part.value + way * step) is None for way in (-1, 1) for step in steps)


def path_width(run: Trace, point: Mapping[str, Any], part: Coordinate) -> float:
    """The distance to either side over which the recorded path holds, up to `NARROW`; 0 if it holds for no neighbour.

    It is found to a factor of `SHRINK`, with about a dozen replays.
    """
    return max(_width(run, point, part, sign) for sign in (1.0, -1.0))


def _width(run: Trace, point: Mapping[str, Any], part: Coordinate, sign: float) -> float:
    step = NARROW * scale(part)
    kind = real_type(point, part)
    while kind(part.value + sign * step) != kind(part.value):
        if on_path(run, point, part, part.value + sign * step) is not None:
            return step
        step /= SHRINK
        if step < negligible_distance(kind) * scale(part):
            break
    return 0.0


def negligible_distance(kind: type[np.floating[Any]]) -> float:
    """The distance from 0 at which a number of this dtype is treated as 0, because its fourth power would vanish."""
    return min(math.sqrt(math.sqrt(np.finfo(kind).tiny)), float(np.finfo(kind).eps))


def next_to(kind: type[np.floating[Any]]) -> float:
    """The distance from the point, in scales, at which the path beside it is recorded."""
    return max(NEXT, 8 * float(np.finfo(kind).eps))


def real_type(point: Mapping[str, Any], part: Coordinate) -> type[np.floating[Any]]:
    """The real dtype of a number of the point."""
    return _real(leaves(tuple(point.values()))[part.leaf])


def _real(leaf: Any) -> type[np.floating[Any]]:
    dtype = np.result_type(leaf)
    return np.zeros(0, dtype if dtype.kind in "fc" else float).real.dtype.type


Direction = Mapping[int, Any]  # by the position of a leaf of the point, as for `coordinates.along`


def limits(
    function: Callable[..., Any], point: Mapping[str, Any], part: Coordinate, width: float = 0.0
) -> OneSidedLimits | None:
    """The limits of `function` in the number `part` of `point`, by the formula that holds beyond `width` of it.

    None if they cannot be found in time, if the program cannot be recorded or replayed in many digits next to the
    point, or if there are no limits. Costs two recorded and eight replayed runs.
    """
    size = scale(part)
    along = limits_along(function, point, direction(point, [part], [size]), width / size)
    return along and along._replace(left=along.left / size, right=along.right / size, error=along.error / size)


def limits_along(
    function: Callable[..., Any], point: Mapping[str, Any], towards: Direction, width: float = 0.0
) -> OneSidedLimits | None:
    """The limits along a direction, by distance; `width` and the slopes are per unit of `towards`."""
    try:
        with decimals.digits(DIGITS):
            clock = Deadline(SECONDS)
            sides = [Side(function, point, towards, sign, width, clock) for sign in (-1, 1)]
            (below, left, off), (above, right, away) = map(_from, sides)
            lost = any(side.loses_digits(limit) for side, limit in zip(sides, (below, above), strict=True))
    except program_errors():
        return None
    return OneSidedLimits(float(below), float(above), float(left), float(right), float(off + away), lost)


def direction(point: Mapping[str, Any], parts: Sequence[Coordinate], steps: Sequence[float]) -> dict[int, Any]:
    """The direction with these steps in these parts, by leaves of the point."""
    every = leaves(tuple(point.values()))
    kinds = {leaf: complex if np.iscomplexobj(every[leaf]) else float for leaf in {part.leaf for part in parts}}
    steps_by_leaf: dict[int, Any] = {leaf: np.zeros(np.shape(every[leaf]), kind) for leaf, kind in kinds.items()}
    for part, step in zip(parts, steps, strict=True):
        (steps_by_leaf[part.leaf].imag if part.half == "imag" else steps_by_leaf[part.leaf].real)[part.place] = step
    return {leaf: step if step.ndim else step.item() for leaf, step in steps_by_leaf.items()}


class Side:
    """The program recorded next to the point on one side; its value as a function of the distance."""

    def __init__(
        self,
        function: Callable[..., Any],
        point: Mapping[str, Any],
        towards: Direction,
        sign: int,
        width: float,
        clock: Deadline,
    ) -> None:
        self.sign = sign
        every = leaves(tuple(point.values()))
        near = max(next_to(_real(every[leaf])) for leaf in towards)
        there = arguments_along(point, towards, sign * max(near, BEYOND * width))
        self.run = record_trace(function, tuple(there), names=False)
        if any(outcome.name == STOP_GRADIENT for outcome in self.run.outcomes):
            raise ArithmeticError("some number went around the tape")
        self.last = self.run.result_index()
        self.replay = None if self.last is None else Replay(self.run, self.last, clock)
        self.plain = arguments_along(point, towards, 0.0)
        inputs = list(self.run.input_indices())
        here = leaves(tuple(self.plain))
        self.moving = {
            inputs[leaf]: (decimals.to_decimals(here[leaf]), decimals.to_decimals(step))
            for leaf, step in towards.items()
        }

    def value(self, distance: Any) -> Any:
        """The value at a distance, in units of the direction."""
        if self.replay is None:
            return decimals.to_decimals(float(self.run.value))
        there = {index: here + self.sign * distance * step for index, (here, step) in self.moving.items()}
        return np.ravel(np.asarray(self.replay.values(there)[-1], dtype=object))[0]

    def loses_digits(self, limit: Any) -> bool:
        """Whether the formula at the point itself, in floating point, differs from its limit there."""
        with ignored_float_errors():
            values = replayed_values(self.run, self.plain, blindly=True)
            if values is None or self.last is None:
                return values is None
            return not abs(float(values[self.last]) - float(limit)) <= LOST * max(1.0, abs(float(limit)))


def _from(side: Side) -> tuple[Any, Any, Any]:
    """The limits of the value and the slope on one side, and the error of the slope.

    Raises:
        ArithmeticError: there are no limits.
    """
    (value, slope), (closer, steeper) = (_seen(side, h) for h in DISTANCES)
    if not (_same(value, closer) and _same(slope, steeper)):
        raise ArithmeticError("the values or the slopes do not converge")
    return closer, steeper, abs(steeper - slope)


def _seen(side: Side, distance: Any) -> tuple[Any, Any]:
    """The value at the point and the slope, by the line through the values at a distance and at twice the distance."""
    near, far = (side.value(times * distance) for times in (1, 2))
    return 2 * near - far, side.sign * (far - near) / distance


def _same(x: Any, y: Any) -> bool:
    """Whether two numbers are finite and agree."""
    return bool(x.is_finite() and y.is_finite() and abs(x - y) <= AGREEMENT * max(1, abs(y)))
