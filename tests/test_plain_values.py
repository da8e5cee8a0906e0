"""The value that comes with a derivative is that of the plain call, bit for bit, whichever way it was asked for."""

import operator
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special
from scipy import ndimage, signal, stats

from gradcli import check
from tests.mathematics.rules.agreement import has_plain_value

pytestmark = pytest.mark.sampled(3)  # many like cases

RNG = np.random.default_rng(5)


def hold(f, arguments):
    """All values are the plain one; whether the plain program takes the arguments at all."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            plain = f(*arguments)
        except Exception:  # NumPy's own refusal
            return False
        has_plain_value(f, arguments, plain)
    return True


# Operators

OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "%": lambda x, y: x % y,
    "**": lambda x, y: x**y,
    "@": operator.matmul,
    "divmod": lambda x, y: divmod(x, y)[1],
    "+=": operator.iadd,
    "**=": operator.ipow,
    "power": np.power,
    "float_power": np.float_power,
    "arctan2": np.arctan2,
}
LAYOUTS = {"strided": lambda x: x[::2, ::2], "by columns": np.transpose}
SIZES = {"0d": (), "1d": (3,), "2d": (3, 3), "strided": (6, 6), "by columns": (3, 3)}
DTYPES = {"float64": np.float64, "float32": np.float32}


def operands():
    """Numbers and arrays of every kind, drawn anew."""
    found = {"float": float(RNG.normal()), "int": int(RNG.integers(-3, 6)), "2": 2, "-1": -1, "2.0": 2.0, "0.5": 0.5}
    for dtype, kind in DTYPES.items():
        found[dtype] = kind(RNG.normal())
        for name, size in SIZES.items():
            array = np.asarray(RNG.normal(size=size), kind)
            found[f"{name} of {dtype}"] = LAYOUTS[name](array) if name in LAYOUTS else array
    return {**found, "integers": RNG.integers(1, 5, 3), "int64": np.int64(RNG.integers(-3, 6))}


KINDS = [name for name, x in operands().items() if not np.issubdtype(np.result_type(x), np.integer)]


@pytest.mark.sampled(60)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators(symbol, kind):
    """Of an input with a constant on either side, and of two inputs: every pair of kinds, at numbers of its own."""
    function = OPERATORS[symbol]
    every = operands()
    x = every[kind]
    for other, y in every.items():
        mine = x.copy() if symbol in ("+=", "**=") and hasattr(x, "copy") else x
        hold(lambda x, y=y: function(x * 1.0, y), (mine,))
        hold(lambda x, y=y: function(y, x), (mine,)) if symbol not in ("+=", "**=") else None
        if other in KINDS:
            hold(lambda x, y: function(x * 1.0, y), (x, y))


@pytest.mark.parametrize("make", [float, np.float64, np.float32])
def test_powers_of_numbers(make):
    for _ in range(20):
        x = make(RNG.uniform(0.1, 3.0))
        for n in (5, -2, 3, 2.5, np.float64(1.7), np.float32(1.7)):
            assert hold(lambda x, n=n: x**n, (x,))
            assert hold(lambda x, n=n: n**x, (x,))
            assert hold(lambda x, n=n: np.power(x, n), (x,))
            assert hold(lambda x, n=n: np.power(n, x), (x,))


# Functions of SciPy

SCIPY = {
    "logsumexp": lambda x: scipy.special.logsumexp(x),
    "softmax": lambda x: scipy.special.softmax(x, axis=-1),
    "cbrt": lambda x: scipy.special.cbrt(x),
    "expm1": lambda x: scipy.special.expm1(x),
    "normal": lambda x: stats.multivariate_normal.logpdf(x[0], x[1], x @ x.T + np.eye(3)),
    "eigh": lambda x: scipy.linalg.eigvalsh(x + x.T),
    "solve": lambda x: scipy.linalg.solve(x + 3 * np.eye(3), x[0]),
    "lu": lambda x: scipy.linalg.lu_solve(scipy.linalg.lu_factor(x), x[0]),
    "zoom": lambda x: ndimage.zoom(x, 1.7),
    "blur": lambda x: ndimage.gaussian_filter(x, 0.7),
    "filter": lambda x: signal.lfilter([0.3, 0.2], [1.0, 0.4], x),
    "ffts": lambda x: np.abs(scipy.fft.fft(x)),
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy(name):
    """Functions of SciPy's, which computes in other steps than their derivatives are found by."""
    for _ in range(4):
        assert hold(SCIPY[name], (RNG.normal(size=(3, 3)),))


# The cross-check


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[0] ** 5 + 2.0 ** x[1],
        np.linalg.norm,
        lambda x: np.corrcoef(x[:4], x[4:])[0, 1],
        lambda x: np.linalg.eigvalsh(np.outer(x, x) + np.diag(x))[2],
        lambda x: np.linalg.matrix_power(x.reshape(2, 4)[:, :2], 3)[0, 1],
        lambda x: np.vander(x, 4).sum(),
        np.median,
    ],
)
def test_check(f):
    x = RNG.normal(size=8)
    assert check(f, at=x).value == f(x)
