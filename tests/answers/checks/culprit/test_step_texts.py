"""Texts of steps in the user's names."""

from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.engine.traces.trace import record_trace


def long(x, y):
    return (x * y + 2.0 * x * x - 3.0 * y + x * y * y * x * y + x - 7.0 * y * x * x * y * y) * (x - y)


def test_a_long_formula_is_told_by_its_line():
    texts = StepTexts(record_trace(long, (1.3, 0.7), names=True))

    line = long.__code__.co_firstlineno + 1
    assert texts.step(texts.trace.nodes[-1])[0] == f"the value of line {line} * (x - y)"
