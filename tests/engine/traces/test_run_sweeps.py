"""Sensitivities, cotangents and tangents of the nodes of a run."""

import math

import numpy as np
import pytest

from examples.hyperbox import f4
from gradcli import grad, trace
from gradcli.engine.traces import run_sweeps
from gradcli.errors import ResultError


def test_the_sensitivity_of_every_node():
    """The seeds print 10 for t_cd at (2, 3, 4, 5); by hand for the others."""
    tape = trace(f4, [2.0, 3.0, 4.0, 5.0])
    found = {node.name: s for node, s in zip(tape.nodes, tape.sensitivities(), strict=True) if node.name}

    assert tape.value == 308.0
    assert found["t_cd"] == 10.0
    assert (found["t_ab"], found["t_s"], found["t_abc"], found["ret"]) == (18.0, 2.0, 2.0, 1.0)
    assert [found[f"side_lengths[{n}]"] for n in range(4)] == [94.0, 76.0, 62.0, 52.0]
    assert grad(f4)([2.0, 3.0, 4.0, 5.0]) == [found[f"side_lengths[{n}]"] for n in range(4)]


def test_what_has_no_part_in_the_result():
    """A node that is computed and not used, an input that is not, and rows after the result."""

    def f(x, y):
        unused = x * 3
        z = x * x
        late = z * 5
        assert unused < late
        return z

    assert trace(f, 2.0, 1.0).sensitivities() == [4.0, 0.0, 0.0, 1.0, 0.0]


def test_sensitivities_have_the_shape_of_their_nodes():
    tape = trace(lambda v, w: (v * 2).sum(), np.ones((2, 3)), np.ones(4))

    assert [np.shape(s) for s in tape.sensitivities()] == [(2, 3), (4,), (2, 3), ()]
    np.testing.assert_array_equal(np.zeros(4), tape.sensitivities()[1])


@pytest.mark.parametrize("f", [lambda x: [x, x], lambda x: {"a": x}, lambda x: np.array([x, x]), lambda x: (x,)])
def test_a_result_of_several_numbers(f):
    """It can be recorded, but has no one sensitivity: `jacobian` is named."""
    tape = trace(f, 2.0)
    with pytest.raises(ResultError, match="jacobian"):
        tape.sensitivities()


def test_infinite_sensitivities():
    """By IEEE 754, without an error: a square root at zero, and what is behind it."""
    tape = trace(lambda x: math.sqrt(x) * 2, 0.0)

    assert tape.sensitivities() == [math.inf, 2.0, 1.0]


def test_a_run_is_swept_once(monkeypatch):
    """Readers share the sweep, and what they do to what they got is their own."""
    swept = []
    reverse = run_sweeps.reverse
    monkeypatch.setattr(
        run_sweeps, "reverse", lambda *asked, **options: swept.append(asked) or reverse(*asked, **options)
    )
    recorded = trace(lambda x: np.sum(x * x), np.array([1.0, 2.0]))

    first = recorded.sensitivities()
    first[0][:] = 0.0
    first.clear()

    assert recorded.sensitivities()[0].tolist() == [2.0, 4.0]
    assert recorded.cotangents()[0].tolist() == [2.0, 4.0]
    assert len(swept) == 1
    assert recorded.replay(np.array([3.0, 4.0])).sensitivities()[0].tolist() == [6.0, 8.0]
