"""The program without a command, with a wrong one, and its version."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import Call

HELP = """\
Usage: gradcli COMMAND ...

  gradcli computes the gradient of a plain Python function or a typed
  expression, shows how it came about, and checks it against SymPy and finite
  differences.

    gradcli grad 'x**2 + sin(y)' --at 1,2
    gradcli tape file.py:f --at 1,2,3,4
    gradcli check file.py:f --against file.py:grad_f --at 1,2,3,4

Options:
  -V, --version  Show the version.
  -h, --help     Show this message and exit.

Commands:
  grad        Value and gradient at a point.
  jacobian    All derivatives of a target whose value is an array.
  hessian     The matrix of second derivatives.
  tape        Every step, with the sensitivity of the result on it.
  explain     How the gradient came about, line by line backwards.
  step        Walk through a run, forwards and backwards, one node a key.
  derive      The gradient as source code.
  symbolic    The formulas of the value and of its derivatives.
  check       Cross-check a gradient; the exit code is the verdict.
  compare     Whether two functions have the same value and gradient.
  verify      Check every gradient of a project; for CI.
  precision   How many digits are good, and which steps cost the others.
  plot        Value and gradient along an input, or the error of differences.
  repl        A prompt with a memory; what a bare `gradcli` starts.
  run         Run a script of lines, as a session saves it.
  watch       The gradient again at every save, and what has changed.
  env         Versions, devices, the terminal and files, for a report.
  completion  The script that completes words in bash, zsh or fish.
  help        Explain a command, a topic or the code of a finding.

  `gradcli help` lists the topics: targets, points, expressions, verdicts,
  conventions, exit-codes and more.
"""


@pytest.mark.parametrize("arguments", [("--help",), ("-h",)])
def test_help(arguments: tuple[str, ...], call: Call) -> None:
    """The commands are listed with a line each."""
    assert (0, HELP, "") == call(*arguments)


def test_version(call: Call) -> None:
    """The version is a line on stdout."""
    answer = call("--version")

    assert (0, "") == (answer.code, answer.err)
    assert re.fullmatch(r"gradcli (\d+(\.\w+)+|\(not installed\))\n", answer.out)


@pytest.mark.parametrize(
    ("hint", "word"),
    [
        ("Did you mean `gradcli grad`?", "gard"),
        ("Did you mean `gradcli check`?", "Check"),
        ("A target needs a command before it: gradcli grad 'f.py:f' --at POINT", "f.py:f"),
        (
            "The commands are grad, jacobian, hessian, tape, explain, step, derive, symbolic, check, compare, verify, "
            "precision, plot, repl, run, watch, env, completion, help; `gradcli help` describes them.",
            "zzz",
        ),
    ],
)
def test_an_unknown_command(hint: str, word: str, call: Call) -> None:
    """A word that is no command ends with 2; the nearest is suggested, or the command that a target lacks."""
    assert (2, "", f"error: There is no command '{word}'.\n{hint}\n") == call(word, "--at", "1")


def test_a_long_word_is_shortened(call: Call) -> None:
    """A word that is no command is not repeated at full length."""
    assert len(call("x" * 10_000).err) < 300


def test_an_unknown_option(call: Call) -> None:
    """An option that the program itself does not have is named."""
    expected = "error: gradcli has no option --jsn.\n`gradcli --help` lists what there is.\n"

    assert (2, "", expected) == call("--jsn")
