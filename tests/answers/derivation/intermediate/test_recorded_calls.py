"""Derived programs of array functions by the operations that they consist of."""

import numpy as np
import pytest
from scipy.stats import norm

import gradcli
from gradcli.errors import UnsupportedError

VECTOR, MATRIX = np.array([0.7, 1.3, 0.4]), np.array([[1.0, 2.0], [3.0, 4.5]])
ONES = np.ones((1, 2))


def sums_rows(m):
    total = 0.0
    for row in (m * m).tolist():
        total += row[0] * row[1]
    return total


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", ["gradient", "forward"])
@pytest.mark.parametrize(
    ("function", "at"),
    [
        # as nested lists
        (lambda m: m.tolist()[1][0] ** 2, MATRIX),
        (lambda m: sum(v * v for row in m.tolist() for v in row), MATRIX),
        (sums_rows, MATRIX),
        (lambda x: x[0] * x.tolist()[1], VECTOR),
        (lambda m: m.item(1, 0) * m.item(0, -1) * m[:1, :1].item(), MATRIX),
        (lambda x: x.item(0) * x.item(2), VECTOR),
        # of nested lists
        (lambda m: np.sum(np.block([[m, m * m], [m, m]]) ** 2), MATRIX),
        (lambda x: np.linalg.det(np.block([[x[:1, None], ONES], [ONES.T, np.diag(x[1:])]])), VECTOR),
        (lambda x: np.vstack([x[None] * 2.0, [[v, v, v] for v in x]])[:, 0].prod(), VECTOR),
        # by indices that are computed
        (lambda x: np.percentile(x, 30), VECTOR),
        (lambda m: np.percentile(m, 30, axis=0).sum(), MATRIX),
        (lambda x: np.quantile(x, [0.2, 0.7]).sum(), VECTOR),
        (lambda m: np.median(m, axis=1).sum(), MATRIX),
        (lambda x: np.nanmedian(x * x), VECTOR),
        # by writes into an array
        (lambda x: norm.logpdf(np.array([0.1, 0.5]), loc=x[0], scale=2.0).sum() * x[1], VECTOR),
        (lambda x: norm.cdf(x, loc=0.1).sum(), VECTOR),
        (lambda m: np.nansum(m * m, axis=0)[1], MATRIX),
        (lambda x: np.nanmean(x * x), VECTOR),
        (lambda x: (np.geomspace(x[0], x[1], 5) ** 2).sum(), VECTOR),
        (lambda x: (np.gradient(x * x) ** 2).sum(), VECTOR),
    ],
)  # fmt: skip
def test_an_array_function(function, at, mode):
    direction = np.ones_like(at)
    derived = gradcli.derive(function, at=at, mode=mode).function
    expected = gradcli.grad(function)(at * 1.1)

    found = derived(at * 1.1, direction) if mode == "forward" else derived(at * 1.1)

    np.testing.assert_allclose(found, np.sum(expected * direction) if mode == "forward" else expected, rtol=1e-12)


@pytest.mark.parametrize("function", [np.median, lambda x: np.percentile(x, 30), lambda x: norm.logpdf(x).sum()])
def test_a_recorded_path(function):
    found = gradcli.derive(lambda x: function(x) * 2.0, at=VECTOR, straight=True).function(VECTOR)

    np.testing.assert_allclose(found, 2.0 * gradcli.grad(function)(VECTOR), rtol=1e-12)


def test_a_call_is_refused_by_name():
    """No exception of the derivation's own is told as one of the function."""
    with pytest.raises(UnsupportedError, match=r"np.pad\(x, 1, mode='edge'\): a constant of it is array\(\[0, 0, 1"):
        gradcli.derive(lambda x: np.pad(x, 1, mode="edge").sum(), at=VECTOR)
