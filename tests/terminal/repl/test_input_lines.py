"""What a line is, before anything runs."""

import pytest

from gradcli.errors import UsageError
from gradcli.terminal.repl.input_blocks import whole_lines
from gradcli.terminal.repl.input_lines import bare, joined, opened, read, words

COMMANDS = ("grad", "tape", "at", "names", "help")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "nothing"),
        ("   # only a comment", "nothing"),
        ("grad f", "command"),
        ("names", "command"),
        ("  help  ", "command"),
        ("grad -x^2 --at 1", "command"),
        ("at x=1,y=2", "command"),
        ("grad (x+1)^2", "command"),
        ("grad + 1", "expression"),
        ("tape * 2", "expression"),
        ("at(2)", "expression"),
        ("gradient", "expression"),
        ("at == 2", "expression"),
        ("x = 3", "definition"),
        ("f(x, y) = x*y", "definition"),
        ("def f(x): return x", "function"),
        ("import math\n\n@cache\ndef f(x):\n    return x", "function"),
        ("def = 3", "definition"),
        ("import math", "import"),
        ("from math import sin, cos", "import"),
        ("import box.py", "expression"),
        ("import numpy as", "expression"),
        ("x == 3", "expression"),
        ("x^2 + sin(y)", "expression"),
        ("3", "expression"),
        ("names / 2", "expression"),
        ("help if x else 2", "expression"),
    ],
)
def test_kinds(text, kind):
    """A command by its first word, a definition by its equals sign, everything else an expression."""
    assert kind == read(text, COMMANDS).kind


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("grad = 3", "grad1 = 3"),
        ("tape(x) = x^2", "tape1(x) = x^2"),
        ("help = grad2 + 1", "help1 = grad2 + 1"),
        ("def grad(x): return grad2(x)", "def grad1(x): return grad2(x)"),
        ("def names(x):\n    return x", "def names1(x): …"),
    ],
)
def test_a_command_cannot_be_a_name(text, corrected):
    """The error shows the definition under a name that is free."""
    with pytest.raises(UsageError, match="is a command, so it cannot be a name") as raised:
        read(text, COMMANDS)
    assert f"Type {corrected} instead. The names of commands are taken; `help` lists them." == raised.value.hint


@pytest.mark.parametrize("text", [
    ">>> x + 1", "gradcli> x + 1", "  >>> gradcli> x + 1", "x + 1   # a comment", "$ gradcli x + 1",
    "In [3]: x + 1", "   ...: x + 1", "... x + 1", "> x + 1", ". x + 1",
])  # fmt: skip
def test_copied_prompts_and_comments_are_left_out(text):
    assert bare(text) == "x + 1"


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["x = 3", "x^2"], "> x = 3\n> x^2"),
        (["f(x) = (x\n> 2)", "f(3)"], "f(x) = (x\n> 2)\nf(3)"),
        (["x = 3", "f(a) = (a +\n x)"], "In [1]: x = 3\nIn [2]: f(a) = (a +\n   ...:  x)\n"),
        (["x = 1", "y = 2"], "> x = 1\n. y = 2"),
        (["grad 'x**2' --at 3"], "$ gradcli grad 'x**2' --at 3"),
        (["x = 3", "# a comment", "y"], "x = 3\n# a comment\ny"),
    ],
)
def test_prompts_that_were_copied_are_passed_over(expected, text):
    assert [line for line in whole_lines(text) if line] == expected


def test_a_sign_in_quotes_begins_no_comment():
    assert bare("load 'a#b.py' # note") == "load 'a#b.py'"
    assert bare(r'at p={"a\"#b": 1}  # note') == r'at p={"a\"#b": 1}'


@pytest.mark.parametrize(
    ("line", "expected"),
    [('at p={"a[": 1}', 0), (r'at p={"\"(": 1', 1), ("f'(2)", 0), ("at p={'(': [1", 2), ("g([", 2), ("])", -2)],
)
def test_a_bracket_in_quotes_opens_nothing(line, expected):
    """A key may hold one; a prime is no quote."""
    assert opened(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f --at 1,2", ["f", "--at", "1,2"]),
        ("x^2 + y --at x=1, y=2 --json", ["x^2 + y", "--at", "x=1, y=2", "--json"]),
        ("'x + y' --at '1, 2'", ["x + y", "--at", "1, 2"]),
        ('f --at p={"w": [1, 2]}', ["f", "--at", 'p={"w": [1, 2]}']),
        (r'f --at p={"a\"b": 1, "c\\": 2} --json', ["f", "--at", r'p={"a\"b": 1, "c\\": 2}', "--json"]),
        (r"""f --at 'p={"a\"b": 1}'""", ["f", "--at", r'p={"a\"b": 1}']),
        (r"f --out 'a\b'", ["f", "--out", r"a\b"]),
        ("f --at=1,2 --json", ["f", "--at=1,2", "--json"]),
        ("-x^2 --at 3", ["-x^2", "--at", "3"]),
    ],
)
def test_arguments_need_no_quotes(text, expected):
    assert joined(words(text)) == expected


def test_an_open_quote_is_refused():
    with pytest.raises(UsageError, match="quote is not closed"):
        _ = read("grad 'x + 1", COMMANDS).arguments()
