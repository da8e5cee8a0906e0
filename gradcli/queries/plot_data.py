"""Data of plots: a function and its derivative along an input, and the errors of differences by step."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.answers.targets import Asked, Where, resolve
from gradcli.answers.targets.points import parse_interval
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.errors import PointError, TapeError, UserCodeError
from gradcli.methods.numerics.coordinates import Coordinate, arguments_with_number, coordinates, pick, subscript
from gradcli.methods.numerics.coordinates import arguments_along as along_way
from gradcli.methods.numerics.differences import slope
from gradcli.methods.numerics.sampled_jumps import jumps
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.node_selection import direction
from gradcli.queries.tape_listing import tape
from gradcli.shared.findings import finding
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import all_finite, labelled, leaves, record_value
from gradcli.shared.records.plots import Bars, Curves, Plot, Series
from gradcli.shared.records.result_and_finding import Finding

EPS = 2.0**-52
SAMPLES = 141
WORTH = 1.0  # seconds of recorded runs from which on a program is derived
TRIED = 3  # the run that is timed
MOST_CURVES = 24
WIDE = "-5:5"  # default interval of a formula without a point or an interval
LONGEST, SHORTEST, PER_DECADE = 0, -15, 4  # powers of ten, relative to the scale of the input


class Axis(Frozen):
    """A line through a point: along one of its numbers, or in a direction.

    Args:
        name: the name of the number, or `t` for a direction.
        value: the position of the point on the line; 0 for a direction.
        arguments: gives the arguments of the function at a position.
        slope: gives the derivative along the line from the gradient's leaves, in order.
        direction: the rate of change of each input, by name; None for a single number.
    """

    name: str
    value: float
    arguments: Callable[[float], list[Any]]
    slope: Callable[[Sequence[Any]], float]
    direction: dict[str, Any] | None = None


def curve(
    target: Asked, at: Where, along: str | None = None, within: str | None = None, wrt: str | None = None
) -> Plot:
    """The value of `target` and its derivative, over an interval of one number of the point or of a direction.

    Both have a gap where the function raises or is not finite; a finding reports a gap at the point itself.

    Args:
        target, at: as typed; a formula of one input needs no point, its interval's middle is used.
        along: a number of the point, such as `x` or `w[0]`, by default the first; or a direction, typed like a point.
        within: the interval `low:high`; by default |x|, but at least 1, to both sides of the number x.

    Raises:
        UserCodeError: the function raises everywhere.
        PointError: the interval is invalid.
    """
    found_target = resolve(target)
    if at is None and found_target.reading is not None and len(found_target.parameters) == 1:
        within = within or WIDE
        low, high = ends(within)
        at = repr((low + high) / 2)
    question = followed(found_target, at, wrt)
    axis = chosen(question, along)
    low, high = interval(within, axis)
    places = [low + (high - low) * n / (SAMPLES - 1) for n in range(SAMPLES)]
    sampler = Sampler(question, axis)
    samples = [sampler(x) for x in places]
    if all(isinstance(sample, UserCodeError) for sample in samples):
        raise next(sample for sample in samples if isinstance(sample, UserCodeError))
    numbers = [(math.nan, math.nan) if isinstance(sample, UserCodeError) else sample for sample in samples]
    here = sample(question, axis, axis.value)
    value, slope = (None, None) if isinstance(here, UserCodeError) else here
    name = f"∂/∂{axis.name}" if axis.direction is None else f"d/d{axis.name}"
    series = (
        _parted(Series("value", tuple(places), tuple(v for v, _ in numbers), value), value_along(question, axis)),
        _parted(Series(name, tuple(places), tuple(s for _, s in numbers), slope), _slope_along(question, axis)),
    )
    return _plot(question, axis, series, axis.value, outside(axis, here))


def _parted(series: Series, f: Callable[[float], float]) -> Series:
    """A curve with a gap at each jump, whose sides are drawn up to it."""
    brackets = jumps(f, series.x, series.y)
    xs, ys = list(series.x), list(series.y)
    for n in reversed(brackets):
        left, right, below, above = brackets[n]
        xs[n + 1 : n + 1] = [left, (left + right) / 2, right]
        ys[n + 1 : n + 1] = [below, math.nan, above]
    places: list[float] = []
    for left, right, _, _ in brackets.values():
        if not places or left - places[-1] > 1e-9 * (xs[-1] - xs[0]):  # a sample on a jump stands between its sides
            places.append(right if abs(right) < abs(left) else left)
    return series.changed(x=tuple(xs), y=tuple(ys), jumps=tuple(places))


def _slope_along(question: Question, axis: Axis) -> Callable[[float], float]:
    """The derivative along the line; nan where the function raises."""

    def slope(x: float) -> float:
        here = sample(question, axis, x)
        return math.nan if isinstance(here, UserCodeError) else here[1]

    return slope


def curves(target: Asked, at: Where, wrt: str | None = None) -> Curves:
    """The value along each number of the point, as from `curve`; of many numbers, the first 24."""
    question = followed(resolve(target), at, wrt)
    names = [coordinate.name for coordinate in coordinates(question.point, question.wanted)][:MOST_CURVES]
    plots = tuple(curve(question.target, question.point, name) for name in names)
    return question.answer(Curves, plots)


def followed(target: Asked, at: Where, wrt: str | None) -> Question:
    """Bind a target to a point, and make sure that the tape can follow it there.

    Raises:
        TapeError: the tape cannot follow the program.
    """
    question = ask(target, at, wrt)
    try:
        with quiet():
            run = question.record()
    except TapeError:
        raise
    except UserCodeError as error:  # there will be a gap at the point
        _refuse_out_of_memory(error)
        return question
    number_of(question.function, run.value, needed_by="plot")
    return question


def differences(target: Asked, at: Where, along: str | None = None, wrt: str | None = None) -> Plot:
    """The errors of central differences, for steps of all lengths; the step that gradcli chooses is marked."""
    question = followed(target, at, wrt)
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
    estimate = slope(f, axis.value, EPS)
    marked = abs(quotient(f, axis.value, estimate.step) - derivative) if estimate.step else None
    series = (Series("error", tuple(steps), tuple(errors), marked),)
    drawn = _plot(question, axis, series, estimate.step or None)
    return drawn.changed(logarithmic=True, across="step")


def chosen(question: Question, along: str | None) -> Axis:
    """The line along a number of the point, or in a typed direction; by default along the first number.

    Raises:
        PointError: the text is neither a number of the point nor a direction.
    """
    by_name = {coordinate.name: coordinate for coordinate in coordinates(question.point, question.wanted)}
    named = next(iter(by_name.values())) if along is None else by_name.get(along.replace(" ", ""))
    return the_way(question, along) if named is None else of_number(question, named)


def of_number(question: Question, coordinate: Coordinate) -> Axis:
    """The line along one number of the point."""
    point = question.point
    return Axis(
        coordinate.name,
        coordinate.value,
        lambda x: arguments_with_number(point, coordinate, x),
        lambda leaves: pick(leaves, coordinate),
    )


def the_way(question: Question, along: str | None) -> Axis:
    """The line through the point in a direction."""
    moving = direction(question, along)
    parts = [np.asarray(leaf) for leaf in leaves(list(moving.values()))]

    def slope(gradient: Sequence[Any]) -> float:
        return float(sum(np.sum(np.real(np.conj(s) * part)) for s, part in zip(gradient, parts, strict=True)))

    return Axis("t", 0.0, lambda t: along_way(question.point, dict(enumerate(parts)), t), slope, record_value(moving))


def interval(within: str | None, axis: Axis) -> tuple[float, float]:
    """The ends of the interval, or the default interval around the point.

    Raises:
        PointError: the text is not an interval.
    """
    if within is None:
        reach = max(1.0, abs(axis.value))
        return axis.value - reach, axis.value + reach
    return ends(within)


def ends(within: str) -> tuple[float, float]:
    """The ends of an interval, as typed.

    Raises:
        PointError: the text is not an interval, or its length is not finite.
    """
    interval = parse_interval(within, "--range", within)
    if not interval[0] < interval[1]:
        raise PointError(f"The ends of the interval {within} have to ascend.", hint="Type --range 0:1.")
    if not math.isfinite((interval[1] - interval[0]) * SAMPLES):
        raise PointError(f"The interval {within} is longer than a float can hold.", hint="Type --range 0:1.")
    return interval


class Sampler:
    """The samples of a curve: recorded runs, or a derived program where all of them would take over a second.

    Args:
        question: what is drawn.
        axis: the line.
    """

    def __init__(self, question: Question, axis: Axis) -> None:
        self._question, self._axis = question, axis
        self._tries = 0
        self._kernel: Callable[..., Any] | None = None

    def __call__(self, x: float) -> tuple[float, float] | UserCodeError:
        """The value and the derivative at a position, or the function's error."""
        if self._kernel is not None:
            with suppress(Exception):  # an edge case, or what the run raises again
                value, gradient = self._kernel(*self._axis.arguments(x))
                if all_finite([value, gradient]):
                    return float(value), self._axis.slope(leaves(gradient))
        begin = time.perf_counter()
        made = sample(self._question, self._axis, x)
        self._tries += 1
        if self._tries == TRIED and SAMPLES * (time.perf_counter() - begin) > WORTH:
            with suppress(Exception):  # the runs go on
                self._kernel = _program(self._question, self._axis, x)
        return made


