"""The exit code of an answer."""

import math

import pytest

from gradcli.errors import Exit
from gradcli.shared.records.derivatives import Gradient, Jacobian
from gradcli.terminal.render import Look, form_text
from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


@pytest.mark.parametrize(
    ("expected", "record"),
    [
        (Exit.PASS, samples.GRADIENT),
        (Exit.NOT_FINITE, samples.NOT_FINITE),
        (Exit.NOT_FINITE, samples.NESTED),
        (Exit.NOT_FINITE, Gradient("f", {"x": 1.0}, math.nan, {"x": 0.0})),
        (Exit.NOT_FINITE, Gradient("f", {"p": {"w": [1.0]}}, 0.0, {"p": {"w": [math.inf]}})),
        (Exit.PASS, samples.JACOBIAN),
        (Exit.NOT_FINITE, Jacobian("f", {"x": 1.0}, [1.0], {"x": [math.nan]})),
        (Exit.PASS, samples.TAPE),
        (Exit.PASS, samples.CLOSED_FORM),
        (Exit.PASS, samples.PASSING),
        (Exit.FAIL, samples.FAILING),
    ],
)
def test_exit_code_of_an_answer(expected: Exit, record: object) -> None:
    """A comparison has the code of its verdict; a gradient is finite or not; a tape and formulas are just shown."""
    assert record.exit == expected


@pytest.mark.parametrize("form", ["md", "csv"])
def test_a_form_is_the_table_alone(form: str, call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.EXPRESSION)
    answer = call("grad", "x^2 + sin(y)", "--at", "1,2", "--format", form)

    assert (0, form_text(samples.EXPRESSION, form, Look())) == (answer.code, answer.out)
    assert "G401" in answer.err


@pytest.mark.parametrize("other", [("--json",), ("--at", "-")])
def test_two_forms_of_one_answer(other: tuple[str, ...], call: Call) -> None:
    """JSON is a form of its own; one of the two has to go."""
    answer = call("grad", "x", *other, "--format", "csv")

    assert (answer.code, answer.out) == (2, "")
    assert "--format" in answer.err


@pytest.mark.parametrize("part", [("--tree",), ("--top", "2"), ("--branches",)])
def test_a_form_is_of_the_whole(part: tuple[str, ...], call: Call, queries: Queries) -> None:
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "2,3,4,5", *part, "--format", "csv")

    assert (answer.code, answer.out) == (2, "")
    assert f"not {part[0]}" in answer.err
