"""Jumps of the value at the point: named by every derivative, as they have none there."""

import math
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.errors import FindingWarning
from gradcli.methods.diagnose.run_findings import derivative_findings

# At 2, each jumps by a step of its own row.
ROWS = {
    "a remainder": lambda x: x % 1,
    "another remainder": lambda x: np.remainder(x, 0.5),
    "fmod": lambda x: math.fmod(x, 1.0),
    "a sign": lambda x: (x + 1) * np.sign(x - 2),
    "heaviside": lambda x: (x + 1) * np.heaviside(x - 2, 0.5),
    "copysign": lambda x: (x + 1) * np.copysign(1.0, x - 2),
    "an angle": lambda x: np.arctan2(x - 2, -1.0),
}
# By an outcome.
OUTCOMES = {
    "floor": lambda x: x * np.floor(x),
    "floor by math": lambda x: x * math.floor(x),
    "ceil": lambda x: x + x * np.ceil(x),
    "trunc": lambda x: x * np.trunc(x),
    "int": lambda x: x * int(x),
    "a branch": lambda x: x if x >= 2 else 3 * x,
    "a product with a comparison": lambda x: x * (x >= 2),
}
CONTINUOUS = {
    "a kink": lambda x: x - 2 if x >= 2 else 3 * (x - 2),
    "a size": lambda x: abs(x - 2),
    "pieces of a floor": lambda x: (x - 2) * np.floor(x),
    "a remainder within": lambda x: x % 3,
    "a steep root": lambda x: np.sqrt(x - 2) if x > 2 else 0 * x,
    "the sine of a remainder": lambda x: np.sin(np.pi * (x % 1)),
}


def jumps(f):
    """What the commands find, which print all findings of a run."""
    run = gradcli.trace(f, 2.0)
    return [
        each for each in derivative_findings(run, lambda: run, {"x": 2.0}, ["x"], finite=True) if each.code == "G204"
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [*ROWS.values(), *OUTCOMES.values()])
def test_a_jump_is_named_by_the_commands(f):
    assert [each.line for each in jumps(f)] == [f.__code__.co_firstlineno]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", CONTINUOUS.values())
def test_a_kink_is_no_jump(f):
    assert jumps(f) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", OUTCOMES.values())
def test_the_library_warns_of_a_jump_by_an_outcome(f):
    with pytest.warns(FindingWarning, match="G204: the value jumps by"):
        gradcli.grad(f)(2.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [*ROWS.values(), *OUTCOMES.values()])
def test_a_second_derivative_does_not_pass_at_a_jump(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        found = gradcli.check(f, at=2.0, of="hessian")

    assert found.verdict == "inconclusive"
    assert "JUMP" in [row.verdict.value for row in found.components]
