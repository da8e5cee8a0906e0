"""The history file: each block is appended at once, so that a crash or another session loses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from prompt_toolkit.history import History

MOST_READ = 2_000_000  # bytes read from the end of the file


class BlockHistory(History):
    """Input blocks in a file, in prompt_toolkit's format: a line with the time, then each line after a `+`.

    If the file cannot be read or written, the session has its own lines only.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.last = ""

    def load_history_strings(self) -> Iterable[str]:
        """The blocks in the file, latest first."""
        entries = blocks(self._read())
        self.last = self.last or (entries[-1] if entries else "")
        return reversed(entries)

    def store_string(self, string: str) -> None:
        """Append a block, unless it equals the last one."""
        string = string.rstrip("\n")  # a paste may end with a newline
        if string == self.last or not string.strip():
            return
        self.last = string
        text = f"\n# {datetime.now():%Y-%m-%d %H:%M:%S}\n" + "".join(f"+{line}\n" for line in string.split("\n"))
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, text.encode("utf-8", "surrogateescape"))
            finally:
                os.close(file)

    def _read(self) -> str:
        with suppress(OSError), open(self.path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - MOST_READ))
            return file.read().decode("utf-8", "replace")
        return ""


def blocks(text: str) -> list[str]:
    """The blocks in the text of a history file, earliest first."""
    entries: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("+"):
            if not inside:
                entries.append([])
            entries[-1].append(line[1:])
        inside = line.startswith("+")
    return ["\n".join(lines) for lines in entries]
