"""Arrays made inside a run: recorded values can be put into them and written to them."""

import math
import weakref

import numpy as np
import pytest

from gradcli import grad, trace, value_and_grad
from gradcli.engine.tape.values import array_creation
from gradcli.errors import DetachedError

pytestmark = pytest.mark.sampled(4)  # many like cases

WEIGHTS = np.array([1.0, 2.0, 3.0])
COUNTS = np.arange(4)


def fill(array, x, y):
    """Write into a new array in several ways."""
    array[0] = x
    array[1:] = y
    array[2] += x
    array[1] *= 2
    return array


MADE = {
    "zeros": lambda: np.zeros(3),
    "ones": lambda: np.ones(3),
    "empty": lambda: np.empty(3),
    "full": lambda: np.full(3, 2.5),
    "zeros_like": lambda: np.zeros_like(WEIGHTS),
    "ones_like": lambda: np.ones_like(WEIGHTS),
    "empty_like": lambda: np.empty_like(WEIGHTS),
    "full_like": lambda: np.full_like(WEIGHTS, 2.5),
    "array": lambda: np.array([1.0, 2.0, 3.0]),
    "array of an array": lambda: np.array(WEIGHTS),
    "copy": lambda: np.copy(WEIGHTS),
    "linspace": lambda: np.linspace(0, 1, 3),
    "arange": lambda: np.arange(3.0),
    "logspace": lambda: np.logspace(0, 1, 3),
    "geomspace": lambda: np.geomspace(1, 2, 3),
    "tile": lambda: np.tile([1.0], 3),
    "repeat": lambda: np.repeat(1.0, 3),
    "eye": lambda: np.eye(3)[0],
    "identity": lambda: np.identity(3)[:, 1],
    "dtype": lambda: np.zeros(3, dtype=float),
    "two axes": lambda: np.zeros((3, 1))[:, 0],
    "of a dict": lambda: {"a": np.zeros(3)}["a"],
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_a_new_array_can_be_written_to(make):
    """x, 2y and x + y: the gradient of the sum of squares."""
    f = lambda x, y: (fill(make(), x, y) ** 2).sum()

    value, gradient = value_and_grad(f, (0, 1))(2.0, 3.0)

    assert 4.0 + 36.0 + 25.0 == f(2.0, 3.0) == value
    assert gradient == (4.0 + 10.0, 24.0 + 10.0)
    np.testing.assert_array_equal([1.0, 2.0, 3.0], WEIGHTS)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x, y: np.array([x, y]), (1.0, 1.0)),
        (lambda x, y: np.array([[x, 1.0], (y, 2)]), (1.0, 1.0)),
        (lambda x, y: np.array((x, [y][0], x)), (2.0, 1.0)),
        (lambda x, y: np.array([np.array([x, y]), [y, 1]]), (1.0, 2.0)),
        (lambda x, y: np.array(x) * 2, (2.0, 0.0)),
        (lambda x, y: np.asarray([x, y, y]), (1.0, 2.0)),
        (lambda x, y: np.asarray(x) + np.asanyarray([y]), (1.0, 1.0)),
        (lambda x, y: np.array([x * k for k in range(4)]), (6.0, 0.0)),
        (lambda x, y: np.array([x, y], dtype=float) + np.array([x], float), (3.0, 1.0)),
        (lambda x, y: np.array([x, y], dtype=np.float32), (1.0, 1.0)),
        (lambda x, y: np.array([x, y], dtype=object), (1.0, 1.0)),
        (lambda x, y: np.array([x, y], dtype=int) * x, (5.0, 0.0)),
        (lambda x, y: np.array([x, y]).astype(int) * y, (0.0, 5.0)),
        (lambda x, y: np.array([x], ndmin=1), (1.0, 0.0)),
        (lambda x, y: np.full(3, x) + np.full((2, 3), y), (6.0, 6.0)),
        (lambda x, y: np.full(2, [x, y]), (1.0, 1.0)),
        (lambda x, y: np.full_like(WEIGHTS, x) * WEIGHTS, (6.0, 0.0)),
        (lambda x, y: np.eye(2) * x + np.identity(2) * y, (2.0, 2.0)),
        (lambda x, y: np.stack([x, y]) + np.stack([[x, y], [y, x]]), (4.0, 4.0)),
        (lambda x, y: np.concatenate([[x], [y, x], np.ones(2)]), (2.0, 1.0)),
        (lambda x, y: np.hstack([x, y]) + np.vstack([[x, y], [1.0, 2.0]]), (3.0, 3.0)),
        (lambda x, y: np.array([x, y]).tolist()[0] + np.array([x, y]).item(1), (1.0, 1.0)),
        (lambda x, y: np.float64(x) + np.array([x, y])[1].item(), (1.0, 1.0)),
    ],
)
def test_an_array_of_recorded_numbers(make, expected):
    """The gradient of the sum of its numbers, at x = 2.25 and y = 3.5."""
    assert grad(lambda x, y: np.sum(make(x, y)), (0, 1))(2.25, 3.5) == pytest.approx(expected)


