"""Numbers and texts of steps, as a user would write them."""

import math

import pytest

from gradcli.answers.checks.culprit.numbers_in_words import number
from gradcli.answers.checks.culprit.step_texts import NO_SUBSCRIPTS, StepTexts, as_in_source, subscripts
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u[i+1] - u[ i ]", {"u[i+1]": ("u", (("i", 1),)), "u[ i ]": ("u", (("i", 0),))}),
        ("a[-1] * b[0]", {"a[-1]": ("a", (("", -1),)), "b[0]": ("b", (("", 0),))}),
        ("m[i, j - 1] + m[i][2]", {"m[i, j - 1]": ("m", (("i", 0), ("j", -1))), "m[i][2]": ("m", (("i", 0), ("", 2)))}),
        ("u[2*i] + u[i + j] + u[:2] + p.u[i] + u[n[i]] + u[f(i)] + d['k']", {"n[i]": ("n", (("i", 0),))}),
    ],
)
def test_subscripts(text, expected):
    assert subscripts(text) == expected


@pytest.mark.parametrize(
    ("statement", "elements", "texts", "values"),
    [
        ("s += (u[i+1] - u[i])**2", ["u[2]", "u[1]"], {"u[2]": "u[i+1]", "u[1]": "u[i]"}, {"i": 1}),
        ("v[i] = v[i-1] * c[k]", ["v[3]", "c[0]"], {"v[3]": "v[i-1]", "c[0]": "c[k]"}, {"i": 4, "k": 0}),
        ("return m[i, 0] * m[i, j]", ["m[1, 0]", "m[1, 2]"], {"m[1, 0]": "m[i, 0]", "m[1, 2]": "m[i, j]"},
         {"i": 1, "j": 2}),
        ("s = s + x[0] * x[-1]", ["x[0]", "x[-1]"], {"x[0]": "x[0]", "x[-1]": "x[-1]"}, {}),
    ],
)  # fmt: skip
def test_elements_as_in_the_source(statement, elements, texts, values):
    assert as_in_source(statement, elements, in_order=False) == (texts, values)


@pytest.mark.parametrize(
    ("statement", "elements"),
    [
        ("s += u[i] * u[j]", ["u[0]", "u[1]"]),  # either of two ways
        ("s += u[i+1] - u[i]", ["u[0]", "u[2]"]),
        ("s += u[i]", ["u[0]", "u[1]"]),
        ("s += u[i] if c else u[j]", ["u[0]"]),
    ],
)
def test_what_is_not_certain(statement, elements):
    assert as_in_source(statement, elements, in_order=False) == NO_SUBSCRIPTS


def test_elements_in_the_order_of_their_reading():
    assert as_in_source("s += u[i] * u[j]", ["u[2]", "u[1]"], in_order=True)[1] == {"i": 2, "j": 1}
