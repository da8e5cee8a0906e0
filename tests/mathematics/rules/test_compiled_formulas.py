"""The functions of every target, and formulas compiled with them."""

import numpy as np
import pytest

from gradcli import grad
from gradcli.mathematics.language import mpmath_functions
from gradcli.mathematics.language.vocabulary import declare, undeclare
from gradcli.mathematics.rules import RULES
from gradcli.mathematics.rules.compiled_formulas import (
    ARRAY_FUNCTIONS,
    GENERIC_FUNCTIONS,
    IEEE_FUNCTIONS,
    PLAIN_FUNCTIONS,
    Functions,
)
from gradcli.mathematics.rules.rule_types import Elementwise


@pytest.fixture
def doubled(monkeypatch):
    """A row of the user's, removed at the end."""
    made = Elementwise("tests_double", ("x",), "2 * x", ("2",))
    declare(made.name, 1)
    monkeypatch.setitem(RULES, made.name, made)
    monkeypatch.setitem(GENERIC_FUNCTIONS, made.name, made)
    yield made
    undeclare(made.name)


def test_a_row_made_of_rows(doubled):
    """A row may be made of rows that are the user's, in every target."""
    made = Elementwise("made", ("x",), "tests_double(x) + sqrt(x)", ("2 + 1 / (2 * sqrt(x))",))
    assert (made.plain(4.0), made.ieee(4.0)) == (10.0, 10.0)
    assert made.on_arrays(np.array([4.0])).tolist() == [10.0]
    digits = Functions(mpmath_functions.functions(), mpmath_functions.number)
    assert made.evaluate(digits, (mpmath_functions.number(4.0),)) == 10
    assert grad(made)(4.0) == 2.25


@pytest.mark.parametrize("found", [PLAIN_FUNCTIONS, IEEE_FUNCTIONS, ARRAY_FUNCTIONS])
def test_a_function_that_does_not_exist(found):
    """A table has no functions but its own and the rows."""
    with pytest.raises(KeyError, match="nosuch"):
        found["nosuch"]
