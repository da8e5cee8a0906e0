"""What C is not given to decide: it is refused when the program is written, or the call is run again eagerly."""

import math
import shutil
import sys
import warnings

import numpy as np
import pytest

import gradcli
from benchmarks.compiled_equality import outcome
from gradcli.answers.compilation import specialisations

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.sampled(3),  # each case builds a library
]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """C is taken also where it is not faster."""
    monkeypatch.setattr(specialisations, "QUICK", 0.0)


def backend(f, *arguments):
    """The backend of a program after its first call, and why it is not C."""
    compiled, eager = (gradcli.value_and_grad(f, compile=c) for c in (True, False))
    compiled(*arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ours, theirs in zip(compiled(*arguments), eager(*arguments), strict=True):
            assert type(ours) is type(theirs)
            np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-11)
    (program,) = compiled.report().programs
    return program.backend, program.reason


def elements(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + x[i] * x[i + 1] ** 2
    return total


def backwards(x, w):
    total = 0.0
    for k in range(len(x) // 4 - 1, -1, -1):
        for i in range(4, 0, -1):
            total += x[4 * k + i - 1] * w[i]
    return total


def out_of_order(x, w):
    total = 0.0
    for k in range(len(x) // 2):
        total += x[2 * k + 1] * w[1]
        total += x[2 * k] * w[0]
    return total


def matrices(w, x):
    return np.sum(np.tanh(w @ x) ** 2)


def nested(rows):
    return rows[0][1] * rows[1][0] + math.sin(rows[1][1])


def counted(x, n):
    for _ in range(n):
        x = math.sin(x) + 0.1 * x
    return x


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def products(a, b):
    return np.sum(np.tanh(a @ b) @ (b.T * 2.0) @ b)


def products_of_parts(a, b):
    """The rows of a part of a matrix are as far from one another as those of the matrix."""
    return np.sum((a[:, :20] @ b[:20]) ** 2) + np.sum(a[:18, :30].T @ b[:18])


def factorised(matrix):
    """Loops whose lengths change write two rows of an array."""
    a = matrix.copy()
    for i in range(len(a)):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return np.sum(np.tril(a) ** 3)


def shares(x, shift):
    """Several loops with sums over each row, which are vectorized one after another."""
    x, shift = x.copy(), shift.copy()
    out = np.exp(x + shift - np.max(x + shift, axis=-1, keepdims=True))
    return np.sum((out / np.sum(out, axis=-1, keepdims=True)) ** 2)


def of_rows(rows, w):
    h = np.ones(20)
    for row in rows:
        h = np.tanh(w @ row[:, None] + h[:, None])[:, 0]
    return np.sum(h)


def rectified(w, x):
    h = w @ x
    return np.sum(np.where(h > 0.0, h, 0.1 * h) ** 2)


def stopped(a):
    x = 1.0
    for _ in range(50):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-13:
            break
        x = new
    return x


def branching(x):
    c = x[0] * 2.0
    if x[1] > x[0]:
        c = c * math.sin(x[1])
    return c * np.sum(x**2)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (branching, (np.array([1.0, 2.0, 3.0]),)),
        (elements, ([1.0, 2.0, 3.0],)),
        (elements, (np.array([1.0, 2.0, 3.0]),)),
        (matrices, (np.ones((2, 3)), np.arange(3.0))),
        (products, (np.linspace(-1.0, 1.0, 17 * 40).reshape(17, 40), np.linspace(0.0, 1.0, 40 * 33).reshape(40, 33))),
        (products, (np.ones((600, 300)) / 7.0, np.linspace(0.0, 0.1, 300 * 500).reshape(300, 500))),
        (products_of_parts, (np.linspace(-1.0, 1.0, 900).reshape(30, 30), np.linspace(0.0, 1.0, 600).reshape(30, 20))),
        (factorised, (np.cos(np.arange(400.0)).reshape(20, 20) + 20.0 * np.eye(20),)),
        (shares, (np.array([[0.5, -1.0], [1.0, 0.3]]), np.array([0.5, -1.0]))),
        (of_rows, (np.linspace(-1.0, 1.0, 60).reshape(3, 20), np.linspace(0.0, 1.0, 400).reshape(20, 20))),
        (nested, ([[1.0, 2.0], [3.0, 4.0]],)),
        (counted, (0.5, 7)),
        (rectified, (np.array([[1.0, -1.0], [2.0, 1e-6]]), np.ones(2))),
        (valley, (np.linspace(-1.0, 1.0, 20_001),)),  # its arrays are not on the stack
        (stopped, (2.0,)),  # at which it stops at an edge case
        (stopped, (3.3,)),
    ],
)
def test_a_program_in_c(f, arguments):
    assert backend(f, *arguments) == ("C", "")


def endless(x):
    while x > 1e-3:
        x = x / 3 - x * 1e-9
    return x


def large(x):
    k = 1
    for _ in range(40):
        k = k * 3
    return x * k * 1e-9


def of_truth(x):
    return x * x if x else x


@pytest.mark.parametrize(
    ("f", "arguments", "reason"),
    [
        (endless, (5.0,), "any number of iterations"),
        (large, (5.0,), "whole number"),
        (of_truth, (5.0,), "truth of a float"),
        (elements, (np.ones(6)[::2],), "contiguous"),
        (elements, (np.ones(3, np.float32),), "contiguous"),
        (elements, ((1.0, 2.0, 3.0),), ""),
        (counted, (np.float64(0.5), 3), "contiguous"),
    ],
)
def test_a_program_that_is_not_in_c(f, arguments, reason):
    name, said = backend(f, *arguments)

    assert name == ("Python" if reason else "C")
    assert reason in said


def test_a_changed_count_is_another_program():
    compiled, eager = (gradcli.grad(counted, compile=c) for c in (True, False))
    for n in (3, 3, 4, 4):
        assert compiled(0.5, n) == pytest.approx(eager(0.5, n), rel=1e-14)

    assert [program.backend for program in compiled.report().programs] == ["C", "C"]


@pytest.mark.parametrize("x", [-1.0, 0.0, 1e-320, 1e308, math.nan, math.inf, -0.0])
def test_a_status_leaves_the_call_to_the_eager_gradient(x):
    def f(x):
        return math.sqrt(x) / (1 + 1 / x)

    compiled, eager = (gradcli.grad(f, compile=c) for c in (True, False))
    compiled(2.0)
    results = []
    for gradient in (compiled, eager):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(repr(gradient(x)))
        except Exception as error:
            results.append(repr(error))

    assert compiled.report().programs[0].backend == "C"
    assert results[0] == results[1]


VECTORS = {
    "exp": lambda x: np.sum(np.exp(x) * x),
    "log": lambda x: np.sum(np.log(x) * x),
    "sin": lambda x: np.sum(np.sin(x) * x),
    "cos": lambda x: np.sum(np.cos(x) * x),
    "tan": lambda x: np.sum(np.tan(x) * x),
    "tanh": lambda x: np.sum(np.tanh(x) * x),
    "cosh": lambda x: np.sum(np.cosh(x) * x),
    "sinh": lambda x: np.sum(np.sinh(x) * x),
    "log1p": lambda x: np.sum(np.log1p(x) * x),
    "expm1": lambda x: np.sum(np.expm1(x) * x),
    "arctan": lambda x: np.sum(np.arctan(x) * x),
    "sqrt": lambda x: np.sum(np.sqrt(x) * x),
}
SPECIAL = [-1.0, 0.0, -0.0, 5e-324, 1e300, -1e300, 710.0, -746.0, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("name", VECTORS)
def test_a_status_of_one_lane_of_an_array(name):
    compiled, eager = (gradcli.value_and_grad(VECTORS[name], compile=c) for c in (True, False))
    ordinary = np.linspace(0.1, 0.9, 9)
    compiled(ordinary)
    for special in SPECIAL:
        x = ordinary.copy()
        x[5] = special
        (ours, said), (expected, eager_said) = outcome(compiled, [x]), outcome(eager, [x])
        np.testing.assert_allclose([ours[0], *ours[1]], [expected[0], *expected[1]], rtol=1e-13)
        assert said == eager_said

    assert compiled.report().programs[0].backend == "C"


def several(a, xs, w, n, flag):
    return a * xs[0] * w[1] * n + w[0] * xs[1] * flag


GIVEN = (2.0, [3.0, 4.0], np.array([5.0, 6.0]), 2, True)
OTHERS = [
    (2, [3.0, 4.0], np.array([5.0, 6.0]), 2, True),
    (np.float64(2.0), [3.0, 4.0], np.array([5.0, 6.0]), 2, True),
    (2.0, (3.0, 4.0), np.array([5.0, 6.0]), 2, True),
    (2.0, [3.0, 4], np.array([5.0, 6.0]), 2, True),
    (2.0, [3.0, 4.0, 5.0], np.array([5.0, 6.0]), 2, True),
    (2.0, [3.0, 4.0], np.array([5.0, 0.0, 6.0])[::2], 2, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0], np.float32), 2, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0], ">f8"), 2, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0, 7.0]), 2, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0]), 3, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0]), True, True),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0]), 2, False),
    (2.0, [3.0, 4.0], np.array([5.0, 6.0]), 2, 1),
]


