"""The file of `--out`: its ending says the form, and a file that gradcli did not write is never replaced."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gradcli.cli.file_extensions import ENDINGS, either
from gradcli.errors import UsageError
from gradcli.file_replacement import begins, replace_file
from gradcli.repl.written_files import free, writable

COMMENTS = {
    "md": b"<!-- Written by gradcli -->\n",
    "latex": b"% Written by gradcli\n",
    "dot": b"// Written by gradcli\n",
    "mermaid": b"%% Written by gradcli\n",
}
"""By form: the first line of its files, which says whose they are."""
BEGINNINGS = {**COMMENTS, "json": b'{"schema": "gradcli/', "python": b"# Derived by gradcli", "c": b"/* Derived by"}
UNMARKED = ("text", "csv")
"""Forms without a place for a mark: a file of the same first line is taken for an earlier answer."""
HEAD = 1024  # bytes in which the mark lies


def form_of(path: str, forms: Sequence[str], form: str | None = None) -> str:
    """The form that a file is to have: the one that was asked for, else the one of its ending.

    Args:
        path: the file.
        forms: those that the command writes.
        form: what `--format` asks for.

    Raises:
        UsageError: the ending is that of no form, or of another than was asked for.
    """
    stem, ending = os.path.splitext(path)
    named = next((each for each in forms if ending.lower() in ENDINGS[each]), None)
    if form is None and named is None:
        known = [ENDINGS[each][0] for each in forms]
        stem = stem if stem.strip("-") else "answer"
        typed = free_of(stem + known[0])
        raise UsageError(f"--out writes a {either(known)} file, not {path!r}.", hint=f"Type --out {typed}")
    if form and named and form != named:
        raise UsageError(f"{path!r} is named as {named}, and --format says {form}.", hint="Leave out --format.")
    return form or named or ""


def refuse(path: str, form: str) -> None:
    """Refuse to replace a file that gradcli did not write, before anything is computed.

    Raises:
        UsageError: there is one, or a link to one of another form.
    """
    place = os.path.expanduser(path)
    behind = os.path.splitext(os.path.realpath(place))[1].lower()
    other = os.path.islink(place) and behind not in ENDINGS[form]
    if os.path.isfile(place) and (other or not (form in UNMARKED or is_ours(place, form))):
        raise _kept(path)


def save(path: str, form: str, data: bytes) -> None:
    """Write an answer into a file.

    Raises:
        UsageError: the file must not be replaced, or cannot be written.
    """
    refuse(path, form)
    data = COMMENTS.get(form, b"") + data
    place = os.path.expanduser(path)
    if form in UNMARKED and os.path.isfile(place) and not begins(place, data[: data.find(b"\n") + 1]):
        raise _kept(path)
    with writable(path):
        replace_file(path, data)


def is_ours(path: str, form: str) -> bool:
    """Whether gradcli wrote a file, or it holds nothing that could be lost; one that cannot be read is not ours."""
    if form in BEGINNINGS:
        return begins(path, BEGINNINGS[form])
    from gradcli.render.tapes.graph import MARKS

    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return not head or any(mark.encode() in head for mark in MARKS)


def _kept(path: str) -> UsageError:
    return UsageError(
        f"{path!r} exists and was not written by gradcli, so it was not replaced.",
        hint=f"Type --out {free(path)}, or another name that is free.",
    )


def free_of(path: str) -> str:
    """The path itself, or one like it where something lies there."""
    return free(path) if os.path.lexists(os.path.expanduser(path)) else path
