"""An answer as JSON: an object for each thing that a line came to, with the line that asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.records import SCHEMA, as_json, error_as_json, plain
from gradcli.repl.session import Answer


def told(answer: Answer) -> Iterator[dict[str, Any]]:
    """The objects of an answer and of those inside; the one of an error has `error`.

    `command` is that of the record; `value` for an expression without inputs, `names` for names and what they mean,
    `text` for a page.
    """
    for said in parts(answer):
        yield {**said, "input": answer.line}
    for inner in answer.inner:
        yield from told(inner)


def parts(answer: Answer) -> Iterator[dict[str, Any]]:
    """What one line came to."""
    if answer.error is not None:
        yield error_as_json(answer.error)
        return
    said = [*answer.notes, *([answer.remark] if answer.remark else [])]
    notes = {"notes": said} if said else {}
    findings = {"findings": plain(answer.findings)} if answer.findings else {}
    if answer.known:
        names = [plain(known) for known in answer.known]
        yield {"schema": SCHEMA, "command": "names", "names": names, **findings, **notes}
    if answer.value is not None:
        yield {"schema": SCHEMA, "command": "value", "value": plain(answer.value), **findings, **notes}
    if answer.text:
        yield {"schema": SCHEMA, "command": "text", "text": answer.text, **notes}
    if answer.record is not None:
        yield {**as_json(answer.record), **notes}