@pytest.mark.parametrize(
    "make", [lambda: np.zeros(2), lambda: np.array([1.0]), lambda: np.full(2, 1.0), lambda: np.eye(2)]
)
def test_outside_of_a_run_they_are_numpys(make):
    assert type(make()) is np.ndarray
    for name in array_creation.FUNCTIONS:
        assert hasattr(np, name)
    assert type(array_creation.FUNCTIONS["zeros"](2)) is np.ndarray
    assert type(array_creation.FUNCTIONS["array"]([1.0])) is np.ndarray


def test_arrays_of_whole_numbers_stay_plain():
    kinds = []

    def f(x):
        counts = np.zeros(3, dtype=int)
        counts[int(x)] += 1
        kinds.append(type(counts))
        return np.array([x, x, x])[counts > 0].sum() * x

    assert grad(f)(2.0) == 4.0
    assert kinds[-1] is np.ndarray


def test_a_write_into_an_array_of_whole_numbers_is_refused():

    def f(x):
        a = np.zeros(2, dtype=int)
        a[0] = x
        return a.sum()

    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        grad(f)(2.0)


def test_an_array_of_objects_holds_the_numbers_themselves():

    def f(x):
        a = np.zeros(2, dtype=object)
        a[0] = x
        return a[0] * a[0] + a.sum()

    assert grad(f)(2.0) == 5.0


def test_a_value_that_was_read_stays_what_it_was():

    def f(x, y):
        a = np.array([x, y])
        s = a[0]
        a[0] = 100.0
        return s * a[1]

    assert grad(f, (0, 1))(2.0, 3.0) == (3.0, 2.0)


def test_what_is_overwritten_has_no_part():

    def f(x, y):
        a = np.zeros(2)
        a[0] = x * x
        a[0] = y
        return a.sum()

    assert grad(f, (0, 1))(2.0, 3.0) == (0.0, 1.0)


def test_a_recurrence():

    def f(x, y):
        a = np.zeros(4)
        a[0] = x
        for n in range(1, 4):
            a[n] = a[n - 1] * y
        return a[-1]

    assert grad(f, (0, 1))(2.0, 3.0) == (27.0, 54.0)


@pytest.mark.parametrize(
    ("alias", "place"),
    [
        (lambda a: a[0], (0, 1)),
        (lambda a: a[0][:2], (0, 1)),
        (lambda a: a[:, 1], (0, 1)),
        (lambda a: a.T[1], (0, 1)),
        (lambda a: a.reshape(4)[:2], (0, 1)),
        (lambda a: a.ravel()[0:2], (0, 1)),
        (lambda a: np.asarray(a)[0], (0, 1)),
        (lambda a: a[None][0, 0], (0, 1)),
        (lambda a: np.swapaxes(a, 0, 1)[1], (0, 1)),
        (lambda a: next(iter(a)), (0, 1)),
        (lambda a: a[...][0], (0, 1)),
    ],
)
def test_a_write_through_a_view(alias, place):
    """What is written to a part of an array is written to the array, and the other way round."""

    def through_the_view(x):
        a = np.zeros((2, 2))
        part = alias(a)
        if alias(np.arange(4.0).reshape(2, 2))[0] == 0:
            part[1] = x
        else:
            part[0] = x
        return a[place] * 3.0

    def through_the_array(x):
        a = np.zeros((2, 2))
        part = alias(a)
        a[place] = x
        return part.sum() * 3.0

    for f in (through_the_view, through_the_array):
        assert f(2.0) == 6.0, "the plain run"
        assert grad(f)(2.0) == 3.0


@pytest.mark.parametrize(
    "copied", [lambda a: a.copy(), lambda a: np.array(a), lambda a: a[[0, 1]], lambda a: a + 0, lambda a: a.flatten()]
)
def test_a_write_to_a_copy(copied):

    def f(x):
        a = np.zeros(2)
        a[0] = x
        b = copied(a)
        b[0] = 100.0
        return a[0] * b[0]

    assert grad(f)(2.0) == 100.0


def test_the_callers_array_does_not_change():
    """A function that updates its argument in place has an array of its own."""

    def f(v):
        v += 1.0
        v[0] *= v[1]
        return v.sum()

    point = np.array([2.0, 3.0])

    np.testing.assert_array_equal([4.0, 4.0], grad(f)(point))
    np.testing.assert_array_equal([2.0, 3.0], point)
    np.testing.assert_array_equal([4.0, 4.0], trace(f, point).sensitivities()[0])


