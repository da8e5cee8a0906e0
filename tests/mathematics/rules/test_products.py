"""Products of vectors, matrices and stacks of matrices."""

import numpy as np
import pytest

from gradcli import grad, trace
from tests.mathematics.rules.agreement import agree, agree_nearby
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

MATMUL = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((4, 2, 3), (3,)),
    ((3,), (4, 3, 2)),
    ((4, 2, 3), (3, 2)),
    ((2, 3), (4, 3, 2)),
    ((4, 2, 3), (4, 3, 2)),
    ((1, 2, 3), (4, 3, 2)),
    ((4, 2, 3), (1, 3, 2)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 2)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 2)),
]

DOT = [
    ((), ()),
    ((), (3,)),
    ((2, 3), ()),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 2)),
    ((3,), (4, 3, 2)),
    ((2, 3), (4, 3, 2)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 2)),
    ((5, 2, 3), (4, 3, 2)),
    ((2, 3), (4, 1, 3, 2)),
    ((2, 0), (4, 0, 3)),
    ((0, 3), (4, 3, 2)),
]


@pytest.mark.parametrize(("left", "right"), MATMUL)
def test_matmul(left, right):
    """Every combination of dimensions: vectors, matrices, stacks, stacks that broadcast, nothing at all."""
    agree(np.matmul, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(("left", "right"), [((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((4, 2, 3), (3, 2))])
@pytest.mark.parametrize("order", ["F", "strided", "reversed"])
def test_matmul_of_layouts(left, right, order):
    agree(np.matmul, numbers(left, order=order), numbers(right, seed=1, order=order))


@pytest.mark.parametrize(("left", "right"), [((3,), (3,)), ((2, 3), (3, 2)), ((2, 3), (3,))])
def test_matmul_with_a_constant(left, right):
    """Either factor may be plain, an array or a list."""
    x, y = numbers(left), numbers(right, seed=1)
    agree(lambda x: x @ y, x)
    agree(lambda y: x @ y, y)
    agree(lambda x: np.matmul(x, y.tolist()), x)


def test_the_square_of_a_matrix():
    agree(lambda x: x @ x, numbers((3, 3)))
    agree(lambda x: x @ x, numbers((3,)))


@pytest.mark.parametrize("other", [2, 2.0, True, np.float32(2)], ids=repr)
def test_dot_of_numbers(other):
    assert float(2 * other) == grad(lambda x: np.dot(x, other) + np.dot(other, x))(1.3)
    assert grad(lambda x: np.dot(x, x))(1.3) == pytest.approx(2.6)
    x = np.arange(3, dtype=np.float32)
    assert np.dot(x, other).dtype == trace(lambda x: np.dot(x, other), x).value.dtype


@pytest.mark.parametrize(("left", "right"), DOT)
def test_dot(left, right):
    agree(np.dot, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(
    ("left", "right"), [((), (2,)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((3,), (2, 4, 3))]
)
def test_inner(left, right):
    agree(np.inner, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(("left", "right"), [((), ()), ((3,), (2,)), ((2, 3), (2,)), ((0,), (2,))])
def test_outer(left, right):
    agree(np.outer, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(("left", "right"), [((3,), (3,)), ((2, 3), (2, 3)), ((), ())])
def test_vdot(left, right):
    agree(np.vdot, numbers(left), numbers(right, seed=1))


def test_single_precision():
    """Single precision stays, with a factor of double precision the gradient has that of its argument."""
    x, y = numbers((2, 3)).astype(np.float32), numbers((3, 2), seed=1)
    f = lambda x, y: np.sum(x @ y)
    assert trace(np.matmul, x, x.T, names=False).value.dtype == np.float32
    assert tuple(part.dtype for part in grad(f, (0, 1))(x, y)) == (np.float32, np.float64)
    twice = grad(lambda x: np.sum(grad(f)(x, y) * x))
    assert twice(x).dtype == np.float32


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(n, k) for n in range(1, 6) for k in range(1, 6)])
def test_lengths_of_convolutions(mode, sizes):
    x, y = (np.arange(1.0, 1.0 + n) for n in sizes)
    for f in (np.convolve, np.correlate):
        np.testing.assert_array_equal(f(x, y, mode), trace(lambda x: f(x, y, mode), x, names=False).value)


@pytest.mark.parametrize("weighted", [False, True])
def test_polyfit(weighted):
    """The least-squares polynomial, by the places, the values and the weights."""
    x, y = np.linspace(-1.0, 2.0, 7), numbers((7,), seed=1)
    w = numbers((7,), seed=2)
    agree_nearby(lambda x, y, w: np.polyfit(x, y, 2, w=w if weighted else None) + 0 * np.sum(w), x, y, w)
    agree_nearby(lambda y: np.polyfit(x, np.stack([y, y * y], axis=1), 1), y)
    agree_nearby(lambda y: np.polyfit(np.arange(len(y)), y, 1), y)


@pytest.mark.parametrize(
    ("text", "shapes"), [("ij,jk->ik", [(2, 3), (2, 3)]), ("ij", [(3,)]), ("i->ii", [(3,)]), ("i,j", [(3,)])]
)
def test_einsum_of_shapes_that_do_not_fit(text, shapes):
    arrays = [numbers(shape) for shape in shapes]
    with pytest.raises(ValueError, match=r"^(einstein sum|operand|more operands)") as wanted:
        np.einsum(text, *arrays)
    with pytest.raises(ValueError, match=r"^(einstein sum|operand|more operands)") as got:
        trace(lambda *x: np.einsum(text, *x), *arrays)
    assert str(wanted.value).partition(" [")[0] == str(got.value).partition(" [")[0]


def test_an_infinity_that_a_product_does_not_meet():
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[np.inf, 1.0], [1.0, 1.0]])
    found = grad(lambda x: np.sum(np.where([[False, True], [False, True]], np.einsum("ij,jk->ik", x, y), 0.0)))(x)
    np.testing.assert_array_equal([[1.0, 1.0], [1.0, 1.0]], found)


def test_large_products_by_name():
    """A large product goes the fast way, and has the same derivative."""
    x, y = numbers((40, 50)), numbers((50, 30), seed=1)
    f = lambda x, y: np.sum(np.sin(np.einsum("ij,jk->ik", x, y)))
    wanted = grad(lambda x, y: np.sum(np.sin(x @ y)), (0, 1))(x, y)
    for a, b in zip(wanted, grad(f, (0, 1))(x, y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("text", ["i,j->", "i,j->j", "i,j,j->j", "i,i,j->j", "ki,j->kj"])
def test_einsum_over_an_axis_without_elements(kind, text):
    """It is zero, in the shape and the dtype of NumPy's result, also where a factor is infinite."""
    shapes = {"i": (0,), "j": (2,), "ki": (3, 0)}
    arrays = [np.full(shapes[term], np.inf, kind) for term in text.partition("->")[0].split(",")]

    found = trace(lambda *x: np.einsum(text, *x), *arrays, names=False).value

    plain = np.einsum(text, *(np.zeros_like(array) for array in arrays))
    assert (plain.dtype, plain.shape, plain.tolist()) == (found.dtype, found.shape, found.tolist())
