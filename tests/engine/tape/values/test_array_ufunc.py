"""NumPy's ufuncs on recorded values: every one of them, their options and their methods."""

import ctypes
import queue
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special

from gradcli import grad, trace
from gradcli.engine.tape.value import is_recorded
from gradcli.engine.tape.values.array_ufunc import is_foreign
from gradcli.errors import DetachedError, UnsupportedError
from gradcli.mathematics.rules.nondifferentiable import NUMPY
from gradcli.mathematics.rules.numpy.ufuncs import MADE_OF_ROWS, ufunc_rule
from tests.mathematics.rules.agreement import agree, agree_on_the_host
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(6)  # many like cases

X, Y = numbers((2, 3)), numbers((2, 3), seed=1)
ROW = numbers((3,), seed=2)
MASK = X > 1.2
UFUNCS = sorted({f for n in dir(np) if isinstance(f := getattr(np, n), np.ufunc)}, key=lambda f: f.__name__)


def value(f, *arguments):
    return trace(f, *arguments, names=False).value


# Every ufunc


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_every_ufunc_has_its_place(ufunc):
    """Each is a row, made of rows, or zero by declaration; none is two of these."""
    name = ufunc.__name__
    row = ufunc_rule(name) is not None and name not in MADE_OF_ROWS
    assert row + (name in MADE_OF_ROWS) + (name in NUMPY) == 1


@pytest.mark.parametrize(
    "name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm", "invert", "isnat"]
)
def test_of_integers_only(name):
    """What NumPy does not do with floats it does not do with recorded ones, in its own words."""
    ufunc = getattr(np, name)
    with pytest.raises(TypeError, match=f"ufunc '{name}'"):
        value(lambda x: ufunc(*[x] * ufunc.nin), X)


MADE = {
    "modf": [(lambda x: np.modf(3 * x)[0], X), (lambda x: np.modf(-3 * x)[0], X), (lambda x: np.modf(x)[0], X[0, 0])],
    "frexp": [(lambda x: np.frexp(x)[0], 9 * X)],
    "divmod": [(lambda x, y: np.divmod(x, y / 4)[1], X, Y), (lambda x: np.divmod(7.0, x)[1], X)],
    "ldexp": [(lambda x: np.ldexp(x, 3), X), (lambda x: np.ldexp(x, np.array([1, -2, 0])), X)],
    "nextafter": [(lambda x: np.nextafter(x, 9.0), X)],
    "float_power": [(lambda x, y: np.float_power(x, y), X, Y)],
    "vecdot": [(np.vecdot, X, Y), (np.vecdot, X, ROW), (lambda x, y: np.vecdot(x, y, axis=0), X, Y)],
    "matvec": [(np.matvec, X, ROW), (np.matvec, numbers((4, 2, 3)), ROW)],
    "vecmat": [(np.vecmat, numbers((2,)), X), (np.vecmat, numbers((4, 2)), X)],
}


@pytest.mark.parametrize(("f", "arrays"), [(f, arrays) for cases in MADE.values() for f, *arrays in cases])
def test_made_of_rows(f, arrays):
    agree(f, *arrays)


def test_all_that_are_made_of_rows_are_tested():
    """The table covers them, but for SciPy's, which are tested by their parameters."""
    assert {name for name in MADE_OF_ROWS if hasattr(np, name)} == set(MADE)


@pytest.mark.parametrize("name", ["modf", "frexp", "divmod"])
def test_two_results(name):
    """Both results are NumPy's; the one that is a count or a whole number is plain."""
    ufunc = getattr(np, name)
    plain = [np.array([2.5, -1.25, 0.0, np.inf, -np.inf, np.nan, 1e-310]), 0.75][: ufunc.nin]
    results = queue.SimpleQueue()

    def total(x):
        both = ufunc(x, *plain[1:])
        results.put(both)
        return both[0] * 1.0 + both[1]

    with np.errstate(all="ignore"):
        wanted = ufunc(*plain)
        found = trace(total, plain[0]).value
    kept = results.get()
    np.testing.assert_array_equal(found, wanted[0] + wanted[1])
    assert sum(map(is_recorded, kept)) == 1
    assert [x.dtype for x in wanted] == [x.dtype for x in kept]


