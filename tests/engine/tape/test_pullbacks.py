"""Pullbacks compiled from the rule table, and the operations that hold them."""

import pytest

from gradcli.engine.tape.pullbacks import operation
from gradcli.mathematics.rules.rule_types import Partials, elementwise_rule

SINE = elementwise_rule("sin")
ZERO = Partials(("x",), ("0",))


@pytest.mark.parametrize("slopes", [None, ZERO])
def test_numbers_and_arrays_have_operations_of_their_own(slopes):
    """With the rule's partials as with those of particular arguments; each is made once."""
    of_numbers, of_arrays = (operation(SINE, (0,), arrays, slopes) for arrays in (False, True))

    assert (of_numbers.arrays, of_arrays.arrays) == (False, True)
    assert operation(SINE, (0,), False, slopes) is of_numbers
