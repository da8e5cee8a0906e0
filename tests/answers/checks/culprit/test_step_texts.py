"""Numbers and texts of steps, as a user would write them."""

import math

import pytest

from gradcli.answers.checks.culprit.numbers_in_words import number
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.engine.traces.trace import record_trace


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (3.0, "3"),
        (0.5, "1/2"),
        (-1 / 7, "-1/7"),
        (math.sqrt(3), "sqrt(3)"),
        (math.sqrt(3) ** 2, "3"),
        (math.pi / 180, "pi/180"),
        (180 / math.pi, "180/pi"),
        (0.31789, "0.31789"),
        (math.inf, "inf"),
    ],
)
def test_a_factor(x, text):
    """A known one is written by what it is."""
    assert text == number(x)


def long(x, y):
    return (x * y + 2.0 * x * x - 3.0 * y + x * y * y * x * y) * (y * y * y - 4.0 * x + 5.0 * x * y * x * y * x)


def test_a_long_formula_gets_a_letter():
    """The letter is explained at the end, and is not one of the user's names."""
    texts = StepTexts(record_trace(long, (1.3, 0.7), names=True))
    product = texts.trace.nodes[-1]

    found = texts.finished(f"the derivative of {texts.step(product)[0]}")

    assert (
        "the derivative of u * v, where u is x * y + 2 * x * x - 3 * y + x * y * y * x * y "
        "and v is y * y * y - 4 * x + 5 * x * y * x * y * x"
    ) == found


def test_a_formula_that_is_too_long_is_told_by_its_line():
    texts = StepTexts(record_trace(lambda x, y: (long(x, y) + long(y, x)) * 2.0, (1.3, 0.7), names=True))

    found = texts.finished(texts.step(texts.trace.nodes[-1])[0])

    line = f"the value of line {long.__code__.co_firstlineno + 1}"
    assert f"({line} * {line} + {line} * {line}) * 2" == found
