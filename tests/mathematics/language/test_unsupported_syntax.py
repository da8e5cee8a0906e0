"""Refusals: where the carets stand, and what to type instead."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import parse
from gradcli.mathematics.language.vocabulary import ALIASES, FUNCTIONS

TABLE = [
    ("", 0, 1, "Type one"),
    ("   ", 0, 1, "Type one"),
    # Products without a sign, functions without brackets
    ("2x", 0, 2, "Type 2*x."),
    ("3 + 2x", 4, 6, "Type 3 + 2*x."),
    ("2(x+1)", 0, 2, "Type 2*(x+1)."),
    ("(a)(b)", 2, 4, "Type (a)*(b)."),
    ("(a)b", 2, 4, "Type (a)*b."),
    ("x y", 0, 3, "Type x*y."),
    ("2e", 0, 2, "Type 2*e."),
    ("3 4", 0, 3, None),
    ("1.2.3", 0, 5, None),
    ("sin x", 0, 3, "Type sin(x)."),
    ("sin + 1", 0, 3, "Type sin(…)"),
    ("1 + gamma*x", 4, 9, "an input needs another name"),
    ("1j", 0, 2, "Type 1*j."),
    # Names that are called
    ("sinn(x)", 0, 4, "Did you mean sin?"),
    ("x + arctn(x)", 4, 9, "Did you mean arctan?"),
    ("x(3)", 0, 1, "type x*(…)"),
    ("pi(3)", 0, 2, "type pi*(…)"),
    ("e(x)", 0, 1, "type e*(…)"),
    # Arguments
    ("sin()", 0, 5, "Type sin(x)."),
    ("1 + sin(x, y)", 4, 13, "Type sin(x)."),
    ("max(x)", 0, 6, "Type max(x, y)."),
    ("clip(x)", 0, 7, "Type clip(x, y, z)."),
    ("log(x, 2, 3)", 0, 12, "Type log(x)."),
    ("max(x, y=1)", 8, 9, "type =="),
    # Python that is no formula
    ("x.y", 1, 3, "A function in a file"),
    ("np.sin(x)", 2, 6, "type sin(…)"),
    ("x.T", 1, 3, "A function in a file may have attributes: grad file.py:f."),
    ("x[1]", 1, 2, "A function in a file may have them: grad file.py:f."),
    ("[1, 2]", 0, 1, "A function in a file"),
    ("{1: 2}", 0, 1, None),
    ("(1, 2)", 2, 3, "decimal point is 1.5"),
    ("x, y", 1, 2, "one expression"),
    ("()", 0, 2, None),
    ("lambda x: x", 0, 6, "expression alone"),
    ("sum(x for x in y)", 6, 9, "dot(x, y)"),
    ("'x'", 0, 1, None),
    ('f"{x}"', 1, 2, None),
    ("(x := 1)", 3, 5, "Type ==."),
    ("x = 1", 2, 3, "type =="),
    ("x is y", 2, 4, "Type =="),
    ("x in y", 2, 4, "x == 1 or x == 2"),
    ("True", 0, 4, "Type 1."),
    ("1 + False", 4, 9, "Type 0."),
    ("None", 0, 4, "nan"),
    ("yield x", 0, 5, None),
    ("x; y", 1, 2, "first alone"),
    ("x # y", 2, 3, None),
    ("x!", 1, 2, "Type gamma(x + 1)"),
    ("!x", 0, 1, "not for the negation"),
    ("|x|", 0, 1, "Type abs(x)"),
    ("x && y", 2, 4, "Type and."),
    ("~x", 0, 1, "Type not."),
    ("x <> y", 2, 4, "Type !=."),
    ("x => y", 2, 4, "Type >=."),
    ("x === y", 2, 5, "Type ==."),
    # Characters
    ("x − y", 2, 3, "Type - instead."),
    ("2×x", 1, 2, "Type * instead."),
    ("äx²", 2, 3, "Type ^2 instead."),
    ("x ≤ y", 2, 3, "Type <= instead."),
    ("x\0", 1, 2, "Delete it."),
    ("\ud800", 0, 1, "Delete it."),
    ("αβ + $", 5, 6, None),
    # Brackets, operators and lines
    ("(x", 0, 1, "Type a )"),
    ("1 + sin (x", 8, 9, "Type a )"),
    ("x)", 1, 2, "Leave the ) out."),
    ("(x]", 2, 3, None),
    ("x +", 3, 4, "Type a value"),
    ("x + * y", 4, 5, None),
    ("x^", 2, 3, "Type a value"),
    ("2 + not x", 4, 7, "Type (not …)."),
    ("x\n+ y", 1, 2, "in brackets"),
    ("x if y", 2, 4, "Type a if c else b."),
    ("x else y", 2, 6, "Type a if c else b."),
    ("x if a if b else c else d", 7, 9, "Type a if (b if c else d) else e."),
    ("a < (b < c < d) < e", 4, 15, "with and"),
    # Names
    ("__import__", 0, 10, "another name"),
    ("__import__('os')", 0, 10, "another name"),
    ("1 + __class__", 4, 13, "another name"),
]


@pytest.mark.parametrize(("text", "start", "end", "hint"), TABLE, ids=[repr(row[0]) for row in TABLE])
def test_refusal(text, start, end, hint):
    """The carets stand under the fault, and the hint has the text to type."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert (start, end) == (caught.value.start, caught.value.end)
    assert (hint or "") in (caught.value.hint or "")


def test_carets_refer_to_the_text_as_typed():
    """A power sign before the fault does not move the carets."""
    with pytest.raises(ExpressionError) as caught:
        parse("αβ^2 + 2x")
    assert caught.value.excerpt() == ["αβ^2 + 2x", "       ^^"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "(" * 5_000 + "x" + ")" * 5_000,
        "sin(" * 101 + "x" + ")" * 101,
        "[" * 10_000,
        "-" * 10_000 + "x",
        "not " * 4_000 + "x",
        "x^" * 5_000 + "x",
        "x if y else " * 1_000 + "x",
        "(-" * 60 + "x" + ")" * 60,
        "x" * 1_000_000,
        "x+" * 500_000 + "x",
        " " * 1_000_000,
    ],
    ids=lambda text: f"{text[:8]!r} * {len(text)}",
)
def test_too_deep_or_too_long(text):
    """Deep nesting and long text are refused, whatever they are made of."""
    with pytest.raises(ExpressionError, match=r"deeper|too long"):
        parse(text)


FRAGMENTS = [
    *FUNCTIONS,
    *ALIASES,
    *"xyzeπ0123456789.,()[]{}+-*/%^<>=!|&~@'\"\\#:;?$` \n\t\0_jJeE",
    "**",
    " if ",
    " else ",
]
FRAGMENTS += [
    " not ",
    " and ",
    " or ",
    "lambda",
    "\ud800",
    "²",
    "\N{MATHEMATICAL BOLD SMALL X}",
    "\u0301",
    "1e999",
    "inf",
    "nan",
    "True",
    "0x",
    "9^9",
]


@settings(max_examples=100)
@example("𝐥𝐚𝐦𝐛𝐝𝐚")
@example("ﬁ(x)")
@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)))
def test_no_text_raises_anything_else(text):
    try:
        parse(text)
    except ExpressionError as error:
        str(error).encode()  # it must be printable
