"""The history file: each block is appended at once, so that a crash or another session loses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from prompt_toolkit.history import FileHistory

from gradcli.shared.regular_files import special_kind


class BlockHistory(FileHistory):
    """Input blocks in a file that only its owner may read.

    If the file cannot be read or written, the session has its own lines only.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path
        self.last = ""

    def load_history_strings(self) -> Iterable[str]:
        """The blocks in the file, latest first."""
        entries: list[str] = []
        with suppress(OSError):
            entries = [] if special_kind(self.path) else list(super().load_history_strings())
        self.last = self.last or next(iter(entries), "")
        return entries

    def store_string(self, string: str) -> None:
        """Append a block, unless it equals the last one."""
        string = string.rstrip("\n")  # a paste may end with a newline
        if string == self.last or not string.strip():
            return
        self.last = string
        if special_kind(self.path):
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))
            super().store_string(string)
