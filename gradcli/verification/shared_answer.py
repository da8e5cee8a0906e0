"""The answer of a case, in memory that its process shares with its parent.

No descriptor leads to the memory, so that nothing a case prints, closes or opens reaches it. What a case leaves there
counts only with the token of the case.
"""

from __future__ import annotations

import mmap
import struct

SIZE = 2**28  # bytes of address space; only those written take memory

_HEADER = struct.Struct("<Q16s")  # the length of the answer and the token


class SharedAnswer:
    """Memory for one answer at a time."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SIZE)

    def clear(self) -> None:
        """Remove the answer."""
        self._memory[: _HEADER.size] = bytes(_HEADER.size)

    def put(self, token: str, data: bytes) -> None:
        """Write the answer of the case with a token; the header comes last and completes it.

        Raises:
            ValueError: the answer does not fit.
        """
        self._memory[_HEADER.size : _HEADER.size + len(data)] = data
        self._memory[: _HEADER.size] = _HEADER.pack(len(data), token.encode())

    def take(self, token: str) -> str | None:
        """The answer of the case with a token; None if there is none."""
        size, marked = _HEADER.unpack(self._memory[: _HEADER.size])
        if marked != token.encode():
            return None
        return self._memory[_HEADER.size : _HEADER.size + size].decode()
