"""The file that a drawing goes into: of the ending of its format, and never one that gradcli has not drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.repl.files import free, is_one_of

ENDINGS = {"svg": (".svg",), "html": (".html", ".htm")}
STDOUT = "-"
HEAD = 1024  # bytes in which the mark of a drawing lies


def refuse(form: str, path: str, sources: Iterable[str]) -> None:
    """Refuse a file that the drawing must not go into.

    Args:
        form: of the drawing, `svg` or `html`.
        path: where it is to go; `-` is stdout.
        sources: the files of the program that is drawn.

    Raises:
        UsageError: the ending is another, or a file lies there that gradcli did not draw.
    """
    if path == STDOUT:
        return
    if not path.lower().endswith(ENDINGS[form]):
        other = free_of(f"{os.path.splitext(path)[0]}.{form}")
        raise UsageError(f"--{form} writes a .{form} file, not {path!r}.", hint=f"Type --{form} {other}")
    if os.path.isfile(path) and (is_one_of(path, sources) or not is_drawn(path)):
        raise UsageError(
            f"{path!r} exists and is not drawn by gradcli, so it was not written over.",
            hint=f"Type --{form} {free(path)}, or another name that is free.",
        )


def free_of(path: str) -> str:
    """The path itself, or one like it where something lies there."""
    return free(path) if os.path.lexists(path) else path


def is_drawn(path: str) -> bool:
    """Whether a file is a drawing of ours, or holds nothing that could be lost; one that cannot be read is not."""
    from gradcli.render.graph import MARKS

    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return not head or any(mark.encode() in head for mark in MARKS)


def save(form: str, path: str, text: str, sources: Iterable[str]) -> None:
    """Write a drawing into a file.

    Raises:
        UsageError: the file must not be written, or cannot be.
    """
    refuse(form, path, sources)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", hint="Name another file.") from error
