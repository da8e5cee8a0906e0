"""The table of rules."""

import pytest

from gradcli.mathematics.rules.array_rule import array_rule
from gradcli.mathematics.rules.reduction import SUM
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import elementwise_rule


def test_a_name_that_is_taken():
    """The rule that is in the table stays, as it may be the user's."""
    made = array_rule("sum", "x: np.sum(x)", None)

    assert made is not SUM
    assert RULES["sum"] is SUM


def test_a_rule_that_is_elementwise():
    assert elementwise_rule("mul") is RULES["mul"]
    with pytest.raises(AssertionError):
        elementwise_rule("sum")
