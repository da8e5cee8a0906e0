"""`gradcli derive`: the lines of the program, unchanged."""

from __future__ import annotations

from gradcli.shared.records.derived_source import Derived
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line


def view(record: Derived, look: Look) -> Stack:
    """The view of a derived program."""
    return Stack(*(line(text_line) for text_line in record.source.splitlines()))
