"""Zeros that nothing reads again, and copies of what nothing writes into again."""

import ast

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.passes.later_uses import LaterUses

COUNTED = """
s = np.zeros_like(x)
for i in reversed(range({range})):
    t += s[i{read}]
    s[i{read}] = 0.0
    s[i{added}] += t
{after}
"""


def left_of(text):
    """A text without what LaterUses leaves out."""
    body = ast.parse(text).body
    LaterUses(body, {"s", "r", "t"})
    return ast.unparse(body)


def counted(range_, read, added, after):
    return COUNTED.format(range=range_, read=read, added=added, after=after)


@pytest.mark.parametrize(
    "text",
    [
        counted("n", "", " - 1", "").replace("range(n)", "range(1, n)"),
        counted("n", " + 1", "", "r[0] += s[0]"),
        counted("2, n", "", " - 2", "r[0] += s[1]"),
        counted("n", "", "", "").replace("    s[i] += t\n", ""),
        "s = np.zeros_like(x)\nt = s[0]\ns[0] = 0.0\nr = s[1:-1]",
        "s = np.zeros_like(x)\nt = s[-1]\ns[-1] = 0.0\nr = s[1:-1]",
        "s = np.zeros_like(x)\nt = s[0, k]\ns[0, 1] = 0.0\nr = s[1, 1]",
        "for k in range(n):\n    s = np.zeros_like(x)\n    t = s[k]\n    s[k] = 0.0",
    ],
)
def test_a_zero_that_nothing_reads_is_left_out(text):
    assert "] = 0.0" not in left_of(text)


@pytest.mark.parametrize(
    "text",
    [
        counted("n", "", " - 1", ""),  # the last is -1, which is another place
        counted("1, n", "", " + 1", ""),
        counted("1, n", "", " - 1", "r = s"),
        counted("1, n", "", " - 1", "r[0] += s[1]"),
        counted("1, n, 2", "", " - 1", ""),
        counted("1, n", "", " - 1", "").replace("    t +=", "    i = 2\n    t +="),
        counted("1, n", "", " - 1", "").replace("reversed(range(1, n))", "range(1, n)"),
        "s = np.zeros_like(x)\nt = s[-1]\ns[-1] = 0.0\nr = s[0]",  # one place if there is one
        "s = np.zeros_like(x)\nt = s[0]\ns[0] = 0.0\nr = s[mask]",
        "s = np.zeros_like(x)\nt = s[1]\ns[1] = 0.0\nr = s[:2]",
        "s = np.zeros_like(x)\nfor k in range(n):\n    t = s[k]\n    s[k] = 0.0",
        "s = np.zeros_like(x)\nfor j in r:\n    for i in reversed(range(1, n)):\n        t += s[i]\n        s[i] = 0.0",
        "s = np.zeros_like(x)\ns[0] = 0.0\nif x:\n    s = r\nt = s[0]",
        "s[0] = 0.0\nx = np.zeros_like(s)",
    ],
)
def test_a_zero_that_may_be_read_stays(text):
    assert left_of(text) == ast.unparse(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "s = np.zeros_like(x)\ns[0] += 1.0\nr = s.copy()\nt = r + s",
        "for k in x:\n    s = np.zeros_like(x)\n    s[0] += 1.0\n    r = s[1:].copy()\n    t = r + s",
        "def f():\n    s = np.zeros_like(x)\n    s[0] += 1.0\n    return s.copy(), r",
    ],
)
def test_a_copy_of_what_is_no_longer_written_into_is_left_out(text):
    text = ast.unparse(ast.parse(text).body[0].body) if text.startswith("def") else text

    assert ".copy()" not in left_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "s = np.zeros_like(x)\nr = s.copy()\ns[0] += 1.0\nt = r + s",
        "s = np.zeros_like(x)\nr = s.copy()\nr[0] += 1.0\nt = r + s",
        "s = np.zeros_like(x)\nr = s.copy()\nr += t",
        "s = np.zeros_like(x)\nfor k in x:\n    t = r + s\n    s[0] += 1.0\n    r = s.copy()",
        "s = np.zeros_like(x)\nr = s.copy()\nnp.add.at(s, k, 1.0)\nt = r + s",
        "s = np.zeros_like(x)\nt = s\nr = s.copy()\nt[0] += 1.0",
        "s = np.zeros_like(x)\nt.append(s)\nr = s.copy()",
        "s[0] += 1.0\nr = s.copy()",
        "return s.copy(), s",
    ],
)
def test_a_copy_that_may_be_changed_stays(text):
    assert left_of(text) == ast.unparse(ast.parse(text))


def smoothed(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] ** 2
    return np.sum(y * y)


def wrapped(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i - 1] * x[i]
    return np.sum(y)


def ended(x):
    y = x * x
    y[-1] = x[0]
    y[0] = y[0] * x[-1]
    return np.sum(y)


@pytest.mark.parametrize("lang", ["python", "c"])
@pytest.mark.parametrize("function", [smoothed, wrapped, ended])
def test_what_is_written_over_element_by_element(function, lang):
    source = gradcli.derive(function, at=np.array([0.5, 1.5, -0.7]), lang=lang)

    assert source.verified.by_tape
