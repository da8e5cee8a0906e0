"""The rows of a chunk of points: value and derivative, a verdict and the codes of findings, for each point."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli import queries
from gradcli.answers.targets import resolve
from gradcli.answers.targets.functions import function_target
from gradcli.answers.targets.point_files import in_row
from gradcli.engine.running.bound_call import name_of
from gradcli.errors import GradcliError, NotFiniteError, OutOfTimeError, UsageError, UserCodeError
from gradcli.many_points.point_chunks import Chunk, PointLayout, numbers_in
from gradcli.many_points.program_at_points import ProgramAtPoints
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import labelled, leaves
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison

OK = "ok"
_TRIALS = 3  # points after which a form of points has no program
_VERDICTS: tuple[tuple[type[GradcliError], str], ...] = (
    (NotFiniteError, "nonfinite"),
    (OutOfTimeError, "timeout"),
    (UserCodeError, "raised"),
    (UsageError, "error"),
)


class PointRequest(Frozen):
    """What is asked at every point.

    Args:
        command: `grad`, `jacobian`, `hessian` or `check`.
        target: the target as typed, or a function.
        file: the name of the file of points, for errors.
        options: further options of the command with their values.
        token: identifies the run, for which a process keeps its programs.
    """

    command: str
    target: str | Callable[..., Any]
    file: str
    options: tuple[tuple[str, Any], ...] = ()
    token: str = ""


class Remark(Frozen):
    """A row that a recorded run has answered, or an error.

    Args:
        verdict: `ok`, that of a check, or the kind of the error.
        codes: the codes of its findings, each once.
        message: what there is to say; empty if nothing.
        body: the value and the derivatives by their names; None for an error.
    """

    verdict: str
    codes: tuple[str, ...] = ()
    message: str = ""
    body: Mapping[str, Any] | None = None


class ChunkRows(Frozen, eq=False):
    """The rows of a chunk.

    Args:
        first: the index of the first point.
        numbers: the value and the numbers of the derivatives of each, of shape (points, columns); nan where there are
            none, or others.
        remarks: the remarks by position in the chunk; a row without one is `ok`.
    """

    first: int
    numbers: Any
    remarks: Mapping[int, Remark]

    def verdict(self, place: int) -> tuple[str, tuple[str, ...]]:
        """The verdict and the codes of a row."""
        remark = self.remarks.get(place)
        return (OK, ()) if remark is None else (remark.verdict, remark.codes)


def names_of(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the numbers in an answer: `value`, `gradient.x[0]`."""
    return tuple(name for key, part in body.items() for name, _ in labelled(key, part))


