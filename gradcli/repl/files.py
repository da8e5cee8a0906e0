"""What outlives a session: where its earlier lines are kept, and files that never replace one of the user's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import count

from gradcli.errors import UsageError


def history_path(environ: Mapping[str, str] = os.environ) -> str:
    """The file of earlier lines: GRADCLI_HISTORY, else `gradcli/history` in the folder for the state of programs."""
    if named := environ.get("GRADCLI_HISTORY"):
        return os.path.expanduser(named)
    folder = environ.get("XDG_STATE_HOME") or os.path.join("~", ".local", "state")
    return os.path.expanduser(os.path.join(folder, "gradcli", "history"))


def write(command: str, path: str, text: str, loaded: Iterable[str]) -> None:
    """Write a new file, or one anew that the same command has written.

    Args:
        command: the word that writes it, for what to type instead.
        path: where.
        text: what; its first line tells whose file it is.
        loaded: the files whose functions the session uses.

    Raises:
        UsageError: there is another file, or it cannot be written.
    """
    place = os.path.expanduser(path)
    head = text[: text.index("\n") + 1].encode()
    if os.path.isfile(place) and (is_one_of(place, loaded) or not begins(place, head)):
        hint = f"Type {command} {free(path)}, or another name that is free."
        raise UsageError(f"{path!r} exists and is not from {command}, so it was not written over.", hint=hint)
    try:
        with open(place, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path!r} cannot be written: {error.strerror}.") from None
    except ValueError:
        raise UsageError(f"{path!r} cannot be written: that is no name of a file.") from None


def is_one_of(place: str, paths: Iterable[str]) -> bool:
    """Whether a file is one of some, however they are spelled."""
    return os.path.realpath(place) in {os.path.realpath(os.path.expanduser(path)) for path in paths}


def begins(place: str, head: bytes) -> bool:
    """Whether a file begins so, or holds nothing that could be lost; one that cannot be read does not."""
    try:
        with open(place, "rb") as file:
            return file.readline(len(head)) in (head, b"")
    except OSError:
        return False


def free(path: str) -> str:
    """A path like this one at which nothing lies."""
    stem, end = os.path.splitext(path)
    return next(name for number in count(2) if not os.path.lexists(os.path.expanduser(name := f"{stem}_{number}{end}")))
