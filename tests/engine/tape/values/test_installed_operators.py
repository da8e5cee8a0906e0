"""Operators of recorded arrays before and after they are compiled."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import gradcli
from gradcli.engine.tape.values import array, installed_operators
from gradcli.mathematics.rules.rule_types import elementwise_rule

OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}
OTHERS = {"float": 3.0, "int": 3, "array": None}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_the_first_uses_record_what_later_ones_do(
    monkeypatch: pytest.MonkeyPatch, name: str, reflected: bool, other: str
) -> None:
    """The rows and the types of the results are the same."""
    method = f"__{'r' if reflected else ''}{name}__"
    monkeypatch.setattr(array.NumpyValue, method, None)
    rule = elementwise_rule(OPERATORS[name])
    installed_operators._compile_later(array.NumpyValue, method, rule, reflected, lambda x, y: NotImplemented)
    apply = getattr(operator, name)

    def f(x):
        y = x[1:] if OTHERS[other] is None else OTHERS[other]
        return (apply(y, x[:2]) if reflected else apply(x[:2], y)).sum()

    def recorded():
        trace = gradcli.trace(f, np.array([1.0, 2.0, 4.0]), names=False)
        return repr([(row[0].rule, row[0].recorded, *row[1:]) for row in trace.tape.rows])

    assert len({recorded() for _ in range(installed_operators.FEW_USES + 2)}) == 1
    assert getattr(array.NumpyValue, method).__name__ != "first" or (reflected and OTHERS[other] is None)