@pytest.mark.parametrize("exponent", [-1070, -30, 0, 900, 1030])
def test_ldexp_rounds_once(exponent):
    """A power of two beyond the range of floats is multiplied by all the same."""
    x = np.array([1.5 * 2.0**-20, 2.0**-10])
    np.testing.assert_array_equal(value(lambda x: np.ldexp(x, exponent), x), np.ldexp(x, exponent))


@pytest.mark.parametrize("x", [1.5, np.array([1.5, 2.5])])
def test_ldexp_by_a_recorded_exponent(x):
    """The exponent is a whole number: an outcome, whose derivative is zero."""
    f = lambda x, n: np.sum(np.ldexp(x, n))
    powers, slope = grad(f, (0, 1))(x, [1, 3])
    assert (10.0 if np.ndim(x) == 0 else [2.0, 8.0]) == (powers if np.ndim(x) == 0 else powers.tolist())
    assert slope == [0.0, 0.0]


def test_nextafter_of_the_other_argument():
    """The direction is a choice: nothing flows through it."""
    assert grad(lambda x, y: 2 * np.nextafter(x, y), (0, 1))(np.float64(1.0), np.float64(3.0)) == (2.0, 0.0)


# Operands


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.multiply(x, x),
        lambda x: np.multiply(x, [1.0, 2.0, 3.0]),
        lambda x: np.multiply([1.0, 2.0, 3.0], x),
        lambda x: np.hypot(2, x),
        lambda x: np.hypot(x, np.float64(2.0)),
        lambda x: np.arctan2(ROW, x),
        lambda x: np.arctan2(x, ROW),
        lambda x: np.arctan2(x, 2.0),
        lambda x: np.logaddexp(x, ROW[0]),
        lambda x: np.copysign(x, np.array([1, -1, 1])),
        lambda x: np.multiply(x[0], x),
        lambda x: np.sin(x[0]),
        lambda x: np.sin(x[0, 1]),
        lambda x: np.multiply(x, np.array([True, False, True])),
        lambda x: np.add(x, np.arange(3)),
    ],
)
def test_operands(f):
    """Recorded, plain, lists, numbers and views, on either side."""
    agree(f, X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("other", [2, 2.5, np.float64(2.5), np.float32(2.5), np.array(2.5), np.array([1, 2, 3])])
def test_types_are_numpys(dtype, other):
    """The type of the result is what NumPy makes of the operands."""
    x = X.astype(dtype)
    for f in (lambda x: np.hypot(x, other), lambda x: np.hypot(other, x)):
        assert f(x).dtype == value(f, x).dtype


def test_two_gradients_do_not_mix():
    """A value of another tape is refused on the short way too."""
    from gradcli.errors import ForeignTapeError

    kept = queue.SimpleQueue()
    trace(lambda x: kept.put(x) or x, X)
    with pytest.raises(ForeignTapeError):
        trace(lambda x: np.hypot(x, kept.get()), X)


def test_a_later_plain_write_is_not_seen():

    def f(x):
        factor = np.ones(3)
        y = np.multiply(x, factor)
        factor[:] = 7.0
        return y.sum()

    assert np.array_equal(np.ones((2, 3)), grad(f)(X))


# Options

BLANK = np.zeros((2, 3))
OPTIONS = {
    "where and out": lambda x: np.log(x - 0.9, where=x > 1, out=np.zeros_like(x)),
    "where and out of a quotient": lambda x: np.divide(1.0, x - 0.9, out=np.ones(x.shape), where=np.abs(x - 0.9) > 0.1),
    "where of a row": lambda x: np.exp(x, where=[True, False, True], out=x.copy()),
    "where with broadcasting": lambda x: np.multiply(x[0], x[:, :1], where=MASK, out=np.ones((2, 3))),
    "where is True": lambda x: np.exp(x, where=True),
    "where is False": lambda x: np.exp(x, where=False, out=np.ones((2, 3))) + x,
    "where of a number": lambda x: np.multiply(x[0, 0], 2.0, where=np.array([True, False]), out=np.ones(2)),
    "casting and order": lambda x: np.exp(x, casting="same_kind", order="K", subok=False),
    "dtype": lambda x: np.exp(x, dtype=np.float64),
    "out": lambda x: np.add(x, 1.0, out=np.zeros((2, 3))),
    "out, by place": lambda x: np.add(x, 1.0, np.zeros((2, 3))),
    "out, larger": lambda x: np.add(x[0], 1.0, out=np.zeros((2, 3))),
    "out of two": lambda x: np.add(*np.divmod(x, 0.4, out=(np.zeros((2, 3)), np.zeros((2, 3))))),
    "out of a function": lambda x: np.sum(x * x, axis=0, out=np.zeros(3)),
    "out of a function, by place": lambda x: np.sum(x * x, 0, None, np.zeros(3)),
    "out of reduce": lambda x: np.multiply.reduce(x, out=np.zeros(3)),
    "out, a view": lambda x: (held := x * 1.0, np.multiply(x[0], 3.0, out=held[1]))[0],
}


@pytest.mark.parametrize("f", OPTIONS.values(), ids=OPTIONS)
def test_options(f):
    """Value, gradient, forward sweep and second derivative, and no warning from lanes that are not computed."""
    agree(f, X)


def test_out_is_what_comes_back():

    def f(x):
        held = x.copy()
        assert np.exp(x, out=held) is held
        assert np.sum(x, axis=0, out=held[0]) is not None
        return held

    np.testing.assert_array_equal(value(f, X), [X.sum(0), np.exp(X)[1]])


def test_facts_with_out():
    """A plain result is written into a plain array."""

    def f(x):
        mask, above = np.zeros((2, 3), bool), np.ones((2, 3), bool)
        np.greater(x, 1.2, out=mask)
        np.greater(x, 1.2, out=above, where=x > 1.0)
        np.testing.assert_array_equal(above, np.where(X > 1.0, X > 1.2, True))
        return x[mask]

    np.testing.assert_array_equal(value(f, X), X[MASK])


def test_lanes_that_are_not_computed():
    """Without `out=` what NumPy leaves to chance is nan; they get nothing, also where the partial would be infinite."""
    np.testing.assert_array_equal(value(lambda x: np.exp(x, where=MASK), X), np.where(MASK, np.exp(X), np.nan))
    found = grad(lambda x: np.exp(x, where=MASK)[MASK].sum())(X)
    np.testing.assert_array_equal(found, np.where(MASK, np.exp(X), 0.0))
    f = lambda x: np.sqrt(x, where=x > 0, out=np.zeros_like(x)).sum()
    assert grad(f)(np.array([0.0, 4.0, -1.0])).tolist() == [0.0, 0.25, 0.0]


@pytest.mark.parametrize("dtype", [np.float32, "f8", "longdouble"])
def test_computed_in_another_type(dtype):
    """`dtype=` is the type that is computed in; the gradient has that of the argument."""
    f = lambda x: np.exp(x, dtype=dtype)
    assert np.dtype(dtype) == value(f, X).dtype
    np.testing.assert_array_equal(value(f, X), f(X))
    assert grad(lambda x: f(x).sum())(X).dtype == np.float64


# Methods

CUBE = numbers((2, 3, 4))
PLACES = np.array([0, 1, 1, 0, 1])
METHODS = {
    "reduce of an axis": lambda x: np.add.reduce(x, axis=1, keepdims=True),
    "reduce in another type": lambda x: np.add.reduce(x, dtype=np.longdouble).astype(float),
    "reduce logaddexp": lambda x: np.logaddexp.reduce(x),
    "reduce logaddexp of all": lambda x: np.logaddexp.reduce(x, axis=None),
    "reduce hypot, keeping axes": lambda x: np.hypot.reduce(x, axis=-1, keepdims=True),
    "reduce subtract": lambda x: np.subtract.reduce(x, axis=1),
    "reduce divide": lambda x: np.divide.reduce(x),
    "reduce fmax": lambda x: np.fmax.reduce(x, axis=(0, 1)),
    "reduce, started": lambda x: np.logaddexp.reduce(x, initial=0.5),
    "reduce, of some": lambda x: np.logaddexp.reduce(x, where=MASK, axis=1),
    "reduce, of some, started": lambda x: np.fmin.reduce(x, where=MASK, initial=1.3),
    "accumulate add": lambda x: np.add.accumulate(x),
    "accumulate multiply": lambda x: np.multiply.accumulate(x, axis=1),
    "accumulate maximum": lambda x: np.maximum.accumulate(x, axis=1),
    "accumulate minimum": lambda x: np.minimum.accumulate(x, 0),
    "accumulate logaddexp": lambda x: np.logaddexp.accumulate(x, axis=-1),
    "accumulate subtract": lambda x: np.subtract.accumulate(x, axis=1),
    "outer": lambda x: np.multiply.outer(x, ROW),
    "outer, from the left": lambda x: np.hypot.outer([1.0, 2.0], x),
    "outer into": lambda x: np.add.outer(x[0], x[1], out=np.zeros((3, 3))),
    "reduceat add": lambda x: np.add.reduceat(x, [0, 2, 1, 1], axis=1),
    "reduceat add, first axis": lambda x: np.add.reduceat(x, [1, 0]),
    "reduceat maximum": lambda x: np.maximum.reduceat(x, [0, 2], axis=1),
    "reduceat multiply": lambda x: np.multiply.reduceat(x, [0, 1], axis=-1),
    "at, of one argument": lambda x: (held := x.copy(), np.sin.at(held, [0, 0]))[0],
}


@pytest.mark.sampled(6, each="method")
@pytest.mark.parametrize(
    ("method", "f"), [pytest.param(name.split()[0].strip(","), f, id=name) for name, f in METHODS.items()]
)
def test_methods(method, f):
    hold = agree_on_the_host if f is METHODS["reduce in another type"] else agree  # CuPy has no longdouble
    hold(f, X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.multiply(x, 3.0, out=np.zeros((2, 3), np.float32)),
        lambda x: np.add(x, 1, dtype=int, casting="unsafe"),
    ],
)
def test_results_of_other_types(f):
    """Those in integers are plain."""
    found = value(f, X)
    assert found.dtype == f(X).dtype
    np.testing.assert_array_equal(found, f(X))


