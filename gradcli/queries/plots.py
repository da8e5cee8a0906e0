"""Every kind of plot: curves, bars, errors of differences, and contours or surfaces of two inputs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.answers.targets import Asked, Point, Where, as_point, resolve
from gradcli.errors import PointError, UsageError
from gradcli.methods.numerics.coordinates import Coordinate, arguments_with_number, coordinates
from gradcli.methods.transforms.public_functions import library_call
from gradcli.queries.bound_target import Question
from gradcli.queries.gradient_check import points_of_file
from gradcli.queries.plot_data import bars, curve, curves, differences, followed, interval, of_number, value_along
from gradcli.shared.message_wording import list_text, refuse_unknown, unknown_argument
from gradcli.shared.pytree import record_value
from gradcli.shared.records.plots import Bars, Contour, Curves, Plot

GRID = 33  # places along each axis of a contour
KINDS = ("curve", "all", "bars", "differences", "surface")
COMMAS = r",(?![^\[]*\])"  # those outside of brackets
_NAMES = r"[^\W\d][^=]*,\s*[^\W\d][^=]*"


@library_call
def plot(
    f: Asked | Callable[..., Any],
    at: Where | Any = None,
    *,
    along: str | None = None,
    kind: str = "curve",
    **more: Any,
) -> Plot | Bars | Curves | Contour:
    """A plot of `f`, which a notebook draws as a picture and `print` as text.

    Args:
        f: a Python function that returns one number, or a target as text.
        at: the point, as for `check`; a formula of one input needs none.
        along: a number of the point, such as "x" or "w[0]" (default: the first), a direction, such as "1,0", or two
            numbers, "x,y", for a contour.
        kind: "curve" (default), "all" for a curve along each number, "bars" for the sensitivity to each named number,
            "differences" for the errors of finite differences by step, or "surface" of two inputs.
        within: the interval "low:high"; for a contour "low:high,low:high", or one for both.
        wrt: the inputs to plot along or by, as typed (default: all).
        path: points that a contour shows joined, such as those of an optimiser; or a file with one point per row.

    Returns:
        A record with the numbers that are drawn.

    Raises:
        UsageError: the arguments contradict each other, or do not fit the point.
        UserCodeError: the function raises everywhere.

    A curve has 141 samples and a gap at each jump between them; a contour calls `f` 1,089 times.
    """
    if kind not in KINDS:
        raise UsageError(f"kind is {kind!r}.", hint=f"Pass one of {list_text(KINDS)}.")
    for name in more:
        if name not in ("within", "wrt", "path"):
            raise UsageError(unknown_argument("gradcli.plot", name, ("along", "kind", "within", "wrt", "path")))
    target, within, wrt, path = resolve(f), *map(more.get, ("within", "wrt", "path"))
    if kind == "surface" or (kind == "curve" and along is not None and re.fullmatch(_NAMES, along.strip())):
        return contour(target, at, along, within, path=() if path is None else path, surface=kind == "surface")
    if path is not None:
        raise UsageError("A path is drawn over a contour of two inputs.", hint="Add --along x,y.")
    if kind == "bars":
        return bars(target, at, wrt)
    if kind == "differences":
        return differences(target, at, along, wrt)
    return curves(target, at, wrt) if kind == "all" else curve(target, at, along, within, wrt)


def contour(
    target: Asked,
    at: Where,
    along: str | None = None,
    within: str | None = None,
    *,
    path: str | Iterable[Any] = (),
    surface: bool = False,
) -> Contour:
    """The value over a grid of two numbers of the point, by default the first two; nan where the function raises.

    Raises:
        PointError: a number or an interval is not valid, or a point of the path, or there is no finite value.
    """
    question = followed(resolve(target), at, None)
    numbers = _two(question, along)
    rows = points_of_file(question.target, path).values() if isinstance(path, str) else path
    places = tuple(_place(as_point(row, question.target), numbers) for row in rows)
    xs, ys = _axes(question, numbers, within, places)
    values = tuple(_row(question, numbers, xs, y) for y in ys)
    if not any(map(math.isfinite, (value for row in values for value in row))):
        raise PointError("The value is not finite anywhere on the grid.", hint="Type other intervals: --range 0:1,0:1")
    inputs = {re.split(r"[.\[]", number.name)[0] for number in numbers}
    return question.answer(
        Contour,
        (numbers[0].name, numbers[1].name),
        xs,
        ys,
        values,
        (numbers[0].value, numbers[1].value),
        places,
        surface,
        fixed={name: record_value(value) for name, value in question.point.items() if name not in inputs},
    )


def _two(question: Question, along: str | None) -> tuple[Coordinate, Coordinate]:
    """The two numbers that `along` names, by default the first two."""
    named = {coordinate.name: coordinate for coordinate in coordinates(question.point)}
    parts = re.split(COMMAS, along.replace(" ", "")) if along else [*named][:2]
    if len(set(parts)) != 2:
        what = f"--along {along} has to name two numbers." if along else "A surface needs two numbers in the point."
        raise PointError(what, hint=f"Type --along {','.join([*named][:2])}.")
    refuse_unknown(parts, tuple(named))
    return named[parts[0]], named[parts[1]]


def _place(point: Point, numbers: Sequence[Coordinate]) -> tuple[float, float]:
    """The two numbers of a point of the path."""
    values = {coordinate.name: coordinate.value for coordinate in coordinates(point)}
    refuse_unknown([number.name for number in numbers], tuple(values))
    return values[numbers[0].name], values[numbers[1].name]


def _axes(
    question: Question,
    numbers: Sequence[Coordinate],
    within: str | None,
    path: tuple[tuple[float, float], ...],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The places along both axes; without an interval, an axis holds the path."""
    texts = within.split(",") if within else [None]
    if len(texts) > 2:
        raise PointError(f"--range {within} has more than two intervals.", hint="Type --range 0:1,0:1.")
    axes = []
    for n, number in enumerate(numbers):
        text = texts[min(n, len(texts) - 1)]
        low, high = interval(text, of_number(question, number))
        if text is None and path:
            along = [place[n] for place in path]
            room = 0.15 * (max(along) - min(along)) or 1.0
            low, high = min(along) - room, max(along) + room
        axes.append(tuple(low + (high - low) * step / (GRID - 1) for step in range(GRID)))
    return axes[0], axes[1]


def _row(question: Question, numbers: Sequence[Coordinate], xs: Sequence[float], y: float) -> tuple[float, ...]:
    """The values over the first number where the second is `y`."""
    point = Point(zip(question.point, arguments_with_number(question.point, numbers[1], y), strict=True))
    moved = Question(question.target, point, question.wanted, question.device)
    f = value_along(moved, of_number(moved, numbers[0]))
    return tuple(map(f, xs))