@pytest.mark.parametrize("folders", [None, ()], ids=["method", "ctypes"])
@pytest.mark.parametrize("others", OTHERS, ids=repr)
def test_a_call_that_is_not_for_the_program(others, folders, monkeypatch):
    if folders is not None:
        monkeypatch.setattr("gradcli.answers.compilation.c_entries.header_folders", lambda: folders)
    argnums = (2, 0, 1)
    compiled, eager = (gradcli.value_and_grad(several, argnums, compile=c) for c in (True, False))
    for arguments in (GIVEN, GIVEN, others, GIVEN):
        assert repr(compiled(*arguments)) == repr(eager(*arguments))

    assert compiled.report().programs[0].backend == "C"


@pytest.mark.parametrize("arguments", [GIVEN, (2.0, [3.0, math.nan], *GIVEN[2:]), (2.0, [3.0, 4], *GIVEN[2:])])
def test_a_method_keeps_no_reference(arguments):
    compiled = gradcli.value_and_grad(several, (0, 1, 2), compile=True)
    compiled(*GIVEN)
    method = compiled._programs[0].at_once
    items = [*arguments, *arguments[1]]
    before = [sys.getrefcount(item) for item in items]

    for _ in range(1000):
        result = method(*arguments)

    assert all(sys.getrefcount(item) < count + 100 for item, count in zip(items, before, strict=True))
    assert result is None or [type(part) for part in result[1]] == [float, list, np.ndarray]


