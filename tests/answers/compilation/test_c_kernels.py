"""What C is not given to decide: it is refused when the program is written, or the call is run again eagerly."""

import math
import shutil
import warnings

import numpy as np
import pytest

import gradcli
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
            np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-13)
    (program,) = compiled.report().programs
    return program.backend, program.reason


def elements(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + x[i] * x[i + 1] ** 2
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


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (elements, ([1.0, 2.0, 3.0],)),
        (elements, (np.array([1.0, 2.0, 3.0]),)),
        (matrices, (np.ones((2, 3)), np.arange(3.0))),
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