class Evaluator:
    """Answers a request at points; a program that is derived at one point is kept for others of the same form.

    Attributes:
        target: the target.
    """

    def __init__(self, request: PointRequest) -> None:
        self.request = request
        self._options = dict(request.options)
        asked = request.target
        self.target = (
            resolve(asked) if isinstance(asked, str) else function_target(name_of(asked), name_of(asked), asked)
        )
        self._programs: dict[Any, ProgramAtPoints | int] = {}

    def rows_at(self, chunk: Chunk, names: tuple[str, ...]) -> ChunkRows:
        """The rows of a chunk, whose columns have these names."""
        numbers = np.full((len(chunk.row_numbers), len(names)), np.nan)
        remarks: dict[int, Remark] = {}
        left = self._by_program(chunk, numbers)
        points = list(chunk.points()) if len(left) == len(chunk.row_numbers) else None
        for place in left:
            point = points[place] if points else chunk.texts[place] if chunk.texts else None
            point = chunk.layout.point(chunk.table[place]) if point is None else point
            remarks[place] = remark = self.remark(point, chunk.row_numbers[place])
            if remark.body is not None and names_of(remark.body) == names:
                numbers[place] = leaves(dict(remark.body))
        return ChunkRows(chunk.first, numbers, remarks)

    def remark(self, point: Any, row: int) -> Remark:
        """The answer of a recorded run, or of a check."""
        try:
            if isinstance(point, GradcliError):
                raise point
            with in_row(self.request.file, row):
                return self._answered(point)
        except GradcliError as error:
            verdict = next((name for kind, name in _VERDICTS if isinstance(error, kind)), "")
            if not verdict:
                raise
            return Remark(verdict, (error.code,) if error.code else (), error.message)

    def _answered(self, point: Any) -> Remark:
        if self.request.command == "check":
            return _of_check(queries.check(self.target, point, CheckRequest(**self._options)))
        name = {"grad": "gradient"}.get(self.request.command, self.request.command)
        record = getattr(queries, name)(self.target, point, **self._options)
        body = {field: getattr(record, field) for field in record.finite}
        codes = tuple(dict.fromkeys(finding.code for finding in record.findings))
        errors = [finding.message for finding in record.findings if finding.severity != "note"]
        return Remark("nonfinite" if record.exit else OK, codes, errors[0] if errors else "", body)

    def _by_program(self, chunk: Chunk, numbers: Any) -> list[int]:
        """Fill in the numbers of all points at which a program serves, and return the places of the others."""
        if self.request.command != "grad" or self._options.get("device", "cpu") != "cpu":
            return [*range(len(chunk.row_numbers))]
        if chunk.table is not None:
            return self._fill(chunk.layout, chunk.table, [*range(len(chunk.row_numbers))], numbers)
        left: list[int] = []
        forms: dict[tuple[str, ...], tuple[list[int], list[list[str]]]] = {}
        for place, text in enumerate(chunk.texts):
            if not isinstance(text, str):
                left.append(place)
                continue
            form, row = numbers_in(text)
            places, rows = forms.setdefault(form, ([], []))
            places.append(place)
            rows.append(row)
        for form, (places, rows) in forms.items():
            is_read_alone = self._options.get("wrt") is not None  # whole numbers may be counts there
            table = np.array(rows, float).reshape(len(rows), len(form) - 1)
            left += places if is_read_alone else self._fill(PointLayout(texts=form), table, places, numbers)
        return sorted(left)

    def _fill(self, layout: PointLayout, table: Any, places: list[int], numbers: Any) -> list[int]:
        """Fill in the numbers of points of one form, and return the places where no program serves."""
        for row in table[:_TRIALS]:
            program = self._programs.get(layout, 0)
            if isinstance(program, ProgramAtPoints) or program >= _TRIALS:
                break
            try:
                wrt = self._options.get("wrt")
                self._programs[layout] = ProgramAtPoints(self.target, layout, layout.point(row), len(row), wrt)
            except Exception:  # whatever there is to say is said of the recorded run
                self._programs[layout] = program + 1
        program = self._programs.get(layout, 0)
        if not isinstance(program, ProgramAtPoints) or program.size != numbers.shape[1] - 1:
            return places
        is_whole = len(places) == len(numbers)
        filled = numbers if is_whole else np.full((len(places), numbers.shape[1]), np.nan)
        left = program.fill(table, filled)
        if not is_whole:
            numbers[places] = filled
        return [places[n] for n in left]


def _of_check(comparison: Comparison) -> Remark:
    """The row of a check: the candidate and the reference of each component, by name and in the order of names."""
    ordered = sorted(comparison.components, key=lambda part: (len(part.name), part.name))
    numbers = {
        kind: {part.name: np.nan if (x := getattr(part, kind)) is None else x for part in ordered}
        for kind in ("candidate", "reference")
    }
    worst = next((f"{part.verdict.value} {part.name}" for part in comparison.components if not part.is_settled), "")
    codes = tuple(dict.fromkeys(finding.code for finding in comparison.findings))
    return Remark(comparison.verdict, codes, worst, {"value": comparison.value, **numbers})


_KEPT: dict[str, Evaluator] = {}
_LOCK = threading.Lock()


def evaluator(request: PointRequest) -> Evaluator:
    """The evaluator of a run in this process, which is made once."""
    with _LOCK:
        if request.token not in _KEPT:
            _KEPT.clear()
            _KEPT[request.token] = Evaluator(request)
        return _KEPT[request.token]


def rows_of(request: PointRequest, chunk: Chunk, names: tuple[str, ...]) -> ChunkRows:
    """The rows of a chunk; output of the user's code goes to stderr."""
    with contextlib.redirect_stdout(sys.stderr):
        return evaluator(request).rows_at(chunk, names)
