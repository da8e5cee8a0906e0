"""Loops of C made one loop, on the statements that the writer hands over."""

import re

import pytest

from gradcli.answers.derivation.languages.c.loop_fusion import fused_lines
from gradcli.answers.derivation.languages.c.loop_tree import CArray, CLoop, CStatement, Item

CASES = {
    "an array that one loop makes and another one reads": (
        """double t[9];
        for (int i = 0; i < 9; ++i) { t[i] = x[i] * x[i]; }
        for (int i = 0; i < 9; ++i) { y[i] = t[i] + 1.0; }""",
        "for (int i = 0; i < 9; ++i) { const double t = x[i] * x[i]; y[i] = t + 1.0; }",
    ),
    "an element of another iteration": (
        """double t[9];
        for (int i = 0; i < 8; ++i) { t[i] = x[i]; }
        for (int i = 0; i < 8; ++i) { y[i] = t[i + 1]; }""",
        """double t[9];
        for (int i = 0; i < 8; ++i) { t[i] = x[i]; }
        for (int i = 0; i < 8; ++i) { y[i] = t[i + 1]; }""",
    ),
    "a sum that the second loop needs": (
        """double sum = 0.0;
        for (int i = 0; i < 9; ++i) { sum += x[i]; }
        for (int i = 0; i < 9; ++i) { y[i] = x[i] / sum; }""",
        """double sum = 0.0;
        for (int i = 0; i < 9; ++i) { sum += x[i]; }
        for (int i = 0; i < 9; ++i) { y[i] = x[i] / sum; }""",
    ),
    "statements between loops go before what they do not need": (
        """for (int i = 0; i < 9; ++i) { y[i] = x[i]; }
        const double a = exp(b);
        for (int i = 0; i < 9; ++i) { z[i] = a * y[i]; }""",
        """const double a = exp(b);
        for (int i = 0; i < 9; ++i) { y[i] = x[i]; z[i] = a * y[i]; }""",
    ),
    "loops around a sum as its arrays are stored": (
        """for (int i = 0; i < 3; ++i) { for (int j = 0; j < 5; ++j) { for (int k = 0; k < 7; ++k) {
        c[i][j] += a[i][k] * b[k][j]; } } }""",
        """for (int i = 0; i < 3; ++i) { for (int k = 0; k < 7; ++k) { for (int j = 0; j < 5; ++j) {
        c[i][j] += a[i][k] * b[k][j]; } } }""",
    ),
    "the index of another loop around it": (
        """for (int i = 0; i < 9; ++i) { y[i] = x[i]; }
        for (int j = 0; j < 9; ++j) { for (int i = 0; i < 3; ++i) { y[j] += z[j][i]; } }""",
        "for (int i = 0; i < 9; ++i) { y[i] = x[i]; for (int j = 0; j < 3; ++j) { y[i] += z[i][j]; } }",
    ),
    "an array of zeros stays one where no loop takes it": ("double s[9] = {0};\ng(s);", "double s[9] = {0};\ng(s);"),
    "zeros that a loop adds to": (
        """double s[9] = {0};
        for (int i = 0; i < 9; ++i) { s[i] += x[i]; }
        for (int i = 0; i < 9; ++i) { y[i] = s[i]; }""",
        "for (int i = 0; i < 9; ++i) { double s = 0.0; s += x[i]; y[i] = s; }",
    ),
    "an index that is an element": (
        """int t[9];
        for (int i = 0; i < 9; ++i) { t[i] = i % 2; }
        for (int i = 0; i < 9; ++i) { y[i] = x[t[i]]; }""",
        "for (int i = 0; i < 9; ++i) { const int t = i % 2; y[i] = x[t]; }",
    ),
    "nothing passes an assertion": (
        """for (int i = 0; i < 9; ++i) { y[i] = x[i]; }
        assert(a > 0.0);
        for (int i = 0; i < 9; ++i) { z[i] = y[i]; }""",
        """for (int i = 0; i < 9; ++i) { y[i] = x[i]; }
        assert(a > 0.0);
        for (int i = 0; i < 9; ++i) { z[i] = y[i]; }""",
    ),
    "a stack": (
        """for (int i = 0; i < 9; ++i) { stack[n++] = x[i]; }
        for (int i = 0; i < 9; ++i) { stack[n++] = y[i]; }""",
        """for (int i = 0; i < 9; ++i) { stack[n++] = x[i]; }
        for (int i = 0; i < 9; ++i) { stack[n++] = y[i]; }""",
    ),
}


def parts_of(text: str) -> list[str]:
    return [part.strip() for part in re.findall(r"for \([^{]*\{|\}|\b(?!for\b)\w[^;{}]*(?:\{0\})?;", text)]


