"""Errors: the message, the place in the user's text, what to type."""

from gradcli.errors import PointError
from gradcli.terminal.render import Look, error_text


def test_a_narrow_terminal() -> None:
    error = PointError("The point has 3 numbers, f4 takes 4.", hint="Type --at 1,2,3,4.")

    assert "error: The point has\n  3 numbers, f4\n  takes 4.\nType --at 1,2,3,4.\n" == error_text(
        error, Look(width=20)
    )


def test_a_message_cannot_steer_a_terminal() -> None:
    assert error_text(PointError("There is no file '\x1b[31m'."), Look()) == "error: There is no file '\\x1b[31m'.\n"


def test_in_colour() -> None:
    assert error_text(PointError("no"), Look(coloured=True)) == "\x1b[1;31merror:\x1b[0m no\n"
