"""Control characters in texts, and the known name that a misspelt one was meant to be."""

import pytest

from gradcli.shared.message_wording import clean, nearest_name, unknown_argument


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("los_grad", ["loss", "loss_grad", "other"], "loss_grad"),
        ("grad_loss", ["loss", "loss_grad", "other"], "loss_grad"),
        ("ta", ["at", "wrt", "out"], "at"),
        ("LOSS", ["loss", "Loss"], "loss"),
        ("Chekc", ["check", "compare"], "check"),
        ("x", ["y", "xy"], "xy"),
        ("x", ["y"], None),
        ("zzz", ["loss"], None),
        ("loss" * 30, ["loss"], None),
        ("a", [], None),
    ],
)
def test_the_nearest_name(name, names, expected):
    assert nearest_name(name, names) == expected


def test_an_unknown_argument():
    assert unknown_argument("f", "againts", ("at", "against")) == "f has no argument 'againts'; write against="
    assert unknown_argument("f", "zzz", ("at", "against")) == "f has no argument 'zzz'; it has at, against"


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
    assert clean(given) == expected
