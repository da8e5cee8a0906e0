"""Constants that are too large."""

import pytest

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import Number, parse

TOWERS = [
    "9**9**9**9",
    "9^9^9^9^9^9",
    "x + 9^9^9",
    "10^1001",
    "10.0^2000",
    "(1+1)^4000",
    "(-10)^1001",
    "2^-(-4000)",
    "(2*3)^(10^5)",
    "(9^999)^9^9",
    "(9^900 * 9^900)^2",
    "square(10^501)",
    "square(" * 90 + "3" + ")" * 90,
    "floor(9.5)^floor(9.5)^9",
    "max(9, 8)^max(9, 8)^9",
    "gamma(1000)",
    "gamma(gamma(gamma(9)))",
    "(9 if 1 else 2)^9^9",
    "exp2(4000)",
    "2^(10^400)",
]


@pytest.mark.parametrize("text", TOWERS, ids=lambda text: text[:30])
def test_giant_constants_are_refused(text):
    """A constant with over a thousand digits is refused without being computed."""
    with pytest.raises(ExpressionError, match="over 1,000 digits"):
        parse(text)


@pytest.mark.parametrize("text", [
    "2^x^2", "e^-x^2", "pi^pi^pi^pi", "x^9^9", "10^999", "2^-5000", "9^-9^9", "1^10^900", "(-1)^10^900", "0^10^900",
    "(1/0)^9", "0^-1", "exp(9999)", "(0/0)^9", "polygamma(10^200, 1)", "sin(10^400)",
    "10^300*10^300*10^300*10^300*10^300",
])  # fmt: skip
def test_other_powers_are_read(text):
    """A power with a name in it, or of a bearable size, is read."""
    assert text == text[parse(text).start : parse(text).end]


@pytest.mark.parametrize("text", ["1e999", "9" * 301, "9" * 19_000, "0x" + "f" * 5_000, "1" + "_0" * 400, "1e309"])
def test_giant_literals_are_refused(text):
    """A number that no float can hold is refused."""
    with pytest.raises(ExpressionError, match="too large"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * 300, int("9" * 300)),
        ("1e308", 1e308),
        ("1e-999", 0.0),
        ("00", 0),
        ("0b101", 5),
        ("0o17", 15),
        ("1.", 1.0),
    ],
)
def test_literals(text, value):
    assert Number(value, 0, len(text)) == parse(text)


@pytest.mark.parametrize(("text", "hint"), [("007", "Type 7."), ("0x_", None)])
def test_malformed_literals(text, hint):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert hint is None or hint == caught.value.hint
