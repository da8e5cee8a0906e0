"""Linear algebra on stacks of matrices: inverses, systems, determinants, factorisations, and what is made of them."""

import numpy as np
import pytest

from gradcli import grad, jacobian, trace
from gradcli.errors import FindingWarning, UnsupportedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.linalg import MatrixError
from gradcli.mathematics.rules.nondifferentiable import NUMPY
from tests.mathematics.rules.agreement import agree_nearby, slope_agrees
from tests.mathematics.rules.sample_arrays import matrix, numbers, symmetric

pytestmark = pytest.mark.sampled(8)  # many like cases

la = np.linalg
NOT_YET = {"matrix_norm", "vector_norm"}
SQUARE = [(1, 1), (3, 3), (2, 3, 3), (0, 2, 2)]
ANY = [(1, 1), (4, 2), (2, 4), (3, 3), (2, 3, 2)]
COLUMNS = {"F": np.asfortranarray, "reversed": lambda x: x[::-1].copy()[::-1]}


@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize(
    "f",
    [
        la.inv,
        la.det,
        lambda x: la.slogdet(x)[1],
        lambda x: la.slogdet(x).sign * la.slogdet(x).logabsdet,
        lambda x: la.matrix_power(x, 3),
        lambda x: la.matrix_power(x, -2),
        lambda x: la.matrix_power(x, 0) * x,
        lambda x: la.cholesky(symmetric(x)),
        lambda x: la.cholesky(symmetric(x), upper=True),
        lambda x: la.eigvalsh(symmetric(x)),
        lambda x: la.eigvalsh(symmetric(x), UPLO="U"),
        lambda x: la.eigh(symmetric(x))[1] ** 2,
    ],
    ids=[
        "inv", "det", "slogdet", "sign", "power", "negative-power", "power-0", "cholesky", "upper", "eigvalsh",
        "eigvalsh-U", "eigh",
    ],
)  # fmt: skip
def test_square(f, shape):
    agree_nearby(f, matrix(*shape))


@pytest.mark.parametrize("shape", ANY)
@pytest.mark.parametrize(
    "f",
    [
        la.pinv,
        la.svdvals,
        lambda x: la.svd(x, compute_uv=False),
        lambda x: la.svd(x, full_matrices=False)[0] ** 2,
        lambda x: la.svd(x, full_matrices=False).Vh ** 2,
        lambda x: la.svd(x)[1],
        lambda x: (la.svd(x)[0][..., :, :1] * la.svd(x)[2][..., :1, :]),
        lambda x: la.qr(x)[0],
        lambda x: la.qr(x).R,
        lambda x: la.qr(x, mode="r"),
        lambda x: la.qr(x, mode="complete")[1],
        la.cond,
        lambda x: la.cond(x, -2),
    ],
    ids=[
        "pinv", "svdvals", "s", "u", "vh", "s-full", "first-of-full", "q", "r", "r-alone", "complete", "cond", "least",
    ],
)  # fmt: skip
def test_rectangular(f, shape):
    agree_nearby(f, matrix(*shape))


@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((3, 3), (2, 3, 2)), ((2, 3, 3), (3,)), ((1, 1), (1,))],
)
def test_solve(a, b):
    agree_nearby(la.solve, matrix(*a), numbers(b, seed=1))


@pytest.mark.parametrize(("a", "b"), [((4, 2), (4,)), ((4, 2), (4, 3)), ((2, 4), (2,)), ((3, 3), (3,))])
def test_lstsq(a, b):
    agree_nearby(lambda a, b: la.lstsq(a, b)[0], matrix(*a), numbers(b, seed=1))
    agree_nearby(lambda a, b: np.sum(la.lstsq(a, b)[1]) + np.sum(la.lstsq(a, b)[3]), matrix(*a), numbers(b, seed=1))
    assert min(a) == trace(lambda a: la.lstsq(a, np.ones(a.shape[0]))[2] * a[0, 0] / a[0, 0], matrix(*a)).value


