"""Control characters in the user's text are written out."""

# Signs that look like letters are what is tested.

import pytest

from gradcli.shared import control_characters


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("x + y", "x + y"),
        ("α → β", "α → β"),
        ("\\x1b[31mred", "\x1b[31mred"),
        ("a b", "a\tb"),
        ("a\nb", "a\nb"),
        ("a\\rb", "a\rb"),
        ("\\u202eabc", "\u202eabc"),
    ],
)
def test_clean_cannot_steer_a_terminal(expected: str, given: str) -> None:
    """Signs that steer a terminal are written out; a tabulator is a space, line ends stay."""
    assert control_characters.clean(given) == expected
