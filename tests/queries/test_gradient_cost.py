"""What a gradient costs beside its function and differences."""

from __future__ import annotations

import time
from importlib import import_module

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import Exit, GradcliError


def slow(x):
    time.sleep(0.002)
    return np.sum(x**2)


def test_it_is_told_beside_the_function_and_a_call_of_it_per_input():
    record = queries.gradient_cost(f"{__file__}:slow", "[1,2,3]")
    function, differences, recorded, *_ = record.costs
    assert (record.count, differences.ratio) == (3, 4.0)
    assert function.seconds >= 0.002
    assert differences.seconds == 4 * function.seconds
    assert recorded.ratio == recorded.seconds / function.seconds


def test_a_gradient_beats_differences_where_their_calls_take_longer(monkeypatch):
    times = iter([1.0, 5.3, 2.9])
    monkeypatch.setattr(import_module("gradcli.queries.gradient_cost"), "_seconds", lambda *_: next(times))
    record = queries.gradient_cost("examples.hyperbox:f4", "1,2,3,4")
    assert [cost.name for cost in record.costs][2:] == ["recorded gradient", "compiled gradient"]
    assert [cost.break_even for cost in record.costs] == [None, None, 5, 2]
    for cost in record.costs[2:]:
        assert cost.break_even <= cost.ratio < cost.break_even + 1


def test_why_it_is_not_compiled_is_told():
    record = queries.gradient_cost(f"{__file__}:slow", "[0,0,0]")
    assert [cost.name for cost in record.costs] == ["function", "differences", "recorded gradient"]
    assert record.eager == "the first value or derivative is not finite, or the derivative is 0"


def test_an_expression_is_compiled():
    record = queries.gradient_cost("x * y", "1,2")
    assert record.eager == ""
    assert record.costs[-1].name == "compiled gradient"


def power(x, n):
    return x**n


def test_a_whole_number_beside_the_inputs_is_compiled_as_one():
    record = queries.gradient_cost(f"{__file__}:power", "x=2,n=3", wrt="x")
    assert (record.eager, record.costs[-1].name) == ("", "compiled gradient")


@pytest.mark.parametrize("target", ["1/x", "log(x)", "sqrt(x)"])
def test_what_is_not_finite_is_told_as_by_the_gradient_alone(target):
    record, alone = queries.gradient_cost(target, "0"), queries.gradient(target, "0")
    assert (record.exit, record.findings) == (alone.exit, alone.findings)
    assert record.exit == Exit.NOT_FINITE


def test_only_one_number_has_a_gradient():
    with pytest.raises(GradcliError, match="one real number"):
        queries.gradient_cost("examples.rosenbrock:grad_rosen", "[1,2]")
