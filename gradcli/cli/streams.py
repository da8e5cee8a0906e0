"""Writing to stdout and stderr, in any encoding, and without an error if the reader has closed the pipe."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

from gradcli.errors import UsageError


def write(stream: TextIO | None, text: str) -> bool:
    """Write and flush a text; returns False once the reader has closed the pipe.

    Raises:
        UsageError: stdout cannot be written, as on a full disk. Errors of stderr are ignored.
    """
    if not text:
        return True
    if stream is None:  # the process was started with this stream closed
        if sys.stdout is None and sys.stderr is not None:
            raise UsageError("The result cannot be written: stdout is closed.")
        return True
    try:
        stream.write(writable(text, getattr(stream, "encoding", None) or "utf-8"))
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        return False
    except (OSError, ValueError) as error:  # ValueError: the user's code has closed the stream
        silence(stream)
        if stream is sys.stderr:
            return False
        raise UsageError(f"The result cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    return True


def writable(text: str, encoding: str) -> str:
    """`text` with characters outside `encoding` replaced by escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


class UnclosableStream:
    """A stream for the user's code: it behaves like the underlying stream, but cannot close it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        """Flush the underlying stream and leave it open."""
        self._stream.flush()


def silence(stream: TextIO) -> None:
    """Redirect the stream to the null device, so that closing it at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
