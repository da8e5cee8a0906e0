"""Differences and their error bars: on a long list of functions the bar holds, and where it can, it is narrow."""

import hashlib
import math
import struct

import mpmath
import numpy as np
import pytest

from gradcli.methods.numerics.differences import slope

EPS = 2.0**-52
EPS32 = 2.0**-23


def noise(x):
    """A number between -1 and 1 that has nothing to do with that of the next double."""
    return int.from_bytes(hashlib.md5(struct.pack("d", x)).digest()[:4], "big") / 2**31 - 1


def in_float32(f):
    return lambda x: float(f(np.float32(x)))


def peak(x, width):
    return mpmath.exp(-(((x - 1) / mpmath.mpf(width)) ** 2))


def wave(x, length):
    """A ramp with a fine wave on it."""
    return x + length * mpmath.sin(x / length)


# Name, function, its twin in mpmath's numbers (None: the same), the points.
FAMILIES = [
    ("sin", math.sin, mpmath.sin, [0.0, 1e-300, 1e-8, 1e-3, 0.3, 2.5, -3.0, 10.0, 1e3, 1e6, 1e10]),
    ("sin of 10x", lambda x: math.sin(10 * x), lambda x: mpmath.sin(10 * x), [1.0]),
    ("sin of 1000x", lambda x: math.sin(1e3 * x), lambda x: mpmath.sin(1000 * x), [1.0]),
    ("sin of 100000x", lambda x: math.sin(1e5 * x), lambda x: mpmath.sin(100_000 * x), [1.0]),
    ("sin of 1e9x", lambda x: math.sin(1e9 * x), lambda x: mpmath.sin(10**9 * x), [1.0]),
    ("log", math.log, mpmath.log, [1e-200, 1e-10, 1e-3, 1.0, 1e3, 1e100]),
    ("sqrt", math.sqrt, mpmath.sqrt, [1e-200, 1e-10, 1e-3, 1.0, 1e3, 1e100]),
    ("reciprocal", lambda x: 1 / x, lambda x: 1 / x, [1e-10, 1e-3, 1.0, -1e3, 1e100]),
    ("cube", lambda x: x**3, lambda x: x**3, [0.0, 1e-10, 1e-3, 1.0, 1e3, 1e100]),
    ("exp", math.exp, mpmath.exp, [-700.0, -50.0, 0.0, 1e-5, 20.0, 700.0]),
    ("asin near its edge", math.asin, mpmath.asin, [0.5, 1 - 1e-3, 1 - 1e-6, 1 - 1e-10]),
    ("log(1 - x) near its edge", lambda x: math.log(1 - x), lambda x: mpmath.log(1 - x), [0.0, 0.999, 1 - 1e-10]),
    ("gamma", math.gamma, mpmath.gamma, [0.5, 5.0, 170.0]),
    ("x to the x", lambda x: x**x, lambda x: x**x, [0.01, 2.0]),
    ("steep tanh", lambda x: math.tanh(1e3 * (x - 1)), lambda x: mpmath.tanh(1000 * (x - 1)), [1.001, 1.0]),
    ("huge", lambda x: 1e300 * math.sin(x), lambda x: 1e300 * mpmath.sin(x), [1.0]),
    ("tiny", lambda x: 1e-300 * math.sin(x), lambda x: 1e-300 * mpmath.sin(x), [1.0]),
    ("on a pedestal", lambda x: 1e12 + math.sin(x), mpmath.sin, [1.0]),
    ("under a mountain", lambda x: 1e300 + math.sin(x), mpmath.sin, [1.0]),
    ("bell of width 0.1", lambda x: float(peak(x, 0.1)), lambda x: peak(x, 0.1), [1.05]),
    ("bell of width 1e-3", lambda x: float(peak(x, 1e-3)), lambda x: peak(x, 1e-3), [1.0005]),
    ("bell of width 1e-6", lambda x: float(peak(x, 1e-6)), lambda x: peak(x, 1e-6), [1 + 5e-7]),
    ("bell of width 1e-9", lambda x: float(peak(x, 1e-9)), lambda x: peak(x, 1e-9), [1 + 5e-10]),
    ("wave of length 1e-3", lambda x: float(wave(x, 1e-3)), lambda x: wave(x, mpmath.mpf(1e-3)), [1.0]),
    ("wave of length 1e-9", lambda x: float(wave(x, 1e-9)), lambda x: wave(x, mpmath.mpf(1e-9)), [1.0]),
    ("cancellation", lambda x: (1 - math.cos(x)) / x**2, lambda x: (1 - mpmath.cos(x)) / x**2, [1e-2, 1e-4, 1e-8]),
    ("noise of 1e-12", lambda x: math.sin(x) + 1e-12 * noise(x), mpmath.sin, [0.0, 1.0]),
    ("noise of 1e-9", lambda x: math.sin(x) + 1e-9 * noise(x), mpmath.sin, [0.0, 1.0]),
    ("noise of 1e-6", lambda x: math.sin(x) + 1e-6 * noise(x), mpmath.sin, [0.0, 1.0]),
    ("noise of 1e-3", lambda x: math.sin(x) + 1e-3 * noise(x), mpmath.sin, [0.0, 1.0]),
    ("noise of 0.1", lambda x: math.sin(x) + 0.1 * noise(x), mpmath.sin, [0.0, 1.0]),
    ("rounded to six digits", lambda x: round(math.sin(x), 6), mpmath.sin, [1.0]),
    ("kink at 0", abs, lambda x: abs(x), [1e-8, 1e-5, -1e-3, 0.1]),
    ("kink at 1", lambda x: abs(x - 1), lambda x: abs(x - 1), [1 + 1e-8, 1 + 1e-5, 1.001]),
    ("jump at 1", lambda x: math.sin(x) + 5 * (x > 1), mpmath.sin, [1 + 1e-8, 1 + 1e-5, 1.001, 1.1]),
    ("constant", lambda x: 3.0, lambda x: mpmath.mpf(3), [1.0]),
    ("flat at 0", lambda x: math.exp(-1 / x**2), lambda x: mpmath.exp(-1 / x**2), [0.1, 1.0]),
    ("hidden float32", in_float32(np.sin), mpmath.sin, [1e-3, 0.5, 1.0, 100.0, 1e5]),
    ("long sum", lambda x: sum(math.sin(x * k) for k in range(99)),
     lambda x: sum(mpmath.sin(x * k) for k in range(99)), [0.7]),
]  # fmt: skip
CASES = [pytest.param(f, twin, x, id=f"{name} at {x!r}") for name, f, twin, points in FAMILIES for x in points]


