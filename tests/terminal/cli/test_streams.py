"""Writing is whole, in the encoding of the stream."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from gradcli.errors import UserCodeError
from gradcli.terminal.cli.streams import descriptor_1_to_stderr, writable, write
from tests.terminal.cli.conftest import Stream


@pytest.mark.parametrize(
    ("expected", "text", "encoding"),
    [("∂", "∂", "utf-8"), ("\\u2202", "∂", "ascii"), ("\\udcff", "\udcff", "utf-8"), ("é", "é", "latin-1")],
)
def test_what_an_encoding_lacks_is_written_out(expected: str, text: str, encoding: str) -> None:
    """A letter that the stream cannot hold, or that is none, is written as its escape."""
    assert writable(text, encoding) == expected


def test_write_to_a_stream() -> None:
    """The text is written and flushed."""
    stream = Stream()
    write(stream, "text\n")

    assert stream.text() == "text\n"


def test_write_to_nothing() -> None:
    """A process without stdout loses its output, and nothing else."""
    write(None, "text")


def test_a_closed_stdout_is_an_error():
    """The result would be lost; a reader who goes away is none."""
    command = f"{sys.executable} -m gradcli grad x --at 2"
    closed = subprocess.run(f"{command} >&-", shell=True, capture_output=True, text=True, check=False)
    left = subprocess.run(f"{command} | head -n 1", shell=True, capture_output=True, text=True, check=False)

    assert (closed.returncode, closed.stdout) == (2, "")
    assert "stdout is closed" in closed.stderr
    assert left.stderr == ""


C = ctypes.CDLL(None)


@pytest.mark.parametrize(
    ("printed", "code"),
    [
        ("raw\n", lambda: os.write(1, b"raw\n")),
        ("held back\n", lambda: C.puts(b"held back")),
        ("of a shell\n", lambda: os.system("echo of a shell")),
        ("", lambda: os.close(1)),
        ("raw\n", lambda: (os.write(1, b"raw\n"), os.close(1))),
    ],
)
def test_what_code_does_with_descriptor_1(
    printed: str,
    code: Callable[[], object],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it prints goes to stderr, and closing it does not lose the result."""
    monkeypatch.setattr(sys, "stdout", open(1, "w", closefd=False))
    monkeypatch.setattr(sys, "stderr", open(2, "w", closefd=False))
    with descriptor_1_to_stderr():
        code()
    write(sys.stdout, "the result\n")

    assert ("the result\n", printed) == capfd.readouterr()


def test_a_stream_that_the_code_has_closed() -> None:
    """The code is to blame."""
    stream = Stream()
    stream.close()

    with pytest.raises(UserCodeError, match="the code has closed stdout"):
        write(stream, "text")
