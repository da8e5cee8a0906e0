"""The text of a partial times a sensitivity."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.explain.elementwise_terms import PartialText, product_text
from gradcli.answers.explain.shaped_terms import Term
from gradcli.mathematics.language.formula_text import ATOM, PRODUCT, SUM
from gradcli.terminal import render


@pytest.mark.parametrize(
    ("factor", "ct", "expected"),
    [
        (("2", ATOM), ("3 * x", PRODUCT), "2 * 3 * x"),
        (("2 * x", PRODUCT), ("sin(y) / y", PRODUCT), "2 * x * sin(y) / y"),
        (("2", ATOM), ("x + y", SUM), "2 * (x + y)"),
        (("2", ATOM), ("x @ y", PRODUCT), "2 * (x @ y)"),
        (("2", ATOM), ("x // y", PRODUCT), "2 * (x // y)"),
        (("a / x", PRODUCT), ("3 * s", PRODUCT), "a / x * (3 * s)"),
    ],
)
def test_the_brackets_of_a_product(factor, ct, expected):
    """A product in a product has none, unless an operation of another meaning or a division would be hard to read."""
    assert product_text(PartialText(factor, np.zeros(2)), Term(ct))[0] == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("2 * (3 * x) * y", "s_x += 3 * 2 * y"),
        ("4 * x * 5 * 6 * y", "s_x += 4 * 5 * 6 * y"),
        ("x * 4 * 5 - y", "s_x += 4 * 5"),
    ],
)
def test_the_constants_of_a_product(text, line):
    shown = render.record_text(queries.explain(text, "x=2,y=3"), render.Look())

    assert line in [each.partition("  ")[0] for each in map(str.strip, shown.splitlines())]
