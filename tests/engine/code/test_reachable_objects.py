"""What a function leads to: functions, objects and state."""

import builtins
import collections
import collections.abc
import dis
import functools
import math
import random
import sys
import types
import typing

import numpy as np
import pytest

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import reachable_objects

SETTINGS = {"scale": [1.0, {"deep": []}]}


class Base:
    """A class with methods of all kinds."""

    table = {"f": math.sin}  # noqa: RUF012 - as users write it

    def __init__(self):
        self.items = [1.0]

    def method(self, x):
        return helper(x)

    @staticmethod
    def static(x):
        return x

    @classmethod
    def of_class(cls, x):
        return x

    @property
    def quantity(self):
        return self.items

    @functools.cached_property
    def cached(self):
        return self.items


def helper(x):
    return x * SETTINGS["scale"][0]


def names(found):
    """The names of the functions that are reached."""
    return {function.__name__ for function in found.functions}


def test_methods_of_all_kinds_are_reached():
    expected = {"method", "static", "of_class", "quantity", "cached", "helper"}
    base = Base()

    def calls(x, held=base):
        return held.method(x) + held.static(x) + held.of_class(x) + held.quantity + held.cached

    assert names(reachable_objects(base.method)) == {"method", "helper"}
    assert expected <= names(reachable_objects(calls))
    assert names(reachable_objects(lambda x: Base.of_class(x))) >= {"of_class", "__init__"}
    assert names(reachable_objects(lambda x: sys.modules[__name__].Base().method(x), Base)) >= {"method", "helper"}


class Wide:
    """With an attribute that only its constructor mentions, and one that a method finds by a name it makes."""

    def __init__(self):
        self.parts = [Base()]
        self.used = [1.0]

    def by_name(self, x):
        return self.used[0] * x

    def by_text(self, x):
        return getattr(self, "pa" + "rts")[0].method(x)

    def another(self, x):
        return type(self)().by_name(x)

    @classmethod
    def made(cls, x):
        return cls().by_name(x)


@pytest.mark.parametrize(("method", "is_reached"), [("by_name", False), ("by_text", True), ("another", True)])
def test_attributes_are_reached_by_the_names_in_code(method, is_reached):
    wide = Wide()
    held = [id(each) for each in reachable_objects(getattr(wide, method)).holders]

    assert (id(wide.parts[0]) in held) is is_reached
    assert (id(wide.used) in held) is (method != "by_text" or is_reached)


def test_an_attribute_is_reached_by_a_name_read_later():
    """The function that mentions it is reached after the object."""
    wide = Wide()
    found = reachable_objects(lambda x: (wide, late_reader(wide, x)))

    assert any(each is wide.parts for each in found.holders)


def late_reader(wide, x):
    return wide.parts[0].method(x)


def test_a_class_method_may_create_an_instance():
    assert "__init__" in names(reachable_objects(Wide.made))
    assert "__init__" not in names(reachable_objects(Wide().by_name))


def test_unused_objects_are_not_visited():
    wide = Wide()
    wide.parts = [Base() for _ in range(1000)]

    assert len(reachable_objects(wide.by_name).holders) < 10


def test_libraries_are_not_looked_into():
    import sympy

    found = reachable_objects(lambda x: np.sum(x) + random.random() + collections.Counter("a")["a"] + sympy.pi)

    assert len(found.functions) == 1
    assert [holder for holder in found.holders if isinstance(holder, types.ModuleType)] == []


def _namespace():
    """A class that takes all names of a module, the built-in ones included."""

    class Backend:
        locals().update(globals())

    return Backend


@pytest.mark.parametrize(
    "holder",
    [
        vars(builtins),
        [vars(builtins)],
        {"names": vars(builtins)},
        _namespace(),
        types.SimpleNamespace(b=vars(builtins)),
    ],
    ids=["alone", "in a list", "in a dict", "in a class", "in an object"],
)
def test_the_built_in_names_are_not_looked_into(holder):
    """Every program has them, so that a replacement there would apply to gradcli's own code."""
    found = reachable_objects(lambda x: (holder, x))

    assert not any(each is vars(builtins) for each in found.holders)
    assert not any(each is vars(builtins) for each, *_ in found.items)


def test_objects_of_numba_are_not_looked_into(monkeypatch):
    """What they hold is machine code, which would be lost with its state put back."""
    inner = Base()
    compiled = Base()
    compiled.overloads = {"float64": inner}
    monkeypatch.setattr(Base, "__module__", "numba.core.registry")

    found = reachable_objects(lambda: compiled.overloads)

    assert {*map(id, (inner, compiled, compiled.overloads))}.isdisjoint(map(id, found.holders))


def test_a_rewritten_assertion_does_not_lead_into_pytest():

    def asserting(x):
        assert x > 0
        return x

    assert [asserting] == list(reachable_objects(asserting).functions)
    assert any("pytest" in name for name in asserting.__code__.co_names)


def test_each_object_is_looked_at_once():
    endless = []
    endless.append(endless)

    assert sum(holder is endless for holder in reachable_objects(lambda: endless).holders) == 1


def test_the_walk_ends_at_a_limit(monkeypatch):
    monkeypatch.setattr("gradcli.engine.code.reachable_objects._FARTHEST", 10)
    chain = nested = []
    for _ in range(50):
        nested.append([])
        nested = nested[0]

    reached = reachable_objects(lambda: chain)

    assert len(reached.holders) < 12
    assert reached.is_partial


def test_a_stream_is_an_iterator_only_where_it_can_be_read(tmp_path):
    with open(tmp_path / "log", "w") as log, open(tmp_path / "log") as lines:
        assert reachable_objects(lambda: (log, lines)).iterators == [lines]


def test_a_walk_disassembles_nothing(monkeypatch):
    """The names and operations of a code are at hand: a program may lead to thousands of functions."""
    monkeypatch.setattr(dis, "get_instructions", None)
    made = {}
    exec("def f(x):\n    return [each(x) for each in g(x)]\ndef g(x):\n    return [f]", made)

    assert {made["f"], made["g"]} == set(reachable_objects(made["f"]).functions)
    assert names_in(made["f"].__code__).makes_lists


def test_state_besides_scipys_code():
    """SciPy's functions and classes keep nothing of a call; an object of it, that the user holds, may."""
    interpolate = pytest.importorskip("scipy.interpolate")
    held = interpolate.PchipInterpolator(np.arange(3.0), np.ones(3))
    kept = {"spline": held}

    def f(x):
        return kept["spline"](x) * interpolate.CubicSpline(np.arange(3.0), x)(0.5)

    state, found = reachable_objects(f, into_scipy=False), reachable_objects(f)

    assert list(state.functions) == [f]
    assert len(found.functions) > 1
    assert [each for each in state.holders if isinstance(each, type)] == []
    assert {id(f), id(kept), id(held), id(held.c)} <= {*map(id, state.holders)}


ALIASES = (tuple[int, ...], int | None, typing.Annotated[int, 1], collections.abc.Callable[[float], float])


def test_a_type_of_annotations_leads_nowhere():
    assert not reachable_objects(lambda x: ALIASES and x).is_partial
