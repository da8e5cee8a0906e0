"""The corpus judged by several tools: what is counted, and that each is given the same function and numbers."""

import time

import pytest

from benchmarks import corpus
from tests.corpus import CLAIMS

BY_NAME = {claim.name: claim for claim in CLAIMS}


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        ("a case of the plane", 18.0, [9.0, 12.0]),
        ("the seeds' box, by the tape", 100.0, [52.0, 38.0, 28.0, 22.0]),
        ("a matrix: transposed", None, None),
    ],
)
def test_a_claim_as_a_function_of_one_vector(name, value, gradient):
    """Structures are put together again from the numbers; the tape's own gradient is given as numbers too."""
    claim = BY_NAME[name]
    form = corpus.flat(claim)

    if value is None:
        assert claim.f(claim.at) == form.f(form.x)
        assert claim.gradient(claim.at).ravel().tolist() == form.gradient.tolist()
    else:
        assert (value, gradient) == (form.f(form.x), form.gradient.tolist())


def test_what_is_counted():
    """A wrong gradient that is accepted, a right one that is not, and nothing else."""
    chosen = [BY_NAME["a case of the plane"], BY_NAME["a case of the plane: of another case"], BY_NAME["abs at 0"]]
    forms = [(claim, corpus.flat(claim)) for claim in chosen]

    def angry(claim: corpus.Flat) -> bool:
        raise ValueError

    found = [corpus.theirs("t", judge, forms) for judge in (lambda claim: True, lambda claim: False, angry)]

    assert [(c.wrong_accepted, c.right_rejected, c.kinks_named) for c in found] == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]


def test_ours_is_right(capsys):
    chosen = [BY_NAME["a case of the plane"], BY_NAME["a case of the plane: of another case"], BY_NAME["abs at 0"]]
    count = corpus.ours(chosen)
    heading, _, _, row = corpus.table(chosen, [count])

    assert (count.wrong_accepted, count.right_rejected, count.kinks_named) == (0, 0, 1)
    assert heading == "3 claims: 1 right, 1 wrong, 1 at a kink, and others that nobody can decide"
    assert row.split()[:4] == ["gradcli.check", "0", "0", "1"]


def test_a_judge_that_does_not_end_is_stopped(monkeypatch):
    monkeypatch.setattr(corpus, "PATIENCE", 0.05)

    with pytest.raises(TimeoutError), corpus.limited():
        time.sleep(10)