def test_running_extremes_with_ties():
    """Equal ones share, two by two as the ufunc itself does."""
    x = np.array([1.0, 3.0, 3.0, 2.0])
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    found = grad(lambda x: np.sum(weights * np.maximum.accumulate(x)))(x)
    assert found.tolist() == [1.0, 10.0 + 550.0, 550.0, 0.0]


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.hypot])
@pytest.mark.parametrize(
    "places",
    [PLACES, [0], (PLACES, PLACES), (slice(None), PLACES), MASK, 1, (0, 2)],
    ids=lambda places: str(places)[:12],
)
def test_at(ufunc, places):
    """Each place is done as often as it is named, with recorded and with plain operands."""
    operand = numbers(np.shape(X[places]), seed=5)

    def f(x, y):
        held = x * 1.0
        ufunc.at(held, places, y)
        return held * x[0]

    agree(f, X, operand)
    agree(lambda x: f(x, 0.7), X)


def test_at_a_plain_array():
    """An array made by a replaced function takes recorded values."""

    def f(x):
        held = np.zeros(2)
        np.add.at(held, PLACES, x)
        return held[0] * held[1]

    x = numbers((5,))
    np.testing.assert_allclose(grad(f)(x), np.where(PLACES == 0, x[PLACES == 1].sum(), x[PLACES == 0].sum()))