def items_of(text: str) -> list[Item]:
    outer: list[list[Item]] = []
    block: list[Item] = []
    for part in parts_of(text):
        if part == "}":
            block = outer.pop()
        elif loop := re.match(r"for \(int (\w+) = 0; \w+ < (\w+);", part):
            block.append(CLoop(loop[1], CStatement(loop[2]), [], loop[1]))
            outer.append(block)
            block = block[-1].body  # type: ignore[union-attr]
        elif array := re.match(r"(double|int) (\w+)\[(\d+)\]( = \{0\})?;", part):
            block.append(CArray(array[1], array[2], (int(array[3]),), array[2], bool(array[4])))
        else:
            sets = re.match(r"(\w+)\[", part)
            block.append(CStatement(part, sets[1] if sets else ""))
    return block


@pytest.mark.parametrize("name", CASES)
def test_fused(name: str) -> None:
    given, expected = CASES[name]

    fused = fused_lines(items_of(given), ["x", "y"], vectorized=False)

    assert [line.strip() for line in fused] == parts_of(expected)


@pytest.mark.parametrize(
    ("body", "pragma"),
    [
        ("sum += x[i];", "#pragma omp simd reduction(+:sum)"),
        ("y[i] = x[i]; sum += y[i];", "#pragma omp simd reduction(+:sum)"),
        ("y[3] += x[i];", "#pragma omp simd reduction(+:part_1)"),
        ("y[i + 1] = y[i]; sum += y[i];", ""),
        ("sum += x[i]; y[i] = sum;", ""),
        ("y[t[i]] += x[i];", ""),
        ("y[i] = x[i];", ""),
    ],
)
def test_sums_are_vectorized_where_no_iteration_needs_another(body: str, pragma: str) -> None:
    items = items_of(f"for (int i = 0; i < 9; ++i) {{ {body} }}")

    lines = fused_lines(items, ["x", "y"], vectorized=True)

    assert next((line for line in lines if line.startswith("#")), "") == pragma


ROWS = """double t[{0}];
double e[{0}];
for (int i = 0; i < {0}; ++i) {{ t[i] = 0.0; }}
for (int i = 0; i < {0}; ++i) {{ for (int j = 0; j < 100; ++j) {{ t[i] += x[i][j]; }} }}
for (int i = 0; i < {0}; ++i) {{ e[i] = exp(t[i]); }}
for (int i = 0; i < {0}; ++i) {{ for (int j = 0; j < 100; ++j) {{ y[j] += x[i][j] * e[i]; }} }}"""

STRIPS = {
    "a function of vectors between the two uses of many rows": (ROWS.format(5000), True),
    "a function of numbers between the two uses of a few": (ROWS.format(500), False),
    "what a loop stores for the next": (
        """double t[5000];
        for (int i = 0; i < 5000; ++i) { t[i] = x[i]; s[i] += t[i]; }
        for (int i = 0; i < 5000; ++i) { s[i + 1] += t[i]; }""",
        True,
    ),
    "zeros of one more": (
        """for (int i = 0; i < 5001; ++i) { s[i] = 0.0; }
        for (int i = 0; i < 5000; ++i) { s[i] += x[i]; }
        for (int i = 0; i < 5000; ++i) { s[i + 1] += x[i]; }""",
        True,
    ),
    "an iteration that needs a later one": (
        """for (int i = 0; i < 5000; ++i) { t[i] = x[i]; }
        for (int i = 0; i < 5000; ++i) { y[i] = t[i + 1]; }""",
        False,
    ),
    "an element that a later iteration replaces": (
        """for (int i = 0; i < 5000; ++i) { y[i] = t[i]; }
        for (int i = 0; i < 5000; ++i) { t[i + 1] = x[i]; }""",
        False,
    ),
    "an element that the next loop adds to before it is set": (
        """for (int i = 0; i < 5000; ++i) { s[i] = x[i]; }
        for (int i = 0; i < 5000; ++i) { s[i + 1] += x[i]; }""",
        False,
    ),
    "a sum": (
        """for (int i = 0; i < 5000; ++i) { sum += x[i]; }
        for (int i = 0; i < 5000; ++i) { y[i] = sum; }""",
        False,
    ),
    "few iterations": (
        """for (int i = 0; i < 500; ++i) { t[i] = x[i]; s[i] += t[i]; }
        for (int i = 0; i < 500; ++i) { s[i + 1] += t[i]; }""",
        False,
    ),
}


@pytest.mark.parametrize("name", STRIPS)
def test_long_loops_alternate_where_no_iteration_needs_a_later_one(name: str) -> None:
    text, expected = STRIPS[name]

    fused = fused_lines(items_of(text), ["x", "y"], vectorized=True)

    assert any("strip" in line or "begin" in line for line in fused) == expected
