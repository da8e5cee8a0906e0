"""`--at -`: a point a line from stdin, an answer a line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.errors import Exit
from gradcli.terminal.cli.stdin_points import WORST_FIRST
from tests.terminal.cli.conftest import Call, Stream

ROOT = Path(__file__).parents[3]

FIRST = (
    '{"schema": "gradcli/1", "command": "grad", "target": "x*y", "point": {"x": 1.0, "y": 2.0}, "value": 2.0, '
    '"gradient": {"x": 2.0, "y": 1.0}, "reading": "f(x, y) = x*y", "findings": [], "input_line": 1}'
)
WRONG = (
    '{"schema": "gradcli/1", "error": {"exit": 2, "code": null, "kind": "point", '
    '"message": "The point gives no value for y.", '
    '"hint": "The expression takes 2 inputs x, y: --at 1,2 or --at x=1,y=2.", '
    '"file": null, "line": null}, "input_line": 3}'
)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch):
    """Let stdin hold some bytes."""

    def given(text: bytes) -> None:
        stream = Stream()
        stream.buffer.write(text)
        stream.buffer.seek(0)
        monkeypatch.setattr(sys, "stdin", stream)

    return given


def test_an_answer_a_line(call: Call, given) -> None:
    """Results go to stdout, what is wrong with a line to stderr with its number; an empty line is no point."""
    given(b'{"x": 1, "y": 2}\n\n{"x": 1}\n3, 4\n')
    answer = call("grad", "x*y", "--at", "-")

    assert [FIRST, {"x": 4.0, "y": 3.0}] == [
        answer.out.splitlines()[0],
        json.loads(answer.out.splitlines()[1])["gradient"],
    ]
    assert (answer.code, answer.err) == (2, WRONG + "\n")


@pytest.mark.parametrize("text", [b"", b"\n", b" \n\t\r\n\n"])
@pytest.mark.parametrize("command", ["grad", "jacobian", "hessian", "check"])
def test_no_point_at_all(command: str, text: bytes, call: Call, given) -> None:
    given(text)
    answer = call(command, "x*y", "--at", "-")

    assert (answer.code, answer.out) == (2, "")
    assert "error: With --at - the points come from stdin, which has none.\nWrite one point per line" in answer.err


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (0, ("jacobian", "x**2")),
        (0, ("hessian", "x**3")),
        (0, ("check", "x**3", "--against", "3*x**2")),
        (1, ("check", "x**3", "--against", "3*x")),
    ],
)
def test_every_command_that_takes_points(code: int, command: tuple[str, ...], call: Call, given) -> None:
    """Each answers every line, and ends with the exit code that the lines have earned."""
    given(b"2\n3\n")
    answer = call(*command, "--at", "-")

    assert [(1, command[0]), (2, command[0])] == [
        (each["input_line"], each["command"]) for each in map(json.loads, answer.out.splitlines())
    ]
    assert (code, "") == (answer.code, answer.err)


@pytest.mark.parametrize("line", [b"@point.json", b"x=@point.npy", b"\xff\xfe", b"[1,", b"nonsense", b"[" * 10_000])
def test_a_bad_line_is_answered_and_passed_over(line: bytes, call: Call, given) -> None:
    """A file is not read at the word of a pipe; no text that is no point ends the run."""
    given(line + b"\n2\n")
    answer = call("grad", "x**2", "--at", "-")

    assert (answer.code, json.loads(answer.err)["input_line"]) == (2, 1)
    assert [json.loads(each)["gradient"] for each in answer.out.splitlines()] == [4.0]


def test_the_exit_code_is_the_worst(call: Call, given) -> None:
    """A gradient that is not finite is worse than one that is, whichever comes last."""
    given(b"0\n4\n")

    assert call("grad", "sqrt(x)", "--at", "-").code == 4


def test_every_exit_code_has_its_place() -> None:
    assert set(Exit) == set(WORST_FIRST)


def test_a_target_that_cannot_be_read_ends_the_run(call: Call, given) -> None:
    given(b"1\n2\n")
    answer = call("grad", "nosuch.py:f", "--at", "-")

    assert (answer.code, answer.out, answer.err.count("error:")) == (2, "", 1)


def test_a_reader_who_leaves_ends_the_run() -> None:
    command = f"yes 2 | {sys.executable} -m gradcli grad x --at - | head -n 1"
    run = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60, env={**os.environ}
    )

    assert (len(run.stdout.splitlines()), run.stderr) == (1, "")


def test_a_session_reads_its_own_lines(call: Call, given) -> None:
    given(b"grad x**2 --at -\n3\n")
    answer = call("repl")

    assert (answer.code, answer.out) == (2, "= 3.0  _1\n")


def test_the_rows_of_a_file(call: Call, tmp_path: Path) -> None:
    """Each is answered with its line; `check` has one verdict for all; a bad cell is named."""
    (tmp_path / "p.csv").write_text("y,x\n2,1\n\n4,3\n")
    (tmp_path / "bad.csv").write_text("x,y\n1,b\n")
    answer = call("grad", "x*x*y", "--at", f"@{tmp_path}/p.csv")

    assert [(json.loads(line)["gradient"], json.loads(line)["input_line"]) for line in answer.out.splitlines()] == [
        ({"x": 4.0, "y": 1.0}, 2),
        ({"x": 24.0, "y": 9.0}, 4),
    ]
    assert call("check", "x*x*y", "--at", f"@{tmp_path}/p.csv", "--against", "2*x*y, 1").code == 1
    assert "bad.csv, row 2: " in call("grad", "x*x*y", "--at", f"@{tmp_path}/bad.csv").err
    assert "holds many points" in call("tape", "x*x*y", "--at", f"@{tmp_path}/p.csv").err
