"""Writing to stdout and stderr: whole texts, in whatever encoding the stream has, quiet where nobody reads."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

from gradcli.errors import UsageError


def write(stream: TextIO | None, text: str) -> bool:
    """Write and flush; a reader who has gone away is no error. Returns whether anyone still reads.

    Raises:
        UsageError: stdout cannot be written, as on a full disk; where stderr cannot, the exit code has to say it all.
    """
    if not text:
        return True
    if stream is None:  # the process was started with it closed
        if sys.stdout is None and sys.stderr is not None:
            raise UsageError("The result cannot be written: stdout is closed.")
        return True
    try:
        stream.write(writable(text, getattr(stream, "encoding", None) or "utf-8"))
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        return False
    except (OSError, ValueError) as error:  # the latter of a stream that the user's code has closed
        silence(stream)
        if stream is sys.stderr:
            return False
        raise UsageError(f"The result cannot be written: {getattr(error, 'strerror', None) or error}.") from None
    return True


def writable(text: str, encoding: str) -> str:
    """`text` with what `encoding` does not have written out as an escape."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


class Lent:
    """A stream for the user's code to write to: in all a stream like the one behind it, which it cannot close."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        """Write what waits, and go on."""
        self._stream.flush()


def silence(stream: TextIO) -> None:
    """Send what is still to come nowhere, so that closing the stream at exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
