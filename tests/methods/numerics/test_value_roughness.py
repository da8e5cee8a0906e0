"""The roughness of values: scatter about a smooth curve, and stairs."""

import math
import random

import mpmath
import numpy as np
import pytest
from scipy import optimize

from gradcli.methods.numerics.difference_quotients import Ladder, Slope
from gradcli.methods.numerics.differences import first_steps, further_steps, slope
from gradcli.methods.numerics.value_roughness import rows_beside, scatter, stairs

EPS = 2.0**-52


def single(x):
    return float(np.float32(x))


def stairs_of(f, x):
    """The stairs of a function at a point, with its ladders."""
    here = f(x)
    first = Ladder(f, x, here, first_steps(x, EPS, math.inf), EPS)
    second = Ladder(f, x, here, further_steps(x, EPS, first.steps[-1]), EPS)
    return stairs(first, second, second.slope(0.0))


def test_scatter_is_that_of_the_noise():
    noise = random.Random(0)
    rough, smooth = (scatter(rows_beside(f, 1.0, f(1.0), [1e-6, 2e-6])) for f in (lambda _: noise.gauss(), math.sin))

    assert 0.1 < rough < 10
    assert smooth < 1e-15


@pytest.mark.parametrize(
    ("f", "height"),
    [
        (lambda x: single(math.exp(x)), 2.0**-22),
        (lambda x: math.exp(single(x)), 2.0**-23 * math.exp(1.2)),
        (lambda x: single(math.exp(x)) + x * x, 2.0**-22),
        (lambda x: round(x, 4), 1e-4),
    ],
    ids=["of the result", "of the argument", "about a curve", "of decimals"],
)
def test_stairs_are_found_on_both_sides(f, height):
    found = stairs_of(f, 1.2)

    assert [math.copysign(1.0, stair.end) for stair in found] == [1.0, -1.0]
    assert [height] * 2 == pytest.approx([stair.height for stair in found], rel=1e-3)


@pytest.mark.parametrize(
    "f",
    [
        math.exp,
        lambda x: x**300,
        lambda x: abs(x - 1.2001),
        lambda x: math.sin(x) + 5 * (x > 1.2001),
        lambda x: math.sin(3e4 * x),
        lambda x: math.sqrt(max(0.0, 1.21 - x)),
        lambda x: float(x > 1.21),
    ],
    ids=["smooth", "steep", "kink", "jump", "fast", "root", "step"],
)
def test_what_has_no_stairs(f):
    """A single jump, a bend or a short period is none."""
    assert stairs_of(f, 1.2) == []


def stopped(x, tolerance, equation):
    """A root at x between -0.25 and 0.3, by a bisection that stops at a tolerance or where it meets the root."""
    return optimize.bisect(lambda root: equation(root - x), -0.25, 0.3, xtol=tolerance)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: stopped(x, 1e-5, lambda off: off + off * off),
        lambda x: stopped(x, 1e-4, math.sinh),
        lambda x: stopped(x, 1e-7, lambda off: off**3 + off) + x * x,
        lambda x: 1e-4 * (math.floor(1e4 * x + 0.25) + math.ceil(1e4 * x + 0.25)),
        lambda x: 1e-5 * (np.sign(x - 1e-5) + np.sign(x + 1e-5) + np.sign(x - 3e-5) + np.sign(x + 3e-5)) + round(x, 4),
        lambda x: 2e-6 * math.floor(5e5 * x + 0.5) + (7e-7 if 5e5 * x % 1.0 == 0.5 else 0.0),
    ],
    ids=["bisection", "of a sine", "about a curve", "halves", "signs", "odd ends"],
)
def test_a_value_between_two_stairs_hides_neither(f):
    """At the end of a stair the value may be that of neither side, as where a solver meets its root exactly."""
    found = stairs_of(f, 0.0)

    assert [math.copysign(1.0, stair.end) for stair in found] == [1.0, -1.0]
    for stair in found:
        assert abs(f(1.0005 * stair.end) - f(0.999 * stair.end)) == pytest.approx(stair.height, rel=0.1)


def test_a_slope_over_stairs_has_their_error():
    numbers = random.Random(1)
    for _ in range(50):
        x = numbers.uniform(-2, 2)
        found = slope(lambda t: single(math.sin(single(t))), x, EPS)
        assert abs(found.value - math.cos(x)) <= found.error < 0.1
        assert found.grain > 1e-9


FORMS = [
    (lambda x: single(math.sin(single(x))) + x * x, lambda x: mpmath.sin(x) + x * x),
    (lambda x: 0.7 * single(math.exp(-single(x * x))), lambda x: mpmath.mpf(0.7) * mpmath.exp(-x * x)),
    (lambda x: single(1 / (1 + single(x) ** 2)) + x, lambda x: 1 / (1 + x * x) + x),
    (lambda x: single(math.tanh(single(3 * single(x)))), lambda x: mpmath.tanh(3 * x)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("f", "twin"), FORMS)
def test_error_bars_hold_in_part_in_single_precision(f, twin):
    numbers, broken = random.Random(2), []
    for _ in range(60):
        x = 10 ** numbers.uniform(-2, 0.3) * numbers.choice([-1, 1])
        found = slope(f, x, EPS)
        with mpmath.workdps(40):
            off = abs(found.value - float(mpmath.diff(twin, mpmath.mpf(x))))
        broken += [x] if math.isfinite(found.value) and off > found.error + 1e-12 else []

    assert broken == []


def test_stairs_need_more_than_one_step():
    ladder = Ladder(math.sin, 1.0, math.sin(1.0), [1e-2, 1e-3, 1e-4], EPS)

    assert stairs(ladder, Ladder(math.sin, 1.0, math.sin(1.0), [], EPS), Slope()) == []


def test_underflow_makes_no_stairs_next_to_longer_steps():
    """A root of a square that underflows is 0 up to 1e-162."""
    assert stairs_of(lambda x: math.sqrt(x * x), 1e-170) == []
