"""What a rule is: called with plain values it computes, called with a recorded one it records."""

import math

import numpy as np
import pytest

from gradcli import grad
from gradcli.language import exact
from gradcli.language.vocabulary import declare, undeclare
from gradcli.rules import RULES, functions, table
from gradcli.rules.table import Elementwise, Functions, array_functions


def row(value, *partials, parameters=("x",)):
    """A row that is in no table."""
    return Elementwise("made", parameters, value, partials)


def test_a_row_on_numbers():
    """On floats, and on integers as floats, it is computed by IEEE arithmetic."""
    assert math.inf == RULES["div"](1, 0)
    assert 0.5 == RULES["div"](1, 2)
    assert math.isnan(RULES["log"](-1.0))


def test_plain_raises_as_python():
    """The plain function raises where Python does."""
    with pytest.raises(ZeroDivisionError):
        RULES["div"].plain(1.0, 0.0)
    with pytest.raises(ValueError, match=r"domain error|expected a"):
        row("log(x) + 1").plain(-1.0)


def test_a_row_on_arrays():
    """On arrays it is computed lane by lane."""
    assert [1.0, 4.0] == RULES["square"](np.array([1.0, 2.0])).tolist()


@pytest.mark.parametrize("name", ["plain", "ieee"])
def test_a_typed_number_as_a_result(name):
    """A whole number that stands in the text is a float when it is the result."""
    assert "0.0" == repr(getattr(row("where(x > 0, x, 0)"), name)(-1.0))
    assert "-0.0" == repr(getattr(row("-abs(x)"), name)(-0.0))


@pytest.fixture
def doubled(monkeypatch):
    """A row of the user's, taken back at the end."""
    made = Elementwise("tests_double", ("x",), "2 * x", ("2",))
    declare(made.name, 1)
    monkeypatch.setitem(RULES, made.name, made)
    monkeypatch.setitem(table.GENERIC_FUNCTIONS, made.name, made)
    yield made
    undeclare(made.name)


def test_a_row_made_of_rows(doubled):
    """A row may be made of rows that are the user's, in every target."""
    made = row("tests_double(x) + sqrt(x)", "2 + 1 / (2 * sqrt(x))")
    assert (10.0, 10.0) == (made.plain(4.0), made.ieee(4.0))
    assert [10.0] == made.on_arrays(np.array([4.0])).tolist()
    assert 10 == Functions(exact.functions(), exact.number).evaluate(made, (exact.number(4.0),))
    assert 2.25 == grad(made)(4.0)


@pytest.mark.parametrize("found", [table.PLAIN_FUNCTIONS, table.IEEE_FUNCTIONS, table.ARRAY_FUNCTIONS])
def test_a_function_that_does_not_exist(found):
    """A table has no functions but its own and the rows."""
    array_functions()
    with pytest.raises(KeyError, match="nosuch"):
        found["nosuch"]


def test_partials_without_a_derivative():
    """An argument without a partial is taken as a fact when the row is called."""
    made = row("x * n", None, "n", parameters=("n", "x"))
    assert (0.0, 2.0) == grad(made, (0, 1))(2.0, 3.0)


def test_an_array_rule_on_plain_values():
    """An array rule computes on plain values."""
    assert 6.0 == RULES["sum"](np.array([1.0, 2.0, 3.0]), axis=None, keepdims=False)


def test_rules_print_as_what_they_are():
    """A row shows its formula."""
    assert "<rule hypot(x, y) = hypot(x, y)>" == repr(RULES["hypot"])
    assert "<rule matmul>" == repr(RULES["matmul"])


def test_the_words_of_the_language():
    """Every word is a function: rows, words that are zero by declaration, and those of arrays."""
    words = functions()
    assert words["sin"] is RULES["sin"]
    assert (2.0, 6.0, 2.0, 14.0) == (
        words["floor"](2.5),
        words["sum"]([1, 2, 3]),
        words["mean"]([1, 2, 3]),
        words["dot"]([1, 2, 3], [1, 2, 3]),
    )


@pytest.mark.parametrize(
    ("kink", "where", "expected"),
    [
        ("x == 0", "", ((0,),)),
        ("x == y", "", ((0, 1),)),
        ("x == 0 or 0 == y", "", ((0,), (1,))),
        ("x == y or abs(x) == 1", "", ((0, 1),)),
        ("x == 0 and y == 0", "", ()),
        ("x == 0", "x >= 0", ()),
        ("", "", ()),
    ],
)
def test_what_meets_at_a_kink(kink, where, expected):
    """The condition says it; where the operation ends there, nothing does."""
    assert expected == Elementwise("made", ("x", "y"), "x + y", ("1", "1"), where, kink).meeting
