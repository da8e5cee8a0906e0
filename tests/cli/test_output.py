"""The exit code of an answer."""

from __future__ import annotations

import math

import pytest

from gradcli import records
from gradcli.cli.output import exit_of
from gradcli.errors import Exit
from tests.render import samples


@pytest.mark.parametrize(
    ("expected", "record"),
    [
        (Exit.PASS, samples.GRADIENT),
        (Exit.NOT_FINITE, samples.NOT_FINITE),
        (Exit.NOT_FINITE, samples.NESTED),
        (Exit.NOT_FINITE, records.Gradient("f", {"x": 1.0}, math.nan, {"x": 0.0})),
        (Exit.NOT_FINITE, records.Gradient("f", {"p": {"w": [1.0]}}, 0.0, {"p": {"w": [math.inf]}})),
        (Exit.PASS, samples.JACOBIAN),
        (Exit.NOT_FINITE, records.Jacobian("f", {"x": 1.0}, [1.0], {"x": [math.nan]})),
        (Exit.PASS, samples.TAPE),
        (Exit.PASS, samples.CLOSED_FORM),
        (Exit.PASS, samples.PASSING),
        (Exit.FAIL, samples.FAILING),
    ],
)
def test_exit_code_of_an_answer(expected: Exit, record: object) -> None:
    """A comparison has the code of its verdict; a gradient is finite or not; a tape and formulas are just shown."""
    assert expected == exit_of(record)
