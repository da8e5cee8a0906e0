"""Errors: the message, the place in the user's text, what to type."""

from pathlib import Path

from gradcli.errors import DetachedError, ExpressionError, PointError, UserCodeError
from gradcli.terminal.render import Look, error_text


def test_message_and_hint() -> None:
    """The message follows the word error, the hint is a line of its own."""
    error = PointError("The point has 3 numbers, f4 takes 4.", hint="Type --at 1,2,3,4.")

    assert error_text(error, Look(width=80)) == "error: The point has 3 numbers, f4 takes 4.\nType --at 1,2,3,4.\n"


def test_a_narrow_terminal() -> None:
    error = PointError("The point has 3 numbers, f4 takes 4.", hint="Type --at 1,2,3,4.")

    assert "error: The point has\n  3 numbers, f4\n  takes 4.\nType --at 1,2,3,4.\n" == error_text(
        error, Look(width=20)
    )


def test_a_caret_under_the_expression() -> None:
    """The expression as typed is indented, with a caret under the fault."""
    error = ExpressionError("There is no function sn.", "x + sn(x)", 4, 6, hint="Did you mean sin?")
    expected = """\
error: There is no function sn.
  x + sn(x)
      ^^
Did you mean sin?
"""

    assert error_text(error, Look()) == expected


def test_the_line_of_the_user(tmp_path: Path) -> None:
    """An error in the user's code shows its code, the file, the line and the source."""
    file = tmp_path / "f.py"
    file.write_text("def f(x, s=sin):\n    return s(x)\n")
    error = DetachedError("x would leave the tape.", file=str(file), line=2)

    assert f"error[G402]: x would leave the tape.\n  {file}:2: return s(x)\n" == error_text(error, Look())


def test_the_frames_of_the_user(tmp_path: Path) -> None:
    """An exception in the user's code shows the user's frames."""
    file = tmp_path / "f.py"
    file.write_text("def f(x):\n    return 1 / x\n")
    error = UserCodeError("ZeroDivisionError: division by zero", frames=((str(file), 2, "f"),))

    expected = f"error[G905]: ZeroDivisionError: division by zero\n  {file}:2 in f: return 1 / x\n"
    assert error_text(error, Look()) == expected


def test_a_message_cannot_steer_a_terminal() -> None:
    assert error_text(PointError("There is no file '\x1b[31m'."), Look()) == "error: There is no file '\\x1b[31m'.\n"


def test_in_colour() -> None:
    assert error_text(PointError("no"), Look(coloured=True)) == "\x1b[1;31merror:\x1b[0m no\n"
