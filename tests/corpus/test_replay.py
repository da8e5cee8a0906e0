"""Replays of the programs of the corpus: what a run at the other point gives, along the recorded path or anew."""

import copy
import random
import warnings

import numpy as np
import pytest

from gradcli import trace
from gradcli.errors import GradcliError
from tests.corpus import CLAIMS, contradictions

# They give another value by the tape, at each call, or by the size of an object in memory.
NO_ONE_VALUE = ("another value each time", "another slope than a plain run", "odd: by the size in bytes")
TOLD = [
    claim
    for claim in CLAIMS
    if claim not in contradictions.CLAIMS and not isinstance(claim.at, dict) and not claim.name.startswith(NO_ONE_VALUE)
]
PROGRAMS = list(
    {(id(claim.f), repr(claim.at)): claim for claim in TOLD}.values()
)  # without the gradients claimed for each
SAMPLE = random.Random(3).sample(PROGRAMS, 40)


def arguments(claim):
    return claim.at if isinstance(claim.at, tuple) else (claim.at,)


def moved(x, rng, size):
    """A number, an array or a structure of them close by, of the same types."""
    if isinstance(x, (list, tuple)):
        return type(x)(moved(item, rng, size) for item in x)
    if type(x) is float:
        return x * (1 + size * rng.normal()) + size * rng.normal()
    if isinstance(x, (np.ndarray, np.floating)) and x.dtype.kind == "f":
        there = x * (1 + size * rng.normal(size=np.shape(x))) + size * rng.normal(size=np.shape(x))
        return np.asarray(there, dtype=x.dtype)[()] if np.ndim(x) == 0 else np.asarray(there, dtype=x.dtype)
    return x


def holds(claim):
    """Close by and further off."""
    here, rng = arguments(claim), np.random.default_rng(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            recorded = trace(claim.f, *copy.deepcopy(here), names=False)
        except (GradcliError, TypeError):  # judged by differences alone
            return
        for size in (1e-3, 0.1):
            there = moved(here, rng, size)
            try:
                value = claim.f(*copy.deepcopy(there))
            except (ArithmeticError, ValueError):
                continue
            found = recorded.replay(*copy.deepcopy(there)).value
            np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("claim", SAMPLE, ids=[claim.name for claim in SAMPLE])
def test_a_sample(claim):
    holds(claim)


@pytest.mark.long
def test_the_rest():
    for claim in PROGRAMS:
        if claim not in SAMPLE:
            holds(claim)
