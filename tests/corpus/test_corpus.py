"""The corpus: no wrong gradient accepted, no right one rejected, every kink named."""

import random
import re
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks import comparison, jacobian_rows, references
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.shared.pytree import leaves
from gradcli.shared.records.checks import Comparison, Component, Verdict
from tests.corpus import CLAIMS, NAMED, OVERALL, Claim

SAMPLE = 30
BETWEEN = re.compile(r"the slopes are (\S+) to the left and (\S+) to the right; the candidate is not")
QUICK = random.Random(20).sample([claim for claim in CLAIMS if claim.quick], SAMPLE)
# Of the vectors beyond the edge of a large norm's gradients, the hardest to tell are judged: 1.001 times too long.
EASIER = (": 1.1 times too long", ": 1.01 times too long")
REST = [claim for claim in CLAIMS if claim not in QUICK and (claim.quick or not claim.name.endswith(EASIER))]
EXPLAINED = {claim.name for claim in REST[::4] if claim.quick}


def of_one_function(claims: list[Claim]) -> list[list[Claim]]:
    """Claims about the same derivative of one function at one point, together."""
    found: dict[tuple[int, str, str], list[Claim]] = {}
    for claim in claims:
        found.setdefault((id(claim.f), repr(claim.at), claim.of), []).append(claim)
    return list(found.values())


TOGETHER = of_one_function(REST)


def judged(claim: Claim) -> Comparison:
    """The comparison of a claim; what its function warns of is no matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gradcli.check(claim.f, at=claim.at, against=claim.gradient, of=claim.of)


def names(claims: list[Claim]) -> list[str]:
    return [claim.name for claim in claims]


def holds(claim: Claim) -> None:
    """Assert that the verdict is what the claim deserves, and that what it is is named."""
    found = judged(claim)
    named = {row.verdict.value for row in found.components}

    assert found.verdict == OVERALL[claim.truth], (claim.name, claim.why, found.components)
    assert all(reason_holds(row) for row in found.components if row.verdict is Verdict.FAIL), claim.name
    is_named = {NAMED[claim.truth]} <= named if claim.truth in NAMED else "KINK" not in named or claim.truth == "wrong"
    assert is_named, (claim.name, named)


def reason_holds(row: Component) -> bool:
    """Whether what is said of a wrong component is so by the numbers beside it."""
    assert row.candidate is not None
    if slopes := BETWEEN.search(row.reason):
        left, right = map(float, slopes.groups())
        return not min(left, right) <= row.candidate <= max(left, right)
    if "off by" in row.reason and row.reference is not None and row.tolerance is not None:
        return abs(row.candidate - row.reference) > row.tolerance
    return True


def remember(patch: pytest.MonkeyPatch, holder: object, name: str, key: object) -> None:
    """Ask a function that is an attribute only once for each key of its arguments, which are kept with its answer."""
    asked, answers = getattr(holder, name), {}

    def known(*arguments):
        place = key(*arguments)
        if place not in answers:
            answer = asked(*arguments)
            if answer is None:  # the time was over
                return None
            answers[place] = answer, arguments
        return answers[place][0]

    patch.setattr(holder, name, known)


@pytest.mark.parametrize("claim", QUICK, ids=names(QUICK))
def test_a_sample(claim):
    holds(claim)


@pytest.mark.long
@pytest.mark.parametrize("claims", TOGETHER, ids=[claims[0].name for claims in TOGETHER])
def test_the_rest(claims, monkeypatch):
    """The mistake, which decides nothing, is searched for in every fourth claim, if it is judged quickly.

    The evidence that does not depend on the claimed gradient is gathered for the first claim about it.
    """
    if claims[0].of == "gradient":
        numbers_at = lambda point: tuple(np.asarray(leaf).tobytes() for leaf in leaves(list(point.values())))
        remember(monkeypatch, comparison, "open_case", lambda target, point, *_: numbers_at(point))
        remember(monkeypatch, references, "exact_derivatives", id)
        numbers = lambda parts: tuple(part.number for part in parts)
        remember(monkeypatch, references, "slopes_by_number", lambda case, chosen: (id(case), numbers(chosen)))
        remember(
            monkeypatch, Surroundings, "meet",
            lambda around, way: (id(around.function), numbers(around.parts), way.tobytes()),
        )  # fmt: skip
    for claim in claims:
        with monkeypatch.context() as patch:
            if claim.name not in EXPLAINED:
                patch.setattr(comparison, "_culprits", lambda *_: iter(()))
                patch.setattr(jacobian_rows, "_reasons", lambda *_: [])
            holds(claim)


def test_every_claim_has_a_name_of_its_own():
    assert len(set(names(CLAIMS))) == len(CLAIMS)


def test_there_are_claims_of_every_kind():
    assert 150 <= len(CLAIMS)
    assert {claim.truth for claim in CLAIMS} == set(OVERALL)
