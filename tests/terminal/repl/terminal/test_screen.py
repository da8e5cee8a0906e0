"""Sessions on a real terminal: a newcomer's first one, and what is typed, resized, interrupted and killed."""

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

pytest.importorskip("termios", reason="a terminal of its own needs a POSIX system")

import termios

from tests.terminal.repl.terminal.screen import ROOT, Screen

pytestmark = pytest.mark.sampled(2)  # many like cases

CTRL_C, CTRL_D, RIGHT, END, UP = "\x03", "\x04", "\x1b[C", "\x1b[F", "\x1b[A"


@pytest.fixture(autouse=True)
def hangups():
    """A hangup ends the program, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_a_first_session(folder: Path) -> None:
    """Ten lines as a newcomer types them; the terminal is left as it was."""
    with Screen(folder) as screen:
        screen.prompt()
        screen.answer("f4(a, b, c, d) = 2 * (a*b*c + a*b*d + a*c*d + b*c*d)", "f4(a, b, c, d) = 2")
        screen.answer("at 1,2,3,4", "at 1,2,3,4\n")
        assert "value  100.0" in screen.answer("grad f4", "d     4.0    22.0")
        screen.answer("load examples/hyperbox.py", "grad_f4_slip(side_lengths)")
        screen.answer("tape f4", "%14  ret")
        assert "s_cd += t_b * s_bcd        4.0" in screen.answer("explain f4", "side_lengths[3]  4.0    22.0")
        screen.type("step f4\r")
        screen.wait_for("0 of 28")
        screen.type(RIGHT)
        screen.wait_for("forwards: t_a")
        screen.type(END)
        screen.wait_for("passes on")
        screen.type("q")
        screen.prompt()
        screen.answer("check f4", "the gradient is right")
        screen.answer("save first.gradcli", "7 lines in first.gradcli")
        assert screen.answer("run first.gradcli", "exit 0").count("value  100.0") // 2 == 2
        screen.type(CTRL_D)
        assert screen.ended() == 0
        assert screen.before[3] == termios.tcgetattr(screen.terminal)[3]


@pytest.mark.long
def test_a_newcomer_needs_no_manual(folder: Path) -> None:
    """Lines without targets, points or names of files: each is about what came before, and what is missing is said."""
    with Screen(folder) as screen:
        screen.prompt()
        screen.answer("x^2*sin(y)", "Type at x=1,y=1 first.")
        screen.answer("at x=1,y=1", "y = 1.0")
        screen.type("x^2*sin(y)")
        screen.wait_for("= 0.841471  ∂x 1.68294  ∂y 0.540302")
        screen.answer("", "0.5403023058681398")
        screen.answer("grad", "value  0.8414709848078965")
        screen.answer("plot", "value by x")
        screen.answer("f(x) = x^3 - 2*x", "f(x) = x^3 - 2*x")
        screen.answer("explain", "s_x +=")
        screen.answer("tape", "its nodes as %0 to")
        screen.answer("check", "the gradient is right")
        screen.type("step\r")
        screen.wait_for("sensitivity", "0 of ")
        screen.type(RIGHT)
        screen.wait_for("forwards:")
        screen.type("q")
        screen.prompt()
        screen.answer("save", "8 lines in session.gradcli; `run session.gradcli` runs them again.")
        screen.type(CTRL_D)
        assert screen.ended() == 0
        assert screen.before[3] == termios.tcgetattr(screen.terminal)[3]
    assert ["grad x^2*sin(y)", "plot x^2*sin(y)", "f(x) = x^3 - 2*x", "explain f", "tape f"] == (
        folder / "session.gradcli"
    ).read_text().splitlines()[3:8]


@pytest.mark.long
def test_a_terminal_that_becomes_narrow_and_wide_again(folder: Path) -> None:
    """The line that is being typed stays, and is answered for the width that there is then."""
    with Screen(folder) as screen:
        screen.prompt()
        screen.type("1 + 2 + 3 + 4 + 5 + 6 + 7 + 8")
        screen.wait_for("= 36")
        for columns in (20, 7, 120, 40):
            screen.drawn = ""
            screen.resize(columns)
            os.kill(screen.child, signal.SIGWINCH)
            screen.wait_for("8")
        screen.answer("", "= 36.0  _1")
        screen.answer("load examples/hyperbox.py", "grad_f4_slip(side_lengths)")
        assert "line         hyperbox.py:19" in screen.answer("tape f4 --at 1,2,3,4", "its nodes as %0 to %14")


@pytest.mark.long
@pytest.mark.parametrize("columns", [40, 80])
def test_pages_break_between_words(folder: Path, columns: int) -> None:
    """Those of commands and findings, and the hints of errors: no line is wider than the terminal."""
    asked = {"help repl": "GRADCLI_SETTINGS.", "help G108": "logarithms.", "help sin": "it.", "plot x --zz": "-9:9"}
    with Screen(folder, columns, NO_COLOR="1", PAGER="cat") as screen:
        screen.prompt()
        for text, last in asked.items():
            page = screen.answer(text, last).rpartition(text)[2]
            assert [line for line in page.split("\n") if len(line) > columns] == []


@pytest.mark.skipif(shutil.which("less") is None, reason="there is no pager")
def test_long_help_comes_a_screen_at_a_time(folder: Path) -> None:
    with Screen(folder, PAGER="less") as screen:
        screen.prompt()
        screen.answer("help", "help topics the rest")
        screen.type("help repl\r")
        screen.wait_for("The session")
        assert "Ctrl-D" not in screen.text()
        for _ in range(4):
            screen.type(" ")
        screen.wait_for("GRADCLI_SETTINGS")
        screen.type("q")
        screen.prompt()
        screen.answer("1 + 1", "= 2.0")


def test_a_paste_is_shown_once(folder: Path) -> None:
    with Screen(folder) as screen:
        screen.prompt()
        screen.type("\x1b[200~x = 3\ny = 4\nx * y\x1b[201~")
        screen.wait_for("x * y")
        screen.type("\r")
        screen.wait_for("> x = 3", "> y = 4", "> x * y", "= 12.0")
        before = screen.drawn.partition("> x = 3")[0]
        assert "\x1b[2A" in before  # back up over its three lines,
        assert "\x1b[J" in before  # which are cleared


def test_without_colour(folder: Path) -> None:
    """NO_COLOR is obeyed by what is typed and by what is answered: no colour is set."""
    with Screen(folder, NO_COLOR="1") as screen:
        screen.prompt()
        screen.type("grad sin(x) --at 1\r")
        screen.wait_for("the value is stored as _1")
        colours = re.findall(r"\x1b\[[\d;]*m", screen.drawn)

    assert "gradient" in screen.drawn
    assert [each for each in colours if re.search(r"\b(3|4|9|10)[0-7]\b|38;|48;", each)] == []


@pytest.mark.long
def test_a_computation_is_interrupted(folder: Path) -> None:
    """Ctrl-C stops it and, in the middle of a line, clears the line; the session goes on, and nothing is lost."""
    (folder / "slow.py").write_text("def slow(x):\n    print('begun')\n    while True:\n        x = x * 1.0\n")
    with Screen(folder) as screen:
        screen.prompt()
        screen.answer("load slow.py", "slow(x)")
        screen.type("grad slow --at 2\r")
        screen.wait_for("begun")
        screen.type(CTRL_C)
        screen.wait_for("interrupted")
        screen.prompt()
        screen.type("half a li")
        screen.wait_for("li")
        screen.type(CTRL_C)
        screen.prompt()
        screen.answer("20 + 22", "= 42.0  _1")


@pytest.mark.long
def test_what_is_typed_outlives_a_kill_and_another_session(folder: Path) -> None:
    """The lines of two sessions at once, the one of them killed, are there in the next, the latest first."""
    with Screen(folder) as one, Screen(folder) as other:
        one.prompt()
        other.prompt()
        one.answer("1 + 1", "= 2.0")
        other.answer("2 + 2", "= 4.0")
        one.answer("3 + 3", "= 6.0")
        one.kill()
        one.child = 2**22 + 1
    with Screen(folder) as again:
        again.prompt()
        for line in ("3 + 3", "2 + 2", "1 + 1"):
            again.type(UP)
            again.wait_for(line[0])
        again.answer("", "= 2.0  _1")


OVER = {
    "a line": ("x^2 + ", "x^2", "\x1b[?25h\x1b[J\r\n"),
    "a screen": ("step x^2 + 1 --at x=3\r", "0 of ", "\x1b[?25h\x1b[?1049l"),
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("place", OVER)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(place: str, number: int, folder: Path) -> None:
    """Keys are shown again, and the screen of before; the process has ended by that signal."""
    keys, drawn, restored = OVER[place]
    with Screen(folder) as screen:
        screen.prompt()
        screen.type(keys)
        screen.wait_for(drawn)
        os.kill(screen.child, number)

        assert -number == screen.ended()
        assert screen.before == termios.tcgetattr(screen.terminal)
        assert screen.drawn.endswith(restored)


def test_a_terminal_that_goes_away_ends_it(folder: Path) -> None:
    with Screen(folder) as screen:
        screen.prompt()
        os.close(screen.terminal)
        screen.terminal = os.open(os.devnull, os.O_RDWR)

        assert -signal.SIGHUP == os.waitstatus_to_exitcode(os.waitpid(screen.child, 0)[1])
        screen.child = 2**22 + 1


def test_nohup_is_obeyed(folder: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Screen(folder) as screen:
        signal.signal(signal.SIGHUP, before)
        screen.prompt()
        os.kill(screen.child, signal.SIGHUP)
        screen.answer("20 + 22", "= 42.0  _1")
