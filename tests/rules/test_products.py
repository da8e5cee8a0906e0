"""Products of vectors, matrices and stacks of matrices."""

import numpy as np
import pytest

from gradcli import grad, trace
from tests.rules.arrays import agree, numbers

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
    """Any layout in memory."""
    agree(np.matmul, numbers(left, order=order), numbers(right, seed=1, order=order))


@pytest.mark.parametrize(("left", "right"), [((3,), (3,)), ((2, 3), (3, 2)), ((2, 3), (3,))])
def test_matmul_with_a_constant(left, right):
    """Either factor may be plain, an array or a list."""
    x, y = numbers(left), numbers(right, seed=1)
    agree(lambda x: x @ y, x)
    agree(lambda y: x @ y, y)
    agree(lambda x: np.matmul(x, y.tolist()), x)


def test_the_square_of_a_matrix():
    """Both factors may be the same."""
    agree(lambda x: x @ x, numbers((3, 3)))
    agree(lambda x: x @ x, numbers((3,)))


@pytest.mark.parametrize(("left", "right"), DOT)
def test_dot(left, right):
    """NumPy's `dot` in all its meanings."""
    agree(np.dot, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(
    ("left", "right"), [((), (2,)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((3,), (2, 4, 3))]
)
def test_inner(left, right):
    """Sums over the last axes."""
    agree(np.inner, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(("left", "right"), [((), ()), ((3,), (2,)), ((2, 3), (2,)), ((0,), (2,))])
def test_outer(left, right):
    """All products of two numbers."""
    agree(np.outer, numbers(left), numbers(right, seed=1))


@pytest.mark.parametrize(("left", "right"), [((3,), (3,)), ((2, 3), (2, 3)), ((), ())])
def test_vdot(left, right):
    """The sum of products of all numbers."""
    agree(np.vdot, numbers(left), numbers(right, seed=1))


def test_single_precision():
    """Single precision stays, with a factor of double precision the gradient has that of its argument."""
    x, y = numbers((2, 3)).astype(np.float32), numbers((3, 2), seed=1)
    f = lambda x, y: np.sum(x @ y)
    assert np.float32 == trace(np.matmul, x, x.T, names=False).value.dtype
    assert (np.float32, np.float64) == tuple(part.dtype for part in grad(f, (0, 1))(x, y))
    twice = grad(lambda x: np.sum(grad(f)(x, y) * x))
    assert np.float32 == twice(x).dtype
