"""Large gradients, most of whose components are judged together, as arrays."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks import evidence, many_components
from gradcli.shared.records.checks import Verdict

X = np.linspace(0.1, 2.0, 200)
STEP = np.arange(200) == 150


def squares(x):
    return np.sum(x**2)


def branched(x):
    return np.sum(x**3) if np.sum(x) > 1.0 else np.sum(x)


def near_a_branch(x):
    return np.sum(x**3) if x[150] > X[150] - 1e-13 else np.sum(x)


def stepped(x):
    return np.sum(x**2) + np.sum(np.floor(x[100:150]))


def as_text(x):
    """What the tape cannot follow."""
    return sum(float(str(number)) ** 3 for number in x.tolist())


CASES = {
    "right": (squares, lambda x: 2 * x),
    "a factor": (squares, lambda x: 3 * x),
    "one is wrong": (squares, lambda x: 2 * x + 1e-3 * STEP),
    "one is hardly wrong": (squares, lambda x: 2 * x * (1 + 1e-6 * STEP)),
    "one is right but for rounding": (squares, lambda x: 2 * x * (1 + 1e-12 * STEP)),
    "one is nan": (squares, lambda x: np.where(STEP, np.nan, 2 * x)),
    "one is infinite": (squares, lambda x: np.where(STEP, np.inf, 2 * x)),
    "all are zero": (squares, np.zeros_like),
    "a derivative is zero": (lambda x: np.sum((x - X[150]) ** 2 * STEP + x), lambda x: np.ones(200)),
    "one is wrong where the derivative is zero": (
        lambda x: np.sum((x - X[150]) ** 2 * STEP + x), lambda x: np.ones(200) + 1e-9 * STEP),
    "a branch": (branched, lambda x: 3 * x**2),
    "a branch, wrong": (branched, lambda x: np.ones(200)),
    "near a branch": (near_a_branch, lambda x: 3 * x**2),
    "at a kink": (lambda x: np.sum(np.abs(x - X[150])), lambda x: np.sign(x - X[150])),
    "steps": (stepped, lambda x: 2 * x),
    "inputs that act only through outcomes": (lambda x: np.sum(x[:100] ** 2) + np.sum(np.floor(x[100:])),
                                              lambda x: np.where(np.arange(200) < 100, 2 * x, 0.0)),
    "no derivative in many digits": (as_text, lambda x: 3 * x**2),
    "cancelled terms": (lambda x: np.sum((1e8 + x) ** 2 - 1e16 - 2e8 * x), lambda x: 2 * x),
}  # fmt: skip


def verdicts(f, against):
    """The verdicts by name, and that on the whole."""
    comparison = gradcli.check(f, at=X, against=against)
    return {row.name: row.verdict for row in comparison.components} | {"all": comparison.verdict}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("f", "against"), CASES.values(), ids=CASES.keys())
def test_components_together_get_the_verdicts_of_single_ones(f, against, monkeypatch):
    together = verdicts(f, against)

    monkeypatch.setattr(evidence, "many_components", lambda *_: None)

    assert together == verdicts(f, against)


def test_most_components_are_judged_together(monkeypatch):
    sizes = []
    many = many_components.many_components
    monkeypatch.setattr(evidence, "many_components", lambda *given: sizes.append(many(*given)) or sizes[0])

    gradcli.check(squares, at=X, against=lambda x: 2 * x)

    assert len(sizes[0].case.parts) == 136


def test_the_notes_say_what_decides_on_how_many_components():
    notes = gradcli.check(squares, at=X, against=lambda x: 2 * x).notes

    assert notes[1:] == (
        "would detect a relative error of 1e-07 in each component, by the symbolic derivative",
        "differences: the first 64 of 200 components one by one, the others together along one direction",
    )


def test_the_notes_say_that_differences_alone_decide_on_the_first_components():
    notes = gradcli.check(as_text, at=X, against=lambda x: 3 * x**2).notes

    assert " in each of 64 of 200 components" in notes[-2]


def test_what_there_is_no_time_for_is_not_judged(monkeypatch):
    """At a kink each component must be judged alone."""
    monkeypatch.setattr(evidence, "MOST_TOGETHER", 100)
    monkeypatch.setattr(evidence, "JUDGING", 1e9)

    comparison = gradcli.check(
        lambda x: np.sum(np.abs(x - X[0])), at=X, against=lambda x: np.sign(x - X[0]), max_seconds=60.0
    )

    assert sum(row.verdict is Verdict.SKIPPED for row in comparison.components) == 100


def test_after_an_interruption_no_more_than_a_few_are_judged_alone(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_TOGETHER", 100)
    monkeypatch.setattr(evidence, "is_interrupted", lambda: True)

    comparison = gradcli.check(lambda x: np.sum(np.abs(x - X[0])), at=X, against=lambda x: np.sign(x - X[0]))

    assert sum(row.verdict is Verdict.SKIPPED for row in comparison.components) >= 100
