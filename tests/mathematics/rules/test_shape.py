"""Reshaping, transposing, broadcasting, joining and casting."""

import itertools
import sys

import numpy as np
import pytest

from gradcli import grad, hvp, trace
from tests.mathematics.rules.agreement import agree
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

ORDERS = ["C", "F", "strided", "reversed"]


@pytest.mark.parametrize(
    ("before", "after"),
    [((6,), (2, 3)), ((2, 3), (6,)), ((2, 3), (3, 2)), ((2, 3), (-1,)), ((), (1, 1)), ((1,), ()), ((2, 3), (1, 2, 3))],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_reshape(before, after, order):
    agree(lambda x: np.reshape(x, after, order=order), numbers(before))


@pytest.mark.parametrize("layout", ORDERS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_reshape_of_layouts(layout, order):
    """The layout in memory is not the order of reading."""
    agree(lambda x: np.reshape(x, (3, 2), order=order), numbers((2, 3), order=layout))


@pytest.mark.parametrize("axes", [None, *itertools.permutations(range(3)), (-1, 0, -2)])
def test_transpose(axes):
    agree(lambda x: np.transpose(x, axes), numbers((2, 3, 4)))


@pytest.mark.parametrize(
    ("before", "after"),
    [((), (3,)), ((1,), (3,)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3), (4, 2, 3)), ((2,), (0, 2))],
)
def test_broadcast(before, after):
    agree(lambda x: np.broadcast_to(x, after), numbers(before))


@pytest.mark.parametrize(("left", "right"), [((), (3,)), ((3,), (2, 3)), ((2, 1), (3,)), ((1,), (2, 0)), ((1,), ())])
@pytest.mark.parametrize("f", [np.add, np.multiply, np.maximum, np.hypot], ids=lambda ufunc: ufunc.__name__)
def test_broadcasting_operations(left, right, f):
    agree(f, numbers(left), numbers(right, seed=1))
    agree(f, numbers(right), numbers(left, seed=1))


def test_what_is_repeated_and_then_summed():
    """The forward sweep carries a tangent in the shape of its value, whatever the shape of what moved."""
    agree(lambda x: np.sum(x + np.zeros(3)), numbers(()))
    agree(lambda x: np.sum(x * np.ones((2, 3)), axis=0), numbers((3,)))


def test_cast():
    """The derivative of a change of precision is 1, in the argument's own precision."""
    f = lambda x: x.astype(np.float32) ** 2
    x = numbers((3,))
    assert trace(f, x, names=False).value.dtype == np.float32
    found = grad(lambda x: np.sum(f(x)))(x)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, 2 * x.astype(np.float32))


def test_cast_to_a_python_float():
    recording = trace(lambda x: x[1].item() ** 2, np.array([1.0, 3.0]), names=False)
    assert float is type(recording.value)
    assert recording.sensitivities()[0].tolist() == [0.0, 6.0]


THERE_AND_BACK = [lambda x: np.asarray(x)[()], lambda x: np.array(x)[None][0].item(), lambda x: np.asarray(x)[...]]


@pytest.mark.parametrize("f", THERE_AND_BACK)
def test_a_number_that_becomes_an_array_and_back(f):
    """The second derivative goes through an array without axes, in both orders of sweeps."""
    cube = lambda x: f(x) ** 3
    assert [grad(grad(cube))(2.0), hvp(cube, 2.0, 1.0)] == [12.0, 12.0]


# Functions that join pieces, with the number of axes that each piece needs
JOINS = {
    "hstack": (np.hstack, 1),
    "vstack": (np.vstack, 2),
    "dstack": (np.dstack, 3),
    "column_stack": (np.column_stack, 2),
    "stack": (np.stack, 0),
    "array": (np.array, 0),
    "concatenate": (lambda parts: np.concatenate([np.atleast_1d(part) for part in parts]), 1),
    "block": (np.block, 1),
    "r_": (lambda parts: np.r_[tuple(parts)], 1),
    "c_": (lambda parts: np.c_[tuple(parts)], 2),
}


@pytest.mark.parametrize("name", JOINS)
def test_the_work_of_joining_is_in_proportion_to_the_pieces(name):
    """The sizes that the sweep asks for grow as their number does, and the derivative is that of the sum."""

    def asked(count):
        calls = 0

        def count_calls(frame, event, argument):
            nonlocal calls
            calls += event == "call"

        f = grad(lambda x: np.sum(JOINS[name][0]([2 * piece for piece in x])))
        f(np.ones(count))
        before = sys.getprofile()
        sys.setprofile(count_calls)
        try:
            found = f(np.ones(count))
        finally:
            sys.setprofile(before)
        assert [2.0] * count == found.tolist()
        return calls

    assert asked(400) < 5 * asked(100)


@pytest.mark.parametrize(("join", "ndim"), JOINS.values(), ids=JOINS)
@pytest.mark.parametrize("axes", [0, 1, 2, 3])
def test_equal_pieces_get_the_axes_that_they_lack_together(join, ndim, axes):
    """Joining takes one row, and one more if more than one axis is missing; `concatenate` here gives axes by itself."""
    pieces = 50
    x = np.arange(1.0, pieces + 1).reshape((pieces, *(1,) * axes))

    rows = len(trace(lambda x: join([x[n] for n in range(pieces)]), x, names=False).nodes)

    by_itself = pieces if join is JOINS["concatenate"][0] and not axes else 0
    assert rows == 1 + pieces + by_itself + 1 + (ndim - axes > 1)


SHAPES = [
    *([shape] * 2 for shape in ((), (3,), (1,), (2, 3), (2, 2, 2), (0,))),
    [(), (2,)], [(3,), (1, 3)], [(3,), (3, 2)], [(2,), (1, 2, 1)], [(2, 3), (2, 3, 2)], [(3,), (2,)], [()], [(3,)],
]  # fmt: skip


def can_join(join, pieces):
    try:
        return join(pieces) is not None
    except ValueError:
        return False


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", JOINS)
def test_pieces_are_joined_as_by_numpy(name, shapes):
    pieces, join = [numbers(shape) for shape in shapes], JOINS[name][0]
    if can_join(join, pieces):
        agree(lambda *pieces: join(list(pieces)), *pieces)
    elif name != "array":  # whose text is the place where the number is lost
        with pytest.raises(ValueError, match="must"):
            grad(lambda *pieces: np.sum(join(list(pieces))))(*pieces)


@pytest.mark.parametrize("text", ["0,2", "1,2", "-1,2,0", "0,3,1", "2,3,1", "1,3,0", "0,3,-1", "-1,3,-2"])
def test_pieces_are_joined_by_the_directives_of_r_(text):
    for shape in ((), (3,), (3, 3)):
        agree(lambda x, y: np.r_[text, x, y], numbers(shape), numbers(shape))


def test_pieces_of_blocks():
    agree(lambda x, y: np.block([[x, y], [y, x]]), numbers(()), numbers(()))
    agree(lambda x, y: np.block([[x, y], [1.0, x]]), numbers(()), numbers(()))
    agree(lambda x, y: np.block([[x, x], [y]]), numbers((2,)), numbers((4,)))
    agree(lambda x, y: np.block([[[x], [x]], [[y], [y]]]), numbers((2,)), numbers((2,)))


def test_pieces_are_joined_in_a_dtype():
    joined = trace(lambda x: np.hstack([x[0], x[1]], dtype=np.float32), np.array([1.0, 2.0]), names=False).value
    assert (joined.dtype, joined.tolist()) == (np.float32, [1.0, 2.0])
