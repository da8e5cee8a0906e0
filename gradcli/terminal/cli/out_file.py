"""The file of `--out`: its ending selects the format, and only a file that gradcli wrote is replaced."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gradcli.errors import UsageError
from gradcli.shared.file_replacement import free_path, refuse_to_replace, replace_file
from gradcli.terminal.cli.file_extensions import ENDINGS, alternatives_text
from gradcli.terminal.repl.written_files import writable

COMMENTS = {
    "md": b"<!-- Written by gradcli -->\n",
    "latex": b"% Written by gradcli\n",
    "dot": b"// Written by gradcli\n",
    "mermaid": b"%% Written by gradcli\n",
}
"""The first line of the files of formats whose files have no other mark."""
UNMARKED = ("text", "csv")
"""Formats without comments: a file with the same first line counts as earlier output of gradcli."""


def form_of(path: str, forms: Sequence[str], form: str | None = None) -> str:
    """The format of a file: that of `--format`, otherwise that of the file's ending.

    Args:
        path: the file.
        forms: the formats that the command can write.
        form: the value of `--format`, if given.

    Raises:
        UsageError: the ending is unknown or contradicts `--format`.
    """
    stem, ending = os.path.splitext(path)
    named = next((form for form in forms if ending.lower() in ENDINGS[form]), None)
    if path == "-":
        hint = f"Leave out --out; --format {forms[0]} prints another format."
        raise UsageError("--out writes a file; without it, the output goes to stdout.", hint=hint)
    if form is None and named is None:
        known = [ENDINGS[form][0] for form in forms]
        stem = stem if stem.strip("-") else "answer"
        typed = stem + known[0]
        typed = free_path(typed) if os.path.lexists(os.path.expanduser(typed)) else typed
        raise UsageError(f"--out writes a {alternatives_text(known)} file, not {path!r}.", hint=f"Type --out {typed}")
    if form and named and form != named:
        raise UsageError(f"{path!r} is named as {named}, and --format says {form}.", hint="Leave out --format.")
    return form or named or ""


def refuse(path: str, form: str) -> None:
    """Refuse to replace a file that gradcli did not write, before anything is computed.

    Raises:
        UsageError: there is such a file.
    """
    if form not in UNMARKED:
        refuse_to_replace(path, "--out ")


def save(path: str, form: str, data: bytes) -> None:
    """Write output to a file.

    Raises:
        UsageError: the file must not be replaced, or cannot be written.
    """
    refuse(path, form)
    data = COMMENTS.get(form, b"") + data
    if form in UNMARKED:
        refuse_to_replace(path, "--out ", data[: data.find(b"\n") + 1])
    with writable(path):
        replace_file(path, data)
