"""The traversal of programs: the same numbers as the run, bit for bit, and those of another number system."""

import math
from functools import partial
from itertools import islice

import numpy as np
import pytest

from gradcli import trace
from gradcli.engine.traces.number_systems import FLOATS, Floats, NumberSystem
from gradcli.engine.traces.trace_replay import Diverged, Traversal
from tests.methods.numerics.programs import random_program


def same(found, plain):
    """Whether two values are the same bit for bit; complex ones nearly, for Python and NumPy round them otherwise."""
    if np.iscomplexobj(plain):
        return np.allclose(found, plain, rtol=1e-13, atol=0, equal_nan=True)
    return np.shape(found) == np.shape(plain) and np.array_equal(found, plain, equal_nan=True)


def holds(seed):
    """The values of all nodes at the point, and the value at another one, are those of runs there."""
    program, point = random_program(seed)
    there = [x * 1.0001 + 1e-4 for x in point]
    try:
        recorded, moved = trace(program, *point, names=False), program(*there)
    except (ArithmeticError, ValueError, TypeError):  # it has no value there
        return
    again = recorded.values_at({})

    assert all(same(x, node.value) for x, node in zip(again, recorded.nodes, strict=True))
    assert same(recorded.replay(*there).value, moved)


def test_random_programs():
    for seed in range(60):
        holds(seed)


@pytest.mark.long
def test_many_random_programs():
    for seed in range(60, 2060):
        holds(seed)


def test_inputs_that_are_given():
    found = trace(lambda x, y: (x * y) * x + 1.0, 2.0, 3.0, names=False)

    assert found.values_at({}) == [2.0, 3.0, 6.0, 12.0, 13.0]
    assert found.values_at({0: 5.0}) == [5.0, 3.0, 15.0, 75.0, 76.0]
    assert found.values_at({2: 7.0}) == [2.0, 3.0, 7.0, 14.0, 15.0]


def test_outcomes_are_asked_again_where_they_were():
    """After the nodes that were there; blindly they are not."""
    found = trace(lambda x: math.sqrt(x) if x > 1 else x, 4.0, names=False)

    assert found.values_at({0: 9.0}) == [9.0, 3.0]
    with pytest.raises(Diverged):
        found.values_at({0: 0.25})
    assert found.values_at({0: 0.25}, blindly=True) == [0.25, 0.5]
    with pytest.raises(Diverged):
        found.values_at({0: -1.0}, blindly=True)


def test_outcomes_of_a_replay_are_those_of_its_numbers():
    found = trace(lambda x: x * x if x > 1 else x, 4.0, names=False).replay(3.0)

    assert [outcome.operands for outcome in found.outcomes] == [(3.0, 1)]
    assert [node.value for node in found.nodes] == [3.0, 9.0]
    assert found.sensitivities() == [6.0, 1.0]
    assert found.program == trace(lambda x: x * x if x > 1 else x, 4.0, names=False).program


class Names(NumberSystem):
    """A number system of texts."""

    def constant(self, value):
        return repr(value)

    def function(self, operation):
        return lambda *arguments: f"{operation.name}({', '.join(arguments)})"


def test_another_number_system():
    """It is asked once for each operation, and takes the place of the numbers up to a step."""
    found = trace(lambda x, y: math.sin(x * y) * 2.0 + x, 2.0, 3.0, names=False)
    values = Traversal(found.steps, Names(), 4).values({0: "x", 1: "y"}, asks_again=False)

    assert values == ["x", "y", "mul(x, y)", "sin(mul(x, y))", "mul(sin(mul(x, y)), 2.0)"]


def test_the_steps_of_one_value():
    found, system = trace(lambda x: (x * 2.0, x * 3.0, x + 4.0), 5.0, names=False), Names()
    converted = []
    system.constant = lambda value: converted.append(value) or repr(value)
    values = Traversal(found.steps, system, 2, for_last=True).values({0: "x"}, asks_again=False)

    assert (values, converted) == (["x", None, "mul(x, 3.0)"], [3.0])


class Counted(Floats):
    """The numbers of the run, with the operations of the nodes that it sees, up to three steps."""

    def __init__(self):
        self.seen = []

    def constant(self, value):
        return value * 1000.0

    def entered(self, value):
        return value

    def sees_node(self, operation):
        return operation.rule.adds

    def function(self, operation):
        function = super().function(operation)
        return partial(self.noted, function) if self.sees_node(operation) else function

    def noted(self, function, node, *arguments):
        self.seen.append(node.operation)
        return function(*arguments)

    def between(self, steps):
        return islice(steps, 3)


def test_what_a_system_may_do():
    """See the nodes that it asks for, take inputs as other numbers than constants, and stop between steps."""
    found, system = trace(lambda x: ((x * 2.0) + x) / x - 1.0, 3.0, names=False), Counted()

    assert Traversal(found.steps, system).values({}, asks_again=False) == [3.0, 6000.0, 6003.0, 2001.0, None]
    assert system.seen == ["add"]


def test_what_goes_by_name_stays_what_it_is():
    """A place, beside an equal number that is an argument."""
    found = trace(lambda x: x[1] * 1, np.array([2.0, 3.0]), names=False)
    values = Traversal(found.steps, Counted()).values({}, asks_again=False)

    assert values[1:] == [3.0, 3000.0]


def test_only_the_cotangents_of_inputs_are_kept():
    """Others are let go of when they are passed on."""
    found = trace(lambda x, y: math.sin(x * 2.0) * 3.0, 0.0, 1.0, names=False)
    values = [node.value for node in found.nodes]

    assert Traversal(found.steps, FLOATS).cotangents(values, found.result, 1.0) == {0: 6.0}
