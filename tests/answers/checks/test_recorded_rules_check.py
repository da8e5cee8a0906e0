"""Each step against differences of its own forward."""

import numpy as np
import pytest

import gradcli
from examples import hyperbox, logistic, rosenbrock
from gradcli.answers.checks.recorded_rules_check import wrong_rules
from gradcli.mathematics.rules.rule_table import RULES


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (hyperbox.f4, [1.0, 2.0, 3.0, 4.0]),
        (rosenbrock.rosen, np.linspace(0.3, 1.7, 5)),
        (lambda w: logistic.loss(w, 0.1), np.array([0.3, -0.2])),
        (lambda x: abs(x) + max(x, 0.0), 0.0),
        (lambda x: np.sum(np.abs(np.fft.fft(np.exp(1j * x))) ** 2 * np.arange(2.0)), np.array([1.0, 0.3])),
        (lambda x: np.sum(x * np.ones((3, 1))) + np.max(x) + x[0] ** 2, np.array([1.0, 1.0])),
    ],
    ids=["box", "valley", "logistic", "kinks", "complex", "arrays"],
)
def test_right_rules_are_not_accused(f, at):
    assert list(wrong_rules(gradcli.trace(f, at))) == []


@pytest.mark.parametrize("partials", [("-cos(x)",), ("1.001 * cos(x)",), ("0",)])
def test_a_wrong_rule_is_found(partials):
    wrong = RULES["sin"].changed(partials=partials)
    trace = gradcli.trace(lambda x: wrong(x) * 2.0, 0.3)

    (rule,) = wrong_rules(trace)

    assert rule[:2] == (1, "sin")
    assert str(rule).startswith("the rule of sin is wrong: ")
    assert rule.difference.endswith("where differences give 0.148932")
