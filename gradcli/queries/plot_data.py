"""What there is to plot: the function and a derivative along an input, and the error of differences by their step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli import records
from gradcli.errors import PointError, TapeError, UserCodeError
from gradcli.findings import finding
from gradcli.numerics.coordinates import Coordinate, coordinates, labelled, moved, pick, plain, subscript
from gradcli.numerics.coordinates import along as along_way
from gradcli.numerics.differences import slope
from gradcli.pytree import leaves
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.node_selection import direction
from gradcli.queries.tape_listing import tape
from gradcli.record_base import Frozen
from gradcli.running.muted_reruns import quiet
from gradcli.targets import Asked, Where, resolve
from gradcli.targets.points import parse_number
from gradcli.traces.trace import recorded
from gradcli.transforms.gradients import number_of

EPS = 2.0**-52
SAMPLES = 141
WIDE = "-5:5"  # where a formula is drawn for which neither a point nor an interval is given
LONGEST, SHORTEST, PER_DECADE = 0, -15, 4  # powers of ten, of the scale of the input


class Axis(Frozen):
    """A straight way through a point: that of one of its numbers, or a direction.

    Args:
        name: that number, or `t` of a direction, which is 0 at the point.
        value: where the point lies on it.
        arguments: the arguments of the function at a place of it.
        slope: the derivative along it, given the gradient in the order of the leaves.
        direction: how fast each input moves, by name; None on the way of one number.
    """

    name: str
    value: float
    arguments: Callable[[float], list[Any]]
    slope: Callable[[Sequence[Any]], float]
    direction: dict[str, Any] | None = None


def curve(target: Asked, at: Where, along: str | None = None, within: str | None = None) -> records.Plot:
    """The value of `target`, and its derivative, over an interval of a number of the point or of a direction.

    Where the function raises, or has no finite value, there is a gap in both; a finding says so of the point itself.

    Args:
        target, at: as they are typed; a formula of one input needs no point, it is drawn around the middle.
        along: a number of the point, such as `x` or `w[0]`, the only one by default; or a direction, typed as a point.
        within: `low:high`; by default as far to both sides as the number is large, at least 1.

    Raises:
        UserCodeError: the function raises everywhere.
    """
    found_target = resolve(target)
    if at is None and found_target.reading is not None and len(found_target.parameters) == 1:
        within = within or WIDE
        low, high = ends(within, found_target.names[0])
        at = repr((low + high) / 2)
    question = followed(found_target, at)
    axis = chosen(question, along)
    low, high = interval(within, axis)
    places = [low + (high - low) * n / (SAMPLES - 1) for n in range(SAMPLES)]
    found = [sample(question, axis, x) for x in places]
    if all(isinstance(each, UserCodeError) for each in found):
        raise next(each for each in found if isinstance(each, UserCodeError))
    numbers = [(math.nan, math.nan) if isinstance(each, UserCodeError) else each for each in found]
    series = [records.Series("value", tuple(places), tuple(value for value, _ in numbers))]
    name = f"∂/∂{axis.name}" if axis.direction is None else f"d/d{axis.name}"
    series.append(records.Series(name, tuple(places), tuple(slope for _, slope in numbers)))
    return _plot(question, axis, tuple(series), axis.value).changed(findings=outside(question, axis))


def followed(target: Asked, at: Where) -> Question:
    """A target bound to a point, of a program that can be followed there.

    Raises:
        TapeError: it cannot be.
    """
    question = ask(target, at)
    try:
        with quiet():
            run = question.record()
    except TapeError:
        raise
    except UserCodeError:  # there is a gap at the point
        return question
    number_of(question.function, run.value)
    return question


def differences(target: Asked, at: Where, along: str | None = None) -> records.Plot:
    """By how much a central difference is off the derivative, for steps of all lengths; the chosen step is marked."""
    question = followed(target, at)
    axis = chosen(question, along)
    here = sample(question, axis, axis.value)
    if isinstance(here, UserCodeError):
        raise here
    _, derivative = here
    f = value_along(question, axis)
    scale = abs(axis.value) or 1.0
    powers = [LONGEST - n / PER_DECADE for n in range((LONGEST - SHORTEST) * PER_DECADE + 1)]
    steps = [scale * 10**power for power in powers]
    errors = [abs(quotient(f, axis.value, step) - derivative) for step in steps]
    found = slope(f, axis.value, EPS)
    series = (records.Series("error", tuple(steps), tuple(errors)),)
    drawn = _plot(question, axis, series, found.step or None)
    return drawn.changed(logarithmic=True, across="step")


def chosen(question: Question, along: str | None) -> Axis:
    """The number of the point that a name means, or the direction that a text is; the first number without a text.

    Raises:
        PointError: there is none of that name, and it is no direction.
    """
    found = {each.name: each for each in coordinates(question.point)}
    named = next(iter(found.values())) if along is None else found.get(along.replace(" ", ""))
    return the_way(question, along) if named is None else of_number(question, named)


def of_number(question: Question, coordinate: Coordinate) -> Axis:
    """The way on which one number of the point varies."""
    point = question.point
    return Axis(
        coordinate.name,
        coordinate.value,
        lambda x: moved(point, coordinate, x),
        lambda leaves: pick(leaves, coordinate),
    )


def the_way(question: Question, along: str | None) -> Axis:
    """The way through the point in a direction."""
    moving = direction(question, along)
    parts = [np.asarray(leaf) for leaf in leaves(list(moving.values()))]

    def slope(gradient: Sequence[Any]) -> float:
        return float(sum(np.sum(np.real(np.conj(s) * part)) for s, part in zip(gradient, parts, strict=True)))

    return Axis("t", 0.0, lambda t: along_way(question.point, dict(enumerate(parts)), t), slope, plain(moving))


def interval(within: str | None, axis: Axis) -> tuple[float, float]:
    """The ends of an interval.

    Raises:
        PointError: it is none.
    """
    if within is None:
        reach = max(1.0, abs(axis.value))
        return axis.value - reach, axis.value + reach
    return ends(within, axis.name)


def ends(within: str, name: str) -> tuple[float, float]:
    """The ends of an interval of an input as it is typed.

    Raises:
        PointError: it is none.
    """
    low, colon, high = within.partition(":")
    if not colon:
        raise PointError(f"--range {within} is no interval.", hint="Type --range 0:1.")
    found = parse_number(low, name), parse_number(high, name)
    if not found[0] < found[1]:
        raise PointError(f"The interval {within} does not go upwards.", hint="Type --range 0:1.")
    return found


def sample(question: Question, axis: Axis, x: float) -> tuple[float, float] | UserCodeError:
    """The value and the derivative at a place, nan where the value is not finite; or what the function raised there."""
    try:
        with question.running():
            run = recorded(question.function, tuple(axis.arguments(x)), names=True)
    except UserCodeError as error:
        return error
    value = float(number_of(question.function, run.value))
    if not math.isfinite(value):
        return value, math.nan  # the slope of a branch that is not there: 1 / x of log(x) left of 0
    sensitivities = run.sensitivities()
    return value, axis.slope([sensitivities[index] for structure in run.inputs for index in leaves(structure)])


def outside(question: Question, axis: Axis) -> tuple[records.Finding, ...]:
    """A note where the point itself lies in a gap."""
    found = sample(question, axis, axis.value)
    if isinstance(found, UserCodeError):
        why = "the function raises there"
    elif not math.isfinite(found[0]):
        why = f"the value there is {found[0]}"
    else:
        return ()
    text = f"the point {axis.name} = {axis.value:.6g} lies where nothing is drawn: {why}"
    return (finding("G101", text).changed(severity="note"),)


def value_along(question: Question, axis: Axis) -> Callable[[float], float]:
    """The function on the way; nan where it raises."""

    def value(x: float) -> float:
        try:
            with question.running():
                return float(question.function(*axis.arguments(x)))
        except UserCodeError:
            return math.nan

    return value


def quotient(f: Callable[[float], float], x: float, step: float) -> float:
    """The central difference quotient; nan where the step is lost in the number."""
    above, below = x + step, x - step
    return (f(above) - f(below)) / (above - below) if above > below else math.nan


def _plot(question: Question, axis: Axis, series: tuple[records.Series, ...], marked: float | None) -> records.Plot:
    return records.Plot(
        question.target.text,
        plain(question.point),
        axis.name,
        series,
        marked,
        reading=question.target.reading,
        direction=axis.direction,
    )


def bars(target: Asked, at: Where) -> records.Bars:
    """The sensitivity of the result on every number that has a name, in the order of execution."""
    listing = tape(target, at)
    found = [
        (label + subscript(place), float(numbers[place]))
        for node in listing.nodes
        if node.name and node.sensitivity is not None
        for label, numbers in labelled(node.name, np.asarray(node.sensitivity))
        for place in np.ndindex(numbers.shape)
    ]
    names, sizes = zip(*found, strict=True) if found else ((), ())
    return records.Bars(listing.target, listing.point, names, sizes, listing.reading, listing.findings)
