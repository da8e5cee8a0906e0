"""What an array rule is made of: a definition as text or as a function, and products of many cotangents at once."""

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule


def test_a_definition_as_text_is_the_function_that_it_stands_for():
    rule = ArrayRule("total", "x, *, axis: np.sum(x, axis=axis)", ())

    np.testing.assert_array_equal([3.0, 7.0], rule(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1))
    assert rule.written == "x, *, axis: np.sum(x, axis=axis)"


def test_a_definition_may_name_functions_of_scipy():
    rule = ArrayRule("exponential", "a: scipy.linalg.expm(a)", ())

    np.testing.assert_allclose(rule(np.zeros((2, 2))), np.eye(2))


def test_a_definition_as_a_function_is_not_written():
    """Several statements have no text that could be put into a formula."""
    rule = ArrayRule("double", lambda x: x + x, ())

    assert rule(1.5) == 3.0
    assert rule.written is None


def test_what_computes_a_definition_takes_its_place():
    """The text is what is written down, the function what is called."""
    rule = ArrayRule("double", "x: x + x", (), compute=lambda x: 2.0 * x)

    assert rule.compute is rule.forward
    assert rule.written == "x: x + x"
