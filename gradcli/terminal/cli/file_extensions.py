"""The output formats and their file endings."""

from __future__ import annotations

from collections.abc import Sequence

ENDINGS = {
    "text": (".txt",),
    "md": (".md", ".markdown"),
    "csv": (".csv",),
    "latex": (".tex",),
    "html": (".html", ".htm"),
    "svg": (".svg",),
    "png": (".png",),
    "dot": (".dot", ".gv"),
    "mermaid": (".mmd", ".mermaid"),
    "python": (".py",),
    "c": (".c",),
    "json": (".json",),
}
"""The file endings of each format; the first is the one suggested to the user."""


def alternatives_text(words: Sequence[str]) -> str:
    """The words joined by commas and a final "or": `.svg`; `.png or .svg`; `.md, .csv or .json`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
