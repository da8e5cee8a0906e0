"""Contradictions of a recorded run with a plain one, and of exact derivatives with differences."""

import cmath
import math
from contextlib import nullcontext
from decimal import Decimal

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks import contradictory_evidence
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from gradcli.methods.exact import gradient
from tests.corpus.contradictions import MANY, another_value, many, nearly_the_same, same_value


def case_of(f, x):
    """The case of a function of one input."""
    return open_case(function_target("f", "f", f), {"x": x}, ["x"], lambda doing, **_: nullcontext())


def raises_in_a_plain_run(x):
    if another_value(x) == 2 * x:
        raise KeyError(x)
    return 3 * x


def test_two_values_are_shown():
    found = gradcli.check(another_value, at=1.5)
    told = [each.message for each in found.findings if each.code == "G315"]

    assert told == ["a recorded run gives 4.5, and a plain run 3"]
    assert found.verdict == "inconclusive"


def test_a_plain_run_that_raises_has_no_value():
    assert "a plain run raises KeyError" in contradictory_evidence.of_values(case_of(raises_in_a_plain_run, 1.5))


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (math.sin, 1.3),
        (lambda x: math.nan * x, 1.3),
        (lambda x: math.sin(1e9 * x[0] ** 5), np.array([1.3])),
        (lambda x: np.sum(x.astype(np.float32)), np.full(999, 0.1)),
    ],
    ids=["a sine", "nan", "a power of NumPy's, spread", "single precision"],
)
def test_rounding_is_no_other_value(f, at):
    assert not contradictory_evidence.of_values(case_of(f, at))


def test_both_derivatives_and_both_errors_are_shown():
    found = gradcli.check(same_value, at=1.5)
    (told,) = [each for each in found.findings if each.code == "G314"]

    assert told.message.startswith("by x the exact derivative of the recorded run is 3 ± ")
    assert (told.numbers["exact"], round(told.numbers["differences"], 9)) == (3.0, 2.0)
    assert 0 < told.numbers["differences_error"] < 1e-9


def test_a_contradiction_of_a_millionth_is_seen():
    assert [row.verdict.value for row in gradcli.check(nearly_the_same, at=0.5).components] == ["DISPUTED"]


@pytest.mark.parametrize("candidate", ["1e-150,0", "0,0", None])
def test_the_rounding_of_terms_that_cancel_explains_no_other_derivative(monkeypatch, candidate):
    """If the exact derivative were wrong, the differences of values without any rounding error would show it."""
    wrong = gradient.ExactGradient((Decimal(0),) * 2, (3.0,) * 2)
    monkeypatch.setattr(gradient, "gradient", lambda *_: wrong)
    found = gradcli.check("x*y - x*y + 1e-150*x", at="x=1,y=3", against=candidate)

    assert [row.verdict.value for row in found.components] == ["DISPUTED", "PASS"]


def test_what_is_not_differenced_alone_shares_the_doubt():
    """The function is another one for all numbers, and none of them is judged."""
    assert {row.verdict.value for row in gradcli.check(many, at=MANY).components} == {"DISPUTED"}


def test_the_rest_is_asked_together():

    def f(x):
        return np.sum(x[:70] ** 2) + np.sum(np.array([same_value(c.item()) for c in x[70:]]))

    found = gradcli.check(f, at=np.full(100, 1.5), against=lambda x: np.r_[2 * x[:70], np.full(30, 2.0)])
    verdicts = {row.name: row.verdict.value for row in found.components}

    assert found.verdict == "inconclusive"
    assert (verdicts["x[0]"], verdicts["x[99]"]) == ("PASS", "DISPUTED")


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: x * gradcli.stop_gradient(x), 1.5),
        (lambda x: x * x * math.sin(1 / x), 1e-16),
        (np.max, np.array([1.0, 1.0 + 1e-12])),
        (lambda x: np.log(np.sum(np.exp(x - np.max(x)))) - x[0], np.array([20.0, -20.0, 3.0])),
        (np.prod, np.array([1e-15, 2e-15, 3e-15], dtype=np.float32)),
    ],
    ids=["a declared stop", "a fast oscillation", "a kink between the points", "lost in a sum", "an underflow"],
)
def test_what_explains_a_contradiction(f, at):
    """The recorded run is the function, and differences know too little of it."""
    found = gradcli.check(f, at=at)

    assert "DISPUTED" not in {row.verdict.value for row in found.components}


@pytest.mark.parametrize(
    "f",
    [
        lambda x: abs(x) ** 2,
        lambda x: 3.0 * x.real,
        lambda x: cmath.sqrt(x).real,
        lambda x: (x * x.conjugate()).real,
        lambda x: max(x.real, x.imag),
    ],
    ids=["abs", "real", "sqrt", "conjugate", "max"],
)
def test_two_values_of_a_complex_number(f):
    found = gradcli.check(lambda x: (2.0 if type(x) is complex else 3.0) * f(x), at=1 + 2j)

    assert {row.verdict.value for row in found.components} == {"DISPUTED"}
