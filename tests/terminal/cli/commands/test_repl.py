"""A session off a terminal: lines from stdin or a script, answers on stdout, errors on stderr, an exit code."""

import io
import json
import sys
from pathlib import Path

import pytest

from gradcli.terminal.cli.commands.repl import at_a_terminal, typed
from gradcli.terminal.repl.session import GREETING
from tests.terminal.cli.conftest import Call, Stream

SESSION = """\
f(x, y) = x^2 * y
x = 3
2 * heigth
y = 2
x^2 * y   # at the values of the names
2 + 3
grad f --json
"""

ANSWERS = """\
f(x, y) = x^2 * y
x = 3.0
y = 2.0
= 18.0  _1
name  point  gradient
────  ─────  ────────
x     3.0    12.0
y     2.0     9.0
= 5.0  _2
{"schema": "gradcli/1", "command": "grad", "target": "f", "point": {"x": 3.0, "y": 2.0}, "value": 18.0, \
"gradient": {"x": 12.0, "y": 9.0}, "reading": "f(x, y) = x**2*y", "findings": []}
"""

ERROR = """\
error: heigth has no value.
  2 * heigth
      ^^^^^^
Type heigth = 1 first.
"""


@pytest.mark.parametrize("arguments", [(), ("repl",)])
def test_lines_from_stdin(arguments: tuple[str, ...], call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is answered, also after an error, whose exit code is that of the whole."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(SESSION))

    assert call(*arguments) == (2, ANSWERS, ERROR)


def test_what_a_function_prints(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to stderr, as after a command of the shell, however the function is called."""
    lines = (
        "def f(x): print('by f', file=sys.stdout); return x * x\nimport sys\nf(2)\nx = f(3)\nf(x) + 1\ngrad f --at 1\n"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))

    answer = call()

    assert answer.err == "by f\n" * 4
    assert "by f" not in answer.out
    assert "= 82.0  _2" in answer.out


def test_no_lines(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    assert call() == (0, "", "")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["x = 1", "y"], "x = 1\ny"),
        (["f(x) = (x +\n 1)", "f"], "f(x) = (x +\n 1)\nf\n"),
        (["(x +"], "(x +\n"),
        ([""], "\n"),
    ],
)
def test_lines_are_joined_where_brackets_are_open(expected: list[str], text: str) -> None:
    """A line is whole when its brackets are closed, or when nothing more comes."""
    assert list(typed(io.StringIO(text))) == expected


class Interrupted(io.StringIO):
    """A keyboard on which Ctrl-C is pressed within the second line."""

    def __init__(self) -> None:
        super().__init__("(1 +\n2 + 2\n")
        self.reads = 0

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        self.reads += 1
        if self.reads == 2:
            raise KeyboardInterrupt
        return super().readline(size)


def test_ctrl_c_at_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Stream(terminal=True)
    monkeypatch.setattr(sys, "stdout", screen)

    assert list(typed(Interrupted())) == ["2 + 2"]
    assert f"{GREETING}> . \n> > \n" == screen.text()


def test_a_person_at_a_dumb_terminal_sees_a_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain one, and another for a line that goes on."""
    screen, keyboard = Stream(terminal=True), Stream(terminal=True)
    keyboard.write("(1 +\n2)\n")
    keyboard.seek(0)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stdin", keyboard)

    assert not at_a_terminal()
    assert list(typed(sys.stdin)) == ["(1 +\n2)"]
    assert f"{GREETING}> . > \n" == screen.text()


def test_a_script(call: Call, tmp_path: Path) -> None:
    script = tmp_path / "s.gradcli"
    script.write_text("x = 3\nx^2\ny +\nz = 1\n")
    code, out, err = call("run", str(script))

    assert (code, out.splitlines()[0]) == (2, "x = 3.0")
    assert "z" not in out
    assert err.startswith("error: ")


def test_a_script_with_a_wrong_gradient(call: Call, tmp_path: Path) -> None:
    """A check that fails gives its exit code to the whole, and the lines after it run."""
    script = tmp_path / "s.gradcli"
    script.write_text("f(x) = x^2\ng(x) = x\ncheck f --against g --at 3\n2 + 3\n")
    code, out, _ = call("run", str(script))

    assert (code, out.splitlines()[-1]) == (1, "= 5.0  _1")


def test_a_script_as_json(call: Call, tmp_path: Path) -> None:
    """A line for what each line came to, with the line; the error to stderr."""
    script = tmp_path / "s.gradcli"
    script.write_text("x = 3\nx^2\n2 + 3\nhelp at\ny +\n")
    code, out, err = call("run", str(script), "--json")
    told = [json.loads(line) for line in out.splitlines()]

    assert (code, [each["command"] for each in told]) == (2, ["names", "grad", "value", "text"])
    assert [each["input"] for each in told] == ["x = 3", "x^2", "2 + 3", "help at"]
    assert told[0]["names"] == [{"name": "x", "kind": "value", "meaning": 3.0, "file": None}]
    assert (told[1]["value"], told[1]["gradient"], told[2]["value"]) == (9.0, 6.0, 5.0)
    assert (json.loads(err)["input"], json.loads(err)["error"]["exit"]) == ("y +", 2)


def test_no_script(call: Call) -> None:
    """A file that is not there is an error of usage."""
    answer = call("run", "nowhere.gradcli")

    assert answer[:2] == (2, "")
    assert answer.err.startswith("error: 'nowhere.gradcli' cannot be read: No such file or directory.\n")


def test_help_on_the_session(call: Call) -> None:
    """It has the way lines are read, the commands with a memory, and the keys."""
    code, out, _ = call("help", "repl")

    assert code == 0
    assert all(word in out for word in ("f(x, y) = x^2 * sin(y)", "save session", "Alt-Enter", "GRADCLI_HISTORY"))
