"""The program without a command, with a wrong one, and its version."""

import re

import pytest

from tests.terminal.cli.conftest import Call

HELP = """\
Usage: gradcli COMMAND ...

  gradcli computes the gradient of a plain Python function or a typed
  expression, explains every step, and checks the result against SymPy and
  finite differences.

    gradcli grad 'x**2 + sin(y)' --at 1,2
    gradcli tape file.py:f --at 1,2,3,4
    gradcli check file.py:f --against file.py:grad_f --at 1,2,3,4

Options:
  -V, --version  Show the version.
  -h, --help     Show this message and exit.

Commands:
  grad        Compute the value and gradient at a point.
  jacobian    Compute the Jacobian of an array-valued target.
  hessian     Compute the matrix of second derivatives.
  tape        List every step with its value and sensitivity.
  explain     Explain the gradient line by line, backwards.
  step        Step through a run and its reverse sweep, node by node.
  derive      Write the gradient as source code.
  symbolic    Print formulas for the value and its derivatives.
  check       Check a gradient; the exit code is the verdict.
  compare     Compare the values and gradients of two functions.
  verify      Check every gradient in a project; for CI.
  precision   Count accurate digits and find the steps that lose them.
  propagate   Propagate the uncertainty of the inputs.
  plot        Plot the value and gradient, or the error of differences.
  repl        Start the interactive prompt (the default).
  run         Run a saved session script.
  watch       Recompute the gradient each time the file is saved.
  env         Show versions, devices, terminal and files, for bug reports.
  completion  Print a completion script for bash, zsh or fish.
  help        Explain a command, a topic or a finding code.

  `gradcli help` lists the topics: targets, points, expressions, verdicts,
  conventions, exit-codes and more.
"""


@pytest.mark.parametrize("arguments", [("--help",), ("-h",)])
def test_help(arguments: tuple[str, ...], call: Call) -> None:
    assert call(*arguments) == (0, HELP, "")


def test_version(call: Call) -> None:
    answer = call("--version")

    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(r"gradcli (\d+(\.\w+)+|\(not installed\))\n", answer.out)


@pytest.mark.parametrize(
    ("hint", "word"),
    [
        ("Did you mean `gradcli grad`?", "gard"),
        ("Did you mean `gradcli check`?", "Check"),
        ("A target needs a command before it: gradcli grad 'f.py:f' --at POINT", "f.py:f"),
        (
            "The commands are grad, jacobian, hessian, tape, explain, step, derive, symbolic, check, compare, verify, "
            "precision, propagate, plot, repl, run, watch, env, completion, help; `gradcli help` describes them.",
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

    assert call("--jsn") == (2, "", expected)
