"""Sweeps: reverse by Python's arithmetic and by IEEE 754, from any row, and forward along a direction."""

import math

import mpmath
import numpy as np
import pytest

from gradcli import grad, hessian, jvp
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.recorded_run import run
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse


def taped(f, *arguments):
    return run(BoundCall.of_inputs(f, arguments), None)[0]


def test_from_any_row():
    """Cotangents belong to the sweep: one tape, many sweeps."""
    tape = taped(lambda x, y: (x * y) * (x + y), 2.0, 3.0)

    assert reverse(tape, 2, 1.0) == [3.0, 2.0, 1.0]
    assert reverse(tape, 3, 1.0) == [1.0, 1.0, UNTOUCHED, 1.0]
    assert reverse(tape, 4, 1.0) == [21.0, 16.0, 5.0, 6.0, 1.0]
    assert reverse(tape, 4, 2.0) == [42.0, 32.0, 10.0, 12.0, 2.0]


@pytest.mark.parametrize(("x", "y"), [(2.0, 3.0), (0.1, -0.7), (1e200, 1e-200), (math.inf, 0.0)])
def test_a_sweep_is_the_pullbacks_of_its_rows(x, y):
    """Also those of sums and products, which are written out in it."""
    tape = taped(lambda x, y: (x * y + x * x) * (y + y) + x * 3.0 - y * (x + 1.0), x, y)
    last = len(tape.rows) - 1
    cts = [UNTOUCHED] * last + [1.0]
    for at in range(last, 1, -1):
        tape.rows[at][0].pull(cts[at], cts, tape.rows[at])

    np.testing.assert_array_equal(reverse(tape, last, 1.0), cts)


def test_a_sparing_sweep_lets_go_of_what_is_between():
    """Of arrays the cotangents of inputs are kept; the others only where they are asked for."""
    tape = taped(lambda x: np.sum(2 * x), np.ones(3))
    seed = np.float64(1.0)

    x, *between = reverse(tape, 2, seed)
    np.testing.assert_array_equal([2, 2, 2], x)
    assert between == [None, None]
    np.testing.assert_array_equal([1, 1, 1], reverse(tape, 2, seed, sparing=False)[1])
    np.testing.assert_array_equal([1, 1, 1], reverse(tape, 2, seed, everywhere=True)[1])


def test_what_no_cotangent_reaches():
    cts = reverse(taped(lambda x, y: x * 0.0, 2.0, 3.0), 2, 1.0)

    assert cts[0] == 0.0
    assert cts[0] is not UNTOUCHED
    assert cts[1] is UNTOUCHED


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: math.sqrt(x), 0.0, math.inf),
        (lambda x: 3 * math.sqrt(x) - math.sqrt(x), 0.0, math.nan),
        (lambda x: math.log(x) / math.log(x), 1e-310, 0.0),  # 0 / x, although 1 / x overflows
        (lambda x: 1 / x, 1e-200, -math.inf),
        (lambda x: math.asin(x), 1.0, math.inf),
        (lambda x: math.acosh(x), 1.0, math.inf),
        (lambda x: math.atan2(x, 0.0), 0.0, math.nan),
        (lambda x: math.cbrt(x), 0.0, math.inf),
        (lambda x: x**0.5, 0.0, math.inf),
        (lambda x: 0.0**x, 2.0, 0.0),
        (lambda x: (-2.0) ** x, 2.0, math.nan),
        (lambda x: x**2, -1.0, -2.0),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: x**1, 0.0, 1.0),
        (lambda x: math.hypot(x, 0.0), 0.0, math.nan),
        (lambda x: abs(x), 0.0, 0.0),
        (lambda x: math.exp(x) * 0.0, 700.0, 0.0),
    ],
)
def test_a_sweep_never_raises(f, x, expected):
    np.testing.assert_equal(grad(f)(x), expected)


def test_the_rows_after_a_failing_one_go_on():

    def f(x, y):
        return math.sqrt(x * 0.0) + x * y + math.sqrt(y * 0.0) * 0.0

    infinite, other = grad(f, (0, 1))(2.0, 3.0)
    assert math.isnan(infinite)
    assert math.isnan(other)
    assert grad(lambda x, y: math.sqrt((x - x) * 1.0) * 0 + x * y if y < 0 else x * y, (0, 1))(2.0, 3.0) == (3.0, 2.0)


def test_forward():
    tape = taped(lambda x, y: x * y + x, 2.0, 3.0)

    assert forward(tape, {0: 1.0, 1: 0.0}, range(4)) == [1.0, 0.0, 3.0, 4.0]
    assert forward(tape, {0: 0.5, 1: 2.0}, range(4)) == [0.5, 2.0, 5.5, 6.0]


def test_forward_meets_reverse():
    """The tangent of the result along a direction is the gradient times it."""

    def f(v):
        a = np.zeros(3)
        a[:2] = v
        a[2] = v[0] * np.sin(v[1])
        return (a * a).sum() + np.max(v) * v.prod()

    point, direction = np.array([0.7, 1.9]), np.array([0.3, -1.1])
    tape = taped(f, point)
    moved = forward(tape, {0: direction}, [len(tape.rows) - 1])
    pulled = reverse(tape, len(tape.rows) - 1, np.float64(1.0))[0]

    np.testing.assert_allclose(pulled @ direction, moved[-1])
    np.testing.assert_allclose(grad(f)(point), pulled)


@pytest.mark.parametrize("f", [lambda x, y: x / y, lambda x, y: x ** (y - 1.0), lambda x, y: np.log(x * y) / y])
def test_no_error_of_pythons_arithmetic_among_arrays(f):
    """A plain or recorded Python float beside an array raises nothing in any sweep: it counts as NumPy's."""
    x = np.array([0.0, 2.0])
    with np.errstate(all="ignore"):
        for program in (lambda x: np.sum(f(x, 0.0)), lambda x: np.sum(f(x, x[0].item()))):
            assert grad(program)(x).shape == (2,)
            assert hessian(program)(x).shape == (2, 2)
            assert np.shape(jvp(program, (x,), (np.ones(2),))[1]) == ()
        assert grad(lambda x: np.sum(x / 0.0))(np.ones(2)).tolist() == [np.inf, np.inf]


def test_a_gradient_inside_leaves_the_cotangents_of_others_alone():
    """A sum hands one and the same cotangent to both arguments, and the inner argument adds its own to one of them."""

    def f(x):
        y = np.sin(x)
        inner = grad(lambda z: np.sum(z**3))(x)
        return np.sum(np.exp(x + y)) + np.sum(inner)

    x = np.array([1.0, 2.0, 3.0])

    np.testing.assert_allclose(grad(f)(x), np.exp(x + np.sin(x)) * (1 + np.cos(x)) + 6 * x, rtol=1e-15)


@pytest.mark.parametrize("x", [-20.0, 0.5, 20.0, 300.0, 400.0, 700.0])
def test_second_derivatives_divide_by_the_denominator_last(x):
    """Of log(1 + exp(x)), by the slope of a logistic function: the quotient of two partials alone underflows."""
    with mpmath.workdps(50):
        expected = float(mpmath.exp(-mpmath.mpf(x)) / (1 + mpmath.exp(-mpmath.mpf(x))) ** 2)
    point = np.full(3, x)

    def f(x):
        return np.sum(np.log1p(np.exp(x)))

    def by_hand(x):
        return np.log1p(np.exp(x))

    for found in (hessian(f)(point)[1, 1], jvp(grad(f), (point,), (np.ones(3),))[1][0], grad(grad(by_hand))(x)):
        assert abs(found - expected) <= 1e-15
