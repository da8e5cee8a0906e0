"""The numbers that a function reads besides its inputs, and whether they change."""

import numpy as np

from gradcli.answers.checks.problem.captured_numbers import constants, fingerprint, snapshot

SCALE = 3.0
LOG: list[float] = []
DATA = np.arange(3.0)


def reader(x, power=2.0, *, shift=1.0):
    """Reads a global, an array and its defaults."""
    return SCALE * np.sum(DATA) * x**power + shift


def test_constants_are_the_numbers_that_are_no_inputs():
    """Globals, enclosed variables and defaults, each by its name."""
    k = 5.0

    def f(x):
        return k * x + SCALE

    assert constants(f) == [("global", "SCALE", 3.0), ("enclosed", "k", 5.0)]
    assert [("global", "DATA"), ("global", "SCALE"), ("default", "power"), ("default", "shift")] == [
        (kind, name) for kind, name, _ in constants(reader)
    ]
    assert constants(abs) == []


def test_a_snapshot_tells_what_changed():
    """A list that grows, an array that is written, an attribute."""

    class Counter:
        calls = 0

    counter = Counter()
    counter.calls = 0

    def f(x):
        counter.calls += 1
        LOG.append(x)
        DATA[0] += 1
        return x

    before = snapshot(f)
    f(1.0)
    after = snapshot(f)
    LOG.clear()
    DATA[0] = 0.0

    assert {name for name, then in after.items() if then != before[name]} == {"counter", "LOG", "DATA"}


def test_what_cannot_be_printed_is_left_out():

    class Bad:
        def __repr__(self):
            raise RuntimeError

    assert fingerprint(np.zeros(20_000)) == fingerprint(np.ones(20_000))
    assert fingerprint([Bad()]) is None
