"""The derived program in place of recorded runs, for the points at which it says as much as they do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.answers.compilation.call_signatures import signatures
from gradcli.answers.compilation.specialisations import FirstCall, Specialisation
from gradcli.answers.derivation.formula_source import source_of_formula
from gradcli.answers.targets import Point, Target
from gradcli.answers.targets.expressions import Formula
from gradcli.engine.running.muted_reruns import muted
from gradcli.errors import GradcliError
from gradcli.many_points.point_chunks import PointLayout, markers
from gradcli.methods.transforms.gradients import value_and_grad
from gradcli.queries.bound_target import ask
from gradcli.queries.derivatives import gradient

# Functions with ties and kinks that a program passes silently, and of which recorded runs tell.
_TELLING = re.compile(
    r"\babs\(|\.(?:abs|absolute|fabs|maximum|minimum|fmax|fmin|max|min|amax|amin|ptp|clip|where|sign|copysign|norm|hypot"
    r"|fmod|remainder)\("
)


class ProgramAtPoints:
    """A program for points of one form.

    Args:
        target: the target.
        layout: the form of the points.
        point: an ordinary one of them, as typed or by name.
        width: how many numbers a point has.
        wrt: the inputs to differentiate by, as typed.

    Attributes:
        size: how many numbers its gradient has.

    Raises:
        GradcliError: no program serves here; the message says why.
    """

    def __init__(self, target: Target, layout: PointLayout, point: Any, width: int, wrt: str | None) -> None:
        question = ask(target, point, wrt)
        self._columns = [_column(value) for value in _markers(target, layout, width, question.point).values()]
        if gradient(target, point, wrt=wrt).findings:
            raise GradcliError("there is something to say of the run")
        run = question.record()
        if any(np.ndim(operand) for outcome in run.outcomes for operand in outcome.operands):
            raise GradcliError("it compares arrays")
        arguments, function = tuple(question.arguments), question.function
        function = source_of_formula(function, [*arguments]) if isinstance(function, Formula) else function
        eager = value_and_grad(function, question.places)
        first = FirstCall(function, arguments, question.places, True, eager(*arguments))
        with muted():
            program = Specialisation(signatures(arguments), first)
            program.compare(first, eager)
        if _TELLING.search(program.text):
            raise GradcliError("it has kinks of which a recorded run tells")
        self._program = program
        # The parts of the gradient come in the order of the inputs; a single one comes alone.
        self._is_one = len(question.places) == 1
        self.size = sum(np.size(arguments[place]) for place in question.places)

    def fill(self, table: Any, numbers: Any) -> list[int]:
        """Compute the value and the gradient at each row of a table, and return the rows left to recorded runs.

        Args:
            table: of shape (points, numbers of a point).
            numbers: the value and the numbers of the gradient of each row, of shape (points, 1 + parts); written here.
        """
        columns = [column(table) for column in self._columns]
        if (at_rows := self._program.row_kernel()) is not None:
            status, numbers[:, 0], parts = at_rows(columns)
            numbers[:, 1:] = np.hstack([part.reshape(len(table), -1) for part in parts])
            is_left = status != 0
        elif (kernel := self._program.kernel()) is not None:
            is_left = self._by_row(kernel, columns, numbers)
        else:
            return [*range(len(table))]
        ordinary = np.isfinite(numbers).all(axis=1) & numbers[:, 1:].any(axis=1) & np.isfinite(table).all(axis=1)
        return np.flatnonzero(is_left | ~ordinary).tolist()

    def _by_row(self, kernel: Callable[..., Any], columns: list[Any], numbers: Any) -> Any:
        """Fill in one row after another, and return a mask of those that are left."""
        is_left = np.zeros(len(numbers), bool)
        put = _put_one if self._is_one else _put
        arguments = zip(*(column.tolist() if column.ndim == 1 else column for column in columns), strict=True)
        with np.errstate(all="ignore", under="raise"):  # a recorded run tells of what underflows
            for number, given in enumerate(arguments):
                try:
                    put(numbers[number], *kernel(*given))
                except Exception:  # an edge case, or an error that the recorded run raises again
                    is_left[number] = True
        return is_left


def _markers(target: Target, layout: PointLayout, width: int, point: Point) -> Point:
    """The point of markers, which must have the form of the others.

    Raises:
        GradcliError: it has not, so that the numbers of a row cannot be told apart.
    """
    marked = ask(target, layout.marked(width)).point
    plain = all(type(value) in (float, np.ndarray) for value in (*point.values(), *marked.values()))
    columns = np.sort([number for value in marked.values() for number in np.ravel(value)]) if plain else None
    if columns is None or not np.array_equal(columns, markers(width)):
        raise GradcliError("the numbers of a row are not those of the point")
    if [*map(np.shape, marked.values())] != [*map(np.shape, point.values())] or [*marked] != [*point]:
        raise GradcliError("the points have no fixed form")
    return marked


def _column(marked: Any) -> Callable[[Any], Any]:
    """The function that gives the values of an input for all rows of a table, from its markers."""
    places = (np.asarray(marked) - 0.5).astype(int)
    if type(marked) is float:
        return lambda table: table[:, int(places)]
    return lambda table: table[:, places.ravel()].reshape(len(table), *places.shape)


def _put_one(row: Any, value: float, gradient: Any) -> None:
    row[0] = value
    row[1:] = gradient if gradient.__class__ is list else np.ravel(gradient)


def _put(row: Any, value: float, gradient: Any) -> None:
    place, row[0] = 1, value
    for part in gradient:
        size = np.size(part)
        row[place : place + size] = np.ravel(part)
        place += size
