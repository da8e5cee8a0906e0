"""The forms in which answers are written, and the endings of their files."""

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
"""By form: the endings of its files, the first of them to be typed."""


def either(words: Sequence[str]) -> str:
    """`.svg`; `.png or .svg`; `.md, .csv or .json`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