def test_arrays_of_the_module_and_of_defaults_are_constants():

    def f(x, w=np.array([1.0, 2.0])):  # noqa: B008 - as users write it
        return (w * x).sum() + WEIGHTS @ (x * WEIGHTS) + x * COUNTS[2]

    assert grad(f)(1.5) == 3.0 + 14.0 + 2.0


def test_math_and_numpy_together():
    """Numbers of arrays in functions of `math`, and the other way round."""

    def f(x):
        a = np.array([math.sin(x), math.cos(x)])
        return math.exp(a[0]) * float(a[1]) + math.sqrt(np.float64(x))

    x = 0.7
    expected = math.exp(math.sin(x)) * (math.cos(x) ** 2 - math.sin(x)) + 0.5 / math.sqrt(x)
    assert math.isclose(expected, grad(f)(x))


def test_what_a_shim_makes_of_recorded_values():

    def f(x):
        made = np.zeros(1)
        made[0] = np.sum(x)
        return (
            np.sum(np.tile(x, 2) * made) + np.sum(np.diag(x)) + np.sum(np.repeat(x, 2)) + np.sum(np.linspace(x, 0.0, 3))
        )

    assert grad(f)(np.array([1.0, 2.0])).tolist() == [16.5, 16.5]


class Signal:
    """An array in an object of the program's."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.numbers, dtype)


def test_an_object_that_is_an_array():
    assert grad(lambda x: np.sum(np.asarray(Signal(x)) ** 2))(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert grad(lambda x: np.sum(np.array(Signal(x), dtype=float)))(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


OPERANDS = {
    "an operator": lambda x: x * Signal(x * x),
    "a ufunc": lambda x: np.add(Signal(x[::-1]), x),
    "a function": lambda x: np.where(x > 1.0, x, Signal(x * 3.0)),
    "written": lambda x: into(np.zeros((2, 2)), Signal(x * x)),
    "written over itself": lambda x: into((array := np.zeros((2, 2))), Signal(array)) + x,
    "constant": lambda x: x + Signal(np.ones(2)),
}


def into(array, item):
    array[:] = item
    return array


@pytest.mark.parametrize("name", OPERANDS)
def test_an_object_that_is_an_array_beside_recorded_ones(name):
    """It stands for what its `__array__` makes of it."""
    agree(OPERANDS[name])


def agree(f):
    """The value is the plain run's, the gradient that of differences."""
    x = np.array([0.7, 1.9])
    plain = f(x)
    np.testing.assert_array_equal(trace(f, x, names=False).value, plain)
    got = grad(lambda x: np.sum(f(x) * np.arange(1.0, 3.0)))(x)
    step = 1e-6 * np.eye(2)
    wanted = [np.sum((f(x + h) - f(x - h)) * np.arange(1.0, 3.0)) / 2e-6 for h in step]
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def read_as_an_array(signal):
    return np.asarray(signal)


HIDDEN = weakref.ref(read_as_an_array)
ALONE = {
    "a ufunc": lambda x: np.sin(Signal(x)),
    "a function": lambda x: np.cumsum(Signal(x * x)),
    "of linear algebra": lambda x: np.linalg.inv(Signal(np.outer(x, x) + np.eye(2)))[0],
    "two of them": lambda x: np.outer(Signal(x), Signal(np.exp(x)))[1],
    "in a function that was not read before": lambda x: HIDDEN()(Signal(x)) ** 3,
}


@pytest.mark.parametrize("name", ALONE)
def test_an_object_that_is_an_array_alone(name):
    """NumPy's functions take it for the array that it holds, too."""
    agree(ALONE[name])


def test_an_object_that_compiled_code_takes_for_an_array():
    with pytest.raises(DetachedError, match=r"treats an object as an array, and the object's method") as caught:
        grad(lambda x: np.sum(WEIGHTS * Signal(x)))(np.ones(3))
    assert "np.asarray(x)" in caught.value.hint


@pytest.mark.parametrize("order", "CF")
def test_an_array_that_is_not_filled_holds_zeros_while_recorded(order):
    """Numbers that nobody chose are no constants of a program."""

    def unfilled(x):
        made = [np.empty((50, 40), order=order), np.empty_like(np.asarray(WEIGHTS)), np.empty(3, dtype=complex)]
        made[0][0] = x
        assert made[0].flags.f_contiguous == (order == "F")
        assert np.empty(2, dtype=object).tolist() == [None, None]
        return sum(np.sum(np.abs(each)) for each in made)

    assert value_and_grad(unfilled)(2.0) == (80.0, 40.0)
