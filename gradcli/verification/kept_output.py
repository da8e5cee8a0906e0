"""What the code of a case prints: read as it comes, of which the first and the last 64 KB are kept."""

from __future__ import annotations

import os
import threading
from typing import IO

KEPT = 2**16  # bytes kept of the beginning and of the end
CHUNK = 2**16


class KeptOutput:
    """Reads a pipe in a thread of its own.

    Args:
        stream: the reading end of the pipe, which the thread closes at the end.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data = bytearray()
        self._left_out = 0
        self._is_over = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def take(self, mark: bytes | None, seconds: float) -> str:
        """The output up to a mark, or up to the end of the pipe; what comes later is that of the next case.

        Args:
            mark: the mark; None for the end of the pipe.
            seconds: how long to wait for it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or (mark is not None and mark in self._data), seconds)
            printed, _, self._data = self._data.partition(mark or b"\0 there is no mark")
            left_out, self._left_out = self._left_out, 0
        if not left_out:
            return printed.decode("utf-8", "replace")
        first, last = (part.decode("utf-8", "replace") for part in (printed[:KEPT], printed[KEPT:][-KEPT:]))
        return f"{first}\n… {left_out + max(0, len(printed) - 2 * KEPT)} bytes are left out here …\n{last}"

    def _read(self) -> None:
        with self._stream:
            while chunk := os.read(self._stream.fileno(), CHUNK):
                with self._changed:
                    self._data += chunk
                    if (more := len(self._data) - 2 * KEPT) > 2 * KEPT:
                        self._left_out += more
                        del self._data[KEPT : KEPT + more]
                    self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
