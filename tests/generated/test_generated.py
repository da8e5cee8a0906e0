"""Generated programs, derived in all forms: nothing but programs that were verified, and refusals with a line."""

import pytest

from tests.generated.search import FORMS, outcome


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(60))
def test_a_generated_program(seed):
    """One form each; `python -m tests.generated` tries all forms of thousands."""
    assert not outcome(seed, FORMS[seed % len(FORMS)]).startswith("FAILURE")


@pytest.mark.parametrize(
    ("seed", "form"),
    [
        (32, {"wrt": ["a", "v"]}), (941, {"value": True}), (1127, {"mode": "hessian", "wrt": ["a"]}),
        (423, {"mode": "hessian", "wrt": ["a"]}), (1281, {"mode": "hessian", "wrt": ["v"]}), (159, {}), (1415, {}),
    ],
)  # fmt: skip
def test_a_program_that_was_once_a_failure(seed, form):
    assert outcome(seed, form) == "derived"


def test_a_program_that_the_tape_refuses():
    """Its gradient agrees with differences at each point."""
    assert outcome(1535, {"wrt": ["b", "xs"]}) == "differences"
