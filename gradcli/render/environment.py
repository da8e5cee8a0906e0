"""`gradcli env`: one line per version, device or file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradcli.records import Environment
from gradcli.render.layout.stream_style import Look
from gradcli.render.layout.styled_lines import Drawing, Stack, line
from gradcli.render.layout.theme import NAME, NOTHING, TITLE
from gradcli.render.layout.wrapped_text import Sentence
from gradcli.render.topics.topic_texts import TESTED_DEVICES


def view(record: Environment, look: Look) -> Stack:
    """The view of an environment."""
    python = {"Python": record.python, "executable": record.executable, "system": record.system}
    devices = {"devices": ", ".join(record.devices), "tested": TESTED_DEVICES}
    return Stack(
        *block("versions", python | {name: number or "not installed" for name, number in record.versions.items()}),
        line(),
        *block("devices", devices),
        line(),
        *block("terminal", record.terminal),
        line(),
        *block("files", record.files),
    )


def block(title: str, facts: Mapping[str, Any]) -> Iterable[Drawing]:
    """A title, and one line per fact."""
    widest = max(map(len, facts), default=0)
    yield line((title, TITLE))
    for name, fact in facts.items():
        yield Sentence(line("  ", (name.ljust(widest), NAME), "  ", said(fact)))


def said(fact: Any) -> str:
    """A fact in words."""
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return NOTHING if fact is None else str(fact)
