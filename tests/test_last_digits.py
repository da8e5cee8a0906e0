"""A text is compared to the digit, but for the last ones of a number printed in full."""

import pytest

from tests.last_digits import with_shown_digits


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("slope  -1.1213937142538843\n", "slope  -1.1213937142538846\n"),
        ("[0.98363338014976, 2.0]\n", "[0.98363338014982, 2.0]\n"),
        ("w  0.30000000000000004  x\n", "w  0.3                  x\n"),
        ("──────────────────────\n 0.12345678901234567\n", "─────────────────────\n 0.1234567890123457\n"),
        ("1.2345678901234567e-300\n", "1.2345678901234569e-300\n"),
    ],
)
def test_another_last_digit_is_taken_as_shown(printed: str, shown: str) -> None:
    assert shown == with_shown_digits(printed, shown)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("slope  -1.1213937142\n", "slope  -1.1213937143\n"),
        ("slope  -1.1213937142538843\n", "slope  1.1213937142538843\n"),
        ("slope  -1.1213937142538843\n", "slope  -1.1213937192538843\n"),
        ("error  2.2e-16\n", "error  3.3e-16\n"),
        ("1.1213937142538843 ms\n", "1.1213937142538846 s\n"),
        ("1.1213937142538843\n\n", "1.1213937142538846\n"),
        ("1.1213937142538843\n", "nan\n"),
    ],
)
def test_any_other_difference_stays(printed: str, shown: str) -> None:
    """In a number printed in short, in digits before the last, in a word, in the number of lines."""
    assert printed == with_shown_digits(printed, shown)
