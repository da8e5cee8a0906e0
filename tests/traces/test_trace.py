"""A recorded run as read: its value, nodes, sensitivities and outcomes."""

from __future__ import annotations

import math
import queue

import numpy as np
import pytest

from examples.hyperbox import f4
from gradcli import grad, trace
from gradcli.errors import ForeignTapeError, ResultError


def test_the_sensitivity_of_every_node():
    """The seeds print 10 for t_cd at (2, 3, 4, 5); by hand for the others."""
    tape = trace(f4, [2.0, 3.0, 4.0, 5.0])
    found = {node.name: s for node, s in zip(tape.nodes, tape.sensitivities(), strict=True) if node.name}

    assert 308.0 == tape.value
    assert 10.0 == found["t_cd"]
    assert (18.0, 2.0, 2.0, 1.0) == (found["t_ab"], found["t_s"], found["t_abc"], found["ret"])
    assert [94.0, 76.0, 62.0, 52.0] == [found[f"side_lengths[{n}]"] for n in range(4)]
    assert grad(f4)([2.0, 3.0, 4.0, 5.0]) == [found[f"side_lengths[{n}]"] for n in range(4)]


def test_nodes():
    """Operation, inputs, operands and value of each entry; constants have no entry."""
    first, second, third = trace(lambda x: (3 - x) * x, 2.0).nodes

    assert ("input", (), (), 2.0) == (first.operation, first.inputs, first.operands, first.value)
    assert ("sub", (0,), (3, 2.0), 1.0) == (second.operation, second.inputs, second.operands, second.value)
    assert ("mul", (1, 0), (1.0, 2.0), 2.0) == (third.operation, third.inputs, third.operands, third.value)
    assert [0, 1, 2] == [first.index, second.index, third.index]


def test_what_has_no_part_in_the_result():
    """A node that is computed and not used, an input that is not, and rows after the result."""

    def f(x, y):
        unused = x * 3
        z = x * x
        late = z * 5
        assert unused < late
        return z

    assert [4.0, 0.0, 0.0, 1.0, 0.0] == trace(f, 2.0, 1.0).sensitivities()


def test_sensitivities_have_the_shape_of_their_nodes():
    """Also where they are zero."""
    tape = trace(lambda v, w: (v * 2).sum(), np.ones((2, 3)), np.ones(4))

    assert [(2, 3), (4,), (2, 3), ()] == [np.shape(s) for s in tape.sensitivities()]
    np.testing.assert_array_equal(np.zeros(4), tape.sensitivities()[1])


def test_a_constant_result():
    """Nothing has a part in it."""
    tape = trace(lambda x: 3.0, 2.0)

    assert (3.0, None, [0.0]) == (tape.value, tape.result, tape.sensitivities())


@pytest.mark.parametrize("f", [lambda x: [x, x], lambda x: {"a": x}, lambda x: np.array([x, x]), lambda x: (x,)])
def test_a_result_of_several_numbers(f):
    """It can be recorded, but has no one sensitivity: `jacobian` is named."""
    tape = trace(f, 2.0)
    with pytest.raises(ResultError, match="jacobian"):
        tape.sensitivities()


def test_structures_of_inputs_and_results():
    """By index in place of each number."""
    tape = trace(lambda p, q: {"s": [p["a"] * q, 1.0], "q": q}, {"a": 2.0, "b": (3.0,)}, 4.0)

    assert ({"a": 0, "b": (1,)}, 2) == tape.inputs
    assert {"s": [3, None], "q": 2} == tape.result
    assert {"s": [8.0, 1.0], "q": 4.0} == tape.value
    assert [0, 1, 2] == list(tape.input_rows())


def test_a_recording_can_be_read_any_number_of_times():
    """Reading changes nothing."""
    tape = trace(lambda x: math.sin(x) * x, 2.0)

    assert tape.sensitivities() == tape.sensitivities()
    assert tape.nodes == tape.nodes
    assert 3 == len(tape)


def test_nothing_can_be_added_to_a_recording():
    """A value that the function let out is finished."""
    kept = queue.SimpleQueue()
    tape = trace(lambda x: (kept.put(x), x * x)[1], 2.0)
    value = kept.get()
    with pytest.raises(ForeignTapeError):
        value * 3
    with pytest.raises(ForeignTapeError):
        bool(value > 1)
    assert (2, []) == (len(tape), tape.outcomes)


def test_infinite_sensitivities():
    """By IEEE 754, without an error: a square root at zero, and what is behind it."""
    tape = trace(lambda x: math.sqrt(x) * 2, 0.0)

    assert [math.inf, 2.0, 1.0] == tape.sensitivities()


def test_constant_operations():
    """Inputs and constants compute nothing."""
    tape = trace(lambda x: np.zeros(2) + x, 2.0)
    computing = [node.is_computed for node in tape.nodes]

    assert computing[0] is False
    assert computing[-1] is True
