"""Eigenvalues and singular values with many digits, equal ones and zeros among them."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli.mathematics.rules.linalg import EIGH
from gradcli.methods.exact import array_rule_adjoints, decimals, gradient, linear_algebra, scalar_trace
from gradcli.methods.exact.eigen_singular_values import NoSolutionError
from tests.methods.numerics.programs import recorded

TURN = np.linalg.qr(np.random.default_rng(2).normal(size=(4, 4)))[0]
TURNED = TURN @ np.diag([2.0, 2.0, 1.0, 1.0]) @ TURN.T
SYMMETRIC = {
    "different": np.diag([3.0, 1.0, 2.0, -1.0]) + 0.25,
    "equal": np.diag([2.0, 1.0, 2.0, 1.0]),
    "equal but for rounding": 0.5 * (TURNED + TURNED.T),
    "nothing": np.zeros((3, 3)),
}
OTHERS = {
    "of rank 1": np.outer([1.0, 2.0, 3.0], [1.0, -1.0]),
    "a rotation": np.array([[0.0, 2.0], [-2.0, 0.0]]),
    "wide": np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    "nothing": np.zeros((3, 2)),
    "of all sizes": np.diag([1.0, 1e-30, 1e30]),
}


@pytest.mark.parametrize("x", SYMMETRIC.values(), ids=SYMMETRIC)
@pytest.mark.parametrize("count", [60, 240])
def test_eigenvectors(x, count):
    """A v = λ v and v'v = 1 to all digits but a few, in ascending order."""
    with decimals.digits(count):
        packed = linear_algebra.eigh(decimals.to_decimals(x))
        values, vectors = packed[0], packed[1:]
        off = np.dot(decimals.to_decimals(x), vectors) - vectors * values
        unit = np.dot(vectors.T, vectors) - linear_algebra.identity(len(x))

        assert max(map(abs, np.ravel([off, unit]))) < Decimal(10) ** (12 - count)
        assert sorted(values) == list(values)


@pytest.mark.parametrize("x", OTHERS.values(), ids=OTHERS)
def test_singular_vectors(x):
    """A v = s u with both kinds at right angles, in descending order, next to LAPACK's."""
    rows = len(x)
    with decimals.digits(120):
        packed = linear_algebra.svd(decimals.to_decimals(x))
        left, sizes, right = packed[:rows], packed[rows], packed[rows + 1 :]
        off = np.dot(decimals.to_decimals(x), right) - left * sizes
        apart = [np.dot(y.T, y) - linear_algebra.identity(len(sizes)) for y in (left, right)]
        largest = max(map(abs, np.ravel(decimals.to_decimals(x)))) or 1

        assert max(map(abs, np.ravel(off))) < largest * Decimal("1e-100")
        assert max(map(abs, np.ravel(apart))) < Decimal("1e-100")
        assert sorted(sizes)[::-1] == list(sizes)


def test_vectors_of_equal_values_do_not_turn():
    """How they would is no number, and is refused where it is asked for."""
    with decimals.digits(60):
        x = decimals.to_decimals(np.eye(2))
        with pytest.raises(NoSolutionError):
            scalar_trace.argument_cotangent(EIGH, 0, decimals.to_decimals(np.ones((3, 2))), [x], {"uplo": "L"})


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: np.sum(np.linalg.eigvalsh(x) ** 2), np.eye(3), 2 * np.eye(3)),
        (lambda x: np.sum(np.log(np.linalg.eigvalsh(x))), np.diag([2.0, 2.0, 1.0]), np.diag([0.5, 0.5, 1.0])),
        (lambda x: np.linalg.norm(x, "nuc"), np.array([[0.0, 2.0], [-2.0, 0.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])),
    ],
    ids=["squares", "logarithms", "sizes"],
)
def test_what_is_smooth_where_values_are_equal(f, x, expected):
    tape, last, inputs = recorded(f, x)
    found = gradient.gradient(tape, last, inputs)

    assert found.wrong == ()
    np.testing.assert_allclose(np.array(found.derivatives, float), np.ravel(expected), rtol=1e-15, atol=1e-30)


def test_at_a_kink_the_forward_holds_no_rule_to_anything():
    """The largest of equal eigenvalues has no one derivative: the rule gives one of them, and is not called wrong."""
    with decimals.digits(60):
        x = decimals.to_decimals(np.eye(2))
        v = linear_algebra.eigh(x)
        ct = decimals.to_decimals(np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]))
        found = array_rule_adjoints.adjoint(EIGH, 0, ct, v, [x], {"uplo": "L"})

    assert found.agrees is None
    assert pytest.approx(float(np.trace(found.cotangent))) == 1
