"""Windows on one tape: each sees what it has recorded, and what no window needs any more is let go."""

import gc
import tracemalloc

import numpy as np
import pytest

from gradcli import GradientTape, Variable, constant
from gradcli.errors import UsageError


class TestOpenedAgain:
    """A tape may be entered more than once."""

    def test_it_goes_on(self):
        tape, x = GradientTape(persistent=True), constant(3.0)
        with tape:
            tape.watch(x)
            y = x * x
        between = y * x
        assert tape.gradient(y, x).numpy() == 6.0
        with tape:
            z = y * x + between
        assert tape.gradient(z, x).numpy() == 27.0
        assert tape.gradient(y, x).numpy() == 6.0
        assert tape.gradient(between, x) is None

    def test_it_begins_anew_after_its_gradient(self):
        tape, x = GradientTape(), Variable(1.0)
        for _ in range(3):
            with tape:
                y = x**3
            x.assign_add(tape.gradient(y, x))
        assert x.numpy() == 1.0 + 3.0 + 48.0 + 3 * 52.0**2

    def test_while_it_is_open(self):
        with GradientTape() as tape, pytest.raises(UsageError, match="already recording"), tape:
            pass

    def test_closed_twice(self):
        with GradientTape() as tape:
            pass
        with pytest.raises(UsageError, match="not open in this thread, and cannot be closed"):
            tape.__exit__(None, None, None)

    def test_inside_of_another(self):
        tape, x = GradientTape(), Variable(2.0)
        with tape:
            y = x * x
        with (
            GradientTape(),
            pytest.raises(UsageError, match=r"has a recording of its own(\n|.)*create a new one: GradientTape\(\)"),
            tape,
        ):
            pass
        assert tape.gradient(y, x).numpy() == 4.0

    def test_again_inside_of_the_same(self):
        inner, x = GradientTape(persistent=True), Variable(2.0)
        with GradientTape(persistent=True) as outer:
            with inner:
                y = x * x
            factor = y * y
            with inner:
                z = y * factor
        assert inner.gradient(z, x).numpy() == 16.0 * 4.0
        assert outer.gradient(z, x).numpy() == 6.0 * 2.0**5


