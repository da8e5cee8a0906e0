"""NumPy's classes and objects that loop over arrays or build them item by item."""

import functools
import math

import numpy as np
import pytest
import scipy.linalg
from numpy import nditer as imported_nditer

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree, agree_nearby
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

X, ROW, NUMBER = numbers((2, 3)), numbers((3,), seed=1), numbers((), seed=2)


@np.vectorize
def kinked(t, power=2):
    """A function of single numbers, made for arrays where it is defined."""
    return t**power if t > 1.2 else t


PROGRAMS = {
    "vectorize": lambda x: np.vectorize(lambda t: t * t if t > 1 else 3.0 * t)(x),
    "vectorize two": lambda x: np.vectorize(lambda t, u: t * u)(x, x[0]),
    "vectorize several results": lambda x: np.multiply(*np.vectorize(lambda t: (t, t * t), otypes=[float, float])(x)),
    "vectorize a number": lambda x: np.vectorize(lambda t: t * t)(x[0, 0]) * x,
    "vectorize with options": lambda x: np.vectorize(otypes="d")(lambda t: t * t)(x),
    "vectorize excluded": lambda x: np.vectorize(lambda t, p: t * p[0], excluded=[1])(x, [3.0]),
    "vectorize what encloses": lambda x: np.vectorize(lambda t: t * x[0, 0])(np.ones(2)),
    "decorated": lambda x: kinked(x) * kinked(x, 3) * kinked(x, power=1),
    "ndenumerate": lambda x: sum((i + 2 * j) * number for (i, j), number in np.ndenumerate(x * x)),
    "ndindex": lambda x: sum(x[place] * place[1] for place in np.ndindex(x.shape)),
    "r_": lambda x: np.r_[x[0], 1.0, x[1, 2], 0:3, [x[0, 0], 2.0]],
    "r_ of tables": lambda x: np.r_[x, 2 * x],
    "r_ of rows": lambda x: np.r_["0,2", x[0], 1:4, x * x],
    "r_ along an axis": lambda x: np.r_["-1", x, np.ones((2, 1))],
    "r_ of columns": lambda x: np.r_["1,2,0", x[0], x[1], x.T],
    "r_ of more axes": lambda x: np.r_["0,3,1", x, 2 * x],
    "c_": lambda x: np.c_[x[0], np.ones(3), x.T],
    "c_ of numbers": lambda x: np.c_[x[0, 0], 2.0, x[1, 1]],
    "flat as an array": lambda x: np.array(x.T.flat) * np.asarray(x.flat),
    "fromiter": lambda x: np.fromiter((t * t for t in x[0]), float),
    "fromiter counted": lambda x: np.fromiter(iter(x[0]), dtype=float, count=2),
    "arange": lambda x: np.arange(x[0, 0], 4.0, 0.7) * x[1, 0],
    "arange by a step": lambda x: np.sum(np.arange(0.0, 3.3, x[0, 0])),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x.T)[0] * np.ascontiguousarray(x[0, 0]),
    "asfortranarray": lambda x: np.asfortranarray(x * 2.0),
    "diag that is written to": lambda x: filled(np.diag([1.0, 2.0]), x),
    "tri that is written to": lambda x: filled(np.tri(3), x),
}


def filled(table, x):
    table[0, 1] = x[0, 0] * x[1, 1]
    return table * table


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(f):
    agree(f, X)


def test_plain_arguments():

    def f(x):
        assert [2.0, 1.0] == list(np.r_[2.0, 1.0])
        assert [((0,), 5)] == list(np.ndenumerate([5]))
        assert [4, 9] == np.vectorize(lambda t: t * t)([2, 3]).tolist()
        assert isinstance(np.fromiter([1, 2], int), np.ndarray)
        return np.array([x]).sum() ** 2

    assert grad(f)(3.0) == 6.0


@pytest.mark.filterwarnings("ignore:G205")
def test_whole_numbers_of_vectorize():
    """The type of the first result is that of all, as in NumPy: whole numbers carry no derivative."""
    f = lambda x: np.sum(np.vectorize(lambda t: 0 if t < 1 else t * t)(x))
    x = np.array([0.5, 2.5])
    assert (f(x), [0.0, 0.0]) == (6, grad(lambda x: 1.0 * f(x))(x).tolist())


EXPONENTIAL = np.vectorize(scipy.linalg.expm, signature="(m,m)->(m,m)")
REFUSED = [
    (lambda x: list(np.nditer(x)), "numpy.nditer"),
    (lambda x: imported_nditer([x, None]), "numpy.nditer"),
    (lambda x: np.vectorize(np.sum, signature="(n)->()")(x), "numpy.vectorize with signature="),
    (lambda x: EXPONENTIAL(x @ x.T / 9), "numpy.vectorize with signature="),
    (lambda x: np.r_["r", x], "numpy.r_ with 'r'"),
    (lambda x: np.require(x, requirements=["C"]), "numpy.require"),
    (lambda x: np.format_float_scientific(x[0, 0]), "numpy.format_float_scientific"),
]


@pytest.mark.parametrize(("f", "what"), REFUSED, ids=[what for _, what in REFUSED])
def test_refusals(f, what):
    with pytest.raises(UnsupportedError, match=f"{what} has no derivative rule"):
        trace(f, X, names=False)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.bool_])
def test_whole_numbers_by_numpys_types(kind):
    """`np.int64(x)` is an outcome, as `int(x)` is: the program is told a plain number."""
    name = kind.__name__
    recording = trace(lambda x: getattr(np, name)(x * 2.5) * x, 1.5, names=False)
    assert [name] == [outcome.name for outcome in recording.outcomes]
    assert [float(kind(3.75))] == list(recording.sensitivities()[:1])
    found = grad(lambda x: np.sum(np.zeros(3, dtype=np.int64) + getattr(np, name)(x) * x))(np.array([1.5, 2.5, 0.5]))
    assert kind(np.array([1.5, 2.5, 0.5])).astype(float).tolist() == found.tolist()


def test_numbers_that_have_to_be_finite():
    """`asarray_chkfinite` hands recorded values through, and raises as NumPy does."""
    assert grad(lambda x: np.sum(np.asarray_chkfinite([x[0], x[1]]) ** 2))(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="infs or NaNs"):
        trace(lambda x: np.asarray_chkfinite(x * np.array([np.inf, 1.0])), np.array([1.0, 2.0]), names=False)


def test_arrays_with_more_axes():
    assert np.shape(trace(lambda x: np.array([x, x], ndmin=3), 1.5, names=False).value) == (1, 1, 2)


SINE = np.vectorize(math.sin)
POWER_OF_TWO = np.vectorize(functools.partial(math.pow, 2.0))
TABLE = {"tanh": np.vectorize(math.tanh, otypes=[float])}


class Model:
    """What holds one as an attribute of the class, and one of its own."""

    cosine = np.vectorize(math.cos)

    def __init__(self):
        self.root = np.vectorize(math.sqrt)


MADE_OUTSIDE = {
    "of the module": lambda x: SINE(x),
    "a partial application": lambda x: POWER_OF_TWO(x),
    "in a dict": lambda x: TABLE["tanh"](x),
    "of a class": lambda x: Model.cosine(x),
    "of an instance": lambda x: Model().root(x),
    "of one number": lambda x: SINE(x[0, 0]) * x,
}


@pytest.mark.parametrize("name", MADE_OUTSIDE)
def test_vectorize_of_a_function_of_c_made_outside(name):
    agree_nearby(MADE_OUTSIDE[name], X)
    assert SINE.pyfunc is math.sin
