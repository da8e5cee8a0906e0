"""Of what is printed, the beginning and the end are kept, and what comes after a mark is the next case's."""

import os
from collections.abc import Callable, Iterator

import pytest

from gradcli.verification.worker_process import KEPT, KeptOutput

Write = Callable[[bytes], None]


@pytest.fixture
def kept() -> Iterator[tuple[KeptOutput, Write]]:
    """The reader of a pipe, and a function that writes to it."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as stream:

        def write(data: bytes) -> None:
            while data:
                data = data[stream.write(data) :]

        yield KeptOutput(os.fdopen(reading, "rb")), write


def test_output_up_to_a_mark(kept: tuple[KeptOutput, Write]) -> None:
    output, write = kept
    for piece in (b"one", b"\0ma", b"rk\0two\0ma", b"rk\0"):
        write(piece)

    assert [output.take(b"\0mark\0", 5) for _ in range(2)] == ["one", "two"]


@pytest.mark.parametrize("size", [2 * KEPT, 4 * KEPT, 4 * KEPT + 1, 40 * KEPT])
def test_much_output(size: int, kept: tuple[KeptOutput, Write]) -> None:
    output, write = kept
    write(b"a" + b"-" * (size - 2) + b"z\0mark\0")
    found = output.take(b"\0mark\0", 5)
    note = next(iter(line for line in found.split("\n") if "left out" in line), "… 0 bytes")

    assert (found[0], found[-1]) == ("a", "z")
    assert size == found.count("-") + 2 + int(note.split()[1])
    assert len(found) <= 4 * KEPT + len(note) + 2


def test_output_that_never_ends(kept: tuple[KeptOutput, Write]) -> None:
    """The mark is not awaited for longer than said; what has come is taken."""
    output, write = kept
    write(b"\xffone")

    assert output.take(b"\0mark\0", 0.2) == "\ufffdone"
    assert output.take(None, 0) == ""
