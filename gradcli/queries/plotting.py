"""What there is to plot: the function and a derivative along an input, and the error of differences by their step."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gradcli import records
from gradcli.errors import PointError, UserCodeError
from gradcli.methods.components import Component, components, labelled, moved, pick, plain, subscript
from gradcli.methods.differences import slope
from gradcli.queries.listing import tape
from gradcli.queries.question import Question, ask
from gradcli.tape.structure import leaves
from gradcli.targets import Asked, Where
from gradcli.targets.points import parse_number
from gradcli.transforms import number_of, trace

EPS = 2.0**-52
SAMPLES = 141
LONGEST, SHORTEST, PER_DECADE = 0, -15, 4  # powers of ten, of the scale of the input


def curve(target: Asked, at: Where, along: str | None = None, within: str | None = None) -> records.Plot:
    """The value of `target`, and its derivative by the number `along` of the point, over an interval of that number.

    Where the function raises, or has no finite value, there is a gap.

    Args:
        target, at: as they are typed.
        along: a number of the point, such as `x` or `w[0]`; the only one by default.
        within: `low:high`; by default as far to both sides as the number is large, at least 1.

    Raises:
        UserCodeError: the function raises everywhere.
    """
    question = ask(target, at)
    component = chosen(question, along)
    low, high = interval(within, component)
    places = [low + (high - low) * n / (SAMPLES - 1) for n in range(SAMPLES)]
    found = [sample(question, component, x) for x in places]
    if all(isinstance(each, UserCodeError) for each in found):
        raise next(each for each in found if isinstance(each, UserCodeError))
    numbers = [(math.nan, math.nan) if isinstance(each, UserCodeError) else each for each in found]
    series = [records.Series("value", tuple(places), tuple(value for value, _ in numbers))]
    series.append(records.Series(f"∂/∂{component.name}", tuple(places), tuple(slope for _, slope in numbers)))
    return _plot(question, component, tuple(series), component.value)


def differences(target: Asked, at: Where, along: str | None = None) -> records.Plot:
    """By how much a central difference is off the derivative, for steps of all lengths; the chosen step is marked."""
    question = ask(target, at)
    component = chosen(question, along)
    outcome = sample(question, component, component.value)
    if isinstance(outcome, UserCodeError):
        raise outcome
    f = value_along(question, component)
    scale = abs(component.value) or 1.0
    powers = [LONGEST - n / PER_DECADE for n in range((LONGEST - SHORTEST) * PER_DECADE + 1)]
    steps = [scale * 10**power for power in powers]
    errors = [abs(quotient(f, component.value, step) - outcome[1]) for step in steps]
    found = slope(f, component.value, EPS)
    series = (records.Series("error", tuple(steps), tuple(errors)),)
    drawn = _plot(question, component, series, found.step or None)
    return drawn.changed(logarithmic=True, across="step")


def chosen(question: Question, along: str | None) -> Component:
    """The number of the point that a name means.

    Raises:
        PointError: there is none of that name, or several and no name.
    """
    found = {each.name: each for each in components(question.point)}
    if along is None and len(found) == 1:
        return next(iter(found.values()))
    if along not in found:
        shown = ", ".join([*found][:8]) + (", …" if len(found) > 8 else "")
        message = "--along says which number is varied." if along is None else f"The point has no number {along!r}."
        raise PointError(message, hint=f"The numbers are {shown}.")
    return found[along]


def interval(within: str | None, component: Component) -> tuple[float, float]:
    """The ends of an interval.

    Raises:
        PointError: it is none.
    """
    if within is None:
        reach = max(1.0, abs(component.value))
        return component.value - reach, component.value + reach
    low, colon, high = within.partition(":")
    if not colon:
        raise PointError(f"--range {within} is no interval.", hint="Type --range 0:1.")
    ends = parse_number(low, component.name), parse_number(high, component.name)
    if not ends[0] < ends[1]:
        raise PointError(f"The interval {within} does not go upwards.", hint="Type --range 0:1.")
    return ends


def sample(question: Question, component: Component, x: float) -> tuple[float, float] | UserCodeError:
    """The value and the derivative with one number replaced, or what the function raised there."""
    try:
        with question.running():
            run = trace(question.function, *moved(question.point, component, x))
    except UserCodeError as error:
        return error
    value = float(number_of(question.function, run.value, run))
    sensitivities = run.sensitivities()
    return value, pick([sensitivities[row] for structure in run.inputs for row in leaves(structure)], component)


def value_along(question: Question, component: Component) -> Callable[[float], float]:
    """The function of one number of the point; nan where it raises."""

    def value(x: float) -> float:
        try:
            with question.running():
                return float(question.function(*moved(question.point, component, x)))
        except UserCodeError:
            return math.nan

    return value


def quotient(f: Callable[[float], float], x: float, step: float) -> float:
    """The central difference quotient; nan where the step is lost in the number."""
    above, below = x + step, x - step
    return (f(above) - f(below)) / (above - below) if above > below else math.nan


def _plot(
    question: Question, component: Component, series: tuple[records.Series, ...], marked: float | None
) -> records.Plot:
    return records.Plot(
        question.target.text, plain(question.point), component.name, series, marked, reading=question.target.reading
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
