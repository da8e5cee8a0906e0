"""Arrays that were made before a run and are written into."""

import copy

import numpy as np
import pytest

import gradcli
from gradcli.errors import DetachedError

POINT = np.array([0.4, 0.6])
OUT = np.zeros(2)
SECOND = OUT
TABLE = {"out": np.zeros(2), "rows": [np.zeros(2), np.zeros(2)]}
SHOWN = np.zeros((2, 2))
ROW = SHOWN[0]
HELD = (np.zeros(2),)
WHOLE = np.zeros(2, int)


class Model:
    """A model with buffers of its own."""

    shared = np.zeros(2)

    def __init__(self):
        self.buffer = np.zeros((2, 2))
        self.other = self.buffer

    def one_by_one(self, x):
        for i in range(2):
            self.buffer[0, i] = x[i] ** 2
        return self.buffer[0].sum()

    def by_two_names(self, x):
        self.buffer[1] = x * x[0]
        return self.other[1].sum()

    def of_the_class(self, x):
        self.shared[:] = np.sin(x)
        return (Model.shared**2).sum()

    def by_a_local_name(self, x):
        row = self.buffer[0]
        row[:] = x * x[1]
        return self.buffer[0].sum()

    def by_a_helper(self, x):
        """The helper knows the array as its argument."""
        fill(self.buffer[1], x)
        return self.buffer[1].prod()


def fill(target, x):
    target[:] = x**3


def of_the_module(x):
    OUT[0] = x[0] * x[1]
    OUT[1] = OUT[0] ** 2
    return SECOND.sum()


def in_place(x):
    global OUT
    OUT[:] = 1.0
    OUT *= x
    return OUT.prod()


def as_out(x):
    np.multiply(x, x, out=OUT)
    np.add.at(OUT, [0], x[1])
    return OUT.sum()


def by_methods(x):
    OUT.fill(x[0])
    OUT.put([1], x[1] ** 2)
    return OUT.prod()


def in_containers(x):
    TABLE["out"][:] = x
    for n, row in enumerate(TABLE["rows"]):
        row[:] = TABLE["out"] ** (n + 2)
    return TABLE["rows"][0].sum() * TABLE["rows"][1].sum()


def inside_a_gradient(x):
    """The inner function writes, the outer one reads."""
    slope = gradcli.grad(of_the_module)(x)
    return OUT.sum() * slope[0]


def enclosing():
    """A buffer that a function encloses."""
    buffer = np.zeros(2)

    def inside(x):
        buffer[:] = x**2
        return buffer.sum()

    return inside


WRITERS = [
    of_the_module, in_place, as_out, by_methods, in_containers, inside_a_gradient, enclosing(),
    Model().one_by_one, Model().by_two_names, Model().of_the_class, Model().by_a_local_name, Model().by_a_helper,
]  # fmt: skip


def _buffers(f):
    held = vars(f.__self__) if hasattr(f, "__self__") else {}
    return copy.deepcopy([OUT, TABLE, Model.shared, held, [cell.cell_contents for cell in f.__closure__ or ()]])


@pytest.mark.parametrize("f", WRITERS, ids=lambda f: f.__name__)
def test_a_buffer_is_written_into(f):
    """The gradient is that of differences; afterwards the buffer holds the numbers of a plain run."""
    steps = 1e-5 * np.eye(2)
    expected = [(f(POINT + step) - f(POINT - step)) / 2e-5 for step in steps]
    f(POINT)
    plainly = _buffers(f)
    f(2 * POINT)

    for _ in range(2):
        np.testing.assert_allclose(gradcli.grad(f)(POINT), expected, rtol=1e-8)
        np.testing.assert_equal(_buffers(f), plainly)
        f(2 * POINT)


def through_a_view(x):
    SHOWN[0] = x
    return ROW.sum()


def in_a_tuple(x):
    HELD[0][:] = x
    return HELD[0].sum()


def as_a_default(x, buffer=np.zeros(2)):  # noqa: B008 - what is tested
    buffer[:] = x
    return buffer.sum()


def of_whole_numbers(x):
    WHOLE[:] = x
    return WHOLE.sum()


@pytest.mark.parametrize("f", [through_a_view, in_a_tuple, as_a_default, of_whole_numbers])
def test_what_cannot_be_exchanged_is_refused(f):
    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        gradcli.grad(f)(POINT)


def test_an_error_leaves_what_was_written():

    def f(x):
        OUT[:] = x**2
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        gradcli.grad(f)(POINT)
    np.testing.assert_array_equal(POINT**2, OUT)


def test_the_second_derivative():
    slope = gradcli.grad(of_the_module)
    expected = [(slope(POINT + step) - slope(POINT - step)) / 2e-5 for step in 1e-5 * np.eye(2)]
    np.testing.assert_allclose(gradcli.hessian(of_the_module)(POINT), expected, rtol=1e-8)


def test_a_new_object_each_time():
    """Its buffers are other places than those of the one before, and nothing is said."""
    for _ in range(12):
        assert 0.8 == pytest.approx(gradcli.grad(Model().one_by_one)(POINT)[0])
