"""Which runs go on in a thread."""

import sys
import threading

import pytest

from gradcli import grad, run_stack
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.tape import active_tape
from gradcli.errors import UnsupportedError


def test_no_run_goes_on():
    assert (active_tape(), run_stack.depth()) == (None, 0)


def test_a_run_inside_a_run():
    """The innermost one counts, and is forgotten at its end."""
    outer, inner = new_tape(), new_tape()

    def g():
        return active_tape(), run_stack.depth()

    def f():
        return active_tape(), run_stack.call(inner, g, ()), active_tape()

    assert (outer, (inner, 2), outer) == run_stack.call(outer, f, ())
    assert (active_tape(), run_stack.depth()) == (None, 0)


def test_a_run_that_raises_is_over():
    with pytest.raises(KeyboardInterrupt):
        run_stack.call(new_tape(), lambda: (_ for _ in ()).throw(KeyboardInterrupt), ())
    assert active_tape() is None


def test_threads_have_runs_of_their_own():
    found = []

    def f(x):
        thread = threading.Thread(target=lambda: found.append(active_tape()))
        thread.start()
        thread.join()
        return x

    grad(f)(1.0)
    assert found == [None]


def test_the_frames_of_a_run():

    def g():
        return [frame.f_code.co_name for frame in run_stack.frames(sys._getframe())]

    def f():
        return run_stack.call(new_tape(), g, ())

    assert run_stack.call(new_tape(), f, ()) == ["g", "call", "f", "call"]
    assert g() == []


def test_a_refusal_is_remembered_by_the_run():
    """So that the program cannot catch it in silence; outside of a run there is nothing to remember."""
    tape = new_tape()

    def f():
        try:
            raise UnsupportedError("no")
        except UnsupportedError as error:
            return error

    assert run_stack.call(tape, f, ()) is tape.run.lost
    assert UnsupportedError("no").message == "no"
