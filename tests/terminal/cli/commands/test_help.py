"""`gradcli help`: commands, topics, codes, and what it says of other words."""

import json
import shlex

import click
import pytest

from gradcli.terminal.cli.command_names import COMMANDS
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.cli.shell_completion import options
from tests.terminal.cli.conftest import Call

G402 = """\
G402 detached

A recorded value reached code that needs a plain number, where the tape cannot
follow, so the derivative would be lost silently. float(x), math.sin(x) and
np.array([x]) in the body of your functions are followed. C functions are not,
nor are functions of math that a package stores without a name, as in a set
{math.sin}. A run that writes such a value as text and then reads a number from
a text is refused too, as it may be the same number.

  def f(x):
      return array.array('d', [x])[0]

Use np.array or the NumPy version of the function, and call functions of math by
name, math.sin(x). If the derivative should stop there, write
gradcli.stop_gradient(x).
"""


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("G999", "G911, G909, G908"),
        ("g100", "G101, G102, G103"),
        ("G99999999999", "G911, G909, G908"),
        ("point", "Did you mean points?"),
        ("convention", "Did you mean conventions?"),
        ("zzz", "`gradcli help` lists the topics."),
    ],
)
def test_a_word_without_a_page(word: str, hint: str, call: Call) -> None:
    """The nearest are suggested."""
    code = f"There is no finding code {word.upper()}.\nThe nearest are {hint}."
    said = code if word[1].isdigit() else f"There is no help on '{word}'.\n{hint}"

    assert call("help", word) == (2, "", f"error: {said}\n")


def test_a_function_and_a_width(call: Call) -> None:
    """Pages are drawn for the width that is asked for."""
    assert "hypot(x, y): a function of formulas; gradcli symbolic 'hypot(x, y)'" in call("help", "hypot").out
    narrow = call("help", "points", "--width", "40").out
    assert "The gradient is taken at the point.\nNumbers are float64, but whole numbers" in narrow


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command(command: str, call: Call) -> None:
    """Its page is what `--help` prints; it shows how it is called and how it ends, and examples of its own."""
    answer = call("help", command)
    examples = answer.out.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()

    assert (answer.code, answer.out) == (0, call(command, "--help").out)
    assert answer.out.startswith(f"Usage: gradcli {command}")
    assert "Exit codes:\n" in answer.out
    assert examples
    assert all(each.strip().startswith(f"gradcli {command}") for each in examples)


@pytest.mark.parametrize("words", [(), ("grad",), ("points",), ("G402",), ("all",)])
def test_json(words: tuple[str, ...], call: Call) -> None:
    answer = call("help", *words, "--json")
    found = json.loads(answer.out)

    assert (0, "help", call("help", *words).out) == (answer.code, found["command"], found["text"])


def test_the_examples_are_understood() -> None:
    for command in COMMANDS:
        examples = program.get_command(click.Context(program), command).examples
        assert examples
        for line in examples:
            typed = {word for word in shlex.split(line) if word.startswith("--")}
            assert typed <= set(options(command)), line
