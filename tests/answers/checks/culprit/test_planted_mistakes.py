"""Mistakes planted by a reader who had not seen the explanations: most are named, and none by a cause that is not true.

The causes of all that are named were read, and are true.
"""

import pytest

import gradcli
from gradcli.errors import ResultError
from tests.answers.checks.planted_mistakes import MISTAKES, NO_CLASS_RIGHT, NO_CLASS_WRONG

pytestmark = pytest.mark.sampled(12)  # many like cases

LEAST = 0.75  # share of the mistakes that are named
# Those that have a true cause in other words, two given numbers, mistakes of kinds that are not tried, and gradients
# that change their arguments and are right.
NOT_NAMED = {
    "entropy, without the one", "numbers swapped", "softmax over the wrong axis", "weights left doubled",
    "labels off by one", "network with two slips", "mixed derivatives without the product rule",
}  # fmt: skip


def causes(planted):
    """The verdict, and the messages that name a cause."""
    arguments = planted.arguments()
    at = arguments if arguments[1:] else arguments[0]
    found = gradcli.check(planted.value, at=at, against=planted.candidate, of=planted.of)
    return found.verdict, [finding.message for finding in found.findings if finding.code in ("G312", "G313")]


def test_most_are_named():
    assert len(MISTAKES) - len(NOT_NAMED) >= LEAST * len(MISTAKES)


@pytest.mark.parametrize("planted", MISTAKES, ids=lambda planted: planted.name)
def test_a_planted_mistake(planted):
    try:
        verdict, messages = causes(planted)
    except ResultError:
        verdict, messages = "refused", []

    said = any(words.lower() in message.lower() for message in messages for words in planted.says)
    assert (verdict == "fail" and said) == (planted.name not in NOT_NAMED)


@pytest.mark.parametrize("planted", NO_CLASS_RIGHT, ids=lambda planted: planted.name)
def test_a_right_gradient_has_no_cause(planted):
    assert causes(planted) == ("pass", [])


@pytest.mark.parametrize("planted", NO_CLASS_WRONG, ids=lambda planted: planted.name)
def test_a_wrong_gradient_of_no_class_has_no_cause(planted):
    assert causes(planted) == ("fail", [])
