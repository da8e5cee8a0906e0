"""The corpus: no wrong gradient accepted, no right one rejected, every kink named."""

from __future__ import annotations

import random
import warnings

import pytest

import gradcli
from gradcli.records import Comparison
from tests.corpus import CLAIMS, NAMED, OVERALL, Claim

SAMPLE = 40
QUICK = random.Random(20).sample([claim for claim in CLAIMS if claim.quick], SAMPLE)
REST = [claim for claim in CLAIMS if claim not in QUICK]


def judged(claim: Claim) -> Comparison:
    """The comparison of a claim; what its function warns of is no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gradcli.check(claim.f, at=claim.at, against=claim.gradient)


def names(claims: list[Claim]) -> list[str]:
    """For pytest's ids."""
    return [claim.name for claim in claims]


def holds(claim: Claim) -> None:
    """Assert that the verdict is what the claim deserves, and that what it is is named."""
    found = judged(claim)
    named = {row.verdict.value for row in found.components}

    assert OVERALL[claim.truth] == found.verdict, (claim.why, found.components)
    assert {NAMED[claim.truth]} <= named if claim.truth in NAMED else "KINK" not in named or claim.truth == "wrong"


@pytest.mark.parametrize("claim", QUICK, ids=names(QUICK))
def test_a_sample(claim):
    """Some of the quick ones, always the same."""
    holds(claim)


@pytest.mark.long
@pytest.mark.parametrize("claim", REST, ids=names(REST))
def test_the_rest(claim):
    """All the others."""
    holds(claim)


def test_every_claim_has_a_name_of_its_own():
    """Else one of two would not be seen."""
    assert len(CLAIMS) == len(set(names(CLAIMS)))


def test_there_are_claims_of_every_kind():
    """Enough of each to mean something."""
    assert 150 <= len(CLAIMS)
    assert set(OVERALL) == {claim.truth for claim in CLAIMS}
