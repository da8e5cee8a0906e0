"""Points where a step has no derivative, with arrays on a device: no limit is taken, and a finding says so."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import FindingWarning
from tests.standin.library import installed


@pytest.mark.parametrize(
    ("transform", "f"),
    [
        (gradcli.hessian, lambda x: np.sum(np.abs(x) ** 2)),
        (gradcli.hessian, lambda x: np.sum(np.maximum(x, 0.0) ** 2 + np.maximum(-x, 0.0) ** 2)),
        (gradcli.grad, lambda x: np.sum(np.linalg.eigh(np.outer(x, x) + np.eye(2))[1] ** 3)),
    ],
    ids=["a kink", "two kinks", "equal eigenvalues"],
)
def test_a_derivative_without_a_limit_is_named(transform, f):
    with installed() as library, gradcli.device("gpu"):
        x = library.asarray(np.zeros(2))
        with pytest.warns(FindingWarning, match="on a device no limit"):
            transform(f)(x)
