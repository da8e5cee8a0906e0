"""Operators of a recorded number with operands that say themselves what an operator means."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError


class Metres(float):
    """A length, which gives products in millimetres."""

    def __mul__(self, other):
        return float(self) * other * 1000

    __rmul__ = __mul__


def test_a_kind_of_float_reflects_its_own_operator():
    assert gradcli.value_and_grad(lambda x: x * Metres(2.0))(3.0) == (6000.0, 2000.0)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "dia_matrix"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, matrix: ((x * matrix) @ np.ones(2)).sum(),
        lambda x, matrix: ((matrix * x) @ np.ones(2)).sum(),
        lambda x, matrix: np.multiply(x, matrix).sum(),
        lambda x, matrix: (matrix / x).sum(),
    ],
)
def test_a_sparse_matrix_times_a_number_is_refused(f, kind):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = getattr(sparse, kind)([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(UnsupportedError, match=f"scipy.sparse.{kind}"):
        gradcli.grad(lambda x: f(x, matrix))(2.0)


def test_a_number_times_a_sparse_array_is_its_product():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array([[1.0, 2.0], [3.0, 4.0]])
    assert gradcli.value_and_grad(lambda x: ((x * matrix) @ np.ones(2)).sum())(2.0) == (20.0, 10.0)
