"""The search for all pieces that meet at a point."""

import numpy as np

from gradcli.answers.checks.nonsmooth.piece_search import explore
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.methods.numerics.smooth_pieces import Pieces

EPS = float(np.finfo(float).eps)


def pieces_of(f, x):
    """The pieces of a function of an array that are met in the first directions."""
    return Pieces(Surroundings(f, {"x": x}, coordinates({"x": x}), EPS), 1e-7)


def narrow(x):
    """A piece that is met within a few degrees only."""
    return np.maximum(np.maximum(x[0], 30 * x[1] - x[0]), 29 * x[1] - 0.9 * x[0]) + np.abs(x[1])


def slopes(pieces):
    return {tuple(np.round(each, 6).tolist()) for each in pieces.gradients}


def test_pieces_are_looked_for_between_others():
    pieces = pieces_of(narrow, np.zeros(2))
    complete = explore(pieces, 0.0)

    assert complete
    assert {(1.0, 1.0), (1.0, -1.0), (-0.9, 30.0), (-1.0, 31.0)} <= slopes(pieces)


def test_that_there_are_many_is_known():
    pieces = pieces_of(lambda x: np.sum(np.abs(x)), np.zeros(12))

    assert not explore(pieces, 0.0)


def test_steps_of_unlike_size():
    """A kink that one number turns only when it moves far more than the other."""
    pieces = pieces_of(lambda x: np.abs(x[0] + 1e-3 * x[1]), np.zeros(2))
    explore(pieces, 0.0)

    assert slopes(pieces) == {(1.0, 0.001), (-1.0, -0.001)}


def test_more_points_while_new_pieces_appear():
    """The 24 orders of four numbers are found, in spite of the 72 points that are tried first."""
    pieces = pieces_of(lambda x: np.sort(x) @ [1.0, -2.0, 0.5, 3.0], np.full(4, 0.5))

    assert explore(pieces, 0.0) is True
    assert len(slopes(pieces)) == 24


def test_a_continuum_is_known_within_a_fraction_of_its_spread():
    """The gradients of a length are all unlike; they count as one within `unseen`, which is 0 before."""
    pieces = pieces_of(lambda x: np.linalg.norm(x), np.zeros(2))
    before = pieces.unseen
    complete = explore(pieces, 0.1)

    assert complete
    np.testing.assert_array_equal(before, [0.0, 0.0])
    np.testing.assert_allclose(pieces.unseen, [0.2, 0.2], rtol=0.01)
