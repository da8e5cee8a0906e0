"""Points from stdin or from the rows of a file, each answered by one line of JSON, which is an error for a bad line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.errors import Exit, PointError, UsageError
from gradcli.terminal.cli.output import Output
from gradcli.terminal.cli.streams import write

STDIN = "-"

WORST_FIRST = (
    Exit.INTERRUPTED,
    Exit.INTERNAL,
    Exit.FAIL,
    Exit.USER_CODE,
    Exit.USAGE,
    Exit.NOT_FINITE,
    Exit.OUT_OF_TIME,
    Exit.UNCHECKED,
    Exit.INCONCLUSIVE,
    Exit.PASS,
)


def answer(output: Output, ask: Callable[..., Any], target: str, at: str | None, **options: Any) -> Exit:
    """Run a query at one point, or at every point of stdin or of a file, and return the most severe exit code."""
    if at is not None and output.reads_stdin and (at == STDIN or holds_rows(at)):
        return answer_each(output, ask, target, at, **options)
    return output.show(output.of(ask, target, at, **options))


def holds_rows(at: str) -> bool:
    """Whether a point is a file with one point per row; one of NumPy is an array."""
    return at.startswith("@") and at.lower().endswith((".csv", ".jsonl"))


def answer_each(output: Output, ask: Callable[..., Any], target: str, at: str = STDIN, **options: Any) -> Exit:
    """Write one line of JSON for each point as it arrives: results to stdout, errors to stderr.

    Raises:
        UsageError: another output format or a file was requested.
        PointError: there is no point on stdin, or a row of the file is none.
        GradcliError: the target cannot be read. Errors in a line do not raise.
    """
    import json

    from gradcli import queries
    from gradcli.shared.records.json_form import as_json, error_as_json
    from gradcli.terminal.cli.exit_errors import as_error

    if output.form != "text" or output.out is not None:
        raise UsageError(f"With --at {at} every answer is a line of JSON.", hint="Leave out --format and --out.")
    quiet = output.changed(as_json=True)
    resolved, worst, number = quiet.of(queries.resolve, target), Exit.PASS, 0
    rows = points() if at == STDIN else quiet.of(queries.points_of_file, resolved, at[1:]).items()
    for number, row in rows:
        try:
            record = quiet.of(ask, resolved, point_of(row) if isinstance(row, bytes) else row, **options)
            stream, shown, code = sys.stdout, as_json(record), record.exit
        except Exception as raised:
            error = as_error(raised)
            stream, shown, code = sys.stderr, error_as_json(error), error.exit
        worst = min(worst, code, key=WORST_FIRST.index)
        if not write(stream, json.dumps({**shown, "input_line": number}, allow_nan=False) + "\n"):
            break
    if not number:
        hint = "Write one point per line to it, such as [1, 2]: gradcli grad file.py:f --at - < points.jsonl"
        raise PointError("With --at - the points come from stdin, which has none.", hint=hint)
    return worst


def points() -> Iterator[tuple[int, bytes]]:
    """The non-empty lines of stdin with their line numbers."""
    lines = sys.stdin.buffer if sys.stdin else ()
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def point_of(line: bytes) -> str:
    """A line of stdin as the text of a point.

    Raises:
        PointError: the line is not UTF-8, or names a file, which input from a pipe may not do.
    """
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise PointError("The line is not text in UTF-8.") from None
    if "@" in text:
        raise PointError("A line of stdin may not name a file.", hint='Write the numbers: [1, 2] or {"x": 1}.')
    return text
