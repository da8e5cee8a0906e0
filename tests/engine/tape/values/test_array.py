"""Recorded arrays: their methods and operators, views and writes, and NumPy's own numbers."""

import copy
import math

import numpy as np
import pytest

from gradcli import grad, trace, value_and_grad
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

X, Y, CUBE = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4))
ROW = numbers((3,), seed=2)

OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "**": lambda x, y: x**y,
    "%": lambda x, y: x % y,
    "@": lambda x, y: x @ y,
}


@pytest.mark.parametrize("f", OPERATORS.values(), ids=OPERATORS)
def test_operators(f):
    """Between two recorded arrays, a recorded and a plain one on either side, and with a list."""
    x, y = (numbers((3, 3)), numbers((3, 3), seed=1) / 3) if f is OPERATORS["@"] else (X, Y / 3)
    agree(f, x, y)
    agree(lambda x: f(x, y), x)
    agree(lambda y: f(x, y), y)
    agree(lambda x: f(x, y.tolist()), x)
    agree(lambda y: f(x.tolist(), y), y)


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {"@"}))
@pytest.mark.parametrize("number", [2, 3.5, np.float64(1.5), True])
def test_operators_with_numbers(name, number):
    f = OPERATORS[name]
    if name != "%" or number > 2:  # at a remainder of numbers close to each other differences would see the jump
        agree(lambda x: f(x, number), X)
        agree(lambda x: f(number, x), X)


@pytest.mark.parametrize("f", [lambda x: -x, lambda x: +x, lambda x: abs(x), lambda x: -abs(-x)])
def test_signs(f):
    agree(f, X - 1.3)


METHODS = {
    "round": lambda x: x * x.round(),
    "mean": lambda x: x.mean(axis=-1, keepdims=True),
    "flat": lambda x: np.stack(list(x.flat)),
    "item": lambda x: x.item(4) * x.item(1, 2) * x,
    "tolist": lambda x: np.stack([row[0] * row[1] for row in x.tolist()]),
    "deepcopy": lambda x: copy.deepcopy(x) * copy.copy(x),
}


@pytest.mark.parametrize("f", METHODS.values(), ids=METHODS)
def test_methods(f):
    """The others are in the self-test's table, which `test_breadth` takes."""
    agree(f, X)


def test_what_asks_for_shape_records_nothing():
    """Shape, length and type are plain, and no outcome."""

    def f(x):
        assert ((2, 3), 2, 6, 2, np.float64) == (x.shape, x.ndim, x.size, len(x), x.dtype)
        assert isinstance(x, np.ndarray)
        return x

    recording = trace(f, X, names=False)
    assert (len(recording.nodes), list(recording.outcomes)) == (1, [])


def test_iteration():
    agree(lambda x: np.stack([row[0] * row for row in x]), X)
    agree(lambda x: sum(number**2 for row in x for number in row), X)


@pytest.mark.filterwarnings("ignore:G206")
def test_membership():
    assert grad(lambda x: x.sum() * (2.0 if 1.0 in x else 3.0))(np.array([1.0, 5.0])).tolist() == [2.0, 2.0]
    assert grad(lambda x: x.sum() * (2.0 if 4.0 in x else 3.0))(np.array([1.0, 5.0])).tolist() == [3.0, 3.0]


def test_masks():
    """A comparison is a plain mask, an outcome that reads what holds."""
    agree(lambda x: x[x > 1.2] * 2.0, np.array([0.2, 3.0, 4.0, 0.3]))
    recording = trace(lambda x: x[(x > 1) & (x < 2)], X, names=False)
    assert [outcome.name for outcome in recording.outcomes] == ["greater", "less"]


@pytest.mark.parametrize("name", ["byteswap", "tobytes"])
def test_methods_without_a_rule(name):
    """A method of NumPy's that has no rule is refused by name, one that NumPy lacks as Python does."""
    with pytest.raises(UnsupportedError, match=f"numpy.ndarray.{name} has no derivative rule"):
        trace(lambda x: getattr(x, name)(), X, names=False)


def test_attributes_that_do_not_exist():
    with pytest.raises(AttributeError, match=r"'numpy\.ndarray' object has no attribute 'nosuch'"):
        trace(lambda x: x.nosuch, X, names=False)


