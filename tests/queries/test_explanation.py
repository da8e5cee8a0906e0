"""The explanation of a run as a record: statements with their lines, and the gradient they come to."""

import pytest

from gradcli import queries

TWO = """
def f(x, y):
    p = x * y
    a, b = p, p * 2
    q = y + 1
    return a * b + q
"""


def additions(found):
    """What is added by every statement, in order."""
    return [each.name for statement in found.statements for each in statement.additions]


def test_lines_and_gradient(program):
    """Each statement has the user's line; the sums are the gradient."""
    found = queries.explain(program(TWO), "2,3")
    sums = {each.name: each.after for statement in found.statements for each in statement.additions}

    assert [(6, "return a * b + q"), (5, "q = y + 1"), (4, "a, b = p, p * 2"), (3, "p = x * y")] == [
        (each.line, each.source) for each in found.statements
    ]
    assert queries.gradient(program(TWO), "2,3").gradient == found.gradient == {"x": sums["s_x"], "y": sums["s_y"]}


def test_only_what_leads_to_some_inputs(program):
    """With --wrt what has no part in these derivatives is left out."""
    found = queries.explain(program(TWO), "2,3", wrt="x")

    assert ({"x"}, 3) == (set(found.gradient), len(found.statements))
    assert not {"s_q", "s_y"} & set(additions(found))


def test_an_expression_is_one_statement():
    """It has no file; its parts are written out."""
    found = queries.explain("x^2 * sin(y)", "3,2")

    assert [(None, None, None)] == [(each.file, each.line, each.source) for each in found.statements]
    assert ["s_x", "s_y"] == additions(found)


@pytest.mark.parametrize("text", ["7 + 0*x", "x"])
def test_nothing_computed_by_the_inputs(text):
    """An input alone is no statement, and the gradient is there all the same."""
    found = queries.explain(text, "x=2")

    assert found.gradient == queries.gradient(text, "x=2").gradient
