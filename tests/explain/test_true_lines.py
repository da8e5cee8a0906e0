"""Every line that `explain` prints is true: computed with the operands beside it, it gives the number printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradcli import queries
from tests.everyday import one_in
from tests.explain import lines
from tests.explain.programs import EXPRESSIONS, Program, every
from tests.queries.conftest import folder

__all__ = ["folder"]

PROGRAMS = every()
OF_NAMES = (
    "versions", "shadow", "symbols", "symbols 2", "symbols 3", "functions", "where", "linalg", "e", "list then array",
    "array then list", "dicts", "constants", "result", "grid",
)  # fmt: skip
CASES = [program for program in PROGRAMS if program[0] not in OF_NAMES]


def test_there_are_many_programs() -> None:
    """The lines of at least 300 are computed again."""
    assert len(PROGRAMS) >= 300


@pytest.mark.parametrize("program", one_in(24, [pytest.param(each, id=each[0]) for each in CASES]))
def test_a_program(program: Program, folder: Path) -> None:
    """Backwards, forwards along its first input, and node by node."""
    is_true(program, folder)


@pytest.mark.parametrize("label", OF_NAMES)
def test_names_that_could_be_taken_for_each_other(label: str, folder: Path) -> None:
    """Each stands for one quantity: versions of a variable, sensitivities, functions of NumPy's, items of a list."""
    is_true(next(program for program in PROGRAMS if program[0] == label), folder)


def is_true(program: Program, folder: Path) -> None:
    """Compute every line about a program again."""
    _, text, point = program
    (folder / "p.py").write_text(text)
    at = json.dumps(point)
    shapes = [node.value for node in queries.tape("p.py:f", at).nodes]

    assert lines.check(queries.explain("p.py:f", at), shapes)
    lines.check(queries.forward_sweep("p.py:f", at, next(iter(point))), shapes)
    lines.check_steps(queries.steps("p.py:f", at))


@pytest.mark.parametrize(("expression", "point"), EXPRESSIONS)
def test_an_expression(expression: str, point: dict[str, object]) -> None:
    """A typed one, which is one statement as far as it stays short."""
    at = json.dumps(point)
    shapes = [node.value for node in queries.tape(expression, at).nodes]

    assert lines.check(queries.explain(expression, at), shapes)
    assert lines.check(queries.forward_sweep(expression, at), shapes)
    assert lines.check_steps(queries.steps(expression, at))