@pytest.mark.parametrize(
    ("f", "error", "said"),
    [
        *((f, UnsupportedError, f"^{what} has no derivative rule") for f, what in (
            (lambda x: np.exp(x, signature="d->d"), "numpy.exp with signature="),
            (lambda x: np.add(x[0], 1, out=x[0, 0]), "numpy.add with out= a number"),
            (lambda x: np.modf(x, where=MASK), "numpy.modf with where="),
            (lambda x: np.matmul(x, x.T, axis=0), "numpy.matmul with axis="),
            (lambda x: np.divmod.outer(x, x), "numpy.divmod.outer"),
        )),
        (lambda x: np.add(x, 1.0, out=np.zeros((2, 3), int), casting="unsafe"), DetachedError,
            "written into an array of plain numbers"),
        # NumPy's own errors
        (lambda x: np.add(x, 1.0, out=x[0]), ValueError, r"non-broadcastable output operand with shape \(3,\)"),
        (lambda x: np.add(x, 1, dtype=int), TypeError, "Cannot cast ufunc 'add' input"),
        (lambda x: np.subtract.reduce(x, axis=(0, 1)), ValueError, "not reorderable"),
        (lambda x: np.add.reduceat(x, [5]), IndexError, "out-of-bounds"),
    ],
)  # fmt: skip
def test_refusals(f, error, said):
    with pytest.raises(error, match=said):
        value(f, X)


