"""The file of rows while it grows, and the journal beside it, which lets the same command go on where it stopped.

The journal is a file of JSON lines: what the rows belong to, then a line for each chunk whose rows are on the disk.
Rows come first, so that a killed process leaves at most rows without a line, which are cut off before the next ones.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

from gradcli.engine.running.bound_call import name_of
from gradcli.errors import UsageError
from gradcli.many_points.row_files import RowFormat
from gradcli.many_points.run_summary import Tally
from gradcli.shared.message_wording import quoted


class OutputFile:
    """A file of rows that is being written.

    Args:
        out: the file of rows.
        form: its format.
        belongs: what its rows belong to, by its nouns.
        size: the number of points in a chunk, unless the file has been begun with another one.

    Attributes:
        close: closes the files.
        size: the number of points in a chunk.
        is_complete: whether all rows were there before.
        tallies: what is counted of the rows on the disk, by the number of their chunk.

    Raises:
        UsageError: there is a file that belongs to something else, or another process is writing it.
    """

    def __init__(self, out: str, form: RowFormat, belongs: Mapping[str, Any], size: int) -> None:
        journal = f"{out}.journal"
        if not os.path.exists(journal) and os.path.lexists(out) and (not os.path.isfile(out) or os.path.getsize(out)):
            message = f"{quoted(out)} exists and has no journal beside it, so it was not continued."
            raise UsageError(message, hint="Name another file.")
        self._out, self._form = out, form
        self._growing = out if form.ending in (".jsonl", ".csv") else f"{out}.unfinished"
        self.size, self.tallies = size, dict[int, Tally]()
        with ExitStack() as opened:
            self._journal = opened.enter_context(open(journal, "a+b"))
            self._lock()
            noted = self._noted(json.loads(json.dumps(belongs, default=name_of)))
            self.tallies |= {line["chunk"]: line["tally"] for line in noted if "chunk" in line}
            self.is_complete = len(noted) > len(self.tallies)
            self._is_joined = self.is_complete and not os.path.exists(self._growing)
            if not self._is_joined:
                self._file = opened.enter_context(open(self._growing, "ab"))
                self._go_on(max((line["end"] for line in noted if "chunk" in line), default=0))
            self.close = opened.pop_all().close

    def add(self, chunk: int, data: bytes, tally: Tally) -> None:
        """Write the rows of a chunk, and note them."""
        self._write(data)
        self.tallies[chunk] = tally
        self._note({"chunk": chunk, "end": self._file.tell(), "tally": tally})

    def complete(self) -> None:
        """Note that all rows are there, and make the file of an array that has grown."""
        if not self.is_complete:
            self._note({"complete": True})
        if not self._is_joined and self._growing != self._out:
            self._file.close()
            self._form.complete(self._growing, self._out)

    def _go_on(self, end: int) -> None:
        """Cut off what was written after the last line of the journal."""
        if self._file.tell() < end:
            message = f"{quoted(self._out)} has lost rows since they were written."
            raise UsageError(message, hint="Delete it to begin anew.")
        self._file.truncate(end)
        if not end:
            self._write(self._form.head)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _note(self, line: Mapping[str, Any]) -> None:
        self._journal.write(json.dumps(line).encode() + b"\n")
        self._journal.flush()

    def _noted(self, belongs: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The whole lines of the journal after the first, which says what the rows belong to."""
        self._journal.seek(0)
        text = self._journal.read()
        is_there = os.path.exists(self._out) or os.path.exists(self._growing)
        self._journal.truncate(text.rfind(b"\n") + 1 if is_there else 0)
        self._journal.seek(0)
        try:
            lines = [json.loads(line) for line in self._journal]
        except ValueError:
            message = f"{quoted(self._journal.name)} is no journal of gradcli."
            raise UsageError(message, hint="Name another --out.") from None
        if not lines:
            self._note({**belongs, "size": self.size})
            return []
        self.size = lines[0]["size"]
        for noun, value in belongs.items():
            if lines[0].get(noun) != value:
                hint = f"Name another file, or delete it and {quoted(self._journal.name)} to begin anew."
                raise UsageError(f"{quoted(self._out)} belongs to another {noun}.", hint=hint)
        return lines[1:]

    def _lock(self) -> None:
        """Refuse to write what another process is writing; Windows has no such locks."""
        with suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"{quoted(self._out)} is being written by another process.") from None
