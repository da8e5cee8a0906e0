"""Products of array rules as formulas that NumPy evaluates."""

import numpy as np
import pytest

from gradcli import trace
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.rule_vjp_jvp_formulas import RecordedProduct, by_jvp, by_vjp
from gradcli.mathematics.language.formula_text import ATOM

A, B = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([[0.3, -0.7], [1.1, 0.4]])
STEP = 1e-6
OPERATIONS = {
    "inv": (np.linalg.inv, (A,), (0,)),
    "det": (np.linalg.det, (A,), (0,)),
    "solve": (np.linalg.solve, (A, B), (0, 1)),
    "prod": (np.prod, (A,), (0,)),
}


def product_of(function, arguments):
    """The product of the last node, with the values of the names in its text."""
    node = trace(function, *arguments).nodes[-1]
    names = dict(zip("ab", arguments, strict=False))
    product = RecordedProduct(Writer([*names, "v", "s", "d"]), node, [(name, ATOM) for name in names], ("v", ATOM))
    return product, {**vars(np), **names, "v": node.value}


def along(function, arguments, position, step):
    """The derivative of a function along a step of one argument, by a difference."""
    ahead, back = (
        [x + sign * STEP * step if n == position else x for n, x in enumerate(arguments)] for sign in (1, -1)
    )
    return (function(*ahead) - function(*back)) / (2 * STEP)


@pytest.mark.parametrize(("function", "arguments", "positions"), OPERATIONS.values(), ids=OPERATIONS)
def test_the_texts_compute_the_derivative(function, arguments, positions):
    """Of a sensitivity `s` back to one argument, and of its tangent `d` forth; the latter does not need the former."""
    for position in positions:
        product, names = product_of(function, arguments)
        s, d = np.cos(np.ones_like(product.node.value) + 1.0), np.array([[0.5, -1.0], [0.25, 2.0]])
        expected = along(function, arguments, position, d)

        back = eval(product.back(position, ("s", ATOM), s).text[0], {**names, "s": s})
        forth = eval(product.forth(position, ("d", ATOM), d).text[0], {**names, "d": d})

        np.testing.assert_allclose(np.sum(back * d), np.sum(s * expected), rtol=1e-7)
        np.testing.assert_allclose(forth, expected, rtol=1e-7, atol=1e-9)


def test_a_product_that_is_too_long_is_a_call():
    product, _ = product_of(np.linalg.cholesky, (A @ A.T,))

    assert product.forth(0, ("d", ATOM), A) is None
    assert by_vjp(product.writer, product.node, 0, ("s", ATOM), product.operands).text[0] == (
        "vjp(linalg.cholesky, a)[1](s)[0]"
    )
    assert by_jvp(product.writer, product.node, 0, ("d", ATOM), product.operands).text[0] == (
        "jvp(linalg.cholesky, (a,), (d,))[1]"
    )
