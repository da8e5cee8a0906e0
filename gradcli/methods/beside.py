"""The limits of a function at a point whose recorded path is that of the point alone, as behind `if x == 0`.

The program is recorded next to the point, to each side, and played closer and closer to it with many digits, its
outcomes as they were there: where the values and the slopes draw together, they have a limit, however few digits the
program itself has left so close to the point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gradcli.methods import digits
from gradcli.methods.components import Component, moved
from gradcli.methods.playing import Clock, play
from gradcli.tape.recording import Recording
from gradcli.tape.replay import Diverged, replay_numbers
from gradcli.tape.structure import leaves
from gradcli.transforms import trace

DIGITS = 120
NEXT = 2.0**-40  # of the scale of the input: where the path beside the point is recorded
DISTANCES = (Decimal("1e-14"), Decimal("1e-18"))  # and from where it is played
AGREEMENT = Decimal("1e-10")
SECONDS = 2.0
DETACHING = frozenset(("text", "stop_gradient"))  # outcomes after which the tape is not the whole function


class Limits(NamedTuple):
    """The limits of a function by one number of its point, from below and from above.

    Attributes:
        below, above: of the value.
        left, right: of the slope.
        error: how far the slopes may be off.
    """

    below: float
    above: float
    left: float
    right: float
    error: float


def scale(part: Component) -> float:
    """The scale on which an input is taken to vary."""
    return max(abs(part.value), 1e-3) if part.value else 1.0


def on_path(
    tape: Recording, point: Mapping[str, Any], part: Component, value: float, *, blindly: bool = False
) -> list[Any] | None:
    """The values of all rows with one number of the point replaced; None on another path, unless `blindly` on this."""
    return playing(tape, moved(point, part, value), blindly=blindly)


def playing(tape: Recording, arguments: list[Any], *, blindly: bool = False) -> list[Any] | None:
    """The values of all rows at other arguments; None on another path, unless `blindly` on this."""
    inputs = dict(zip(tape.input_rows(), map(_floating, leaves(arguments)), strict=True))
    if blindly:
        rows, tape = tape.rows, Recording()
        tape.rows = rows
    try:
        return replay_numbers(tape, inputs)
    except Diverged:
        return None


def _floating(x: Any) -> Any:
    return x if hasattr(x, "dtype") or isinstance(x, complex) else float(x)


def stands_alone(tape: Recording, point: Mapping[str, Any], part: Component) -> bool:
    """Whether the recorded path is that of this one number, and of none next to it on either side."""
    return all(
        on_path(tape, point, part, float(np.nextafter(part.value, end))) is None
        and on_path(tape, point, part, part.value + step * scale(part)) is None
        for end, step in ((-np.inf, -NEXT), (np.inf, NEXT))
    )


def limits(function: Callable[..., Any], point: Mapping[str, Any], part: Component) -> Limits | None:
    """The limits of `function` by the number `part` of `point`.

    None where they cannot be found: for complex numbers, for programs that cannot be recorded or played with many
    digits beside the point, or in time, and where there are none.  Costs two recorded runs and eight played ones.
    """
    if part.half:
        return None
    try:
        with digits.digits(DIGITS):
            clock = Clock(SECONDS)
            (below, left, off), (above, right, away) = (
                _from(Side(function, point, part, sign), clock) for sign in (-1, 1)
            )
    except (Exception, SystemExit):  # beside the point the user's function may raise whatever it likes
        return None
    return Limits(float(below), float(above), float(left), float(right), float(off + away))


class Side:
    """The program as it was recorded next to the point, to one side: its value at a distance from the point."""

    def __init__(self, function: Callable[..., Any], point: Mapping[str, Any], part: Component, sign: int) -> None:
        self.part, self.sign = part, sign
        there = moved(point, part, part.value + sign * NEXT * scale(part))
        self.tape = trace(function, *there, names=False)
        if not DETACHING.isdisjoint(outcome[1] for outcome in self.tape.outcomes):
            raise ArithmeticError("some number went around the tape")
        self.source = list(self.tape.input_rows())[part.leaf]
        self.here = digits.many(leaves(moved(point, part, part.value))[part.leaf])

    def value(self, distance: Any, clock: Clock) -> Any:
        """The value at a distance, in scales of the number."""
        last = self.tape.result_index()
        if last is None:
            return digits.many(float(self.tape.value))
        step = self.sign * distance * digits.many(scale(self.part))
        values = play(self.tape, (), last, clock, {self.source: self.here + step * self._mark()}).values
        return np.ravel(np.asarray(values[last], dtype=object))[0]

    def _mark(self) -> Any:
        if not self.part.place and not np.ndim(self.here):
            return digits.ONE
        mark = digits.many(np.zeros(np.shape(self.here)))
        mark[self.part.place] = digits.ONE
        return mark


def _from(side: Side, clock: Clock) -> tuple[Any, Any, Any]:
    """The limits of the value and of the slope from one side, and the error of the slope.

    Raises:
        ArithmeticError: there are none.
    """
    (value, slope), (closer, steeper) = (_seen(side, h, clock) for h in DISTANCES)
    if not (_same(value, closer) and _same(slope, steeper)):
        raise ArithmeticError("the values or the slopes do not draw together")
    return closer, steeper, abs(steeper - slope)


def _seen(side: Side, distance: Any, clock: Clock) -> tuple[Any, Any]:
    """The value at the point and the slope, by the line through the values at a distance and at twice that."""
    near, far = (side.value(times * distance, clock) for times in (1, 2))
    return 2 * near - far, side.sign * (far - near) / (distance * digits.many(scale(side.part)))


def _same(x: Any, y: Any) -> bool:
    """Whether two numbers are finite and agree."""
    return bool(x.is_finite() and y.is_finite() and abs(x - y) <= AGREEMENT * max(1, abs(y)))
