"""Linear algebra with many digits: what LAPACK computes, and derivatives that are those of the forward."""

import numpy as np
import pytest

from gradcli.mathematics.rules.function_registry import FUNCTIONS
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
