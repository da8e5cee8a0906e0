"""Derivatives at kinks and at equal eigenvalues, against SymPy and 50 digits."""

import math

import mpmath
import numpy as np
import pytest
import sympy

from gradcli import grad, hessian, hvp, jacobian, jvp, vjp
from gradcli.errors import FindingWarning
from gradcli.methods.transforms import limits_beside_point

pytestmark = pytest.mark.sampled(5)  # many like cases

X, Y = sympy.symbols("x y", real=True)
WEIGHTS = np.array([[1.0, 2.0], [3.0, 5.0]])


def second_derivatives(smooth, at):
    """The Hessian of a SymPy expression in X and Y at a point."""
    found = sympy.hessian(smooth, (X, Y)[: len(at)]).subs(dict(zip((X, Y), at, strict=False)))
    return np.array(found.tolist(), float)


def relu(x):
    return np.maximum(x, 0.0)


SMOOTH = {
    "norm": (lambda x: np.linalg.norm(x) ** 2, X**2 + Y**2, (0, 0)),
    "root": (lambda x: np.sqrt(x @ x) ** 2, X**2 + Y**2, (0, 0)),
    "cosine of a norm": (lambda x: np.cos(np.linalg.norm(x)) * np.exp(x[0]), (1 - (X**2 + Y**2) / 2) * sympy.exp(X),
        (0, 0)),
    "norm of an affine map": (
        lambda x: np.linalg.norm(np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]]) @ x - np.array([5.0, -1.5, 5.0])) ** 2,
        (X + 2 * Y - 5) ** 2 + (X / 2 - Y + sympy.Rational(3, 2)) ** 2 + (3 * X + Y - 5) ** 2, (1, 2)),
    "abs": (lambda x: abs(x[0] - x[1]) ** 2 * math.exp(x[0]), (X - Y) ** 2 * sympy.exp(X), (1, 1)),
    "abs of an array": (lambda x: np.sum(np.abs(x) ** 2 * np.exp(x)), X**2 * sympy.exp(X) + Y**2 * sympy.exp(Y),
        (0, 1)),
    "std": (lambda x: np.std(x) ** 2, (X - Y) ** 2 / 4, (2, 2)),
    "hypot": (lambda x: math.hypot(x[0] - 1, x[1]) ** 2 * x[1], ((X - 1) ** 2 + Y**2) * Y, (1, 0)),
    "dist": (lambda x: math.dist([x[0], x[1]], [1.0, 2.0]) ** 2, (X - 1) ** 2 + (Y - 2) ** 2, (1, 2)),
    "two halves": (lambda x: np.sum((relu(x) ** 2 + relu(-x) ** 2) * np.cos(x)),
        X**2 * sympy.cos(X) + Y**2 * sympy.cos(Y), (0, 0)),
    "a tie": (lambda x: np.maximum(x[0], x[1]) * np.minimum(x[0], x[1]), X * Y, (3, 3)),
    "a tie of an array": (lambda x: np.max(x) ** 2 + np.min(x) ** 2, X**2 + Y**2, (3, 3)),
    "log of a sum": (lambda x: np.max(x) + np.log(np.sum(np.exp(x - np.max(x)))),
        sympy.log(sympy.exp(X) + sympy.exp(Y)), (3, 3)),
    "a bound": (lambda x: np.clip(x[0], 0, 1) ** 2 + relu(x[0] - 1) * (x[0] + 1) + x[1], X**2 + Y, (1, 0)),
    "softplus": (lambda x: np.log1p(np.exp(-abs(x[0]))) + relu(x[0]) * 1.0, sympy.log(1 + sympy.exp(X)), (0,)),
    "a lane of a batch": (lambda x: np.sum(np.stack([x, 2 * x]) ** 2 / (np.std(x) ** 2 + 0.5)),
        5 * (X**2 + Y**2) / ((X - Y) ** 2 / 4 + sympy.Rational(1, 2)), (1, 1)),
    "a cube root": (lambda x: np.cbrt(x[0]) ** 6 + x[1] ** 2, X**2 + Y**2, (0, 1)),
    "an end of a domain": (lambda x: np.sqrt(x[0]) ** 4 * x[1], X**2 * Y, (0, 3)),
    "a steep factor": (lambda x: abs(x[0]) ** 2 * np.exp(1e4 * x[0]), X**2 * sympy.exp(10000 * X), (0,)),
    "another kink close by": (lambda x: abs(x[0]) ** 2 + relu(x[0] - 1e-3) ** 2, X**2, (0,)),
    "a cube": (lambda x: np.sum(np.abs(x) ** 3), 0 * X + 0 * Y, (0, 0)),
    "a low power": (lambda x: abs(x[0]) ** 2.1, 0 * X, (0,)),
    "a signed power": (lambda x: np.sign(x[0]) * abs(x[0]) ** 2.5, 0 * X, (0,)),
    "large numbers": (lambda x: np.linalg.norm(x - np.array([1e6, 2e6])) ** 2, X**2 + Y**2, (1000000, 2000000)),
    "small numbers": (lambda x: np.linalg.norm(x * 1e-8) ** 2, (X**2 + Y**2) / 10**16, (0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_second_derivatives_through_kinks_that_the_program_smooths_out(name):
    f, smooth, at = SMOOTH[name]
    expected = second_derivatives(smooth, at)
    point, v = np.array(at, float), np.arange(1.0, len(at) + 1)
    near = {"rtol": 1e-7, "atol": 1e-9 * np.max(np.abs(expected), initial=0.0)}

    np.testing.assert_allclose(hessian(f)(point), expected, **near)
    np.testing.assert_allclose(hvp(f, point, v), expected @ v, **near)


def test_every_way_to_second_derivatives():
    f, smooth, at = SMOOTH["hypot"]
    expected, point, v = second_derivatives(smooth, at), np.array(at, float), np.array([1.0, 2.0])

    np.testing.assert_allclose(jacobian(grad(f))(point), expected)
    np.testing.assert_allclose(jvp(grad(f), (point,), (v,))[1], expected @ v)
    np.testing.assert_allclose(vjp(grad(f), point)[1](v)[0], expected @ v)


def test_second_derivatives_of_numbers():
    assert hessian(lambda x: abs(x) ** 2)(0.0) == 2.0
    assert hessian(lambda x: [abs(x[0]) ** 2 * x[1]][0])([0.0, 3.0]) == [[6.0, 0.0], [0.0, 0.0]]


def test_second_derivatives_in_single_precision():
    found = hessian(lambda x: np.std(x) ** 2)(np.array([2, 2], np.float32))

    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [[0.5, -0.5], [-0.5, 0.5]])


def test_second_derivatives_by_some_arguments():
    found = hessian(lambda a, x: a * np.linalg.norm(x) ** 2, argnums=1)(3.0, np.zeros(2))

    np.testing.assert_array_equal(found, 6 * np.eye(2))


def test_mixed_derivatives_of_two_transforms():
    def f(a, x):
        return a * np.linalg.norm(x) ** 2 + a * x[0]

    np.testing.assert_array_equal(jacobian(grad(f, 1), 0)(3.0, np.zeros(2)), [1.0, 0.0])


def test_a_gradient_of_a_gradient():
    assert grad(lambda x: x * grad(lambda y: abs(y) ** 2)(x) + 3 * grad(lambda y: abs(y) ** 2)(x))(0.0) == 6.0


def test_a_gradient_of_a_product_inside():
    def f(x):
        _, pull = vjp(lambda y: np.abs(y) ** 2 * y, x)
        return np.sum(pull(np.ones(2))[0] * x)

    np.testing.assert_allclose(grad(f)(np.array([0.0, 1.0])), [0.0, 9.0])


JUMPS = {
    "x*abs(x)": (lambda x: x[0] * abs(x[0]), (0.0,), "abs"),
    "a square of a half": (lambda x: relu(x[0]) ** 2, (0.0,), "maximum"),
    "two halves that meet in a quadrant": (lambda x: np.maximum(x[0], 0) * np.maximum(x[1], 0), (0.0, 0.0), "maximum"),
    "a narrow wedge": (lambda x: np.maximum(x[0] - 10 * abs(x[1]), 0) ** 2, (0.0, 0.0), "abs and maximum"),
    "a small jump": (lambda x: np.cos(x[0]) + 1e-5 * x[0] * abs(x[0]), (0.0,), "abs"),
    "a small jump beside a large number": (lambda x: x[1] ** 2 + 1e-9 * x[0] * abs(x[0]), (0.0, 1.0), "abs"),
    "a norm": (lambda x: np.linalg.norm(x), (0.0, 0.0), "root"),
    "a tie": (lambda x: np.maximum(x[0], x[1]) ** 2, (1.0, 1.0), "maximum"),
    "a tie of an array": (lambda x: np.max(x) ** 2, (1.0, 1.0, 0.0), "max"),
    "a bound": (lambda x: np.clip(x[0], 0, 1) ** 2, (1.0,), "clip"),
}


@pytest.mark.parametrize("name", JUMPS)
def test_second_derivatives_that_jump_are_named(name):
    f, at, step = JUMPS[name]
    with pytest.warns(FindingWarning, match=f"G213: at the kink of {step}, the second derivatives") as told:
        hessian(f)(np.array(at))

    assert told[0].filename == __file__
    assert told[0].lineno == f.__code__.co_firstlineno or name == "a square of a half"


def test_a_jump_inside_other_transforms_is_named():
    with pytest.warns(FindingWarning, match="G213: at the kink of abs"):
        grad(lambda x: 2 * grad(lambda y: y * abs(y))(x))(0.0)
    with pytest.warns(FindingWarning, match="G213: at the kink of abs"):
        hvp(lambda x: np.sum(x * np.abs(x)), np.zeros(2), np.ones(2))
    with pytest.warns(FindingWarning, match="G213: at the kink of abs"):
        vjp(grad(lambda x: np.sum(x * np.abs(x) * 2)), np.zeros(2))[1](np.ones(2))


def test_a_kink_of_the_outermost_transform_is_a_convention():
    assert grad(lambda x: abs(grad(lambda y: y**2)(x)))(0.0) == 0.0


def test_the_program_runs_once():
    runs = []

    def f(x):
        runs.append(1)
        return np.linalg.norm(x) ** 2

    hessian(f)(np.zeros(2))

    assert len(runs) == 1


def test_a_branch_that_ends_at_the_point():

    def f(x):
        return abs(x) ** 2 if x <= 0 else abs(x) ** 2 * (1 + x)

    assert hessian(f)(0.0) == pytest.approx(2.0, rel=1e-9)


def test_a_branch_further_away():
    assert hessian(lambda x: abs(x) ** 2 if abs(x) < 1e-3 else 7 * x)(0.0) == 2.0


def test_what_is_constant_stays_constant():
    from gradcli import stop_gradient

    assert hessian(lambda x: abs(x) ** 2 * stop_gradient(x + 1))(0.0) == 2.0


def symmetric(a):
    return (a + a.T) / 2


def of_eigenvalues(function):
    """A matrix function by eigenvalues and vectors, weighted to a number."""

    def f(a):
        w, v = np.linalg.eigh(symmetric(a))
        return np.sum((v * function(w)) @ v.T * WEIGHTS)

    return f


def of_singular_values(function):
    def f(a):
        u, s, vh = np.linalg.svd(a)
        return np.sum((u * function(s)) @ vh * WEIGHTS)

    return f


def frechet(function, at):
    """The gradient of the weighted sum of a matrix function, by central differences in 50 digits."""
    with mpmath.workdps(50):
        step = mpmath.mpf(10) ** -20

        def weighted(i, j, way):
            a = mpmath.matrix(at.tolist())
            a[i, j] += way * step / 2
            a[j, i] += way * step / 2
            found = function(a)
            return sum(mpmath.mpf(WEIGHTS[n]) * found[n] for n in np.ndindex(2, 2))

        pairs = [[(weighted(i, j, 1) - weighted(i, j, -1)) / (2 * step) for j in range(2)] for i in range(2)]
        return np.array([[float(mpmath.re(x)) for x in row] for row in pairs])


MATRIX_FUNCTIONS = {
    "itself": (lambda w: w, lambda a: a),
    "square": (lambda w: w**2, lambda a: a * a),
    "root": (np.sqrt, mpmath.sqrtm),
    "exponential": (np.exp, mpmath.expm),
    "logarithm": (np.log, mpmath.logm),
    "inverse": (lambda w: 1 / w, lambda a: a**-1),
}


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
def test_the_gradient_of_a_matrix_function_at_equal_eigenvalues(name):
    of_values, of_matrices = MATRIX_FUNCTIONS[name]
    at = 2 * np.eye(2)

    np.testing.assert_allclose(grad(of_eigenvalues(of_values))(at), frechet(of_matrices, at), rtol=1e-7)


def test_the_gradient_of_a_polynomial_at_the_matrix_0():
    """There every cotangent of a vector is 0, and the sweep is finite and wrong."""
    np.testing.assert_allclose(
        grad(of_eigenvalues(lambda w: w + w**2))(np.zeros((2, 2))), symmetric(WEIGHTS), rtol=1e-7
    )


@pytest.mark.parametrize("diagonal", [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (2.0, -2.0)])
def test_the_gradient_of_a_matrix_rebuilt_from_singular_values(diagonal):
    np.testing.assert_allclose(grad(of_singular_values(lambda s: s))(np.diag(diagonal)), WEIGHTS, rtol=1e-7)


def test_the_gradient_of_a_matrix_without_full_rank():
    def f(a):
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return np.sum(((u * s) @ vh) ** 2)

    np.testing.assert_allclose(grad(f)(np.outer([1.0, 2, 3], [1, 1])), 2 * np.outer([1, 2, 3], [1, 1]), rtol=1e-7)


def test_a_jacobian_and_products_at_equal_eigenvalues():
    def square(a):
        w, v = np.linalg.eigh(symmetric(a))
        return (v * w**2) @ v.T

    at, v = np.eye(2), np.array([[1.0, 2.0], [2.0, 5.0]])

    np.testing.assert_allclose(jvp(square, (at,), (v,))[1], 2 * v, rtol=1e-7)
    np.testing.assert_allclose(vjp(square, at)[1](v)[0], 2 * v, rtol=1e-7)
    np.testing.assert_allclose(np.einsum("ijkl,kl", jacobian(square)(at), v), 2 * v, rtol=1e-7)


SPECTRAL = {
    "trace": (lambda w: np.sum(w), lambda e: np.zeros_like(e)),
    "sum of squares": (lambda w: np.sum(w**2), lambda e: 2 * e),
    "log-determinant": (lambda w: np.sum(np.log(w)), lambda e: -e),
    "trace of the exponential": (lambda w: np.sum(np.exp(w)), lambda e: math.e * e),
}


@pytest.mark.parametrize("name", SPECTRAL)
def test_second_derivatives_of_symmetric_functions_of_equal_eigenvalues(name):
    """At the identity, the second derivative of the trace of f along e is f''(1) times the trace of e @ e."""
    of_values, along = SPECTRAL[name]

    def f(a):
        return of_values(np.linalg.eigvalsh(symmetric(a)))

    e = np.array([[1.0, 2.0], [2.0, -3.0]])

    np.testing.assert_allclose(hvp(f, np.eye(2), e), along(e), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(np.einsum("ijkl,kl", hessian(f)(np.eye(2)), e), along(e), rtol=1e-7, atol=1e-9)


def test_second_derivatives_of_squared_singular_values():
    def f(a):
        return np.sum(np.linalg.svd(a, compute_uv=False) ** 2)

    np.testing.assert_allclose(hessian(f)(np.diag([1.0, 0.0])).reshape(4, 4), 2 * np.eye(4), rtol=1e-7, atol=1e-9)


def test_second_derivatives_of_a_matrix_root_at_equal_eigenvalues():
    """The root of 1 + t is 1 + t/2 - t**2/8 + …; the same holds for matrices that commute with the point."""
    e = np.array([[1.0, 2.0], [2.0, -3.0]])
    found = hvp(of_eigenvalues(np.sqrt), np.eye(2), e)

    np.testing.assert_allclose(np.sum(found * e), -np.sum(WEIGHTS * (e @ e)) / 4, rtol=1e-7)


def test_single_vectors_of_equal_eigenvalues():
    with pytest.warns(FindingWarning, match="G215: eigh has equal values"):
        grad(lambda a: np.linalg.eigh(symmetric(a))[1][0, 0] ** 2)(np.eye(2))


def test_values_alone_have_a_convention():
    found = grad(lambda a: np.linalg.eigvalsh(a)[-1])(np.eye(2))

    assert np.trace(found) == pytest.approx(1.0)


TIED = {
    "where": (lambda v: np.sum(np.where(v > 0, v, 0) ** 2 + np.where(v < 0, v, 0) ** 2), X**2 + Y**2, (0, 1)),
    "one branch": (lambda v: (v[0] if v[0] >= 0 else -v[0]) ** 2 * v[1], X**2 * Y, (0, 3)),
    "masks": (lambda v: np.sum(v[v > 0] ** 2) + np.sum(v[v <= 0] ** 2), X**2 + Y**2, (0, -1)),
    "Python's max and min": (lambda v: max(v[0], v[1]) * min(v[0], v[1]), X * Y, (2, 2)),
    "sort": (lambda v: np.prod(np.sort(v)), X * Y, (2, 2)),
    "argmax": (
        lambda v: v[np.argmax(v)] + np.log(np.sum(np.exp(v - v[np.argmax(v)]))),
        sympy.log(sympy.exp(X) + sympy.exp(Y)),
        (1, 1),
    ),
    "select": (lambda v: np.sum(np.select([v < 0, v >= 0], [v**2, v**2])), X**2 + Y**2, (0, 0)),
}


@pytest.mark.parametrize("name", TIED)
def test_a_program_that_orders_equal_numbers_and_is_smooth(name):
    """The paths beside the point have the same limit, which is not always that of the path taken."""
    f, smooth, at = TIED[name]

    found = hessian(f)(np.array(at, float))

    np.testing.assert_allclose(found, second_derivatives(smooth, at), rtol=1e-9, atol=1e-9)


BENT = {
    "where": lambda v: np.sum(np.where(v > 0, v, 0) ** 2),
    "mask times": lambda v: np.sum((v > 0) * v * v),
    "if": lambda v: v[0] ** 2 if v[0] > 0 else 2 * v[0] ** 2,
    "constant slope": lambda v: v[0] ** 2 if v[0] < 0 else 0.0 * v[0],
    "Huber": lambda v: np.sum(np.where(abs(v + 1) <= 1, 0.5 * (v + 1) ** 2, abs(v + 1) - 0.5)),
    "Python's max": lambda v: max(v[0], 0.0) ** 2,
    "sort with weights": lambda v: np.sum(np.sort(np.append(v, 0.0)) ** 2 * np.array([1.0, 2.0])),
}


@pytest.mark.parametrize("name", BENT)
def test_a_program_whose_second_derivative_jumps_where_it_orders_equal_numbers(name):
    with pytest.warns(FindingWarning, match="G213.*no common limit") as caught:
        hessian(BENT[name])(np.zeros(1))

    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_slow_program_is_not_run_again_and_again(monkeypatch):
    monkeypatch.setattr(limits_beside_point, "MOST_SECONDS", 0.0)
    calls = []

    def f(v):
        calls.append(1)
        return (v[0] if v[0] >= 0 else -v[0]) ** 2

    with pytest.warns(FindingWarning, match="G213"):
        hessian(f)(np.zeros(1))

    assert len(calls) <= 5


def test_an_order_of_different_numbers_runs_once():
    calls = []

    def f(v):
        calls.append(1)
        return v[0] ** 2 * v[1] if v[0] < v[1] else v[1]

    hessian(f)(np.array([1.0, 2.0]))

    assert len(calls) == 1
