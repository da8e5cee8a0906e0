"""A recorded run as read: its value, nodes and outcomes."""

import pickle
import queue

import numpy as np
import pytest

from gradcli import trace
from gradcli.engine.traces.node import so_far
from gradcli.errors import ForeignTapeError


def test_nodes():
    """Operation, inputs, operands and value of each entry; constants have no entry."""
    first, second, third = trace(lambda x: (3 - x) * x, 2.0).nodes

    assert (first.operation, first.inputs, first.operands, first.value) == ("input", (), (), 2.0)
    assert (second.operation, second.inputs, second.operands, second.value) == ("sub", (0,), (3, 2.0), 1.0)
    assert (third.operation, third.inputs, third.operands, third.value) == ("mul", (1, 0), (1.0, 2.0), 2.0)
    assert [first.index, second.index, third.index] == [0, 1, 2]


def test_a_constant_result():
    tape = trace(lambda x: 3.0, 2.0)

    assert (tape.value, tape.result, tape.sensitivities()) == (3.0, None, [0.0])


def test_structures_of_inputs_and_results():
    tape = trace(lambda p, q: {"s": [p["a"] * q, 1.0], "q": q}, {"a": 2.0, "b": (3.0,)}, 4.0)

    assert tape.inputs == ({"a": 0, "b": (1,)}, 2)
    assert tape.result == {"s": [3, None], "q": 2}
    assert tape.value == {"s": [8.0, 1.0], "q": 4.0}
    assert list(tape.input_indices()) == [0, 1, 2]


def test_nothing_can_be_added_to_a_recording():
    """A value that the function let out is finished."""
    kept = queue.SimpleQueue()
    tape = trace(lambda x: (kept.put(x), x * x)[1], 2.0)
    value = kept.get()
    with pytest.raises(ForeignTapeError):
        value * 3
    with pytest.raises(ForeignTapeError):
        bool(value > 1)
    assert (len(tape.nodes), tape.outcomes) == (2, ())


def product(x, y):
    """Of which the cotangents are known at (2, 3)."""
    return (x * y) * x


def test_other_numbers():
    """Inputs and constants are others; what was computed stays, and so does the trace."""
    found = trace(lambda x: x * 3.0, 2.0)
    moved = found.with_numbers({0: 5.0}, lambda constant: constant + 1.0)

    assert (moved.nodes[0].value, moved.nodes[1].operands, moved.nodes[1].value) == (5.0, (2.0, 4.0), 6.0)
    assert (found.nodes[0].value, found.nodes[1].operands) == (2.0, (2.0, 3.0))


def test_other_numbers_of_a_replay():
    """They take the place of those of the replay, not of the run that it follows."""
    moved = trace(lambda x: x * 3.0, 2.0).replay(4.0).with_numbers({0: 5.0}, lambda constant: constant + 1.0)

    assert (moved.nodes[0].value, moved.nodes[1].operands, moved.nodes[1].value) == (5.0, (4.0, 4.0), 12.0)


def test_outcomes_that_are_left_out():
    found = trace(lambda x: x if x > 1 and round(x) == 2 else -x, 2.0)
    rest = found.without_outcomes("round")

    assert [outcome.name for outcome in found.outcomes][:2] == ["gt", "round"]
    assert "round" not in [outcome.name for outcome in rest.outcomes]
    first = rest.outcomes[0]
    assert (first.before, first.sources, first.operands, first.answer) == (1, (0, -1), (2.0, 1), True)
    assert first.again([0.5]) is False


def test_arrays_of_the_program():
    kinds = [(node.operation, node.is_constant, node.is_input) for node in trace(appended, 2.0).nodes]

    assert kinds[0] == ("input", False, True)
    assert ("constant", True, False) in kinds


def appended(x):
    """Written into an array of the program's own."""
    a = np.ones(3)
    a[0] = x
    return a.sum()


def test_a_run_that_is_not_over():
    seen = []

    def f(x):
        y = x * x
        if y > 1.0:
            nodes, outcomes = so_far(x.tape, 1)
            seen.append(([(node.index, node.operation) for node in nodes], [outcome.name for outcome in outcomes]))
        return y

    trace(f, 2.0)
    assert seen == [([(1, "mul")], ["gt"])]


def test_a_trace_says_what_it_is_of():

    def f(x):
        return np.sum(x * x) if x[0] > 0 else x[0]

    recorded = trace(f, np.ones(3), names=False)

    assert repr(recorded) == "<Trace of f, nodes: 4, outcomes: 1, value: np.float64(3.0)>"
    assert repr(recorded.replay(np.full(3, 2.0))) == "<Trace of f, nodes: 4, outcomes: 1, value: np.float64(12.0)>"
    assert "value: an array of shape (3, 2)>" in repr(trace(lambda x: x * 2, np.ones((3, 2)), names=False))


def test_a_trace_says_that_it_cannot_be_pickled():
    with pytest.raises(TypeError, match="A Trace cannot be pickled or copied"):
        pickle.dumps(trace(lambda x: x * x, 2.0))
