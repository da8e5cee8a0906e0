"""Texts of recorded numbers: how a change of the numbers is made to show in the text."""

import pytest

from gradcli.engine.tape.number_texts import changed_text


@pytest.mark.parametrize(("text", "changes", "values", "expected"), [
    (str, [1e-3], (2.0,), "2.002"),
    ("{:.2f}".format, [1e-9], (1.5,), "1.51"),
    ("{:.2f} {:.2f}".format, [0.0, 1e-9], (1.5, 1.5), "1.50 1.51"),
    ("{:.2f} {:.2f}".format, [1e-8, -1e-8], (0.5, 0.5), "0.51 0.49"),
    ("{:.2f}".format, [1e-8], (0.0,), "0.01"),
    ("{:.2f}".format, [0.0], (1.5,), "1.50"),
    ("always {0!s:.0}".format, [1e-9], (1.5,), "always "),
])  # fmt: skip
def test_a_change_is_increased_until_the_text_changes(text, changes, values, expected):
    assert changed_text(text, changes, *values) == expected
