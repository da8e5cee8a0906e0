"""A program taken apart into single numbers: order, sources, arrays, what the program was told."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from gradcli.methods.trail import play
from gradcli.tape.tape import CONSTANT
from tests.methods.programs import recorded


def played(f, *at):
    """The program on its trail."""
    tape, last, inputs = recorded(f, *at)
    return play(tape, inputs, [last])


def names(f, *at):
    """The rules of the steps after the inputs, in order."""
    return [step.rule.name for step in played(f, *at).trail if step.rule]


def test_a_program_of_numbers_keeps_its_steps():
    """Each row is one step."""
    assert ["mul", "sin", "add"] == names(lambda x: math.sin(2.0 * x) + x, 0.3)


def test_inputs_come_first():
    """The numbers of an array are inputs one by one."""
    assert [0, 1, 2] == played(lambda x: x[0] * x[2], np.ones(3)).inputs


def test_an_array_operation_is_many_steps():
    """A matrix times a vector of two numbers: four products, two sums."""
    found = sorted(names(lambda x: np.sum(np.ones((2, 2)) @ x), np.array([1.0, 2.0])))

    assert ["add"] * 3 + ["mul"] * 4 == found


def test_sources_are_earlier_steps():
    """A constant has no place on the trail."""
    trail = played(lambda x: 2.0 * x * x, 0.3).trail

    assert [(), (CONSTANT, 0), (1, 0)] == [step.sources for step in trail]


def test_values_have_many_digits():
    """A third has as many as mpmath has at the time."""
    tape, last, inputs = recorded(lambda x: 1 / x, 3.0)
    with mpmath.workdps(60):
        found = play(tape, inputs, [last]).values[0]
        assert abs(3 * found - 1) < mpmath.mpf(10) ** -59


def test_branches_stay_those_of_the_point():
    """Only the side that was taken is played."""
    assert ["mul"] == names(lambda x: x * 2 if x < 1 else math.exp(x), 0.3)


def test_the_chosen_side_of_where():
    """Of a choice by a mask the other side is computed, as it was, but does not lead to the result."""
    found = played(lambda x: np.where(x < 1, x, np.exp(x)), np.float64(0.3))

    assert [0] == found.results


def test_a_result_that_does_not_depend_on_the_inputs():
    """It is nowhere on the trail."""
    assert [CONSTANT] == played(lambda x: np.where(x < 1, 5.0, x), np.float64(0.3)).results


def test_several_results():
    """The numbers of several rows, in their order."""
    tape, _, inputs = recorded(lambda x: (x * 2) * 3, 1.5)

    assert [4.5 * 2, 3.0] == [float(value) for value in play(tape, inputs, [2, 1]).values]
