"""The file of rows while it grows, and the journal beside it, which lets the same command go on where it stopped.

The journal is a file of JSON lines: what the rows belong to, then a line for each chunk whose rows are on the disk.
Rows come first, so that a killed process leaves at most rows without a line, which are cut off before the next ones.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from gradcli.errors import UsageError
from gradcli.many_points.row_files import IN_PARTS, join
from gradcli.many_points.run_summary import Tally
from gradcli.shared.file_replacement import replace_file
from gradcli.shared.message_wording import quoted

WORDS = {
    "command": "another command",
    "target": "another target",
    "source": "another version of the target's file",
    "points": "other points",
    "options": "other options",
    "columns": "another number of derivatives",
    "version": "another version of gradcli",
}


class OutputJournal:
    """A file of rows that is being written.

    Args:
        out: the file of rows.
        belongs: what its rows belong to, by the keys of WORDS.
        head: the first bytes of a file of lines.
        size: the number of points in a chunk, unless the file has been begun with another one.

    Attributes:
        size: the number of points in a chunk.
        done: the numbers of the chunks whose rows are on the disk.
        tally: what is counted of their rows.

    Raises:
        UsageError: there is a file that belongs to something else, or another process is writing it.
    """

    def __init__(self, out: str, belongs: Mapping[str, Any], head: bytes, size: int) -> None:
        self.out, self._path, self._parts = out, f"{out}.journal", f"{out}.parts"
        self._ending = os.path.splitext(out)[1].lower()
        self.size, self.done, self.tally = size, set[int](), Tally()
        self._end = 0
        self.is_complete = False
        lines = self._lines()
        if lines:
            self._resume(lines, belongs)
        elif os.path.lexists(out) and (not os.path.isfile(out) or os.path.getsize(out)):
            raise UsageError(
                f"{quoted(out)} exists and has no journal beside it, so it was not continued.",
                hint="Name another file.",
            )
        self._journal = open(self._path, "a", encoding="utf-8")  # noqa: SIM115 - closed by `close`
        self._lock()
        if not lines:
            shutil.rmtree(self._parts, ignore_errors=True)
            self._journal.truncate(0)
            self._note({**belongs, "size": size})
        if self._ending in IN_PARTS:
            os.makedirs(self._parts, exist_ok=True)
            self._rows: IO[bytes] | None = None
            return
        self._rows = open(out, "ab")  # noqa: SIM115 - closed by `close`
        self._rows.truncate(self._end)
        if not self._end:
            self._write(head)

    def add(self, chunk: int, data: bytes, tally: Tally) -> None:
        """Write the rows of a chunk, and note them."""
        if self._rows is None:
            replace_file(self._part(chunk), data)
        else:
            self._write(data)
        self._count(chunk, tally)
        self._note({"chunk": chunk, "end": self._end, **dict(tally.items())})

    def complete(self) -> None:
        """Join the parts, and note that all rows are there."""
        if self.is_complete:
            return
        if self._rows is None:
            join([self._part(chunk) for chunk in sorted(self.done)], self._ending, self.out)
        self._note({"complete": True})
        shutil.rmtree(self._parts, ignore_errors=True)

    def close(self) -> None:
        """Close the files."""
        self._journal.close()
        if self._rows is not None:
            self._rows.close()

    def _part(self, chunk: int) -> str:
        return os.path.join(self._parts, f"{chunk:08}{self._ending}")

    def _write(self, data: bytes) -> None:
        assert self._rows is not None
        self._rows.write(data)
        self._rows.flush()
        os.fsync(self._rows.fileno())
        self._end += len(data)

    def _note(self, line: Mapping[str, Any]) -> None:
        self._journal.write(json.dumps(line) + "\n")
        self._journal.flush()

    def _count(self, chunk: int, tally: Tally) -> None:
        self.done.add(chunk)
        self.tally += tally

    def _lines(self) -> list[dict[str, Any]]:
        """The whole lines of the journal; none if the file of rows is gone, which begins anew."""
        try:
            with open(self._path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # the last line was being written
            replace_file(self._path, whole.encode())
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise UsageError(f"{quoted(self._path)} is no journal of gradcli.", hint="Name another --out.") from None
        is_done = bool(lines) and "complete" in lines[-1]
        is_there = os.path.exists(self.out) or (self._ending in IN_PARTS and not is_done)
        return lines if is_there else []

    def _resume(self, lines: list[dict[str, Any]], belongs: Mapping[str, Any]) -> None:
        begun, *noted = lines
        for key, value in json.loads(json.dumps(dict(belongs))).items():
            if begun.get(key) != value:
                hint = f"Name another file, or delete it and {quoted(self._path)} to begin anew."
                raise UsageError(f"{quoted(self.out)} belongs to {WORDS[key]}.", hint=hint)
        self.size = begun["size"]
        for line in noted:
            self.is_complete = "complete" in line
            if not self.is_complete:
                self._end = line.pop("end")
                self._count(line.pop("chunk"), Tally(**line))
        if self._ending not in IN_PARTS and os.path.getsize(self.out) < self._end:
            raise UsageError(
                f"{quoted(self.out)} has lost rows since they were written.", hint="Delete it to begin anew."
            )

    def _lock(self) -> None:
        """Refuse to write what another process is writing; Windows has no such locks."""
        with suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"{quoted(self.out)} is being written by another process.") from None
