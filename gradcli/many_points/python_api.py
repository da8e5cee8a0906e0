"""Derivatives and checks at all points of a file, written to another file as rows."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

from gradcli.answers.targets.point_files import readable_rows
from gradcli.answers.targets.python_files import holding
from gradcli.answers.targets.target_resolution import module_of
from gradcli.errors import PointError, UsageError
from gradcli.many_points.executors import answers, executor, upload
from gradcli.many_points.output_journal import OutputJournal
from gradcli.many_points.point_chunks import Chunk, chunks, count_of
from gradcli.many_points.row_evaluation import Evaluator, PointRequest, Remark, evaluator, rows_of
from gradcli.many_points.row_files import FORMATS, RowFormat
from gradcli.many_points.run_summary import Tally, summary, tally
from gradcli.queries.installed_versions import version
from gradcli.shared.message_wording import quoted, unknown_argument
from gradcli.shared.records.point_runs import PointRun
from gradcli.shared.regular_files import regular_file

Of = Literal["grad", "jacobian", "hessian", "check"]

OPTIONS_OF_CHECK = ("wrt", "against", "rtol", "atol", "strict", "max_seconds")

FAST, SLOW, CHECKED = 10_000, 500, 50  # points in a chunk: with a program, with recorded runs, with checks
FIRST = 100  # points among which one must have an answer


class Listener(Protocol):
    """Receives the progress of a run."""

    def tick(self, done: int, count: int) -> None:
        """Called with the number of finished points and that of all."""


def evaluate_points(
    target: str | Callable[..., Any], points: str | os.PathLike[str], out: str | os.PathLike[str], *,
    of: Of = "grad", client: Any = 1, **options: Any,
) -> PointRun:  # fmt: skip
    """Compute a derivative or a check at every point of a file, and write a row for each to another file.

    Args:
        target: a function, or a target as text.
        points: a `.csv`, `.jsonl`, `.npy`, `.npz` or `.parquet` file with one point per row.
        out: a `.jsonl`, `.csv`, `.npy` or `.parquet` file. If an earlier call with the same arguments was stopped, it
            is continued. Rows come in any order, each with the index of its point.
        of: `grad`, `jacobian`, `hessian` or `check`.
        client: a client of Dask, the address of a scheduler, or the number of processes of this machine.
        options: further options: `wrt`; for a check, `against`, `rtol`, `atol`, `strict` and `max_seconds`.

    Returns:
        A PointRun with the number of points, `.verdicts`, `.quantiles` and the `.worst` points.

    Raises:
        UsageError: an option is unknown; a file cannot be read or written, or belongs to something else; the cluster
            does not fit.
        EndedProcessError: the function ended the process of a worker.

    One chunk of points per worker is in memory.
    """
    known = OPTIONS_OF_CHECK if of == "check" else ("wrt",)
    for name in options:
        if name not in known:
            raise UsageError(unknown_argument("gradcli.evaluate_points", name, known))
    request = PointRequest(of, target, os.fspath(points), tuple(sorted(options.items())))
    return run(request, os.fspath(out), client)


def run(request: PointRequest, out: str, client: Any, *, listener: Listener | None = None) -> PointRun:
    """`evaluate_points` for a request."""
    request = request.changed(token=uuid.uuid4().hex)
    out = os.path.expanduser(out)
    ending = os.path.splitext(out)[1].lower()
    if ending not in FORMATS:
        raise UsageError(f"Rows are written to a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file, not {quoted(out)}.")
    digest, lines = _digest(request.file)
    first = evaluator(request)
    target = first.target
    body, has_program = _first_answer(first)
    rows = RowFormat(ending, body)
    belongs = {
        "command": request.command,
        "target": target.text,
        "source": _digest(target.file)[0] if target.file and os.path.isfile(target.file) else "",
        "points": digest,
        "options": request.options,
        "columns": rows.names,
        "version": version("gradcli"),
    }
    count = count_of(request.file, lines)
    size = CHECKED if request.command == "check" else FAST if has_program else SLOW
    journal = OutputJournal(out, belongs, rows.head, size)
    try:
        if not journal.is_complete:
            tick = (lambda done, count: None) if listener is None else listener.tick
            _compute(request, rows, journal, client, partial(tick, count=count))
        journal.complete()
    finally:
        journal.close()
    return summary(target.text, request.command, out, rows.names, journal.tally)


def _compute(request: PointRequest, rows: RowFormat, journal: OutputJournal, where: Any, tick: Any) -> None:
    """Compute all chunks that are not done."""
    done = sum(journal.tally.verdicts.values())
    left = (chunk for chunk in chunks(request.file, journal.size) if chunk.number not in journal.done)
    with executor(where) as (pool, ahead, client):
        request = _portable(request, None if isinstance(where, int) else client) if pool is not None else request
        tick(done)
        for chunk, data, counted in answers(partial(_answer, request, rows), left, pool, ahead):
            journal.add(chunk, data, counted)
            done += sum(counted.verdicts.values())
            tick(done)


def _answer(request: PointRequest, form: RowFormat, chunk: Chunk) -> tuple[int, bytes, Tally]:
    """The number of a chunk, its rows as bytes and what is counted of them."""
    rows = rows_of(request, chunk, form.names)
    return chunk.number, form.data(rows), tally(rows, form.names)


def _first_answer(evaluator: Evaluator) -> tuple[Mapping[str, Any], bool]:
    """The answer at the first point that has one, and whether a program serves there.

    Raises:
        PointError: none of the first points has an answer.
    """
    first: Remark | None = None
    some = next(chunks(evaluator.request.file, FIRST))
    for place, point in enumerate(some.points()):
        remark = evaluator.remark(point, some.row_numbers[place])
        if remark.body is not None:
            rows = evaluator.rows_at(some.only(place), RowFormat(".jsonl", remark.body).names)
            return remark.body, not rows.remarks
        first = first or remark
    assert first is not None
    raise PointError(f"None of the first {len(some.row_numbers)} points has an answer. {first.message}")


def _digest(file: str) -> tuple[str, int]:
    """A digest of the content of a file, and the number of its lines."""
    digest, lines = hashlib.sha256(), 0
    with readable_rows(file), open(os.path.expanduser(file), "rb", opener=regular_file) as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
            lines += block.count(b"\n")
    return digest.hexdigest(), lines


def _portable(request: PointRequest, client: Any) -> PointRequest:
    """The request with targets that another process finds; on a cluster, by uploaded files.

    A file of a package is not uploaded: the package must be installed on the workers.
    """
    options = dict(request.options)
    against = options.get("against")
    if isinstance(against, str) and ":" in against:
        options["against"] = _portable_text(against, client)
    target = request.target
    named = _portable_text(target, client) if isinstance(target, str) else target
    return request.changed(target=named, options=tuple(sorted(options.items())))


def _portable_text(text: str, client: Any) -> str:
    module = module_of(text)
    if module is None or not module.lower().endswith((".py", ".pyw")):
        return text
    path, name = os.path.abspath(os.path.expanduser(module)), text.rsplit(":", 1)[1]
    if client is None:
        return f"{path}:{name}"
    package = holding(path)
    if package is not None:
        return f"{package.module}:{name}"
    upload(client, path)
    return f"{os.path.splitext(os.path.basename(path))[0]}:{name}"
