"""The derived program in place of recorded runs, for the points at which it says as much as they do."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli import queries
from gradcli.answers.compilation.compiled_transform import Kind
from gradcli.answers.compilation.program_in_place_of_runs import program_in_place_of_runs
from gradcli.answers.targets import Point, Target
from gradcli.engine.code.program_errors import program_errors
from gradcli.errors import GradcliError
from gradcli.many_points.point_chunks import PointLayout
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.derivatives import blocks_by_name, labels_of
from gradcli.shared.pytree import leaves, map_leaves

KINDS: dict[str, Kind] = {"grad": "gradient", "jacobian": "jacobian", "hessian": "hessian"}  # by the command


class ProgramAtPoints:
    """A program for points of one form.

    Args:
        command: `grad`, `jacobian` or `hessian`.
        target: the target.
        layout: the form of the points.
        row: the numbers of an ordinary one of them.
        wrt: the inputs to differentiate by, as typed.

    Raises:
        GradcliError: no program serves here; the message says why.
    """

    def __init__(self, command: str, target: Target, layout: PointLayout, row: Any, wrt: str | None) -> None:
        point = layout.point(row)
        question = ask(target, point, wrt)
        self._columns = [_column(value) for value in _markers(target, layout, len(row), question.point).values()]
        if getattr(queries, KINDS[command])(target, point, wrt=wrt).findings:
            raise GradcliError("there is something to say of the run")
        if any(np.ndim(operand) for outcome in question.record().outcomes for operand in outcome.operands):
            raise GradcliError("it compares arrays")
        asked = question.function, tuple(question.arguments), question.places
        self._program, derivative = program_in_place_of_runs(*asked, KINDS[command])
        self._order = _row_by_row(question, derivative) if command == "hessian" else slice(None)

    def at(self, table: Any, width: int) -> tuple[Any, Any]:
        """The value and the derivative at each row of a table, and a mask of the rows that are left to recorded runs.

        Args:
            table: of shape (points, numbers of a point).
            width: how many numbers an answer has; all rows are left if there are more or fewer.
        """
        columns = [column(table) for column in self._columns]
        if (at_rows := self._program.row_kernel()) is not None:
            status, values, derivative = at_rows(columns)
            parts = [np.empty((len(table), 0)) if values is None else values, *leaves(derivative)]
        elif (kernel := self._program.kernel()) is not None:
            status, parts = _by_row(kernel, columns)
        if at_rows is None and kernel is None:
            return np.full((len(table), width), np.nan), np.ones(len(table), bool)
        first, *rest = (np.reshape(part, (len(table), -1)) for part in parts)
        derivatives = np.concatenate(rest, axis=1)
        numbers = np.concatenate([first, derivatives[:, self._order]], axis=1)
        if numbers.shape[1] != width:
            return np.full((len(table), width), np.nan), np.ones(len(table), bool)
        ordinary = np.isfinite(numbers).all(axis=1) & derivatives.any(axis=1) & np.isfinite(table).all(axis=1)
        return numbers, (status != 0) | ~ordinary


def _row_by_row(question: Question, columns: tuple[Any, ...]) -> Any:
    """The places of the numbers of a Hessian by columns in its form by names, which has them by rows."""
    count = itertools.count()

    def numbered(leaf: Any) -> Any:
        return np.reshape([next(count) for _ in range(np.size(leaf))], np.shape(leaf))

    by_name = blocks_by_name(labels_of(question), map_leaves(numbered, columns))
    return np.concatenate([*map(np.ravel, leaves(by_name))]).astype(int)


def _by_row(kernel: Callable[..., Any], columns: list[Any]) -> tuple[Any, list[Any]]:
    """The status of each row, which is not 0 at those that are left, and the values and derivatives."""
    status = np.ones(len(columns[0]))
    parts: list[Any] = []
    arguments = zip(*(column.tolist() if column.ndim == 1 else column for column in columns), strict=True)
    with np.errstate(all="ignore", under="raise"):  # a recorded run tells of what underflows
        for number, given in enumerate(arguments):
            try:
                row = [np.concatenate([*map(np.ravel, leaves(part))]) for part in kernel(*given)]
            except program_errors():  # an edge case, or an error that the recorded run raises again
                continue
            parts = parts or [np.full((len(status), len(part)), np.nan) for part in row]
            for table, part in zip(parts, row, strict=True):
                table[number] = part
            status[number] = 0
    return status, parts or [np.empty((len(status), 0))] * 2


def _markers(target: Target, layout: PointLayout, width: int, point: Point) -> Point:
    """A point of numbers that say which column of a table they are, which must have the form of the others.

    Raises:
        GradcliError: it has not, so that the numbers of a row cannot be told apart.
    """
    markers = np.arange(width) + 0.5  # not whole, so that they are not read as counts
    marked = ask(target, layout.point(markers)).point
    plain = all(type(value) in (float, np.ndarray) for value in (*point.values(), *marked.values()))
    columns = np.sort([number for value in marked.values() for number in np.ravel(value)]) if plain else None
    shapes = [{name: np.shape(value) for name, value in one.items()} for one in (marked, point)]
    if columns is None or not np.array_equal(columns, markers) or shapes[0] != shapes[1]:
        raise GradcliError("the numbers of a row are not those of the point, or the points have no fixed form")
    return marked


def _column(marked: Any) -> Callable[[Any], Any]:
    """The function that gives the values of an input for all rows of a table, from its markers."""
    places = (np.asarray(marked) - 0.5).astype(int)
    return lambda table: table[:, places]
