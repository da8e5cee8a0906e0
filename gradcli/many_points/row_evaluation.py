"""The rows of a chunk of points: value and derivative, a verdict and the codes of findings, for each point."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli import queries
from gradcli.answers.targets import resolve
from gradcli.answers.targets.functions import function_target
from gradcli.answers.targets.point_files import in_row
from gradcli.engine.running.bound_call import name_of
from gradcli.errors import GradcliError
from gradcli.many_points.point_chunks import Chunk, PointLayout
from gradcli.many_points.program_at_points import KINDS, ProgramAtPoints
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import labelled, leaves
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison
from gradcli.shared.records.point_runs import EXITS

OK = "ok"
_TRIALS = 3  # points after which a form of points has no program


class PointRequest(Frozen):
    """What is asked at every point.

    Args:
        command: `grad`, `jacobian`, `hessian` or `check`.
        target: the target as typed, or a function.
        file: the file of points.
        options: further options of the command with their values.
        token: identifies the run, for which a process keeps its programs.
    """

    command: str
    target: str | Callable[..., Any]
    file: str
    options: Mapping[str, Any] = {}
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


def names_of(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the numbers in an answer: `value`, `gradient.x[0]`."""
    return tuple(name for key, part in body.items() for name, _ in labelled(key, part))


class Evaluator:
    """Answers a request at points; a program that is derived at one point is kept for others of the same form.

    Attributes:
        target: the target.
    """

    def __init__(self, request: PointRequest) -> None:
        self._request, asked = request, request.target
        if isinstance(asked, str):
            self.target = resolve(asked)
        else:
            self.target = function_target(name_of(asked), name_of(asked), asked)
        self._programs: dict[PointLayout, ProgramAtPoints] = {}
        self._trials = Counter[PointLayout]()

    def rows_at(self, chunk: Chunk, names: tuple[str, ...]) -> ChunkRows:
        """The rows of a chunk, whose columns have these names."""
        numbers = np.full((len(chunk.points), len(names)), np.nan)
        is_left = np.ones(len(numbers), bool)
        for layout, places, table in chunk.tables():
            if (program := self._program(chunk, layout, table)) is not None:
                numbers[places], is_left[places] = program.at(table, len(names))
        remarks: dict[int, Remark] = {}
        for place in np.flatnonzero(is_left).tolist():
            remarks[place] = remark = self.remark(chunk, place)
            if remark.body is not None and names_of(remark.body) == names:
                numbers[place] = leaves(dict(remark.body))
        return ChunkRows(chunk.first, numbers, remarks)

    def remark(self, chunk: Chunk, place: int) -> Remark:
        """The answer of a recorded run, or of a check, at a point of a chunk."""
        try:
            with in_row(self._request.file, chunk.row_numbers[place]):
                return self._answered(chunk.point(place))
        except GradcliError as error:
            if (verdict := next((name for name, code in EXITS.items() if code == error.exit), None)) is None:
                raise
            return Remark(verdict, (error.code,) if error.code else (), error.message)

    def _answered(self, point: Any) -> Remark:
        if isinstance(point, GradcliError):
            raise point
        command, options = self._request.command, self._request.options
        if command == "check":
            return _of_check(queries.check(self.target, point, CheckRequest(**options)))
        record = getattr(queries, {"grad": "gradient"}.get(command, command))(self.target, point, **options)
        body = {field: getattr(record, field) for field in record.finite}
        errors = [finding.message for finding in record.findings if finding.severity != "note"]
        return Remark("nonfinite" if record.exit else OK, _codes(record), errors[0] if errors else "", body)

    def _program(self, chunk: Chunk, layout: PointLayout, table: Any) -> ProgramAtPoints | None:
        """The program for points of one form; None if there is none at any of the first points."""
        command, options = self._request.command, self._request.options
        if command not in KINDS or options.get("device", "cpu") != "cpu":
            return None
        if chunk.layout is None and "wrt" in options:  # whole numbers may be counts there
            return None
        for row in table:
            if layout in self._programs or self._trials[layout] >= _TRIALS:
                break
            self._trials[layout] += 1
            try:
                self._programs[layout] = ProgramAtPoints(command, self.target, layout, row, options.get("wrt"))
            except Exception:  # whatever there is to say is said of the recorded run
                continue
        return self._programs.get(layout)


def _of_check(comparison: Comparison) -> Remark:
    """The row of a check: the candidate and the reference of each component, by name and in the order of names."""
    ordered = sorted(comparison.components, key=lambda part: (len(part.name), part.name))
    numbers = {
        kind: {part.name: np.nan if (x := getattr(part, kind)) is None else x for part in ordered}
        for kind in ("candidate", "reference")
    }
    worst = next((f"{part.verdict.value} {part.name}" for part in comparison.components if not part.is_settled), "")
    return Remark(comparison.verdict, _codes(comparison), worst, {"value": comparison.value, **numbers})


def _codes(record: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.code for finding in record.findings))


_KEPT: dict[str, Evaluator] = {}
_LOCK = threading.Lock()


def evaluator(request: PointRequest) -> Evaluator:
    """The evaluator of a run in this process, which is made once."""
    with _LOCK:
        if request.token not in _KEPT:
            _KEPT.clear()
            _KEPT[request.token] = Evaluator(request)
        return _KEPT[request.token]