def test_of_lower_rank():
    """The pseudo-inverse and least squares move along the matrices of the same rank."""
    x, y = matrix(4, 2), matrix(2, 3, seed=1)
    agree_nearby(lambda x, y: la.pinv(x @ y), x, y, rtol=1e-10)
    agree_nearby(lambda x, y: la.lstsq(x @ y, np.arange(4.0))[0], x, y, rtol=1e-10)
    agree_nearby(lambda x: la.pinv(x @ x.T, hermitian=True), x, rtol=1e-10)


@pytest.mark.parametrize("layout", COLUMNS.values(), ids=COLUMNS)
def test_layouts(layout):
    for f in (la.inv, lambda x: la.svd(x)[1], lambda x: la.qr(x)[0]):
        agree_nearby(f, layout(matrix(3, 3)))


@pytest.mark.parametrize(
    ("f", "arrays"),
    [
        (lambda a, b: la.tensorsolve(a, b), [(2, 3, 6), (2, 3)]),
        (lambda a, b: la.tensorsolve(a, b, axes=(0,)), [(2, 6, 3), (6,)]),
        (lambda a: la.tensorinv(a + np.eye(4).reshape(4, 2, 2), ind=1), [(4, 2, 2)]),
        (lambda a: la.tensorinv(a + 2 * np.eye(6).reshape(2, 3, 6)), [(2, 3, 6)]),
        (lambda a, b, c: la.multi_dot([a, b, c]), [(3,), (3, 4), (4, 2)]),
        (lambda a, b, c, d: la.multi_dot([a, b, c, d]), [(2, 5), (5, 1), (1, 4), (4,)]),
        (lambda a, b: la.multi_dot([a, b, a[:, 0]]), [(3, 3), (3, 3)]),
    ],
)
def test_tensors_and_chains(f, arrays):
    """Systems of more axes, and products of many matrices in the cheapest order."""
    agree_nearby(f, *(matrix(*shape, seed=n) for n, shape in enumerate(arrays)))


@pytest.mark.parametrize("f", [la.eigvals, lambda x: la.eig(x)[1] ** 2, lambda x: la.eig(x).eigenvalues ** 2])
def test_eig(f):
    """Matrices that are not symmetric, of different real eigenvalues."""
    agree_nearby(f, matrix(3, 3) + np.diag([0.0, 2.0, 4.0]), rtol=1e-10)
    agree_nearby(f, matrix(2, 3, 3) + np.diag([0.0, 2.0, 4.0]), rtol=1e-10)


@pytest.mark.parametrize("name", sorted(set(la.__all__) - {"LinAlgError"} - NOT_YET))
def test_every_function_is_served(name):
    assert f"linalg.{name}" in FUNCTIONS or f"linalg.{name}" in NUMPY


# Conventions


def test_a_symmetric_matrix_along_symmetric_directions():
    """One triangle is read of it; where both move alike, that is the slope of the whole."""
    x, along = symmetric(matrix(3, 3)), symmetric(matrix(3, 3, seed=1))
    for f in (la.cholesky, la.eigvalsh, lambda x: la.eigh(x)[1] ** 2, lambda x: la.svd(x, hermitian=True)[1]):
        slope_agrees(lambda x: np.sum(np.sin(f(x))), (x,), (along,))


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_a_triangle_that_stands_for_a_matrix(uplo):
    """Of a matrix that is not symmetric NumPy reads one triangle, and the derivative is by that."""
    half = np.tril if uplo == "L" else np.triu
    x = half(symmetric(matrix(3, 3))) + 7 * (np.ones((3, 3)) - half(np.ones((3, 3))))
    for f in (lambda x: la.cholesky(x, upper=uplo == "U"), lambda x: la.eigvalsh(x, uplo)):
        gradient = grad(lambda x: np.sum(np.sin(f(x))))(x)
        np.testing.assert_array_equal(half(gradient), gradient)
        agree_nearby(f, x)


