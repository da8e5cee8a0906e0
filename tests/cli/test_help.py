"""`gradcli help`: commands, topics, codes, and what it says of other words."""

from __future__ import annotations

import pytest

from gradcli.cli.program import COMMANDS
from gradcli.findings.catalogue import CATALOGUE
from gradcli.render.topics import PAGES
from tests.cli.conftest import Call, Queries

G402 = """\
G402 detached

A recorded value reached code that takes its bare number, where the tape cannot follow:
from there on the derivative would be lost without a word. float(x), math.sin(x) and
np.array([x]) in the body of your functions are followed. Functions written in C are
not, nor functions of math that a package has kept aside, as in a default argument
s=math.sin.

  def f(x):
      return array.array('d', [x])[0]

Use np.array or the NumPy twin of the function, and call functions of math by their own
name, math.sin(x). Where the derivative is meant to stop, say so:
gradcli.stop_gradient(x).
"""

EXIT_CODES = """\
Exit codes

    0  done; for `check`, the gradient is right
    1  the gradient is wrong
    2  what was typed cannot be understood, found or fitted to the function
    3  no reference had the power to decide
    4  a gradient, or the point itself, is not finite
    5  your code raised an exception, or cannot be followed
    6  nothing was checked
    7  the work did not end in the time allowed
   70  a fault in gradcli
  130  interrupted by Ctrl-C
"""


def test_a_code(call: Call) -> None:
    """The page of a finding says the cause, an example and the way out."""
    assert (0, G402, "") == call("help", "G402")


def test_exit_codes(call: Call) -> None:
    """The exit codes are listed with their meanings."""
    assert (0, EXIT_CODES, "") == call("help", "exit-codes")


@pytest.mark.parametrize("word", [*PAGES, *CATALOGUE])
def test_every_topic(word: str, call: Call) -> None:
    """Every topic and code has a page."""
    answer = call("help", word)

    assert (0, "") == (answer.code, answer.err)
    assert answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(command: str, call: Call) -> None:
    """`gradcli help COMMAND` is what `gradcli COMMAND --help` prints."""
    answer = call("help", command)

    assert 0 == answer.code
    assert call(command, "--help").out == answer.out


def test_operations(call: Call, queries: Queries) -> None:
    """The operations are asked of the computing half."""
    queries.answers("operations", [("words", ["abs", "add"])])

    answer = call("help", "operations")
    assert (0, "") == (answer.code, answer.err)
    assert answer.out.startswith("Operations with a derivative rule\n\nwords:\n\nabs, add\n")


def test_no_topic_lists_them(call: Call) -> None:
    """Alone, it prints the commands, the topics and the codes."""
    answer = call("help")

    assert 0 == answer.code
    assert all(word in answer.out for word in (*COMMANDS, *PAGES, "operations", *CATALOGUE))


@pytest.mark.parametrize(
    ("hint", "word"),
    [
        ("Did you mean points?", "point"),
        ("Did you mean conventions?", "convention"),
        ("`gradcli help` lists the topics.", "zzz"),
    ],
)
def test_an_unknown_word(hint: str, word: str, call: Call) -> None:
    """A word without a page ends with 2 and suggests the nearest."""
    assert (2, "", f"error: There is no help on '{word}'.\n{hint}\n") == call("help", word)


def test_a_width(call: Call) -> None:
    """Pages are drawn for the width that is asked for."""
    answer = call("help", "points", "--width", "40")

    assert 0 == answer.code
    assert "The point says where the gradient is\ntaken." in answer.out
