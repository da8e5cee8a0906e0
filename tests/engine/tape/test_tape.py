"""The tape keeps no memory, and tells who may use it."""

import array
import gc
import math
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest

import gradcli
from gradcli import grad, jacobian, trace
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import Value
from gradcli.errors import ForeignTapeError


def test_a_tape_keeps_what_a_sweep_needs():
    """What else happens in a run is noted on its record."""
    assert set(Tape.__slots__) == {"entered", "has_arrays", "has_complex", "outcomes", "releases", "rows", "run"}


def arrays(v):
    """A program with views and writes."""
    a = np.zeros(3)
    a[0] = v[0]
    a[1:] += v[1]
    a.reshape(3, 1).T[0, 1] = v[0] * 2
    return (a * a).sum()


def refused_and_caught(x):
    try:
        return np.packbits([x, x])
    except Exception:
        return x


def endless(x):
    """A program that raises inside of an inner function."""

    def inner(t):
        raise KeyError(t)

    return inner(x * x)


KEPT: list[object] = []

PROGRAMS = {
    "grad": lambda: grad(lambda x: x * x)(1.0),
    "arrays": lambda: grad(arrays)(np.array([1.0, 2.0])),
    "nested": lambda: grad(grad(grad(lambda x: x**5)))(1.0),
    "jacobian": lambda: jacobian(grad(arrays))(np.array([1.0, 2.0])),
    "replaced": lambda: grad(lambda x: math.sin(x) * float(x))(1.0),
    "replaced, nested": lambda: grad(grad(lambda x: math.sin(x) * float(x)))(1.0),
    "trace": lambda: trace(arrays, np.array([1.0, 2.0])).sensitivities(),
    "replay": lambda: trace(lambda x: x * x if x > 0 else x, 1.0).replay(-1.0),
    "pullback": lambda: gradcli.vjp(lambda x: x * x, 1.0)[1](1.0),
    "raises": lambda: grad(endless)(1.0),
    "raises when plain does not": lambda: grad(lambda x: Decimal(x))(1.0),
    "detached": lambda: grad(lambda x: array.array("d", [x]))(1.0),
    "detached, nested": lambda: grad(grad(lambda x: array.array("d", [x])))(1.0),
    "unsupported": lambda: grad(refused_and_caught)(1.0),
    "unsupported, nested": lambda: grad(grad(refused_and_caught))(1.0),
    "result": lambda: grad(lambda x: None)(1.0),
    "foreign": lambda: (grad(lambda x: (KEPT.append(x), x)[1])(1.0), grad(lambda x: x * KEPT.pop())(1.0)),
}


def quietly(program):
    """Run a program whatever it raises."""
    try:
        program()
    except Exception:
        return True
    return False


def living():
    """How many tapes and recorded values there are."""
    return sum(issubclass(type(each), (Tape, Value)) for each in gc.get_objects())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_no_reference_cycles(program):
    """With the garbage collector off, nothing of a run is left when it ended, however it ended."""
    quietly(program)
    gc.disable()
    gc.freeze()  # what there is by now is not looked at again: the rest of the process is large
    try:
        for _ in range(3):
            quietly(program)
        assert living() == 0
        assert gc.collect() == 0
    finally:
        gc.enable()


def fill_free_lists():
    """Let Python keep as many tuples for later use as it ever keeps: 2,000 of each length below 20."""
    for length in range(20):
        tuples = [(None,) * length + (n,) for n in range(2_000)]
        del tuples


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["grad", "arrays", "raises", "replaced", "detached"])
def test_memory_returns(name):
    """Once Python's own free lists are full, more gradients take no more memory, without the collector's help."""
    runs = 100 if name in ("raises", "detached") else 300
    gc.collect()
    gc.disable()
    fill_free_lists()
    tracemalloc.start()
    try:
        for _ in range(3 * runs):
            quietly(PROGRAMS[name])
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(runs):
            quietly(PROGRAMS[name])
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        gc.enable()
    assert grown < runs * 20


def test_a_kept_value_does_not_keep_the_tape():
    """A value that a function lets out holds its own number only, not the rows of the run."""

    def chain(x):
        KEPT.append(x)
        for _ in range(10_000):
            x = x * 1.0
        return x

    tracemalloc.start()
    try:
        grad(chain)(1.0)
        assert tracemalloc.get_traced_memory()[0] < 400_000  # the rows would take 1.4 MB
    finally:
        tracemalloc.stop()
        KEPT.clear()


def test_memory_of_a_recorded_operation():
    tape = new_tape()
    from gradcli.engine.tape.inputs import enter

    x = enter(tape, 1.5)
    tracemalloc.start()
    try:
        for _ in range(10_000):
            x = x * 1.0000001
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used / 10_000 < 300


def chain(x, length):
    for _ in range(length // 2):
        x = x * 1.0 + 0.0
    return x


def test_a_long_chain():
    """The sweep is one loop: no recursion, whatever the length."""
    assert grad(lambda x: chain(x, 100_000))(1.5) == 1.0


@pytest.mark.long
def test_a_very_long_chain():
    assert grad(lambda x: chain(x, 1_000_000))(1.5) == 1.0


def test_a_closed_tape():
    tape = new_tape()
    tape.rows.append(("row",))
    assert not tape.closed

    tape.close_for_reading()
    assert tape.closed
    assert tape.rows == [("row",)]
    with pytest.raises(ForeignTapeError, match="gradient was computed"):
        tape.rows.append(("another",))

    tape.close()
    assert (len(tape), tape.outcomes) == (0, [])
    with pytest.raises(ForeignTapeError, match="gradient was computed"):
        tape.outcomes.append(("fact",))