def test_methods_of_facts():
    assert np.array_equal(np.logical_xor.reduce(X > 1), value(lambda x: np.logical_xor.reduce(x > 1), X))
    found = value(lambda x: np.floor_divide.accumulate(x * 9), X)
    assert np.array_equal(np.floor_divide.accumulate(X * 9), found)


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_methods_of_nothing(shape):
    x = np.zeros(shape)
    for f in (np.add.reduce, np.logaddexp.reduce, np.add.accumulate, np.maximum.accumulate, np.logaddexp.accumulate):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(value(f, x), f(x))
            assert shape == grad(lambda x, f=f: np.sum(f(x)))(x).shape


def _foreign(name: str) -> Any:
    """A ufunc that computes 10 ** x and is called as it likes, as compilers of other libraries make them."""
    api = sys.modules["numpy._core._multiarray_umath"]._UFUNC_API
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(address(api, None), ctypes.POINTER(ctypes.c_void_p))
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, *[ctypes.c_int] * 4,
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
    )(table[1])  # fmt: skip
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: 10.0**x)
    loops, data = (ctypes.c_void_p * 1)(table[5]), (ctypes.c_void_p * 1)(ctypes.cast(function, ctypes.c_void_p).value)
    types, text = ctypes.create_string_buffer(bytes([12, 12]), 2), ctypes.c_char_p(name.encode())
    made = make(loops, data, types, 1, 1, 1, -1, text, b"", 0)
    _ALIVE.extend((function, loops, data, types, text))
    return made


_ALIVE: list[Any] = []
upper = np.frompyfunc(str.upper, 1, 1)


def test_a_foreign_ufunc_is_not_taken_for_the_one_of_its_name():
    """Its derivative is not that of `numpy.sin`, neither of its methods."""
    sin = _foreign("sin")
    assert sin(2.0) == 100.0

    with pytest.raises(UnsupportedError, match=r"^sin has no derivative rule"):
        grad(lambda x: np.sum(sin(x)))(np.ones(2))
    with pytest.raises(UnsupportedError, match=r"^sin has no derivative rule"):
        grad(lambda x: np.sum(sin(x, where=[True, False])))(np.ones(2))


def test_a_foreign_ufunc_is_called_by_its_module():
    with pytest.raises(UnsupportedError, match=rf"^{__name__}\.upper \(numpy.frompyfunc\) has no derivative rule"):
        grad(lambda x: np.sum(upper(x)))(np.ones(2))


def test_all_of_scipys_are_scipys():
    found = [x for x in vars(special).values() if isinstance(x, np.ufunc)]
    assert [x for x in found if is_foreign(x)] == []
    assert not any(is_foreign(x) for x in vars(np).values() if isinstance(x, np.ufunc))