@pytest.mark.parametrize("f", [backwards, out_of_order])
def test_elements_are_added_in_the_order_of_the_program(f):
    assert backend(f, np.linspace(-1.0, 2.0, 68), np.array([0.5, 1.5, -0.7, 2.5, 0.9])) == ("C", "")


def none_beyond(x):
    y = np.ones(2)
    if x[0] > 10.0:
        y = None
    return np.sum(x * y.sum())


def none_of_a_number_beyond(x):
    k = 2.0
    if x[0] > 10.0:
        k = None
    return np.sum(x * k)


@pytest.mark.parametrize(("f", "error"), [(none_beyond, AttributeError), (none_of_a_number_beyond, TypeError)])
def test_what_is_none_on_another_path_raises_there(f, error):
    compiled = gradcli.grad(f, compile=True)
    compiled(np.ones(2))
    compiled(np.ones(2))

    with pytest.raises(error):
        compiled(np.full(2, 20.0))


class OwnError(BaseException):
    """An error of the user's that is no Exception."""


def exiting(x):
    if x > 10.0:
        raise SystemExit("x is too large")
    return x * x


def interrupting(x):
    if x > 10.0:
        raise KeyboardInterrupt
    return x * x


def ending_generators(x):
    if x > 10.0:
        raise GeneratorExit
    return x * x


def raising_its_own(x):
    if x > 10.0:
        raise OwnError
    return x * x


def checked(x):
    if x > 1.01:
        raise OwnError("x is too large")
    return x * x


def raising_in_a_callee(x):
    return checked(x) * 1.0


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (exiting, SystemExit),
        (interrupting, KeyboardInterrupt),
        (ending_generators, GeneratorExit),
        (raising_its_own, OwnError),
        (raising_in_a_callee, OwnError),
    ],
)
def test_errors_that_are_no_exceptions_are_raised_where_they_are_reached(f, error):
    compiled = gradcli.grad(f, compile=True)

    assert [compiled(1.0), compiled(1.0)] == [2.0, 2.0]
    with pytest.raises(error):
        compiled(20.0)
