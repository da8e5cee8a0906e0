"""A choice among numbers is played again as it was recorded, even where many digits would choose otherwise."""

import numpy as np
import pytest

import gradcli
from gradcli.methods.exact import gradient
from tests.methods.numerics.programs import recorded

THREE = np.array([3.0], np.float32)
BIG = np.float32(1e8)


def lost(x):
    """The number itself, which rounding in float32 leaves nothing of: the spacing of numbers is 8 there."""
    return (x + BIG) - BIG


CHOICES = {
    "maximum": (lambda x: np.maximum(lost(x), x * np.float32(0.5)), 0.5),
    "minimum": (lambda x: np.minimum(lost(x), x * np.float32(0.5)), 1.0),
    "fmax": (lambda x: np.fmax(x * np.float32(0.5), lost(x)), 0.5),
    "clip": (lambda x: np.clip(lost(x), np.float32(1), np.float32(2)), 0.0),
    "abs": (lambda x: np.abs(lost(x) - x * np.float32(0.5)), -0.5),
    "copysign": (lambda x: np.copysign(lost(x) - x * np.float32(0.5), np.float32(1)), -0.5),
    "max": (lambda x: np.max(np.stack([lost(x), x * np.float32(0.5)]), axis=0), 0.5),
    "min": (lambda x: np.min(np.stack([lost(x), x * np.float32(0.5)]), axis=0), 1.0),
}


@pytest.mark.parametrize(("f", "expected"), CHOICES.values(), ids=CHOICES)
def test_what_was_taken_is_taken_again(f, expected):
    """Its derivative is that of the lane that was recorded, and the tape's own is right."""
    (found,) = gradient.gradient(*recorded(lambda x: np.sum(f(x)), THREE)).derivatives

    assert float(found) == expected


@pytest.mark.parametrize("name", CHOICES)
def test_a_check_passes(name):
    """The tape differentiates the same lane; where the numbers lie close by, the verdict names the switch."""
    f, _ = CHOICES[name]

    assert "fail" != gradcli.check(lambda x: np.sum(f(x)), at=THREE).verdict


def test_ties_share():
    found = gradient.gradient(*recorded(lambda x: np.max(x), np.array([2.0, 2.0, 1.0, 2.0]))).derivatives

    assert [float(x) for x in found] == [1 / 3, 1 / 3, 0, 1 / 3]
