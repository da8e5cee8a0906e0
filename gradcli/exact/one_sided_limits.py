"""The limits of a function at a point whose recorded path is that of the point alone, as behind `if x == 0`.

The program is recorded next to the point, to each side, and played closer and closer to it with many digits, its
outcomes as they were there: where the values and the slopes draw together, they have a limit, however few digits the
program itself has left so close to the point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gradcli.exact import decimals
from gradcli.exact.replay import play
from gradcli.numerics.coordinates import Coordinate, along, moved
from gradcli.numerics.deadline import Deadline
from gradcli.pytree import leaves
from gradcli.traces.trace import Trace, recorded
from gradcli.traces.traversal import Diverged

DIGITS = 120
NEXT = 2.0**-40  # of the scale of the input: where the path beside the point is recorded
DISTANCES = (Decimal("1e-14"), Decimal("1e-18"))  # and from where it is played
BEYOND = 32.0  # times how far the path at the point holds: there the formula beside it does
LOST = 1e-10  # of a value: a formula that is off by more is not what one would use
AGREEMENT = Decimal("1e-10")
SECONDS = 2.0
STOPPED = "stop_gradient"  # an outcome after which the trace is not the whole function


class OneSidedLimits(NamedTuple):
    """The limits of a function by one number of its point, from below and from above.

    Attributes:
        below, above: of the value.
        left, right: of the slope.
        error: how far the slopes may be off.
        lost: whether the formula beside the point has no value there in floating point, or few digits of it.
    """

    below: float
    above: float
    left: float
    right: float
    error: float
    lost: bool = True


def scale(part: Coordinate) -> float:
    """The scale on which an input is taken to vary."""
    return max(abs(part.value), 1e-3) if part.value else 1.0


def on_path(
    run: Trace, point: Mapping[str, Any], part: Coordinate, value: float, *, blindly: bool = False
) -> list[Any] | None:
    """The values of all nodes with one number of the point replaced; None on another path, unless `blindly` on this."""
    return playing(run, moved(point, part, value), blindly=blindly)


def playing(run: Trace, arguments: list[Any], *, blindly: bool = False) -> list[Any] | None:
    """The values of all nodes at other arguments; None on another path, unless `blindly` on this."""
    inputs = dict(zip(run.input_indices(), map(_floating, leaves(arguments)), strict=True))
    try:
        return run.values_at(inputs, blindly=blindly)
    except Diverged:
        return None


def _floating(x: Any) -> Any:
    return x if hasattr(x, "dtype") or isinstance(x, complex) else float(x)


def stands_alone(run: Trace, point: Mapping[str, Any], part: Coordinate) -> bool:
    """Whether the recorded path is that of this one number, and of none next to it on either side."""
    kind = real_type(point, part)
    steps = max(float(np.spacing(abs(kind(part.value)))), unseen(kind) * scale(part)), next_to(kind) * scale(part)
    return all(on_path(run, point, part, part.value + way * step) is None for way in (-1, 1) for step in steps)


def unseen(kind: type[np.floating[Any]]) -> float:
    """How far from 0 a number of a type is taken for 0, for its fourth power would vanish."""
    return min(math.sqrt(math.sqrt(np.finfo(kind).tiny)), float(np.finfo(kind).eps))


def next_to(kind: type[np.floating[Any]]) -> float:
    """How far from the point, in scales, the path beside it is recorded."""
    return max(NEXT, 8 * float(np.finfo(kind).eps))


def real_type(point: Mapping[str, Any], part: Coordinate) -> type[np.floating[Any]]:
    """The type of real numbers in which a number of the point lies."""
    return _real(leaves(tuple(point.values()))[part.leaf])


def _real(leaf: Any) -> type[np.floating[Any]]:
    dtype = np.result_type(leaf)
    return np.zeros(0, dtype if dtype.kind in "fc" else float).real.dtype.type


Direction = Mapping[int, Any]  # by the count of a number or an array of the point, as `components.along` takes it


def limits(
    function: Callable[..., Any], point: Mapping[str, Any], part: Coordinate, width: float = 0.0
) -> OneSidedLimits | None:
    """The limits of `function` by the number `part` of `point`, by the formula that holds beyond `width` of it.

    None where they cannot be found: for programs that cannot be recorded or played with many digits beside the point,
    or in time, and where there are none.  Costs two recorded runs and eight played ones.
    """
    size = scale(part)
    found = limits_along(function, point, direction(point, [part], [size]), width / size)
    return found and found._replace(left=found.left / size, right=found.right / size, error=found.error / size)


def limits_along(
    function: Callable[..., Any], point: Mapping[str, Any], towards: Direction, width: float = 0.0
) -> OneSidedLimits | None:
    """The same in a direction, by how far one goes in it: `width` and the slopes are those of one whole step."""
    try:
        with decimals.digits(DIGITS):
            clock = Deadline(SECONDS)
            sides = [Side(function, point, towards, sign, width) for sign in (-1, 1)]
            (below, left, off), (above, right, away) = (_from(side, clock) for side in sides)
            lost = any(side.loses_digits(limit) for side, limit in zip(sides, (below, above), strict=True))
    except (Exception, SystemExit):  # beside the point the user's function may raise whatever it likes
        return None
    return OneSidedLimits(float(below), float(above), float(left), float(right), float(off + away), lost)


def direction(point: Mapping[str, Any], parts: Sequence[Coordinate], steps: Sequence[float]) -> dict[int, Any]:
    """The direction that has these steps in these parts, by the numbers and arrays of the point."""
    every = leaves(tuple(point.values()))
    kinds = {part.leaf: complex if np.iscomplexobj(every[part.leaf]) else float for part in parts}
    found: dict[int, Any] = {leaf: np.zeros(np.shape(every[leaf]), kind) for leaf, kind in kinds.items()}
    for part, step in zip(parts, steps, strict=True):
        (found[part.leaf].imag if part.half == "imag" else found[part.leaf].real)[part.place] = step
    return {leaf: step if step.ndim else step.item() for leaf, step in found.items()}


class Side:
    """The program as it was recorded next to the point, to one side: its value at a distance from the point."""

    def __init__(
        self, function: Callable[..., Any], point: Mapping[str, Any], towards: Direction, sign: int, width: float
    ) -> None:
        self.sign = sign
        every = leaves(tuple(point.values()))
        near = max(next_to(_real(every[leaf])) for leaf in towards)
        there = along(point, towards, sign * max(near, BEYOND * width))
        self.run = recorded(function, tuple(there), names=False)
        if any(outcome.name == STOPPED for outcome in self.run.outcomes):
            raise ArithmeticError("some number went around the tape")
        self.plain = along(point, towards, 0.0)
        inputs = list(self.run.input_indices())
        here = leaves(tuple(self.plain))
        self.moving = {inputs[leaf]: (decimals.many(here[leaf]), decimals.many(step)) for leaf, step in towards.items()}

    def value(self, distance: Any, clock: Deadline) -> Any:
        """The value at a distance, in steps of the direction."""
        last = self.run.result_index()
        if last is None:
            return decimals.many(float(self.run.value))
        there = {index: here + self.sign * distance * step for index, (here, step) in self.moving.items()}
        values = play(self.run, last, clock, there)
        return np.ravel(np.asarray(values[last], dtype=object))[0]

    def loses_digits(self, limit: Any) -> bool:
        """Whether the formula at the point itself, in floating point, is not what it tends to there."""
        last = self.run.result_index()
        with np.errstate(all="ignore"):
            values = playing(self.run, self.plain, blindly=True)
            if values is None or last is None:
                return values is None
            return not abs(float(values[last]) - float(limit)) <= LOST * max(1.0, abs(float(limit)))


def _from(side: Side, clock: Deadline) -> tuple[Any, Any, Any]:
    """The limits of the value and of the slope from one side, and the error of the slope.

    Raises:
        ArithmeticError: there are none.
    """
    (value, slope), (closer, steeper) = (_seen(side, h, clock) for h in DISTANCES)
    if not (_same(value, closer) and _same(slope, steeper)):
        raise ArithmeticError("the values or the slopes do not draw together")
    return closer, steeper, abs(steeper - slope)


def _seen(side: Side, distance: Any, clock: Deadline) -> tuple[Any, Any]:
    """The value at the point and the slope, by the line through the values at a distance and at twice that."""
    near, far = (side.value(times * distance, clock) for times in (1, 2))
    return 2 * near - far, side.sign * (far - near) / distance


def _same(x: Any, y: Any) -> bool:
    """Whether two numbers are finite and agree."""
    return bool(x.is_finite() and y.is_finite() and abs(x - y) <= AGREEMENT * max(1, abs(y)))
