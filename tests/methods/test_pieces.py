"""The pieces that meet at a point: what spreads because they do, and what draws together or is noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.methods.close_by import Surroundings
from gradcli.methods.components import components
from gradcli.methods.pieces import Pieces

EPS = float(np.finfo(float).eps)
NONE = (math.inf, -math.inf)


def around(f, **point):
    """A function of the inputs around a point."""
    return Surroundings(f, point, components(point), EPS)


def extremes(surroundings):
    """The least and the most of the slopes that vary."""
    pieces = Pieces(surroundings, 1e-7, range(len(surroundings.parts)))
    least, most = np.min(pieces.gradients, 0, initial=math.inf), np.max(pieces.gradients, 0, initial=-math.inf)
    return np.where(pieces.varying, least, math.inf).tolist(), np.where(pieces.varying, most, -math.inf).tolist()


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: np.sum(np.sort(x) * np.array([1.0, 5.0, 2.0])), np.zeros(3), (1.0, 5.0)),
        (lambda x: np.sum(np.abs(x)), np.zeros(3), (-1.0, 1.0)),
        (lambda x: np.sum(x), np.zeros(3), NONE),
        (lambda x: np.sum(x * np.abs(x)), np.zeros(3), NONE),
        (lambda x: np.sum(np.abs(x)), np.full(3, 1e-200), NONE),
        (lambda x: np.max(x), np.array([1e-20, 1e-20, 1e-20]), (0.0, 1.0)),
        (lambda x: np.sum(x) * math.sqrt(-1), np.zeros(3), NONE),
    ],
    ids=["ties", "kinks", "smooth", "bent", "beside a kink", "a small tie", "all of it raises"],
)
def test_the_least_and_the_most(f, x, expected):
    """They are told where they are the same at closer points."""
    assert ([expected[0]] * 3, [expected[1]] * 3) == extremes(around(f, x=x))


def test_points_where_the_function_raises_are_left_out():
    """Half of them are."""
    found = extremes(around(lambda x, y: abs(y) + math.sqrt(0 if x >= 0 else -1), x=0.0, y=0.0))

    assert ([math.inf, -1.0], [-math.inf, 1.0]) == found


def test_rounding_that_grows_is_no_spread():
    """The derivative of (exp(x) - 1) / x is made of cancelling terms: the closer to 0, the more noise."""
    assert ([NONE[0]], [NONE[1]]) == extremes(around(lambda x: math.expm1(x) / x if x else 1.0, x=0.0))


def test_the_two_parts_of_a_complex_number():
    """Each is moved for itself."""
    assert ([-1.0, -1.0], [1.0, 1.0]) == extremes(around(lambda z: abs(z.real) + abs(z.imag), z=0j))
    assert ([NONE[0]] * 4, [NONE[1]] * 4) == extremes(around(lambda z: np.sum(np.abs(z) ** 2), z=np.array([1j, 2.0])))


def test_the_path_of_the_point_alone_is_no_spread():
    """It is taken by some of the closer points only."""
    assert ([NONE[0]], [NONE[1]]) == extremes(around(lambda x: x if abs(x - 1) > 1e-10 else 1.0, x=1.0))


def test_a_zero_moves_no_further_than_the_smallest_number_beside_it():
    """So that it is not moved past one that is not tied with it."""
    assert ([NONE[0]] * 2, [NONE[1]] * 2) == extremes(around(lambda x, y: max(x, y), x=0.0, y=1e-30))


def test_the_time_is_kept():
    """Nothing is asked when it is over."""
    late = Surroundings(abs, {"x": 0.0}, components({"x": 0.0}), EPS, until=0.0)

    assert ([NONE[0]], [NONE[1]]) == extremes(late)


def narrow(x):
    """A piece that is met within a few degrees only."""
    return np.maximum(np.maximum(x[0], 30 * x[1] - x[0]), 29 * x[1] - 0.9 * x[0]) + np.abs(x[1])


def slopes(pieces):
    """The gradients, each once."""
    return {tuple(np.round(each, 6).tolist()) for each in pieces.gradients}


def test_pieces_are_looked_for_between_others():
    """Where two would meet, the value is another."""
    pieces = Pieces(around(narrow, x=np.zeros(2)), 1e-7)
    complete = pieces.explore()

    assert complete
    assert {(1.0, 1.0), (1.0, -1.0), (-0.9, 30.0), (-1.0, 31.0)} <= slopes(pieces)


def test_that_there_are_many_is_known():
    """Of 2**12 pieces hardly any is met twice."""
    pieces = Pieces(around(lambda x: np.sum(np.abs(x)), x=np.zeros(12)), 1e-7)

    assert not pieces.explore()


def test_steps_of_unlike_size():
    """A kink that one number turns only when it moves far more than the other."""
    pieces = Pieces(around(lambda x: np.abs(x[0] + 1e-3 * x[1]), x=np.zeros(2)), 1e-7)
    pieces.explore()

    assert {(1.0, 0.001), (-1.0, -0.001)} == slopes(pieces)