class TestWhatAWindowDidNotRecord:
    """It is constant to this window, and not to others."""

    def test_after_it_was_closed(self):
        x = Variable(3.0)
        with GradientTape(persistent=True) as outer:
            with GradientTape(persistent=True) as inner:
                y = x * x
            z = y * y
            assert inner.gradient(z, x) is None
        assert outer.gradient(z, x).numpy() == 108.0
        assert inner.gradient(y, x).numpy() == 6.0

    @pytest.mark.parametrize("stopped", [0, 1])
    def test_while_it_was_stopped(self, stopped):
        x = Variable(3.0)
        with GradientTape(persistent=True) as a, GradientTape(persistent=True) as b:
            windows = [a, b]
            y = x * x
            with windows[stopped].stop_recording():
                factor = y * x
            z = y * factor
            firsts = [window.gradient(z, x) for window in windows]
        assert firsts[stopped].numpy() == 6.0 * 27.0
        assert firsts[1 - stopped].numpy() == 5.0 * 81.0
        assert windows[stopped].gradient(factor, x) is None
        assert windows[1 - stopped].gradient(firsts[1 - stopped], x).numpy() == 20.0 * 27.0

    def test_a_window_opened_while_another_is_stopped(self):
        x = Variable(3.0)
        with GradientTape() as outer, outer.stop_recording():
            with GradientTape() as inner:
                y = x * x
            assert inner.gradient(y, x).numpy() == 6.0
        assert outer.gradient(y, x) is None

    def test_an_intermediate_tensor_of_that_time_is_no_source(self):
        x = Variable(3.0)
        with GradientTape(persistent=True) as tape:
            with tape.stop_recording():
                y = x * x
            z = y * x
        assert tape.gradient(z, y) is None
        assert tape.gradient(z, x).numpy() == 9.0

    def test_what_another_watches(self):
        """A tensor that is watched elsewhere, and what follows from it alone, are no sources here."""
        x, v = constant(3.0), Variable(2.0)
        with GradientTape(persistent=True) as outer, GradientTape(persistent=True) as inner:
            outer.watch(x)
            y = x * x
            z = y * v
        assert [g if g is None else g.numpy() for g in inner.gradient(z, [x, y, v])] == [None, None, 9.0]
        assert [g.numpy() for g in outer.gradient(z, [x, y, v])] == [12.0, 2.0, 9.0]

    def test_a_variable_that_was_read_meanwhile(self):
        """The window that was stopped, or reset, sees its next reading."""
        x = Variable(3.0)
        with GradientTape() as stopped, GradientTape(persistent=True) as reset, GradientTape(persistent=True) as inner:
            with stopped.stop_recording():
                y = x * x
            z = y + 5.0 * x
            reset.reset()
            z = z + 7.0 * x
        assert [tape.gradient(z, x).numpy() for tape in (stopped, reset, inner)] == [12.0, 7.0, 18.0]

    def test_a_tensor_that_another_watches_meanwhile(self):
        """It is the same tensor to the window that was stopped, as a target, as a source and as an operand."""
        x = Variable(3.0)
        with GradientTape(persistent=True) as outer, GradientTape(persistent=True) as inner:
            y = x * x
            with outer.stop_recording():
                inner.watch(y)
                inner.watch(y)
            z = y * y
        assert [outer.gradient(target, x).numpy() for target in (y, z)] == [6.0, 108.0]
        assert [tape.gradient(z, y).numpy() for tape in (outer, inner)] == [18.0, 18.0]

    def test_a_tensor_that_a_later_tape_watches(self):
        x, first = Variable(3.0), GradientTape(persistent=True)
        with first:
            y = x * x
        with GradientTape(persistent=True) as second:
            second.watch(y)
            z = y * y * x
        with first:
            w = y * x
        with second:
            z = z * y
        assert [first.gradient(target, x).numpy() for target in (y, w)] == [6.0, 27.0]
        assert [g.numpy() for g in second.gradient(z, [y, x])] == [3.0 * 81.0 * 3.0, 9.0**3]

    def test_a_tensor_that_is_watched_late(self):
        """All that was made of it counts, if it was recorded before; else what is made of it from then on."""
        x, c = Variable(3.0), constant(2.0)
        with GradientTape(persistent=True) as tape:
            y = x * x
            z = y * y + c * c
            tape.watch([y, c])
            z = z + y + 5.0 * c
        assert [g.numpy() for g in tape.gradient(z, [x, y, c])] == [6.0 * 18.0 + 6.0, 19.0, 5.0]

    def test_a_closed_one_cannot_be_stopped(self):
        tape = GradientTape()
        with pytest.raises(UsageError, match="not open, and cannot stop"), tape.stop_recording():
            pass
        with pytest.raises(UsageError, match="not open, and watches nothing"):
            tape.watch(constant(1.0))


class TestMemory:
    """A tape holds what it recorded only as long as it may be asked."""

    def held(self, persistent, gone=False):
        """The bytes that are held after a gradient, while the program keeps its target, and its tape unless `gone`."""
        x = constant(np.ones(10_000))
        gc.disable()
        tracemalloc.start()
        try:
            with GradientTape(persistent) as tape:
                tape.watch(x)
                y = x
                for _ in range(20):
                    y = np.sin(y)
            tape.gradient(y, x)
            if gone:
                del tape
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
            gc.enable()

    def test_a_gradient_lets_go(self):
        assert self.held(persistent=False) < 2 * 80_000

    def test_a_persistent_tape_holds_on(self):
        assert self.held(persistent=True) > 20 * 80_000
        assert self.held(persistent=True, gone=True) < 2 * 80_000

    def test_the_last_window_lets_go(self):
        x = Variable(2.0)
        with GradientTape() as outer, GradientTape() as inner:
            y = x * x
        assert inner.gradient(y, x).numpy() == 4.0
        assert outer.gradient(y, x).numpy() == 4.0
        assert (y * x).numpy() == 8.0
