"""`gradcli env`: one line per version, device or file."""

from __future__ import annotations

from typing import Any

from gradcli.shared.records.environment import Environment
from gradcli.terminal.render.layout.stream_style import UNLIMITED, Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.theme import NOTHING, TITLE
from gradcli.terminal.render.topics.page_parts import Terms, terms
from gradcli.terminal.render.topics.topic_texts import TESTED_DEVICES


def view(record: Environment, look: Look) -> Stack:
    """The view of an environment."""
    python = {"Python": record.python, "executable": record.executable, "system": record.system}
    blocks = {
        "versions": python | {name: number or "not installed" for name, number in record.versions.items()},
        "devices": {"devices": ", ".join(record.devices), "tested": TESTED_DEVICES},
        "terminal": record.terminal,
        "files": record.files,
    }
    drawn: list[Row] = []
    for title, facts in blocks.items():
        rows = Terms(*[(name, in_words(fact)) for name, fact in facts.items()])
        drawn += [line(), line((title, TITLE)), *terms(rows, look.width or UNLIMITED)]
    return Stack(*drawn[1:])


def in_words(fact: Any) -> str:
    """A fact in words."""
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return NOTHING if fact is None else str(fact)
