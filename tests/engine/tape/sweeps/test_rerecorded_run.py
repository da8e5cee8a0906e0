"""Runs recorded again at other inputs from their rows."""

import numpy as np
import pytest

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.sweeps.recorded_sweeps import recorded_cotangent
from gradcli.engine.tape.sweeps.rerecorded_run import OtherPathError, RerecordedRun
from gradcli.engine.traces.trace import record_trace
from gradcli.methods.transforms.gradients import grad


def value_at(f, at, moved):
    """The value of a recorded run at another input."""
    run = record_trace(f, (at,), names=False)
    again = RerecordedRun(new_tape(), run.tape, {0: moved})
    return again.handle_of(run.result)._value


def test_a_run_at_another_input():
    assert value_at(lambda x: abs(x) * x + 1, 0.0, -2.0) == -3.0


def test_arrays_at_another_input():
    assert value_at(lambda x: np.sum(np.linalg.norm(x) * x), np.zeros(2), np.array([3.0, 4.0])) == 35.0


def test_a_gradient_inside_is_taken_at_the_new_numbers():
    """At the kink it is constant, so that no row of its sweep says what it is elsewhere."""
    assert value_at(lambda x: 1 + grad(lambda y: np.maximum(y, 0.0) ** 2)(x), 0.0, 3.0) == 7.0


def test_another_path():
    with pytest.raises(OtherPathError):
        value_at(lambda x: x if x > 0 else 2 * x, 1.0, -1.0)


def test_a_stopped_number_keeps_its_value():
    from gradcli import stop_gradient

    assert value_at(lambda x: x * stop_gradient(x), 2.0, 3.0) == 6.0


@pytest.mark.parametrize(("ct", "like", "expected"), [(0.0, 1.0, 0.0), (0.0, np.ones(2), [0.0, 0.0])])
def test_a_cotangent_in_a_row_of_its_own(ct, like, expected):
    from gradcli.engine.tape.accumulation import UNTOUCHED

    tape = new_tape()
    found = recorded_cotangent(tape, UNTOUCHED if np.ndim(like) else ct, like)

    assert found.index == 0
    np.testing.assert_array_equal(found._value, expected)
