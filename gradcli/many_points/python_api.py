"""Derivatives and checks at all points of a file, written to another file as rows."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any, Literal

from gradcli.answers.targets.point_files import readable_rows
from gradcli.answers.targets.python_files import holding
from gradcli.answers.targets.target_resolution import module_of
from gradcli.errors import PointError, UsageError
from gradcli.many_points.executors import answers, executor, upload
from gradcli.many_points.output_file import OutputFile
from gradcli.many_points.point_chunks import Chunk, PointFile, open_points
from gradcli.many_points.row_evaluation import Evaluator, PointRequest, evaluator, names_of
from gradcli.many_points.row_files import FORMATS, RowFormat
from gradcli.many_points.run_summary import Tally, summary, tally
from gradcli.queries.installed_versions import version
from gradcli.shared.message_wording import quoted, unknown_argument
from gradcli.shared.records.point_runs import PointRun
from gradcli.shared.regular_files import regular_file

OPTIONS = {"check": ("wrt", "against", "rtol", "atol", "strict", "max_seconds")}  # of other commands `wrt` alone
FAST, SLOW, CHECKED = 10_000, 500, 50  # points in a chunk: with a program, with recorded runs, with checks
FIRST = 100  # points among which one must have an answer


def evaluate_points(
    target: str | Callable[..., Any], points: str | os.PathLike[str], out: str | os.PathLike[str], *,
    of: Literal["grad", "jacobian", "hessian", "check"] = "grad", options: Mapping[str, Any] = {}, client: Any = 1,
) -> PointRun:  # fmt: skip
    """Compute a derivative or a check at every point of a file, and write a row for each to another file.

    Args:
        target: a function, or a target as text.
        points: a `.csv`, `.jsonl`, `.npy`, `.npz` or `.parquet` file with one point per row.
        out: a `.jsonl`, `.csv`, `.npy` or `.parquet` file. If an earlier call with the same arguments was stopped, it
            is continued. Rows come in any order, each with the index of its point.
        of: `grad`, `jacobian`, `hessian` or `check`.
        options: further options: `wrt`; for a check, `against`, `rtol`, `atol`, `strict` and `max_seconds`.
        client: a client of Dask, the address of a scheduler, or the number of processes of this machine.

    Returns:
        A PointRun with the number of points, `.verdicts`, `.quantiles` and the `.worst` points.

    Raises:
        UsageError: an option is unknown; a file cannot be read or written, or belongs to something else; the cluster
            does not fit.
        EndedProcessError: the function ended the process of a worker.

    One chunk of points per worker is in memory.
    """
    known = OPTIONS.get(of, ("wrt",))
    for name in options:
        if name not in known:
            raise UsageError(unknown_argument("gradcli.evaluate_points", name, known))
    return run(PointRequest(of, target, os.fspath(points), dict(options)), os.fspath(out), client)


def run(
    request: PointRequest, out: str, client: Any, listener: Callable[[int, int], None] = lambda done, count: None
) -> PointRun:
    """`evaluate_points` for a request; `listener` is called with the number of finished points and that of all."""
    request, out = request.changed(token=uuid.uuid4().hex), os.path.expanduser(out)
    ending = os.path.splitext(out)[1].lower()
    if ending not in FORMATS:
        raise UsageError(f"Rows are written to a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file, not {quoted(out)}.")
    first = evaluator(request)
    source = first.target.file or ""
    with open_points(request.file) as points:
        body, has_program = _first_answer(first, points)
        form = RowFormat(ending, body)
        belongs = {
            "command": request.command,
            "target": first.target.text,
            "version of the target's file": _digest(source) if os.path.isfile(source) else "",
            "set of points": _digest(request.file),
            "set of options": request.options,
            "set of columns": form.names,
            "version of gradcli": version("gradcli"),
        }
        size = CHECKED if request.command == "check" else FAST if has_program else SLOW
        with contextlib.closing(OutputFile(out, form, belongs, size)) as output:
            if not output.is_complete:
                _compute(request, form, points, output, client, listener)
            output.complete()
    return summary(first.target.text, request.command, out, form.names, [*output.tallies.values()])


def _compute(
    request: PointRequest, form: RowFormat, points: PointFile, output: OutputFile, client: Any,
    listener: Callable[[int, int], None],
) -> None:  # fmt: skip
    """Compute all chunks that are not done."""
    done = sum(sum(counted["verdicts"].values()) for counted in output.tallies.values())
    left = (chunk for chunk in points.chunks(output.size) if chunk.number not in output.tallies)
    with executor(client) as (pool, ahead, connected):
        if not isinstance(client, int):
            request = _portable(request, connected)
        listener(done, points.count)
        for chunk, data, counted in answers(partial(_answer, request, form), left, pool, ahead):
            output.add(chunk, data, counted)
            done += sum(counted["verdicts"].values())
            listener(done, points.count)


def _answer(request: PointRequest, form: RowFormat, chunk: Chunk) -> tuple[int, bytes, Tally]:
    """The number of a chunk, its rows as bytes, and what is counted of them."""
    with contextlib.redirect_stdout(sys.stderr):  # what the user's code prints
        rows = evaluator(request).rows_at(chunk, form.names)
    return chunk.number, form.data(rows), tally(rows, form.names)


def _first_answer(evaluator: Evaluator, points: PointFile) -> tuple[Mapping[str, Any], bool]:
    """The answer at the first point that has one, and whether a program serves there.

    Raises:
        PointError: none of the first points has an answer.
    """
    messages = []
    for chunk in islice(points.chunks(1), FIRST):
        remark = evaluator.remark(chunk, 0)
        if remark.body is not None:
            return remark.body, not evaluator.rows_at(chunk, names_of(remark.body)).remarks
        messages.append(remark.message)
    raise PointError(f"None of the first {len(messages)} points has an answer. {messages[0]}")


def _digest(file: str) -> str:
    """A digest of the content of a file."""
    with readable_rows(file), open(os.path.expanduser(file), "rb", opener=regular_file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _portable(request: PointRequest, client: Any) -> PointRequest:
    """The request with targets that the workers of a cluster find: by uploaded files, apart from those of a package."""
    options = {name: _portable_text(x, client) if name == "against" else x for name, x in request.options.items()}
    return request.changed(target=_portable_text(request.target, client), options=options)


def _portable_text(target: Any, client: Any) -> Any:
    module = module_of(target) if isinstance(target, str) and ":" in target else None
    if module is None or not module.lower().endswith((".py", ".pyw")):
        return target
    path, name = os.path.abspath(os.path.expanduser(module)), target.rsplit(":", 1)[1]
    if (package := holding(path)) is not None:
        return f"{package.module}:{name}"
    upload(client, path)
    return f"{os.path.splitext(os.path.basename(path))[0]}:{name}"