def test_equal_eigenvalues():
    """What does not ask for single vectors is defined where eigenvalues or singular values are equal."""
    x = np.eye(3)
    np.testing.assert_allclose(x, grad(lambda x: np.sum(la.eigvalsh(x)))(x))
    np.testing.assert_allclose(2 * x, grad(lambda x: np.sum(la.eigh(x)[0] ** 2))(x))
    np.testing.assert_allclose(x, grad(lambda x: np.sum(la.svd(x)[1]))(x), atol=1e-15)
    np.testing.assert_allclose(x[:, :2], grad(lambda x: np.sum(la.svd(x)[1] ** 2))(x[:, :2]) / 2, atol=1e-15)
    with pytest.warns(FindingWarning, match="G102"), pytest.warns(FindingWarning, match="G215"):
        assert not np.isfinite(grad(lambda x: la.eigh(x)[1][0, 1])(x)).all()


def test_singular_values_of_zero():
    x = np.diag([2.0, 1.0, 0.0])[:, :2] * 1.0
    np.testing.assert_allclose(np.diag([4.0, 2.0, 0.0])[:, :2], grad(lambda x: np.sum(la.svdvals(x) ** 2))(x))
    np.testing.assert_allclose(2 * x[:2], grad(lambda x: la.det(x.T @ x) ** 0 * np.sum(la.svdvals(x) ** 2))(x[:2]))


@pytest.mark.parametrize(
    "x",
    [
        np.array([[1.0, 2.0], [2.0, 4.0]]),
        np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]]),
        np.zeros((2, 2)),
        np.zeros((3, 3)),
        np.zeros((1, 1)),
        np.stack([np.eye(2), np.array([[0.0, 1.0], [0.0, 0.0]])]),
    ],
)
def test_the_determinant_of_a_singular_matrix(x):
    agree_nearby(la.det, x)


def test_further_vectors():
    """What completes vectors to a basis may be looked at, and is refused where the result depends on it."""
    x = matrix(4, 2)
    for f in (lambda x: la.svd(x)[0], lambda x: la.qr(x, "complete")[0]):
        np.testing.assert_allclose(f(x), trace(f, x, names=False).value, atol=1e-14)
        with pytest.raises(UnsupportedError, match="which the matrix does not determine"):
            grad(lambda x: np.sum(f(x) ** 3))(x)
    with pytest.raises(UnsupportedError, match="right singular vectors"):
        grad(lambda x: np.sum(la.svd(x)[2] ** 3))(x.T)


def test_what_was_not_taken():
    """A singular matrix of a stack, which the program leaves out, contributes exactly nothing."""
    x = np.stack([np.eye(2), np.zeros((2, 2))])
    taken = np.array([True, False])
    found = grad(lambda x: np.sum(np.where(taken, la.slogdet(x)[1], 0.0)))(x)
    np.testing.assert_array_equal(x, found)


def test_single_precision():
    x = matrix(3, 3).astype(np.float32)
    for f in (la.inv, la.det, la.svdvals, lambda x: la.qr(x)[0], lambda x: la.cholesky(symmetric(x).astype(x.dtype))):
        assert trace(f, x, names=False).value.dtype == np.float32
        assert grad(lambda x: np.sum(f(x)))(x).dtype == np.float32
        assert grad(lambda x: np.sum(grad(lambda x: np.sum(f(x)))(x)))(x).dtype == np.float32


def test_a_jacobian():
    """The Jacobian of a solution by its right side is the inverse."""
    a = matrix(3, 3)
    np.testing.assert_allclose(la.inv(a), jacobian(lambda b: la.solve(a, b))(np.ones(3)), rtol=1e-13)


# Matrices that NumPy does not take