def true_slope(twin, x):
    """The derivative by mpmath, at the exact double, from one side only where the other is another branch."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -25 * (abs(mpmath.mpf(x)) or 1)
        return mpmath.diff(twin, mpmath.mpf(x), h=step)


def defined(f):
    """Nan where the function raises."""

    def function(x):
        try:
            return f(x)
        except (ValueError, ArithmeticError):
            return math.nan

    return function


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "twin", "x"), CASES)
def test_the_error_bar_holds(f, twin, x):
    """The derivative is within the bar, or no derivative is claimed."""
    found = slope(defined(f), x, EPS)

    assert not math.isfinite(found.value) or abs(found.value - true_slope(twin, x)) <= found.error


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (math.sin, 1.0, 1e-11),
        (math.sin, 1e10, 1e-2),
        (lambda x: math.sin(1e3 * x), 1.0, 1e-6),
        (math.log, 1e-200, 1e-8),
        (math.sqrt, 1e-10, 1e-8),
        (math.exp, 700.0, 1e-8),
        (lambda x: 1e300 * math.sin(x), 1.0, 1e-11),
        (lambda x: 1e-300 * math.sin(x), 1.0, 1e-11),
        (lambda x: float(peak(x, 1e-6)), 1 + 5e-7, 1e-4),
        (lambda x: math.sin(x) + 1e-9 * noise(x), 1.0, 1e-5),
        (in_float32(np.sin), 1.0, 1e-2),
        (lambda x: abs(x - 1), 1 + 1e-5, 1e-8),
    ],
    ids=["sin", "far", "fast", "small", "edge", "steep", "huge", "tiny", "narrow", "noisy", "float32", "near a kink"],
)
def test_the_error_bar_is_narrow(f, x, expected):
    """Relative to the derivative it is below what the function allows."""
    found = slope(defined(f), x, EPS)

    assert found.error <= expected * abs(found.value)


@pytest.mark.parametrize(("x", "expected"), [(0.5, 1e-3), (1.0, 1e-3), (100.0, 1e-2)])
def test_steps_suit_the_type(x, expected):
    found = slope(in_float32(np.sin), x, EPS32)

    assert abs(found.value - math.cos(np.float32(x))) <= found.error <= expected


@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-5, 1e-8])
def test_no_step_is_longer_than_half_the_distance_to_the_next_outcome(distance):
    """The function is never asked on the other side."""
    asked = []

    def function(x):
        asked.append(x)
        return math.sin(x)

    slope(function, 1.0, EPS, reach=distance)

    assert max(abs(x - 1.0) for x in asked) <= 0.5 * distance * (1 + 1e-6)


@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-5])
def test_a_jump_beyond_reach_does_no_harm(distance):
    """With the distance known the derivative is found to the digits that the steps allow."""
    found = slope(lambda x: math.sin(x) + 5 * (x > 1 + distance), 1.0, EPS, reach=distance)

    assert abs(found.value - math.cos(1.0)) <= found.error <= 1e-12 / distance


def test_a_kink_has_two_slopes():
    found = slope(lambda x: abs(x) + 0.5 * x, 0.0, EPS)

    assert (round(found.left, 9), round(found.right, 9)) == (-0.5, 1.5)
    assert max(found.left_error, found.right_error) < 1e-6


@pytest.mark.parametrize(
    ("f", "steepness"),
    [
        (lambda x: math.acos(math.cos(x)), 1.0),
        (lambda x: math.acosh(1 + x * x), math.sqrt(2)),
        (lambda x: math.sqrt(1 - math.cos(x)), math.sqrt(0.5)),
    ],
    ids=["an inverse cosine", "an inverse hyperbolic cosine", "a root"],
)
def test_a_kink_that_is_flat_next_to_the_point(f, steepness):
    found = slope(f, 0.0, EPS)

    assert (-steepness, steepness) == pytest.approx((found.left, found.right), rel=1e-4)
    assert max(found.left_error, found.right_error) < 1e-3


@pytest.mark.parametrize(
    "f",
    [
        lambda x: max(0.0, 0.29 - x),
        lambda x: 1.0 + max(0.0, 0.29 - x) ** 2,
        lambda x: max(0.0, abs(x - 0.31) - 0.02),
        lambda x: min(3 * x + 1, 1.9),
        lambda x: math.sqrt(max(0.0, 0.29 - x)),
        lambda x: max(0.0, 0.29 - x) - 2 * max(0.0, x - 0.3105),
    ],
    ids=["a hinge", "a smooth hinge", "a dead zone", "a cap", "a root", "two hinges"],
)
def test_a_function_that_is_constant_up_to_a_bend(f):
    """A bend further away is no stair, so that the derivative is surely 0."""
    found = slope(f, 0.31, EPS)

    assert abs(found.value) <= found.error <= 1e-4


@pytest.mark.parametrize(
    "f",
    [lambda x: math.floor(25 * x) / 25, lambda x: round(x, 2), lambda x: round(2 * x + max(0.0, x - 0.32), 2)],
    ids=["a step", "steps", "steps and a bend"],
)
def test_a_staircase(f):
    """The derivative of what was rounded is not known."""
    assert slope(f, 0.31, EPS).error > 1.0


def test_at_a_kink_the_derivative_is_not_sure():
    found = slope(abs, 0.0, EPS)

    assert found.error >= 1.0


@pytest.mark.parametrize(("f", "expected"), [(math.floor, 1.0), (lambda x: x + 3 * (x >= 2), 3.0), (math.sin, 0.0)])
def test_a_jump_is_told(f, expected):
    assert math.isclose(expected, slope(lambda x: float(f(x)), 2.0, EPS).jump, rel_tol=1e-6)


def steep(x):
    """A number times the logarithm of its size."""
    return x * math.log(abs(x)) if x else 0.0


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: x * math.log(x) if x else 0.0, 0.0, (math.nan, -math.inf, -math.inf)),
        (lambda x: math.sqrt(x) if x > 0 else 0.0, 0.0, (0.0, math.inf, math.nan)),
        (lambda x: math.sqrt(abs(x)), 0.0, (-math.inf, math.inf, math.nan)),
        (lambda x: math.sqrt(max(x - 100, 0)), 100.0, (0.0, math.inf, math.nan)),
        (lambda x: 3 * x - abs(x) ** 0.9, 0.0, (math.inf, -math.inf, math.nan)),
        (lambda x: steep(x - 1), 1.0, (-math.inf, -math.inf, -math.inf)),
        (math.cbrt, 0.0, (math.inf, math.inf, math.inf)),
        (math.acos, 1.0, (-math.inf, math.nan, -math.inf)),
    ],
    ids=["x log x", "root on one side", "root of abs", "shifted", "nearly a kink", "shifted log", "cbrt", "acos"],
)
def test_an_infinite_slope_is_told(f, x, expected):
    """To the left, to the right, and as the derivative where both agree; no number stands for it."""
    found = slope(defined(f), x, EPS)

    assert pytest.approx((found.left, found.right, found.value), nan_ok=True) == expected
    assert found.reason == "its slope is infinite"


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: x * math.sqrt(abs(x)), 0.0),
        (lambda x: abs(x) ** 1.1 - 5 * x, 0.0),
        (lambda x: math.atan(1e12 * x), 0.0),
        (lambda x: math.sqrt(x * x + 1e-12), 0.0),
        (lambda x: math.sin(x) + 1e-9 * noise(x), 1.0),
        (math.floor, 2.0),
        (abs, 0.0),
    ],
    ids=["power", "low power", "steep", "rounded kink", "noise", "jump", "kink"],
)
def test_a_finite_slope_is_not_called_infinite(f, x):
    found = slope(lambda t: float(f(t)), x, EPS)

    assert not math.isinf(found.left)
    assert not math.isinf(found.right)


def test_one_side_only():
    found = slope(defined(lambda x: math.sqrt(x) ** 3 + 2 * x), 0.0, EPS)

    assert abs(found.value - 2) <= found.error <= 1e-2


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: math.nan, 1.0, "no value here"),
        (lambda x: math.inf, 1.0, "no value here"),
        (noise, 1.0, "scatter"),
        (math.sin, 1e300, "scatter"),
        (math.floor, 2.0, "jumps"),
    ],
    ids=["nan", "inf", "noise", "too fast", "jump"],
)
def test_differences_withdraw_with_a_reason(f, x, expected):
    found = slope(lambda t: float(f(t)), x, EPS)

    assert expected in found.reason
    assert not math.isfinite(found.value)


def test_a_smooth_function_is_called_a_few_dozen_times():
    calls = []
    slope(lambda x: calls.append(x) or math.sin(x), 1.0, EPS)

    assert len(calls) < 40


def random_function(seed):
    """A smooth function of random scale and shape, its twin, and a point."""
    import random

    rng = random.Random(seed)
    parts = [(rng.randrange(8), 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-2, 2) * rng.choice([-1, 1])) for _ in "ab"]
    x = 10 ** rng.uniform(-3, 3) * rng.choice([-1, 1])

    def evaluate(x, m, number):
        terms = [_term(kind, number(k) * x, number(c), m) for kind, k, c in parts]
        return terms[0] * terms[1] + terms[0]

    return lambda x: evaluate(x, math, float), lambda x: evaluate(x, mpmath, mpmath.mpf), x


def _term(kind, x, c, m):
    terms = (
        lambda: m.sin(x + c),
        lambda: m.exp(-x * x),
        lambda: m.log(x * x + c * c),
        lambda: m.sqrt(x * x + 1),
        lambda: m.tanh(x - c),
        lambda: x**3 + c * x,
        lambda: 1 / (x * x + 1),
        lambda: m.cos(c * x),
    )
    return terms[kind]()


def broken(seeds):
    """The seeds of the random functions on which the bar does not hold; a value of 0 all along tells nothing."""
    found = []
    for seed in seeds:
        f, twin, x = random_function(seed)
        result = slope(defined(f), x, EPS)
        if 0 < result.error < math.inf and abs(result.value - true_slope(twin, x)) > result.error + 1e-280:
            found.append(seed)
    return found


def test_random_functions():
    assert broken(range(200)) == []


@pytest.mark.long
def test_many_random_functions():
    """The bar fails for one in a thousand at most: for fast waves hidden below the rounding of what they ride on."""
    assert len(broken(range(1000, 3_000))) <= 2


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: math.sqrt(x - 1) if x >= 1 else math.nan, 1.00001, -2.44e-5),
        (lambda x: math.log(1 - x) if x < 1 else math.nan, 0.99999, 2.44e-5),
        (math.sin, 1.0, 0.0),
    ],
)
def test_the_nearest_step_without_a_value(f, x, expected):
    assert slope(f, x, 2.0**-52).edge == pytest.approx(expected, rel=1e-3)


def test_noise_between_neighbours():
    noisy = slope(lambda x: math.exp(x) + 1e-9 * math.sin(1e18 * x), 0.5, 2.0**-52)

    assert 1e-11 < noisy.noise < 1e-8
    assert slope(math.exp, 0.5, 2.0**-52).noise == 0.0


@pytest.mark.parametrize("g", [math.sin, math.exp, math.atan, lambda x: x**3, lambda x: math.sin(10 * x)])
def test_noise_is_taken_for_no_wave(g):
    """That neighbouring values are close by chance shows no variation between them and farther ones."""
    errors = [slope(lambda x, scale=scale: g(x) + 1e-12 * noise(scale * x), 1.3, EPS).error for scale in range(1, 101)]

    assert max(errors) < 1e-7


def test_a_term_that_is_lost_over_short_steps():
    """Its change is less than its rounding: over short steps the quotients agree, without it."""
    f = lambda y: math.cos(y / 3) - math.cos(math.hypot(y, 208835.26))
    found = slope(f, -0.2725231465423543, EPS)
    with mpmath.workdps(40):
        y = mpmath.mpf(-0.2725231465423543)
        exact = mpmath.diff(lambda y: mpmath.cos(y / 3) - mpmath.cos(mpmath.hypot(y, mpmath.mpf(208835.26))), y)

    assert abs(found.value - float(exact)) <= found.error


@pytest.mark.parametrize("f", [math.sin, math.exp, math.sqrt, math.log])
def test_a_value_that_cancels_leaves_the_error_narrow(f):
    """Over short steps the terms' rounding hides the slope, which says nothing against that over long steps."""
    found = slope(lambda t: f(2.0 + t) - f(2.0), 0.0, EPS)
    expected = mpmath.diff(getattr(mpmath, f.__name__), 2)

    assert abs(found.value - expected) <= found.error < 1e-11
