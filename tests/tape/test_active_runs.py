"""Which runs go on in a thread."""

import sys
import threading

import pytest

from gradcli import grad
from gradcli.errors import UnsupportedError
from gradcli.tape import active_runs
from gradcli.tape.tape import Tape


def test_no_run_goes_on():
    assert (None, 0) == (active_runs.tape(), active_runs.depth())


def test_a_run_inside_a_run():
    """The innermost one counts, and is forgotten at its end."""
    outer, inner = Tape(), Tape()

    def g():
        return active_runs.tape(), active_runs.depth()

    def f():
        return active_runs.tape(), active_runs.call(inner, g, ()), active_runs.tape()

    assert (outer, (inner, 2), outer) == active_runs.call(outer, f, ())
    assert (None, 0) == (active_runs.tape(), active_runs.depth())


def test_a_run_that_raises_is_over():
    with pytest.raises(KeyboardInterrupt):
        active_runs.call(Tape(), lambda: (_ for _ in ()).throw(KeyboardInterrupt), ())
    assert active_runs.tape() is None


def test_threads_have_runs_of_their_own():
    found = []

    def f(x):
        thread = threading.Thread(target=lambda: found.append(active_runs.tape()))
        thread.start()
        thread.join()
        return x

    grad(f)(1.0)
    assert [None] == found


def test_the_frames_of_a_run():

    def g():
        return [frame.f_code.co_name for frame in active_runs.frames(sys._getframe())]

    def f():
        return active_runs.call(Tape(), g, ())

    assert ["g", "call", "f", "call"] == active_runs.call(Tape(), f, ())
    assert [] == g()


def test_a_refusal_is_remembered_by_the_run():
    """So that the program cannot catch it in silence; outside of a run there is nothing to remember."""
    tape = Tape()

    def f():
        try:
            raise UnsupportedError("no")
        except UnsupportedError as error:
            return error

    assert active_runs.call(tape, f, ()) is tape.lost
    assert "no" == UnsupportedError("no").message
