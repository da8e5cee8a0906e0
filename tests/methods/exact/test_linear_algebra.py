"""Linear algebra with many digits: what LAPACK computes, and derivatives that are those of the forward."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.linalg import EIGH
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.methods.exact import array_rule_adjoints, decimals, gradient, linear_algebra
from tests.methods.numerics.programs import recorded

FUNCTIONS.complete()
RNG = np.random.default_rng(0)
SQUARE, TALL = RNG.normal(size=(4, 4)), RNG.normal(size=(5, 3))
DEFINITE = SQUARE @ SQUARE.T + np.eye(4)

# A rule, its arguments and its choices.
CASES = [
    ("inv", [SQUARE], {}),
    ("solve", [SQUARE, TALL[:4]], {}),
    ("det", [SQUARE], {}),
    ("logdet", [-SQUARE], {}),
    ("cholesky", [DEFINITE], {}),
    ("qr", [SQUARE], {}),
    ("qr", [TALL], {}),
    ("qr", [TALL.T], {}),
    ("pinv", [TALL], {"rcond": None}),
    ("pinv", [TALL.T], {"rcond": None}),
    ("lstsq", [TALL, RNG.normal(size=(5, 1))], {"rcond": None}),
    ("eigh", [DEFINITE], {"uplo": "L"}),
    ("svd", [TALL], {}),
    ("svd", [TALL.T], {}),
    ("unitary", [TALL], {}),
    ("inv", [np.stack([SQUARE, DEFINITE])], {}),
    ("det", [np.stack([SQUARE, DEFINITE])], {}),
]
every_case = pytest.mark.parametrize(("name", "arrays", "static"), CASES, ids=[case[0] for case in CASES])


@every_case
def test_the_value_is_that_of_lapack(name, arrays, static):
    options = {**static, "rcond": 1e-15} if name == "pinv" else static
    with decimals.digits(60):
        found = linear_algebra.FORWARDS[name](*map(decimals.to_decimals, arrays), **static)

    assert np.allclose(np.asarray(RULES[name].forward(*arrays, **options), float), np.asarray(found, float), rtol=1e-12)


@every_case
def test_the_derivative_is_that_of_the_forward(name, arrays, static):
    """The one step of Newton's method, taken apart, has the derivative that a central difference shows."""
    with decimals.digits(60):
        arguments = [decimals.to_decimals(x) for x in arrays]
        v = linear_algebra.FORWARDS[name](*arguments, **static)
        ct = decimals.to_decimals(np.asarray(np.random.default_rng(1).normal(size=np.shape(v))))
        for position in range(len(arguments)):
            found = array_rule_adjoints.adjoint(RULES[name], position, ct, v, arguments, static)
            assert array_rule_adjoints.agrees(RULES[name], position, ct, found.cotangent, arguments, static)


@pytest.mark.parametrize(
    ("function", "matrix"),
    [
        (linear_algebra.inverse, np.ones((2, 2))),
        (linear_algebra.pseudo_inverse, np.ones((3, 2))),
    ],
    ids=["singular", "without full rank"],
)
def test_where_there_is_no_one_solution(function, matrix):
    with decimals.digits(60), pytest.raises(linear_algebra.NoSolutionError):
        function(decimals.to_decimals(matrix))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.linalg.solve(x @ x.T + np.eye(4), x[0])),
        lambda x: np.sum(np.linalg.cholesky(x @ x.T + np.eye(4)) ** 2),
        lambda x: np.sum(np.linalg.eigvalsh(x + x.T) ** 3),
        lambda x: np.linalg.slogdet(x)[1] * np.linalg.det(x),
    ],
    ids=["solve", "cholesky", "eigvalsh", "determinants"],
)
def test_programs(f):
    """The sweep agrees with the reference, in which no rule is found wrong."""
    tape, last, inputs = recorded(f, SQUARE)
    found = gradient.gradient(tape, last, inputs)
    swept = np.ravel(tape.sensitivities()[inputs[0]])

    assert found.wrong == ()
    assert np.allclose(swept, np.array(found.derivatives, dtype=float), rtol=1e-11, atol=1e-12)


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


def test_vectors_of_equal_values_have_no_derivative():
    with decimals.digits(60):
        x, ct = decimals.to_decimals(np.eye(2)), decimals.to_decimals(np.arange(6.0).reshape(3, 2))
        v = linear_algebra.eigh(x)
        found = array_rule_adjoints.by_differences(EIGH, 0, ct, v, [x], {"uplo": "L"})

    assert any(number.is_nan() for number in np.ravel(found))


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