def _program(question: Question, axis: Axis, x: float) -> Callable[..., Any] | None:
    from gradcli.answers.compilation.program_in_place_of_runs import program_in_place_of_runs

    arguments = tuple(axis.arguments(x))
    program, _ = program_in_place_of_runs(question.function, arguments, range(len(arguments)), "gradient")
    return program.kernel()


def sample(question: Question, axis: Axis, x: float) -> tuple[float, float] | UserCodeError:
    """The value and the derivative at a position, nan if the value is not finite; or the function's error."""
    try:
        with question.running():
            run = record_trace(question.function, tuple(axis.arguments(x)), names=True)
    except UserCodeError as error:
        _refuse_out_of_memory(error)
        return error
    value = float(number_of(question.function, run.value, needed_by="plot"))
    if not math.isfinite(value):
        # The slope formula may exist where the value does not, such as 1 / x for log(x) left of 0
        return value, math.nan
    sensitivities = run.sensitivities()
    return value, axis.slope([sensitivities[index] for structure in run.inputs for index in leaves(structure)])


def _refuse_out_of_memory(error: UserCodeError) -> None:
    """Raise the error again if memory ran out: the next sample would take all of it again."""
    if isinstance(error.__context__, MemoryError):
        raise error


def outside(axis: Axis, sample: tuple[float, float] | UserCodeError) -> tuple[Finding, ...]:
    """A note if the point itself, where `sample` was taken, lies in a gap."""
    if isinstance(sample, UserCodeError):
        why = "the function raises there"
    elif not math.isfinite(sample[0]):
        why = f"the value there is {sample[0]}"
    else:
        return ()
    text = f"the point {axis.name} = {axis.value:.6g} lies where nothing is drawn: {why}"
    return (finding("G101", text).changed(severity="note"),)


