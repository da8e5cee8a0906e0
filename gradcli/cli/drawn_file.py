"""The file that a drawing goes into: of the ending of its format, and never one that gradcli has not drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gradcli.errors import UsageError
from gradcli.file_replacement import replace_file
from gradcli.repl.files import free, is_one_of, writable

ENDINGS = {"svg": (".svg",), "html": (".html", ".htm"), "out": (".svg", ".png")}
"""By the option that asks for a drawing: the endings of its files, first the one to type."""
KINDS = {"svg": "a .svg file", "html": "a .html file", "out": "a .png or .svg file"}
STDOUT = "-"
HEAD = 1024  # bytes in which the mark of a drawing lies


def refuse(option: str, path: str, sources: Iterable[str]) -> None:
    """Refuse a file that the drawing must not go into.

    Args:
        option: what asks for the drawing, a key of `ENDINGS`.
        path: where it is to go; `-` is stdout, for text alone.
        sources: the files of the program that is drawn.

    Raises:
        UsageError: the ending is another, or a file lies there that gradcli did not draw.
    """
    if path == STDOUT and option != "out":
        return
    place = os.path.expanduser(path)
    if not path.lower().endswith(ENDINGS[option]):
        other = free_of(f"{'plot' if path == STDOUT else os.path.splitext(path)[0]}{ENDINGS[option][0]}")
        raise UsageError(f"--{option} writes {KINDS[option]}, not {path!r}.", hint=f"Type --{option} {other}")
    if os.path.isfile(place) and (is_one_of(place, sources) or not is_drawn(place)):
        raise UsageError(
            f"{path!r} exists and is not drawn by gradcli, so it was not written over.",
            hint=f"Type --{option} {free(path)}, or another name that is free.",
        )


def free_of(path: str) -> str:
    """The path itself, or one like it where something lies there."""
    return free(path) if os.path.lexists(os.path.expanduser(path)) else path


def is_drawn(path: str) -> bool:
    """Whether a file is a drawing of ours, or holds nothing that could be lost; one that cannot be read is not."""
    from gradcli.render.graph import MARKS

    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return not head or any(mark.encode() in head for mark in MARKS)


def save(option: str, path: str, data: bytes, sources: Iterable[str]) -> None:
    """Write a drawing into a file.

    Raises:
        UsageError: the file must not be written, or cannot be.
    """
    refuse(option, path, sources)
    with writable(path):
        replace_file(path, data)
