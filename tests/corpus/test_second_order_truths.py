"""The truths of claims of second order, by differences of values beside the point and nothing of gradcli's."""

import itertools

import numpy as np
import pytest
import scipy.optimize

from tests.corpus import CLAIMS

BESIDE, STEP = 1e-3, 1e-5
SAMPLES = 24
NEAR = 0.05  # of the largest number: what lies between the Hessians beside the point
APART = 5e-7  # of the largest number: what tells a wrong claim from the right one
LOST = "the second derivatives of a cube next to terms that cancel"  # which differences of values cannot see
SECOND = [
    claim
    for claim in CLAIMS
    if claim.of in ("hessian", "hvp") and claim.gradient is not None and not claim.name.startswith(LOST)
]
RIGHT = {claim.name: claim for claim in SECOND if claim.truth != "wrong"}
VECTORS = np.random.default_rng(4).normal(size=(3, 64))


def value(claim, numbers):
    """Of the function, at the numbers of a point in one row."""
    at = claim.at
    if np.ndim(at) == 0:
        return float(claim.f(type(at)(numbers[0])))
    moved = np.reshape(numbers, np.shape(at))
    return float(claim.f(moved.tolist() if isinstance(at, list) else moved))


def hessian(claim, numbers):
    """By differences of values, centered."""
    moves = np.eye(len(numbers)) * STEP
    found = np.empty((len(numbers), len(numbers)))
    for i, j in itertools.product(range(len(numbers)), repeat=2):
        signs = itertools.product((1, -1), repeat=2)
        terms = [s * t * value(claim, numbers + s * moves[i] + t * moves[j]) for s, t in signs]
        found[i, j] = sum(terms) / (4 * STEP**2)
    return found


def claimed(claim, seed=0):
    """The numbers that are claimed, and for products what they are claimed to be a product with, in one row each."""
    if claim.of == "hessian":
        return np.ravel(claim.gradient(claim.at)), None
    vector = VECTORS[seed, : np.size(claim.at)]
    shaped = np.reshape(vector, np.shape(claim.at))
    return np.ravel(claim.gradient(claim.at, shaped.tolist() if isinstance(claim.at, list) else shaped)), vector


def distance(claim):
    """From the mixtures of the Hessians beside the point, over the largest number."""
    numbers, rng = np.ravel(np.asarray(claim.at, dtype=float)), np.random.default_rng(1)
    wanted, vector = claimed(claim)
    with np.errstate(all="ignore"):
        found = [hessian(claim, numbers + BESIDE * rng.normal(size=len(numbers))) for _ in range(SAMPLES)]
    rows = np.array([np.ravel(h if vector is None else h @ vector) for h in found if np.all(np.isfinite(h))])
    size = max(np.abs(rows).max(), np.abs(wanted).max(), 1.0)
    heavy = 100 * size  # the shares add up to 1
    left = np.vstack([rows.T, np.full(len(rows), heavy)])
    return scipy.optimize.nnls(left, np.append(wanted, heavy))[1] / size


@pytest.mark.long
@pytest.mark.parametrize("claim", RIGHT.values(), ids=RIGHT)
def test_right_is_what_lies_between_the_hessians_beside_the_point(claim):
    assert distance(claim) < NEAR


@pytest.mark.long
@pytest.mark.parametrize("claim", [c for c in SECOND if c.truth == "wrong"], ids=lambda claim: claim.name)
def test_wrong_is_not(claim):
    """Either far from it, or off what is right by more than a checker allows for."""
    names = [name for name in RIGHT if claim.name.startswith(f"{name}:")]
    if names and RIGHT[name := max(names, key=len)].truth == "right":
        wanted, other = claimed(RIGHT[name])[0], claimed(claim)[0]
        assert np.abs(wanted - other).max() > APART * np.abs(wanted).max()
    else:
        assert distance(claim) > NEAR / 10
