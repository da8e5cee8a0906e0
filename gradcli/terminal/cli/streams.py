"""Writing to stdout and stderr, in any encoding, and without an error if the reader has closed the pipe.

The user's code prints to stderr, so that stdout has the result alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from gradcli.errors import UsageError, UserCodeError

_HIGH = 200  # descriptors from here on are left alone by what writes to or closes those of a program


def write(stream: TextIO | None, text: str) -> bool:
    """Write and flush a text; returns False once the reader has closed the pipe.

    Raises:
        UsageError: stdout cannot be written, as on a full disk. Errors of stderr are ignored.
        UserCodeError: the user's code has closed stdout.
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
    except (OSError, ValueError) as error:
        silence(stream)
        if stream is sys.stderr:
            return False
        if isinstance(error, ValueError) or error.errno == errno.EBADF:
            raise UserCodeError("The result cannot be written: the code has closed stdout.") from None
        raise UsageError(f"The result cannot be written: {error.strerror}.") from None
    return True


def writable(text: str, encoding: str) -> str:
    """`text` with characters outside `encoding` replaced by escapes."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


@contextlib.contextmanager
def descriptor_1_to_stderr() -> Iterator[None]:
    """Send to stderr what code writes to descriptor 1, such as the output of C functions.

    Does nothing in a process whose stdout and stderr are not its descriptors 1 and 2, such as a notebook.
    """
    if not (_is_descriptor(sys.stdout, 1) and _is_descriptor(sys.stderr, 2)):
        yield
        return
    kept = _high_copy(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        _flush_c()
        with contextlib.suppress(OSError):  # the code has closed all descriptors
            os.dup2(kept, 1)
            os.close(kept)


def _high_copy(number: int) -> int:
    """A copy of a descriptor that code which writes to all descriptors of a program does not reach."""
    high = _HIGH
    with contextlib.suppress(OSError):
        while os.fstat(high):  # `fcntl` finds the next one too, but its import takes longer than all this
            high += 1
    return os.dup2(number, high, inheritable=False)


def _is_descriptor(stream: TextIO | None, number: int) -> bool:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return stream is not None and stream.fileno() == number
    return False


def _flush_c() -> None:
    if ctypes := sys.modules.get("ctypes"):
        with contextlib.suppress(OSError, TypeError, AttributeError):  # a system without one C library for all
            ctypes.CDLL(None).fflush(None)


class UnclosableStream:
    """A stream for the user's code: it behaves like the underlying stream, but cannot close it.

    Args:
        stream: the underlying stream.
        stands_for: the stream whose encoding, descriptor and terminal it shows, if it stands for another one.
    """

    def __init__(self, stream: TextIO, stands_for: TextIO | None = None) -> None:
        self._stream = stream
        if stands_for is not None:
            self.encoding, self.isatty, self.fileno = stands_for.encoding, stands_for.isatty, stands_for.fileno

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