def test_errors_are_numpys_own():
    with pytest.raises(ValueError, match="could not be broadcast together"):
        trace(lambda x: x + np.ones(7), X, names=False)
    with pytest.raises(TypeError, match="not iterable"):
        trace(lambda x: list(x.sum()), X, names=False)
    with pytest.raises(TypeError, match="unsupported operand"):
        trace(lambda x: x + None, X, names=False)
    with pytest.raises(ValueError, match="truth value of an array"):
        trace(lambda x: 1.0 if x > 1 else 2.0, X, names=False)


# Writing


def in_place(write):
    """A program that writes into a copy of its argument and returns it."""

    def program(x, *others):
        x = x.copy()
        write(x, *others)
        return x

    return program


def add_to_all(x, y):
    x += y


def scale_rows(x, y):
    for row in x:
        row *= y


def write_through_a_view(x, y):
    top = x[:1]
    top[0, 1:] = y[:2] * 2.0


def read_a_view_after_a_write(x, y):
    """Read through a view what was written after it was taken."""
    column = x[:, 1]
    x[0] = y
    x[1] = column[0] * y


def write_to_one_view_and_read_another(x, y):
    """Read through one view what was written through another."""
    first, transposed = x[0], x.T
    first *= y
    x[1] = transposed[:, 0] + 1.0


def write_through_views_of_views(x, y):
    x.T[1:][0][1] = y[0] * y[1]


def write_through_reshape(x, y):
    flat = x.reshape(-1)
    flat[1::2] = y
    x.ravel()[0] = y[2]


def write_to_a_copy(x, y):
    other = x[0].copy()
    other[:] = y
    x[1] = other * x[0]


def write_to_what_is_no_view(x, y):
    """Write into what NumPy copies."""
    chosen = x[[0, 1]]
    chosen[:] = 0.0
    flat, same = x.flatten(), x.astype(float)
    flat[:] = 0.0
    same[:] = 0.0
    x[0] = x[0] * y


def swap(x, y):
    x[0], x[1] = x[1] * y, x[0].copy()


def add_into_places(x, y):
    """All operators with `=`, into all kinds of places."""
    x[0] += y
    x[1, 1:] -= y[1:]
    x[0, 2] *= y[0]
    x[:, 0] /= 2.0
    x[1] **= 2
    x[1][0] += x[0, 0]


def write_with_masks(x, y):
    """Write where a mask or a list says."""
    x[x > 1.3] = 0.5
    x[0, [0, 0, 2]] = y
    x[1] %= 0.4


