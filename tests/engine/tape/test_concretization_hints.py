"""What is told to write in place of a call that takes bare numbers."""

import array
import ctypes
import decimal
import json
import multiprocessing
import pickle
import struct
import sys
import time

import numpy as np
import pytest

from gradcli import grad
from gradcli.engine.tape import concretization_hints
from gradcli.errors import DetachedError

pytestmark = pytest.mark.sampled(4)  # many like cases

A, X = np.eye(3), np.array([0.3, 0.7, 0.2])
RNG = np.random.default_rng(0)

TOLD = {
    "write np.dot(a, x)": lambda x: np.ndarray.dot(A, np.sin(x) * np.cos(x)),
    "np.searchsorted(a, x)": lambda x: np.ndarray.searchsorted(A[0], x),
    "loc + scale * rng.standard_normal(size)": lambda x: RNG.normal(x[0], np.abs(x[1]), 3),
    "x[rng.permutation(len(x))]": lambda x: RNG.permutation(x),
    "stop_gradient(x)": lambda x: memoryview(np.broadcast(x, x)),
}
LIBM = ctypes.CDLL(None) if sys.platform != "win32" else ctypes.cdll.msvcrt
LIBM.sin.restype, LIBM.sin.argtypes = ctypes.c_double, [ctypes.c_double]
TABLE = {"sin": LIBM.sin}


class Compiled:
    """As Numba's compiled functions are: an object of its package that takes bare numbers."""

    __module__ = "numba.core.registry"
    __call__ = struct.Struct("d").pack


compiled = Compiled()


def in_another_process(x):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.map(abs, [x])[0]


KINDS = {
    "stop_gradient(x)": [lambda x: float(decimal.Decimal(x)), lambda x: float(decimal.Decimal.from_float(x)),
        lambda x: struct.unpack("d", struct.pack("d", x))[0], lambda x: json.loads(json.dumps([x]))[0],
        lambda x: pickle.loads(pickle.dumps(x)), lambda x: LIBM.sin(x), lambda x: ctypes.c_double(x).value,
        lambda x: memoryview(np.array([x]))[0], lambda x: array.array("d", [x])[0], lambda x: time.sleep(1e-9 * x) or x,
        lambda x: TABLE["sin"](x)],
    "call compiled.py_func": [lambda x: compiled(x)],
}  # fmt: skip
if "fork" in multiprocessing.get_all_start_methods():
    KINDS["stop_gradient(x)"] += [in_another_process]


@pytest.mark.sampled(16)
@pytest.mark.parametrize("told", TOLD)
def test_the_hint(told):
    with pytest.raises(DetachedError) as caught:
        grad(lambda x: np.sum(TOLD[told](x)))(X)
    assert told in caught.value.hint
    assert __file__ == caught.value.file


@pytest.mark.parametrize(("told", "f"), [(told, f) for told, functions in KINDS.items() for f in functions])
def test_each_kind_of_refusal_has_its_hint(told, f):
    hints = []
    for _ in range(10):  # Python specializes the code of a function that is called often
        with pytest.raises(DetachedError) as caught:
            grad(f)(0.5)
        hints.append(caught.value.hint)
    assert told in hints[0]
    assert hints == hints[:1] * 10


@pytest.mark.long
@pytest.mark.parametrize("x", [0.5, np.array([0.5, 2.0])], ids=["number", "array"])
def test_a_function_compiled_by_numba(x):
    """It is refused with its Python function as the hint, and computes as before afterwards."""
    square = pytest.importorskip("numba").njit(lambda x: x * x)
    for _ in range(2):
        with pytest.raises(DetachedError) as caught:
            grad(lambda x: np.sum(square(x)))(x)
        assert "call square.py_func" in caught.value.hint
    np.testing.assert_array_equal(x * x, square(x))
    np.testing.assert_array_equal(2 * x, grad(lambda x: np.sum(square.py_func(x)))(x))


def test_where_no_method_is_called():
    """The method is that of the frame's call, and there is a hint for any other."""
    name = concretization_hints.called_method(sys._getframe())
    told = concretization_hints.hint([sys._getframe()])
    assert name == "called_method"
    assert told.startswith("Use a function of `math` or `numpy`")
