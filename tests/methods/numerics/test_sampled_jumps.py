"""Jumps of sampled curves: where they are, and what is none."""

import math

import numpy as np
import pytest

from gradcli.methods.numerics.sampled_jumps import jumps

XS = [-2 + n / 35 for n in range(141)]


def found(f):
    """The places of the jumps, each named by both samples beside it."""
    return [bracket[0] for bracket in jumps(f, XS, [f(x) for x in XS]).values()]


@pytest.mark.parametrize(
    ("f", "places"),
    [
        (lambda x: math.floor(x), [-1, 0, 1, 2]),
        (lambda x: math.sin(x) + (x > 0.3), [0.3]),
        (lambda x: 1e-9 * (x > 0.3), [0.3]),
        (lambda x: math.copysign(1, x - 1 / 3), [1 / 3]),
        (lambda x: x * x if x < 1 else -x, [1]),
    ],
    ids=range(5),
)
def test_places(f, places):
    assert sorted({round(x, 6) + 0.0 for x in found(f)}) == pytest.approx(places, abs=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        math.sin,
        abs,
        lambda x: math.tanh(1000 * (x - 0.31)),
        lambda x: 1 / (x - 0.31),
        lambda x: math.tan(3 * x),
        lambda x: math.sin(40 * x),
        lambda x: math.nan if x > 0.3 else 1.0,
        lambda x: 3.0,
    ],
    ids=range(8),
)
def test_what_is_steep_has_a_pole_or_is_undefined_is_no_jump(f):
    assert found(f) == []


def test_a_sample_on_the_jump():
    """The sign at 0 itself is 0, between its sides: there is a jump on both."""
    assert [round(x, 9) + 0.0 for x in found(lambda x: float(np.sign(round(x, 12))))] == [0.0, 0.0]
