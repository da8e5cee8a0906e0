"""The mechanisms of `check` switched off one by one: what each is found to decide, and that it is put back."""

import inspect

import pytest

from benchmarks import ablation
from benchmarks.ablation import Mechanism
from tests.corpus import CLAIMS

pytestmark = pytest.mark.sampled(4)  # many like cases

BY_NAME = {claim.name: claim for claim in CLAIMS}
CHOSEN = [BY_NAME[name] for name in ("a case of the plane", "abs at 0", "Newton's iteration, stopped early")]


@pytest.mark.parametrize("mechanism", ablation.MECHANISMS, ids=lambda each: each.place)
def test_a_mechanism_is_there_and_is_put_back(mechanism):
    before, table = inspect.getattr_static(mechanism.owner, mechanism.name), ablation.verdicts.TABLE
    with mechanism.replaced(lambda function: mechanism.off):
        assert inspect.getattr_static(mechanism.owner, mechanism.name) is not before
    assert inspect.getattr_static(mechanism.owner, mechanism.name) is before
    assert ablation.verdicts.TABLE is table


def test_what_a_mechanism_decides():
    """The claims at which it says something, and those that become wrong without it."""
    before, said = ablation.baseline(CHOSEN)
    turns = Mechanism("answers.checks.verdicts.within_an_iteration")
    found = ablation.without(turns, CHOSEN, before, said[turns.place])

    assert [overall for overall, _ in before] == ["pass", "pass", "inconclusive"]
    assert all(map(ablation.is_right, CHOSEN, before))
    assert said[turns.place] == [2]
    assert (found.worse, found.better, found.other) == ([CHOSEN[2]], [], [])
    assert found.text().split()[:6] == ["answers.checks.verdicts.within_an_iteration", "8", "1", "1", "0", "0"]


def test_what_says_nothing_is_not_asked_again():
    found = ablation.without(Mechanism("answers.checks.evidence.nonadditive_direction", lambda *_: ""), CHOSEN, [], [])

    assert (found.said, found.worse, found.better, found.other) == (0, [], [], [])
