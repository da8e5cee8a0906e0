"""An answer as JSON: one object per result of a line, with the line as `input` and its place in a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.shared.records.json_form import SCHEMA, as_json, error_as_json, plain
from gradcli.terminal.repl.answers import Answer


def answer_objects(answer: Answer) -> Iterator[dict[str, Any]]:
    """The objects of an answer and of its inner answers; the object of an error has the key `error`.

    `command` is that of the record, `value` for an expression without inputs, `names` for names and their meanings, and
    `text` for a help page.
    """
    origin = dict(zip(("input_file", "input_line"), answer.origin or (), strict=False))
    for item in parts(answer):
        yield {**item, "input": answer.line, **origin}
    for inner in answer.inner:
        yield from answer_objects(inner)


def parts(answer: Answer) -> Iterator[dict[str, Any]]:
    """The objects of an answer without its inner answers."""
    if answer.error is not None:
        item = error_as_json(answer.error)
        if answer.origin and answer.error.file is None:
            item["error"]["file"], item["error"]["line"] = answer.origin
        yield item
        return
    texts = [*answer.notes, *([answer.remark] if answer.remark else [])]
    notes = {"notes": texts} if texts else {}
    if answer.known:
        names = [plain(known) for known in answer.known]
        yield {"schema": SCHEMA, "command": "names", "names": names, **notes}
    if answer.value is not None:
        yield {"schema": SCHEMA, "command": "value", "value": plain(answer.value), **notes}
    if answer.text:
        yield {"schema": SCHEMA, "command": "text", "text": answer.text, **notes}
    if answer.record is not None:
        yield {**as_json(answer.record), **notes}
