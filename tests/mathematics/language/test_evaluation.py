"""Values of formulas."""

import pytest

from gradcli.mathematics.language import parse
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.float_functions import IEEE, PLAIN


@pytest.mark.parametrize(
    ("text", "value"),
    [("2*x + y", 7.0), ("x^y", 8.0), ("x if x > y else -y", -3.0), ("x < y < 4", True), ("max(x, y, 5)", 5)],
)
def test_value(text, value):
    """A formula has the value that it would have in Python."""
    assert value == evaluate(parse(text), {"x": 2.0, "y": 3.0}, PLAIN)


def test_visit_sees_every_function_in_order():
    """`visit` gets each applied function with its result, arguments first."""
    seen = []
    evaluate(
        parse("sin(x*y) + x"), {"x": 0.0, "y": 1.0}, PLAIN, lambda node, value: seen.append((node.function, value))
    )
    assert seen == [("mul", 0.0), ("sin", 0.0), ("add", 0.0)]


def test_where_evaluates_both_sides():
    seen = []
    assert evaluate(parse("1 if x == 0 else 1/x"), {"x": 0.0}, IEEE, lambda node, value: seen.append(value)) == 1.0
    assert [True, float("inf"), 1] == seen


def test_number_makes_the_literals():
    """Typed numbers can be made into another kind of number."""
    assert evaluate(parse("2 + 3"), {}, {"add": lambda x, y: x + y}, number=lambda value: f"{value}|") == "2|3|"


def test_missing_name():
    with pytest.raises(KeyError, match="x"):
        evaluate(parse("x"), {}, PLAIN)


def test_functions_raise_through():
    with pytest.raises(ZeroDivisionError):
        evaluate(parse("1/x"), {"x": 0}, PLAIN)


def test_long_sum():
    assert evaluate(parse("+".join(["x"] * 5000)), {"x": 1.0}, IEEE) == 5000.0