def value_along(question: Question, axis: Axis) -> Callable[[float], float]:
    """The function along the line; nan where it raises."""

    def value(x: float) -> float:
        try:
            with question.running():
                return float(question.function(*axis.arguments(x)))
        except UserCodeError as error:
            _refuse_out_of_memory(error)
            return math.nan

    return value


def quotient(f: Callable[[float], float], x: float, step: float) -> float:
    """The central difference quotient; nan if the step is lost in rounding."""
    above, below = x + step, x - step
    return (f(above) - f(below)) / (above - below) if above > below else math.nan


def _plot(
    question: Question,
    axis: Axis,
    series: tuple[Series, ...],
    marked: float | None,
    findings: tuple[Finding, ...] = (),
) -> Plot:
    return question.answer(
        Plot,
        axis.name,
        series,
        marked,
        findings=findings,
        direction=axis.direction,
        fixed={name: record_value(item) for name, item in question.point.items() if not _varies(axis, name)},
    )


def _varies(axis: Axis, name: str) -> bool:
    """Whether any number of an input varies along the line."""
    if axis.direction is None:
        return re.split(r"[.\[]", axis.name)[0] == name
    return bool(np.any([np.any(leaf) for leaf in leaves([axis.direction[name]])]))


def bars(target: Asked, at: Where, wrt: str | None = None) -> Bars:
    """The sensitivity of the result to every named number, in order of execution."""
    listing = tape(target, at, wrt=wrt)
    quantities = [
        (label + subscript(place), float(numbers[place]), (node.file, node.line) if node.file and node.line else None)
        for node in listing.nodes
        if node.name and node.sensitivity is not None
        for label, numbers in labelled(node.name, np.asarray(node.sensitivity))
        for place in np.ndindex(numbers.shape)
    ]
    names, sizes, lines = zip(*quantities, strict=True) if quantities else ((), (), ())
    return Bars(listing.target, listing.point, names, sizes, listing.reading, listing.findings, lines)
