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
    """The claims on which it has an effect, and those that become wrong without it."""
    before, acts_on = ablation.baseline(CHOSEN)
    turns = Mechanism("answers.checks.verdicts.within_an_iteration")
    decided = ablation.without(turns, CHOSEN, before, acts_on[turns.place])

    assert [overall for overall, _ in before] == ["pass", "pass", "inconclusive"]
    assert all(map(ablation.is_right, CHOSEN, before))
    assert acts_on[turns.place] == [2]
    assert (decided.worse, decided.better, decided.other) == ([CHOSEN[2]], [], [])
    assert decided.text().split()[:6] == ["answers.checks.verdicts.within_an_iteration", "8", "1", "1", "0", "0"]


def test_a_mechanism_without_effect_is_not_judged_again():
    direction = Mechanism("answers.checks.evidence.nonadditive_direction", lambda *_: "")
    decided = ablation.without(direction, CHOSEN, [], [])

    assert (decided.acts_on, decided.worse, decided.better, decided.other) == (0, [], [], [])
