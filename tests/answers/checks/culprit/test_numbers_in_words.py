"""Numbers as a user would write them."""

from gradcli.answers.checks.culprit.numbers_in_words import number


def test_a_number_whose_square_overflows():
    assert number(-3e200) == "-3e+200"