WRITES = [
    add_to_all, scale_rows, write_through_a_view, read_a_view_after_a_write, write_to_one_view_and_read_another,
    write_through_views_of_views, write_through_reshape, write_to_a_copy, write_to_what_is_no_view, swap,
    add_into_places, write_with_masks,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_writes(write):
    agree(in_place(write), np.array([[0.7, 1.6, 0.9], [1.8, 0.6, 1.0]]), ROW)


def test_a_row_that_is_changed_is_written_once():
    """`x[0] += y` writes to the row and to the array, and not twice."""
    program = in_place(lambda x: x.__setitem__(0, x[0].__iadd__(1.0)))
    names = [node.operation for node in trace(program, X, names=False).nodes]
    assert names.count("put") == 1


@pytest.mark.parametrize(
    ("write", "wanted"),
    [
        (lambda x: np.multiply(x, 2.0, out=x), [2.0, 2.0]),
        (lambda x: x.__imul__(2.0), [2.0, 2.0]),
        (lambda x: x.__setitem__(0, 5.0), [0.0, 1.0]),
        (lambda x: x.__setitem__(slice(None), x[::-1] ** 2), [2.0, 4.0]),
    ],
)
def test_writes_into_the_argument(write, wanted):
    """The derivative is by what the argument was, and the caller's array stays."""

    def f(x):
        write(x)
        return x.sum()

    x = np.array([1.0, 2.0])
    assert grad(f)(x).tolist() == wanted
    assert x.tolist() == [1.0, 2.0]


def test_a_plain_array_is_not_written_to():
    recording = trace(in_place(add_to_all), X, ROW, names=False)
    np.testing.assert_array_equal(recording.nodes[0].value, X)


def test_a_write_of_another_shape():
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        trace(in_place(lambda x: x.__iadd__(np.ones((5, 2, 3)))), X, names=False)


def test_a_number_is_not_written_to():
    """A NumPy number has no places, and `+=` makes another one."""

    def write(x):
        x[0] = 1.0

    with pytest.raises(TypeError, match="does not support item assignment"):
        trace(write, np.float64(2.0), names=False)

    def f(x):
        before = x
        x += 1.0
        return before * x

    assert grad(f)(np.float64(2.0)) == 5.0


# NumPy's own numbers


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_of_numpy(kind):
    """A NumPy number is computed with as NumPy does, and keeps its type."""
    value, gradient = value_and_grad(lambda x: np.sin(x) * x**2 / 3)(kind(1.5))
    assert (kind, kind) == (type(value), type(gradient))
    wanted = math.cos(1.5) * 0.75 + math.sin(1.5)
    assert gradient == pytest.approx(wanted, rel=1e-6 if kind is np.float32 else 1e-14)


def test_division_by_zero():
    """A NumPy number gives infinity where a Python float raises."""
    with np.errstate(all="ignore"):
        assert trace(lambda x: 1.0 / x, np.float64(0.0), names=False).value == np.inf
    with pytest.raises(ZeroDivisionError):
        trace(lambda x: 1.0 / x, 0.0, names=False)


def test_methods_of_numbers():
    assert grad(lambda x: x.sum() * x.item() * x.reshape(1, 1)[0, 0] / x.mean())(np.float64(3.0)) == 6.0


# Mixtures


def test_python_floats_with_arrays():
    gradients = grad(lambda a, x: (a * x + np.array([1.0, 2.0]) * a).sum(), (0, 1))(2.0, np.array([3.0, 4.0]))
    assert (gradients[0], gradients[1].tolist()) == (10.0, [2.0, 2.0])
    assert [float, np.ndarray] == [type(part) for part in gradients]
    assert grad(lambda a: (np.array([3.0, 4.0]) * a).sum())(2.0) == 7.0


def test_lists_of_floats_into_an_array():

    def f(a, b):
        return (np.array([[a, b], [1.0, a]]) @ np.asarray([b, 2.0])).sum()

    assert grad(f, (0, 1))(2.0, 1.0) == (3.0, 5.0)


def test_an_array_that_is_filled():
    """Recorded numbers are written into an array that the program makes."""

    def f(x):
        table = np.zeros(4).reshape(2, 2)
        table[0, 0] = x[0] * 2.0
        table[1] = x
        return (table * table).sum()

    assert grad(f)(np.ones(2)).tolist() == [10.0, 2.0]


def test_single_precision_with_python_floats():
    """A Python float does not change the precision of an array."""
    x = np.array([1.0, 2.0], dtype=np.float32)
    value, gradient = value_and_grad(lambda x: ((2.0 * x + 1.0) ** 2 / 3.0).sum())(x)
    assert (type(value), gradient.dtype) == (np.float32, np.float32)


def test_another_name_for_the_same_numbers():
    """A view of the same type is one; what would read the bits is refused."""

    def f(x):
        y = x * 1.0
        y.view()[0] = 7.0
        return np.sum(y * y.view(np.ndarray) * y.view(np.float64))

    assert grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [0.0, 12.0, 27.0]
    with pytest.raises(UnsupportedError, match=r"numpy.ndarray.view in another type"):
        trace(lambda x: x.view(np.int64), X, names=False)


def test_what_libraries_ask_of_an_array():
    """How it lies, where it is, whether it may be written into, and which functions there are for it."""

    def f(x):
        assert (True, True, "cpu") == (x.flags.writeable, x.flags["C_CONTIGUOUS"], x.device)
        assert x.flags["WRITEABLE"]
        x.setflags(write=False)
        functions = x.__array_namespace__()
        made = functions.zeros(6)
        made[:3] = functions.asarray(x) ** 2
        return functions.sum(made)

    np.testing.assert_array_equal(2 * ROW, grad(f)(ROW))


def test_whether_a_number_is_whole():
    assert [True] == [
        outcome.answer for outcome in trace(lambda x: x[0].is_integer() * x[0], np.array([2.0, 0.5])).outcomes
    ]
