"""Every command on odd programs: an answer or a refusal, never a fault of gradcli or a line of its own code."""

import io
import sys
import threading
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.targets.functions import function_target
from gradcli.errors import Exit, NotFiniteError, UsageError, UserCodeError
from gradcli.terminal.cli import main
from tests.corpus import CLAIMS

COMMANDS = (
    "grad", "jacobian", "hessian", "tape", "explain", "symbolic", "precision", "check", "derive", "plot", "step",
)  # fmt: skip
QUERIES = ("gradient", "jacobian", "hessian", "tape", "explain", "symbolic", "precision")
PROGRAMS = (Path(__file__).parent / "odd_programs.txt").read_text(encoding="utf-8").split("\n---\n")
"""Each a point and, below it, the source of `f`."""
MEANT = (UsageError, UserCodeError, NotFiniteError)  # and no fault of gradcli's
MENDED = {("derive", 52), ("derive", 161), ("derive", 177)}
"""Constants of int8 that are multiplied as such, a built-in function, a name that is no word."""
CASES = [
    (command, number)
    for number in range(len(PROGRAMS))
    for command in COMMANDS
    if (number + COMMANDS.index(command)) % 12 == 0 or (command, number) in MENDED
]
CLAIMED = [
    (QUERIES[number % len(QUERIES)], claim)
    for number, claim in enumerate([claim for claim in CLAIMS if claim.quick][::10])
]


@pytest.fixture(autouse=True)
def surroundings():
    """What an odd program may leave changed is put back."""
    limit, errors = sys.getrecursionlimit(), np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    sys.setrecursionlimit(limit)
    np.seterr(**errors)


@pytest.mark.sampled(80)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("command", "number"), CASES)
def test_an_odd_program(command, number, tmp_path):
    at, _, text = PROGRAMS[number].partition("\n")
    path = tmp_path / "odd.py"
    path.write_text(f"import math, numpy as np\n{text}\n", encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([command, f"{path}:f", "--at", at])
        said = "" if out.closed else out.getvalue()

    assert Exit.INTERNAL != code, err.getvalue()
    assert code in set(Exit), text
    assert "Traceback" not in err.getvalue()
    assert not any("/gradcli/" in line and "File" in line for line in (said + err.getvalue()).splitlines())
    assert threading.active_count() < 50


@pytest.mark.sampled(19)
@pytest.mark.parametrize(("query", "claim"), CLAIMED, ids=lambda each: each if isinstance(each, str) else each.name)
def test_a_program_of_the_corpus(query, claim):
    with suppress(*MEANT):
        assert getattr(queries, query)(function_target("f", "f", claim.f), claim.at) is not None