@pytest.mark.parametrize(("f", "x", "message"), [
    (la.inv, np.ones((2, 2)), "numpy.linalg.inv met a singular matrix: its rank is 1 of 2"),
    (lambda x: la.solve(x, [1.0, 2.0]), np.zeros((2, 2)), "solve met a singular matrix: its rank is 0"),
    (la.inv, np.stack([np.eye(2), np.ones((2, 2))]), "met a singular matrix at [1]: its rank is 1 of 2"),
    (la.inv, np.ones((2, 3)), "numpy.linalg.inv needs a square matrix, and got one of shape (2, 3)"),
    (la.det, np.ones(3), "numpy.linalg.det needs a matrix or a stack of them, and got an array of shape (3,)"),
    (la.cholesky, np.diag([1.0, -2.0]), "not positive definite: its smallest eigenvalue is -2"),
    (la.cholesky, np.ones((2, 3)), "numpy.linalg.cholesky needs a square matrix"),
    (la.eigh, np.ones((2, 3)), "numpy.linalg.eigh needs a square matrix"),
    (la.eigvals, np.array([[1.0, np.nan], [0.0, 1.0]]), "numpy.linalg.eig: Array must not contain infs or NaNs"),
    (lambda x: la.matrix_power(x, 2), np.ones((2, 3)), "numpy.linalg.matrix_power needs a square matrix"),
])  # fmt: skip
def test_matrices_without_an_answer(f, x, message):
    """The error names the function, what is wrong with the matrix, and the user's line; it is NumPy's error too."""
    with pytest.raises(MatrixError) as caught:
        grad(lambda x: np.sum(f(x)[0]))(x)
    assert message in caught.value.message
    assert __file__ == caught.value.file
    assert isinstance(caught.value, la.LinAlgError)


def test_a_program_that_catches_the_error():

    def f(x):
        try:
            return np.sum(la.cholesky(x))
        except la.LinAlgError:
            return np.sum(la.cholesky(x + 3 * np.eye(2)))

    x = np.diag([1.0, -1.0])
    assert f(x) == trace(f, x).value
    np.testing.assert_allclose([0.25, 0.5 / np.sqrt(2)], np.diag(grad(f)(x)))


@pytest.mark.parametrize("f", [lambda x: np.linalg.pinv(x, rcond=0.5), lambda x: np.linalg.lstsq(x, x[:, 0], 0.5)[0]])
def test_singular_values_that_are_left_out(f):
    """Zeros may be, by any cutoff; what is not zero is not left out silently."""
    with pytest.raises(UnsupportedError, match="drops nonzero singular values"):
        grad(lambda x: np.sum(f(x)))(np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x: np.sum(f(x)))(np.diag([1.0, 0.3]))
    assert "np.linalg.svd" in caught.value.hint
    assert grad(lambda x: np.sum(f(x)))(np.array([[1.0, 2.0], [2.0, 4.0]])).shape == (2, 2)


ROTATION = np.array([[0.48, -0.64, -0.6], [0.8, 0.6, 0.0], [0.36, -0.48, 0.8]])


def test_vectors_of_values_that_rounding_alone_tells_apart():
    x = ROTATION @ np.diag([1.0, 1.0, 2.0]) @ ROTATION.T
    with pytest.warns(FindingWarning, match="G102"), pytest.warns(FindingWarning, match="G215"):
        assert not np.all(np.isfinite(grad(lambda x: la.eigh(x + x.T)[1][0, 0])(x)))


def test_the_polar_factor_of_values_that_rounding_alone_tells_apart():
    """It is smooth: the derivative is the limit of those beside the point, not a quotient of two roundings."""
    agree_nearby(lambda x: np.matmul(*la.svd(x)[::2])[0, 1], ROTATION)


def test_vectors_of_a_single_value_among_equal_ones():
    """What is asked of the one has its derivative; the others are not told apart."""
    x = np.outer([1.0, 2.0, 2.0, 4.0], [2.0, 3.0, 6.0])
    along = matrix(4, 3, seed=2)
    slope_agrees(lambda x: np.abs(la.svd(x, full_matrices=False)[2][0, 1]) + la.svd(x)[1][0], [x], [along])
