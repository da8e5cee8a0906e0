"""The table of rules."""

import pytest

from gradcli.rules.rule_table import RULES, array_rule, elementwise_rule


def test_a_name_that_is_taken():
    """The rule that is in the table stays, as it may be the user's."""
    there = RULES["sum"]
    made = array_rule("sum", "x: np.sum(x)", None)

    assert made is not there
    assert RULES["sum"] is there


def test_a_rule_that_is_elementwise():
    """A rule of arrays is none."""
    assert elementwise_rule("mul") is RULES["mul"]
    with pytest.raises(AssertionError):
        elementwise_rule("sum")
