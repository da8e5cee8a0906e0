"""What outlives a session: its earlier lines, what was set, and files that never replace one of the user's."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import platformdirs

from gradcli.errors import UsageError
from gradcli.file_replacement import begins, replace_file
from gradcli.repl.builtin_commands import SETTINGS


def history_path() -> str:
    """The file of earlier lines: GRADCLI_HISTORY, else `history` in the platform's folder for the state of gradcli."""
    return _place("GRADCLI_HISTORY", platformdirs.user_state_path, "history")


def settings_path() -> str:
    """The file of settings: GRADCLI_SETTINGS, else `settings` in the platform's folder for gradcli's configuration."""
    return _place("GRADCLI_SETTINGS", platformdirs.user_config_path, "settings")


def _place(variable: str, folder: Callable[..., Path], name: str) -> str:
    return os.path.expanduser(os.environ.get(variable) or str(folder("gradcli", appauthor=False) / name))


def kept_settings() -> dict[str, str]:
    """What was set in earlier sessions; what cannot be read or is no setting is passed over."""
    try:
        with open(settings_path(), encoding="utf-8") as file:
            words = [line.split() for line in file]
    except (OSError, ValueError):
        return {}
    return {line[1]: line[2] for line in words if len(line) == 3 and line[2] in SETTINGS.get(line[1], ())}


def keep_settings(settings: Mapping[str, str]) -> str:
    """Keep what is set for the next session, as the lines that set it; where they cannot be written, returns why."""
    path = settings_path()
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        replace_file(path, "".join(f"set {name} {value}\n" for name, value in settings.items()).encode())
    except OSError as error:
        return f"{path!r} cannot be written: {error.strerror}"
    except ValueError:
        return f"{path!r} cannot be written: that is no name of a file"
    return ""


class WrittenFiles:
    """The files that a session has written, each as it wrote it, so that what another hand made of one is kept."""

    def __init__(self) -> None:
        self._bytes: dict[str, bytes] = {}

    def write(self, command: str, path: str, text: str, loaded: Iterable[str]) -> tuple[str, ...]:
        """Write a new file, or one anew that the same command has written.

        What lies there and is neither what this session wrote nor what it would write now is kept beside it.

        Args:
            command: the word that writes it, for what to type instead.
            path: where.
            text: what; its first line tells whose file it is.
            loaded: the files whose functions the session uses.

        Returns:
            What there is to say of a file that was kept.

        Raises:
            UsageError: there is another file, or it cannot be written.
        """
        place, data = os.path.expanduser(path), text.encode("utf-8", "backslashreplace")
        head = data[: data.index(b"\n") + 1]
        if os.path.isfile(place) and (is_one_of(place, loaded) or not begins(place, head)):
            hint = f"Type {command} {free(path)}, or another name that is free."
            raise UsageError(f"{path!r} exists and is not from {command}, so it was not written over.", hint=hint)
        with writable(path):
            kept = keep(path, known={b"", data, self._bytes.get(os.path.realpath(place), b"")})
            replace_file(place, data)
            self._bytes[os.path.realpath(place)] = data
        return (f"what was there is kept as {kept}",) if kept else ()


@contextmanager
def writable(path: str) -> Iterator[None]:
    """Tell why a file cannot be written.

    Raises:
        UsageError: an error of the system was raised inside.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None


def unwritable(path: str, error: OSError | ValueError) -> UsageError:
    """Why a file cannot be written, and what to do."""
    folder, name = os.path.split(path)
    if not isinstance(error, OSError):
        return UsageError(f"{path!r} cannot be written: that is no name of a file.", hint="Name another file.")
    if os.path.isdir(os.path.expanduser(path)):
        return UsageError(f"{path!r} is a folder.", hint=f"Name a file in it: {os.path.join(path, name or 'file')}")
    if folder and not os.path.isdir(os.path.expanduser(folder)):
        hint = f"Make it with mkdir -p {folder}, or type {name} alone."
        return UsageError(f"{path!r} cannot be written: there is no folder {folder!r}.", hint=hint)
    return UsageError(f"{path!r} cannot be written: {error.strerror}.", hint="Name another file.")


def unreadable(path: str, error: OSError | ValueError) -> UsageError:
    """Why a script cannot be read, and what to do."""
    if isinstance(error, UnicodeDecodeError):
        line = error.object[: error.start].count(b"\n") + 1
        what = f"byte 0x{error.object[error.start]:02x} in line {line}"
        return UsageError(f"{path!r} is not UTF-8 text: {what}.", hint="Save it as UTF-8.")
    if not isinstance(error, OSError):
        return UsageError(f"{path!r} cannot be read: that is no name of a file.", hint="Type run session.gradcli")
    if isinstance(error, FileNotFoundError) or not path:
        return UsageError(f"There is no file {path!r}.", hint=_script_like(path))
    if isinstance(error, IsADirectoryError):
        return UsageError(f"{path!r} is a folder.", hint=f"Name a file in it: {os.path.join(path, 'session.gradcli')}")
    return UsageError(f"{path!r} cannot be read: {error.strerror}.", hint=f"Allow it: chmod u+r {path}")


def _script_like(path: str) -> str:
    """What to type where there is no script of a name: one of a name like it, else how one is made."""
    import difflib

    folder, name = os.path.split(path)
    with suppress(OSError):
        there = {os.path.splitext(each)[0]: each for each in os.listdir(os.path.expanduser(folder) or ".")}
        if near := difflib.get_close_matches(os.path.splitext(name)[0], there, n=1):
            return f"Did you mean {os.path.join(folder, there[near[0]])}?"
    return "`save session.gradcli` at the prompt writes a script that run reads."


def keep(path: str, known: Collection[bytes]) -> str:
    """Keep what lies at a path beside it, unless it is known: where it is now, or nothing where there is none.

    A file that was kept before is not written over either.

    Raises:
        OSError: it cannot be read, or the other one not be written.
    """
    place = os.path.expanduser(path)
    if not os.path.isfile(place):
        return ""
    found = held(place)
    if found in known:
        return ""
    beside = next(name for number in count(1) if is_free(name := f"{path}~{number if number > 1 else ''}", found))
    replace_file(beside, found)
    return beside


def is_free(path: str, data: bytes) -> bool:
    """Whether nothing lies at a path but perhaps a file that holds just that."""
    place = os.path.expanduser(path)
    return not os.path.lexists(place) or (os.path.isfile(place) and held(place) == data)


def held(place: str) -> bytes:
    """What a file holds."""
    with open(place, "rb") as file:
        return file.read()


def is_one_of(place: str, paths: Iterable[str]) -> bool:
    """Whether a file is one of some, however they are spelled."""
    return os.path.realpath(place) in {os.path.realpath(os.path.expanduser(path)) for path in paths}


def free(path: str) -> str:
    """A path like this one at which nothing lies."""
    stem, end = os.path.splitext(path)
    return next(name for number in count(2) if not os.path.lexists(os.path.expanduser(name := f"{stem}_{number}{end}")))
