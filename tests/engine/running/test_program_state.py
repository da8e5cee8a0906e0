"""What a program keeps holds plain numbers after a run, and is put back where gradcli runs it for its own use."""

from __future__ import annotations

import math
import random
import sys
import types

import numpy as np
import pytest

from gradcli import check, grad, jvp
from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.engine.patching import name_replacement
from gradcli.engine.patching.object_exchange import ExchangedPlaces
from gradcli.engine.patching.patch_points import Place
from gradcli.engine.running import known_programs
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.program_state import Generators, State
from tests.engine.patching.active_exchange import exchanged


def test_generators_are_set_back():
    mine, theirs = np.random.default_rng(3), random.Random(4)

    def f():
        return [random.random(), np.random.rand(), mine.random(), theirs.random()]

    generators = Generators(reachable_objects(f))
    first = f()
    second = f()
    generators.restore()

    assert first != second
    assert first == f()


def test_a_generator_of_the_system_has_no_state():
    system, other = random.SystemRandom(), random.Random(0)
    generators = Generators(reachable_objects(lambda: (system, other)))
    system.random()
    assert not generators.changed()
    first = other.random()
    generators.restore()

    assert first == other.random()


DRAWS = {
    "a Generator": (lambda: np.random.default_rng(1), lambda rng: rng.normal()),
    "a RandomState": (lambda: np.random.RandomState(1), lambda rng: rng.normal()),
    "one of Python's": (lambda: random.Random(1), lambda rng: rng.gauss(0.0, 1.0)),
    "NumPy's own": (lambda: np.random.seed(1), lambda _: np.random.normal()),
    "Python's own": (lambda: random.seed(1), lambda _: random.gauss(0.0, 1.0)),
}


@pytest.mark.parametrize(("made", "drawn"), DRAWS.values(), ids=DRAWS)
def test_a_draw_changes_the_state(made, drawn):
    generator = made()
    generators = Generators(reachable_objects(lambda: generator))

    assert not generators.changed()
    drawn(generator)
    assert generators.changed()
    generators.restore()
    assert not generators.changed()


@pytest.mark.parametrize("bits", [np.random.MT19937, np.random.PCG64, np.random.Philox, np.random.SFC64])
def test_the_state_of_each_kind_of_bits(bits):
    rng = np.random.Generator(bits(1))
    generators = Generators(reachable_objects(lambda: rng))

    assert not generators.changed()
    rng.random()
    assert generators.changed()


class Held:
    """What programs hold functions in."""

    function = math.sin

    def __init__(self, function):
        self.own = function


@pytest.mark.parametrize(
    ("holder", "key"), [({"f": math.sin}, "f"), ([math.sin], 0), (Held(math.sin), "own"), (Held, "function")]
)
def test_a_replacement_is_nothing_that_the_program_wrote(holder, key):
    """Whether another thread replaces a name before or after the save, its replacement neither stays nor goes."""
    place = Place(holder, key, math.sin, ours := name_replacement.function_to_run(math.sin))
    places = ExchangedPlaces([place])

    def f(x):
        return holder, x

    with exchanged(places):
        state = State(BoundCall.of_inputs(f, ()))
    assert not state.changed()
    state.restore()
    assert place.read() is math.sin

    with exchanged(places):
        assert not state.changed()
        state.restore()
        assert place.read() is ours
    assert place.read() is math.sin


def test_what_the_program_wrote_is_restored_beside_a_replacement():
    """One item of a table is the program's, the other one is ours for another thread."""
    table = {"f": math.sin, "n": 1}
    state = State(BoundCall.of_inputs(lambda: table, ()))
    with exchanged(ExchangedPlaces([Place(table, "f", math.sin, ours := name_replacement.function_to_run(math.sin))])):
        table["n"] = 2
        assert state.changed()
        state.restore()
        assert {"f": ours, "n": 1} == table
    assert table == {"f": math.sin, "n": 1}


class Fit:
    """A model that sets its parameter, computes, and sets it back."""

    def __init__(self, compute):
        self.amplitude = 5.0
        self.compute = compute

    def evaluate(self, amplitude):
        before, self.amplitude = self.amplitude, amplitude
        try:
            return self.compute(self.amplitude) * before
        finally:
            self.amplitude = before


@pytest.mark.parametrize("through", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,))[1]], ids=["grad", "jvp"])
def test_an_attribute_that_is_set_and_set_back(through):
    """It holds afterwards what it held before."""
    known_programs.forget()
    fit = Fit(math.sin)

    assert math.isclose(5.0 * math.cos(1.2), through(fit.evaluate)(1.2))
    assert (float, 5.0) == (type(fit.amplitude), fit.amplitude)
    assert 5.0 * math.sin(1.2) == fit.evaluate(1.2)


class Profile:
    """A model that keeps its last argument, and what it computed of it, on the class at first."""

    _last_z = np.zeros(1)
    _last_w = np.zeros(1)

    def evaluate(self, x):
        z = np.array([x, 2.0 * x])
        if not np.array_equal(z, self._last_z):
            self._last_z, self._last_w = z, np.exp(z)
        return np.sum(self._last_w)


@pytest.mark.parametrize("through", [lambda f: grad(f)(0.3), lambda f: check(f, at=0.3)], ids=["grad", "check"])
def test_what_a_program_caches_is_plain_afterwards(through):
    """A plain call that finds it there gets numbers."""
    known_programs.forget()
    profile, plain = Profile(), Profile().evaluate(0.3)

    through(profile.evaluate)

    assert [type(profile._last_z), type(profile._last_w)] == [np.ndarray, np.ndarray]
    assert plain == profile.evaluate(0.3)
    assert np.exp(0.4) + np.exp(0.8) == profile.evaluate(0.4)


def test_a_cache_that_another_run_finds():
    known_programs.forget()
    profile, points = Profile(), (0.4, 0.5, 0.6)

    slopes = [float(grad(profile.evaluate)(x)) for x in points]

    assert slopes == pytest.approx([np.exp(x) + 2 * np.exp(2 * x) for x in points])


@pytest.mark.parametrize("name", ["random", "numpy.random"])
def test_a_module_that_another_thread_imports(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    held = [np.ones(2)]

    assert grad(lambda x: x * float(held[0].sum()) * 2)(1.0) == 4.0
