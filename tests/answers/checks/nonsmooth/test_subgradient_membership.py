"""Vectors at kinks: means of the gradients that meet there, and those that a direction parts from them."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks.nonsmooth.subgradient_membership import membership
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.methods.numerics.smooth_pieces import Pieces

pytestmark = pytest.mark.sampled(5)  # many like cases

EPS = float(np.finfo(float).eps)


def largest(x):
    return np.max(x)


def bends(x):
    return np.sum(np.abs(x))


def mixed(x):
    return np.sum(np.maximum(x, 0) * np.where(np.arange(x.size) % 2, -1.0, 1.0))


def judged(f, x, vector, until=np.inf):
    """What parts a vector from the gradients of `f` around `x`."""
    around = Surroundings(f, {"x": x}, coordinates({"x": x}), EPS, until)
    pieces = Pieces(around, 1e-7, range(x.size))
    return membership(pieces, vector) if np.any(pieces.varying) else "undecided"


@pytest.mark.parametrize("size", [2, 3, 30])
def test_the_direction_that_parts(size):
    """Moved alike, equal numbers move their largest as far, and no further."""
    found = judged(largest, np.ones(size), np.ones(size))

    assert np.allclose(1.0, found.direction)
    assert np.allclose((size, 1.0, 1.0), (found.slope, found.least, found.most))


@pytest.mark.parametrize(
    ("f", "vector"),
    [
        (largest, np.eye(30)[3]),
        (largest, np.full(30, 1 / 30)),
        (bends, np.linspace(-1, 1, 30)),
        (bends, np.ones(30)),
        (mixed, np.zeros(30)),
        (mixed, np.where(np.arange(30) % 2, -1.0, 1.0)),
        (mixed, np.where(np.arange(30) % 2, -0.3, 0.6)),
    ],
    ids=["one of a tie", "shared", "between", "a corner", "all off", "all on", "in part"],
)
def test_what_is_a_gradient(f, vector):
    x = np.ones(30) if f is largest else np.zeros(30)

    assert judged(f, x, vector) == "mean"


def test_only_what_is_wrong_together_has_a_share():
    """A bend that has nothing to do with the tie is left out."""
    found = judged(lambda x: max(x[0], x[1]) + abs(x[2]), np.array([1.0, 1.0, 0.0]), [1.0, 1.0, 0.5])

    assert np.allclose([1.0, 1.0, 0.0], found.direction, atol=1e-12)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("order", [1.5, 3, 4])
def test_a_curve_of_gradients(order):
    """The vector is beyond them along a direction that is not its own."""
    edge = np.cos(np.arange(10)) / np.linalg.norm(np.cos(np.arange(10)), order / (order - 1))
    found = judged(lambda x: np.linalg.norm(x, order), np.zeros(10), 1.001 * edge)

    assert np.isclose(np.linalg.norm(found.direction, order), found.most, rtol=1e-9)
    assert found.most < found.slope


def test_slopes_at_the_point_are_not_the_steepest_where_it_bends_both_ways():
    """A gradient beside the point, with less slope along some direction at the point itself, is one of its own."""
    turn, beside = np.random.default_rng(7).normal(size=(6, 6)), np.cos(np.arange(6) + 7)
    there = beside / np.linalg.norm(beside) - turn.T @ (turn @ beside) / np.linalg.norm(turn @ beside)

    assert judged(lambda x: np.linalg.norm(x) - np.linalg.norm(turn @ x), np.zeros(6), there) in ("open", "undecided")


def skew(x):
    """A continuum of gradients, whose components have sizes that add up to 1 at most."""
    return x[0] * x[1] / np.linalg.norm(x) if np.any(x) else 0.0


def test_a_continuum_of_gradients_whose_slopes_rise_and_fall():
    """A vector well outside them is parted from them, one barely outside is left open."""
    found = judged(skew, np.zeros(2), [0.6, 0.6])

    assert np.allclose([1.0, 1.0], found.direction, rtol=0.1)
    assert found.most == pytest.approx(1.0, abs=0.02)
    assert judged(skew, np.zeros(2), [0.51, 0.5]) == "open"
    assert judged(skew, np.zeros(2), [0.49, 0.5]) == "mean"


def test_a_narrow_piece_within_a_continuum():

    def f(x):
        return skew(x) + max(0.0, x[1] - 30 * abs(x[0]))

    assert judged(f, np.zeros(2), [-26.0, 1.0]) == "mean"


def test_the_words():
    """The direction is named with the slopes along it, whichever way the vector is off."""
    for share, slope in ((1.0, "2"), (0.4, "0.8")):
        found = gradcli.check(largest, at=np.ones(2), against=np.full(2, share))
        moved = f"moving x[0] by 1, x[1] by 1, the slope is 1, not {slope}"
        said = f"the components together are not a gradient: {moved}"

        assert found.verdict == "fail"
        assert all(row.reason.endswith(said) for row in found.components)


def test_nothing_is_said_without_the_time_for_it():
    assert judged(largest, np.ones(3), np.ones(3), until=0.0) == "undecided"
