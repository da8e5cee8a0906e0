"""What ends a command early has its exit code and its text, and never a traceback that was not asked for."""

import json
import sys

import pytest

from gradcli import errors
from gradcli.terminal.cli.exit_errors import as_error
from tests.terminal.cli.conftest import Call, Queries, Stream
from tests.terminal.render import samples


@pytest.mark.parametrize(
    ("expected", "error"),
    [
        (2, errors.TargetError("no")),
        (4, errors.NotFiniteError("no")),
        (5, errors.UserCodeError("no")),
        (5, errors.UnsupportedError("no")),
        (7, errors.OutOfTimeError("no")),
        (70, errors.InternalError("no")),
    ],
)
def test_errors_have_their_exit_codes(expected: int, error: errors.GradcliError, call: Call, queries: Queries) -> None:
    """An error of ours ends with the exit code of its class."""
    queries.answers("gradient", error)
    answer = call("grad", "x", "--at", "1")

    assert (answer.code, answer.out) == (expected, "")
    assert answer.err.startswith("error")


def test_an_error_in_json(call: Call, queries: Queries) -> None:
    queries.answers("gradient", errors.DetachedError("x would leave.", hint="Use np.sin.", file="/f.py", line=3))
    answer = call("grad", "f.py:f", "--at", "1", "--json")
    expected = {
        "schema": "gradcli/1",
        "error": {
            "exit": 5,
            "code": "G402",
            "kind": "detached",
            "message": "x would leave.",
            "hint": "Use np.sin.",
            "file": "/f.py",
            "line": 3,
        },
    }

    assert (answer.code, answer.out) == (5, "")
    assert json.loads(answer.err) == expected


def test_a_fault_of_ours(call: Call, queries: Queries) -> None:
    """Any other exception is said to be our fault, with its type and message, without a traceback."""
    queries.answers("gradient", ZeroDivisionError("division by zero"))
    expected = (
        "error: This is a bug in gradcli: ZeroDivisionError: division by zero\n"
        "Set GRADCLI_DEBUG=1 and run it again to see the traceback.\n"
    )

    assert call("grad", "x", "--at", "1") == (70, "", expected)


@pytest.mark.parametrize("raised", [SystemExit(0), RecursionError(), MemoryError(), EOFError(), GeneratorExit()])
def test_nothing_escapes(raised: BaseException, call: Call, queries: Queries) -> None:
    queries.answers("gradient", raised)
    answer = call("grad", "x", "--at", "1")

    assert answer.code == 70
    assert f"bug in gradcli: {type(raised).__name__}" in answer.err


def test_a_traceback_that_was_asked_for(call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_DEBUG", "1")
    queries.answers("gradient", ZeroDivisionError("division by zero"))
    answer = call("grad", "x", "--at", "1")

    assert answer.code == 70
    assert answer.err.startswith("Traceback (most recent call last):\n")
    assert answer.err.endswith("\nerror: This is a bug in gradcli: ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(("expected", "terminal"), [("interrupted\n", False), ("\ninterrupted\n", True)])
def test_an_interrupt(expected: str, terminal: bool, call: Call, queries: Queries) -> None:
    """Ctrl-C ends with 130 and one word; on a terminal on a line of its own."""
    queries.answers("gradient", KeyboardInterrupt())

    assert call("grad", "x", "--at", "1", terminal=terminal) == (130, "", expected)


def test_an_interrupt_in_json(call: Call, queries: Queries) -> None:
    queries.answers("gradient", KeyboardInterrupt())
    answer = call("grad", "x", "--at", "1", "--json")

    assert answer.code == 130
    assert (json.loads(answer.err)["error"]["kind"], json.loads(answer.err)["error"]["exit"]) == ("interrupted", 130)


def test_nobody_reads(call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who has gone away is no error, and the verdict stays the exit code."""

    def write(_stream: Stream, _text: str) -> int:
        if sys.stdout is _stream:
            raise BrokenPipeError
        raise AssertionError("nothing is to be said")

    queries.answers("check", samples.FAILING)
    monkeypatch.setattr(Stream, "write", write)

    assert call("check", "x", "--at", "1") == (1, "", "")


def test_a_full_disk(call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that cannot be written is an error that says why."""
    written = Stream.write

    def write(stream: Stream, text: str) -> int:
        if sys.stdout is stream:
            raise OSError(28, "No space left on device")
        return written(stream, text)

    queries.answers("gradient", samples.GRADIENT)
    monkeypatch.setattr(Stream, "write", write)

    assert call("grad", "x", "--at", "1") == (2, "", "error: The result cannot be written: No space left on device.\n")


def test_a_recursion_limit_that_is_too_low():
    """It is the user's code that has set it, and it is raised again so that the error can be written."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        error = as_error(RecursionError("maximum recursion depth exceeded"))
    finally:
        sys.setrecursionlimit(limit)

    assert error.message == "Python's recursion limit is 400, which is too low for gradcli"
    assert errors.Exit.USER_CODE == error.exit
