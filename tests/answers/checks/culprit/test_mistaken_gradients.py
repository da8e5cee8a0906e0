"""Mistakes in the derivatives of loops: sums that are overwritten, and terms named as the source has them."""

import numpy as np
import pytest

from tests.answers.checks.culprit import loop_programs as loops
from tests.answers.checks.culprit.test_causes import causes

pytestmark = pytest.mark.sampled(4)  # many like cases

W = np.array([0.3, -0.8, 0.5])
OVERWRITTEN = {
    "the last": (loops.squares, W, lambda w: loops.squares_of_one(w, range(5)), "terms r * r of total + r * r", "last"),
    "the first": (loops.squares, W, lambda w: loops.squares_of_one(w, range(4, -1, -1)), "terms r * r of", "first"),
    "states": (loops.states, loops.SQUARE, loops.states_of_one, "derivatives of W @ h by W", "first"),
    "elements": (loops.valley, loops.FIVE, loops.valley_written, "derivatives of x[i + 1] by x", "last"),
    "one of two inputs": (loops.waves, (0.3, 0.7), loops.waves_of_one, "of the derivatives of a * 3 by a", "last"),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_an_overwritten_sum(name):
    f, at, against, term, kept = OVERWRITTEN[name]

    (message,) = causes(f, at, against)

    assert f"{term}" in message
    assert f"only that of the {kept} iteration counts: the sum over the loop is overwritten (= for +=)" in message


def layers(weights):
    h = loops.X[0]
    for W in weights:
        h = np.tanh(W @ h)
    return np.sum(h**2)


def of_the_last_layer(weights):
    first = np.tanh(weights[0] @ loops.X[0])
    h = np.tanh(weights[1] @ first)
    return [np.zeros((3, 3)), np.outer(2 * h * (1 - h * h), first)]


def test_derivatives_by_different_arrays_are_no_sum():
    (message,) = causes(layers, ([loops.SQUARE, loops.SQUARE.T],), of_the_last_layer)

    assert "overwritten" not in message


IN_SOURCE = {
    "a sign": (loops.springs, lambda u: loops.of_springs(u, lambda i, e: e),
               "the term that comes through u[i] has the wrong sign, each time"),
    "one iteration": (loops.springs, lambda u: loops.of_springs(u, lambda i, e: -e if i != 1 else 0.0),
                      "the term u[i] of u[i + 1] - u[i] is missing at i=1"),
    "a factor": (loops.springs, lambda u: loops.of_springs(u, stiffness=np.ones(4)),
                 "the factor D[i] of D[i] * (u[i + 1] - u[i]) ** 2 is missing, each time"),
    "two loops": (loops.pairs, loops.of_pairs, "the term that comes through u[i] is missing, each time"),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_SOURCE)
def test_a_term_is_named_as_in_the_source(name):
    f, against, said = IN_SOURCE[name]

    (message,) = causes(f, loops.FIVE, against)

    assert said in message


def test_a_number_of_a_list_is_named_as_in_the_source():
    (message,) = causes(loops.springs, (loops.FIVE.tolist(),), lambda u: loops.of_springs(u, lambda i, e: e))

    assert "the term that comes through u[i] in u[i + 1] - u[i] has the wrong sign, each time" in message


def test_two_indices():
    (message,) = causes(loops.grid, loops.SQUARE, loops.of_grid)

    assert "the derivative of A[i, j - 1] ** 2 is 2 * A[i, j - 1] = " in message
    assert " at i=0, j=1, and likewise each time" in message


INDICES = {
    "read": ({"read": 1}, "the derivative has u[i+1] in place of u[i - 1]"),
    "read from the end": ({"read": -2}, "the derivative has u[i-2] in place of u[i - 1]"),
    "added": ({"added": -1}, "what belongs to the derivative by u[i + 1] is added to that by u[i-1]"),
    "taken": ({"other": -1}, "the candidate is the gradient with u[i-1] in place of u[i]"),
    "starts late": ({"start": 2}, "that of the first iteration is missing"),
    "ends early": ({"stop": 2}, "that of the last iteration is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", INDICES)
def test_another_element_or_range(name):
    changes, said = INDICES[name]

    (message,) = causes(loops.bent, loops.FIVE, lambda u: loops.of_bent(u, **changes))

    assert said in message


def test_another_element_along_the_first_axis():
    (message,) = causes(loops.grid, loops.SQUARE, loops.of_grid_elsewhere)

    assert "the derivative has A[i+1, j] in place of A[i, j]" in message
