"""Products with SciPy's sparse matrices."""

import numpy as np
import pytest
from scipy import sparse

import gradcli

pytestmark = pytest.mark.sampled(16)  # many like cases

DENSE = np.array([[1.5, 0.0, -2.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [3.0, 1.0, 4.0]])
POINT = np.array([0.3, -0.5, 0.7])
FORMATS = [
    f"{form}_{kind}" for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil") for kind in ("array", "matrix")
]

PRODUCTS = {
    "@": lambda s, x: s @ x,
    "dot": lambda s, x: np.dot(s, x) if s is DENSE else s.dot(x),
    "transposed": lambda s, x: s.T @ (s @ x),
    "from the left": lambda s, x: x @ s.T,
    "a column": lambda s, x: (s @ x[:, None])[:, 0],
    "a matrix": lambda s, x: (s @ np.outer(x, [1.0, x[0]])).ravel(),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_follow(name, form):
    thin, product = getattr(sparse, form)(DENSE), PRODUCTS[name]

    def of(matrix):
        return lambda x: np.sum(product(matrix, x) ** 3)

    np.testing.assert_allclose(of(thin)(POINT), of(DENSE)(POINT), rtol=1e-14)
    np.testing.assert_allclose(gradcli.grad(of(thin))(POINT), gradcli.grad(of(DENSE))(POINT), rtol=1e-13)
    np.testing.assert_allclose(gradcli.hessian(of(thin))(POINT), gradcli.hessian(of(DENSE))(POINT), rtol=1e-13)


def test_the_product_is_checked():
    thin = sparse.csr_array(DENSE)
    assert gradcli.check(lambda x: np.sum((thin @ x) ** 2), at=POINT).verdict == "pass"


def test_plain_products_stay_scipys():
    thin = sparse.csr_array(DENSE)
    assert gradcli.grad(lambda x: np.sum(thin @ x) * 0.0 + np.sum(thin @ POINT))(POINT)[1] == 0.0
