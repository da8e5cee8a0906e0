"""A program that reaches other code than when it was read is read again, so that no derivative is lost."""

import functools
import itertools
import math
import queue
import sys
import threading
import types
from collections import ChainMap, defaultdict, deque
from contextvars import ContextVar
from enum import Enum
from math import sin
from unittest import mock

import numpy as np
import pytest
import scipy.stats

from gradcli import grad
from gradcli.engine.running import known_programs

POINT = 0.5


def by_sine(x):
    return sin(x)


def by_type(x):
    """Its derivative is lost without an error where its names are not replaced."""
    return x * x if type(x) is float else 0 * x


SETTINGS = types.ModuleType("settings_of_links")
exec("from math import sin as act\ndef run(x):\n    return act(x)\n", vars(SETTINGS))
SETTINGS.called = by_sine
TABLE, LISTED, FILLED, NESTED = {"a": by_sine}, [by_sine], [], [(0, {"f": [by_sine]})]
BY_KEY = defaultdict(list, a=[by_sine])


class Model:
    """An object that holds a function."""

    called = None

    def __init__(self, held=by_sine):
        self.held, self.later = held, None

    def __call__(self, x):
        return (self.called or self.later or self.held)(x) * float(1)


class Slotted:
    """A function in a slot."""

    __slots__ = ("held",)


class Base:
    """A class whose subclasses a program looks for."""


class Derived(Base):
    """One of them."""

    def value(self, x):
        return by_type(x)


MODEL, SLOTTED, OWNER = Model(), Slotted(), types.SimpleNamespace(model=Model())
SLOTTED.held = by_sine


def enclosing():
    held = by_sine

    def f(x):
        return held(x) * float(1)

    def exchange(other):
        nonlocal held
        held = other

    return f, exchange


ENCLOSING, EXCHANGE = enclosing()

CHANGES = {
    "an item of a dict": (lambda x: TABLE["a"](x) * float(1), lambda f: TABLE.update(a=f)),
    "an item of a list": (lambda x: LISTED[-1](x) * float(1), lambda f: LISTED.append(f)),
    "an item in containers": (lambda x: NESTED[0][1]["f"][0](x) * float(1), lambda f: NESTED[0][1].update(f=[f])),
    "an item of a default dict": (lambda x: BY_KEY["a"][-1](x) * float(1), lambda f: BY_KEY["a"].append(f)),
    "an empty list": (lambda x: (FILLED or [by_sine])[0](x) * float(1), lambda f: FILLED.append(f)),
    "an attribute": (lambda x: MODEL(x), lambda f: setattr(MODEL, "held", f)),
    "an attribute that was None": (Model(), lambda f: setattr(CHANGES["an attribute that was None"][0], "later", f)),
    "an attribute of a class": (lambda x: Model()(x), lambda f: setattr(Model, "called", staticmethod(f))),
    "a slot": (lambda x: SLOTTED.held(x) * float(1), lambda f: setattr(SLOTTED, "held", f)),
    "an object": (lambda x: OWNER.model(x), lambda f: setattr(OWNER, "model", Model(f))),
    "an enclosed variable": (ENCLOSING, lambda f: EXCHANGE(f)),
    "an attribute of a module": (lambda x: SETTINGS.called(x) * float(1), lambda f: setattr(SETTINGS, "called", f)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_leads_to_other_code_between_runs(name):
    f, change = CHANGES[name]
    assert math.isclose(math.cos(POINT), grad(f)(POINT))
    try:
        change(by_type)
        assert grad(f)(POINT) == 1.0
    finally:
        Model.called = None


def test_arguments_that_lead_to_code():
    def applied(x, function):
        return function(x) * float(1)

    assert math.isclose(math.cos(POINT), grad(applied)(POINT, by_sine))
    assert grad(applied)(POINT, by_type) == 1.0


def test_one_code_in_two_modules():
    code = compile("def f(x): return act(x) * float(1)", "<text>", "exec")
    functions = []
    for act in (math.sin, math.exp):
        exec(code, names := {"act": act})
        functions.append(names["f"])

    assert [grad(f)(POINT) for f in functions] == pytest.approx([math.cos(POINT), math.exp(POINT)])


def test_subclasses_that_a_program_looks_for():
    assert grad(lambda x: sum(kind().value(x) for kind in Base.__subclasses__()) * float(1))(POINT) == 1.0


def by_assignment(x):
    SETTINGS.act = math.exp
    try:
        return SETTINGS.run(x)
    finally:
        SETTINGS.act = sin


def by_setattr(x):
    setattr(SETTINGS, "act", math.exp)  # noqa: B010 - as a program may write it
    try:
        return SETTINGS.run(x)
    finally:
        SETTINGS.act = sin


def by_patch(x):
    with mock.patch.object(SETTINGS, "act", math.exp):
        return SETTINGS.run(x)


@pytest.mark.parametrize("f", [by_assignment, by_setattr, by_patch])
def test_names_that_a_run_assigns_in_another_module(f):
    assert math.isclose(math.exp(POINT), grad(f)(POINT))
    assert SETTINGS.act is sin


def test_data_may_be_other_data(monkeypatch):
    """It is not read again for numbers, arrays and containers of them."""
    read, names = [], vars(sys.modules[__name__])
    monkeypatch.setattr(known_programs, "_read", lambda call, old=known_programs._read: read.append(1) or old(call))

    def f(x, weights):
        return sin(x) * names_read() + np.sum(weights)

    for data in (1.0, 2, [1.0], {"a": np.ones(2)}, np.ones(3), "text"):
        names["SCALE"] = data
        grad(f)(POINT, np.ones(2))
    assert len(read) == 1


SCALE = 1.0


def names_read():
    return 1.0 if SCALE is not None else 0.0


def test_containers_that_hold_themselves():
    NESTED.append(NESTED)

    assert math.isclose(math.cos(POINT), grad(lambda x: sin(x) * (len(NESTED) > 1))(POINT))


class Meta(type):
    """A metaclass that computes."""

    def __call__(cls, x):
        return by_type(x)


class Made(metaclass=Meta):
    """Its call is the metaclass's."""


def receiving():
    x = yield
    while True:
        x = yield by_type(x) if type(x) is float else 0 * x


def by_name(x):
    return globals()["by_" + "type"](x)


def by_default(x, kind=float):
    return x * x if type(x) is kind else 0 * x


SUSPENDED = receiving()
next(SUSPENDED)


@pytest.mark.parametrize("f", [Made, lambda x: Made(x), lambda x: SUSPENDED.send(x) * float(1), by_name, by_default])
def test_code_that_is_reached_in_other_ways(f):
    assert [grad(f)(POINT) for _ in range(2)] == [1.0, 1.0]


def unlisted():
    """A function that no name of the module leads to."""
    names: dict = {}
    exec("def f(x):\n    return x * x if type(x) is float else 0 * x", globals(), names)
    return names["f"]


class Choice(Enum):
    """Its value is read by code of the standard library."""

    SQUARE = functools.partial(unlisted())

    def __call__(self, x):
        return self.value(x)


class Overloaded:
    """A method by the type of its argument."""

    @functools.singledispatchmethod
    def value(self, x):
        return 0 * x

    @value.register
    def _(self, x: float):
        return by_type(x)


LOCAL, QUEUE, VARIABLE = threading.local(), queue.Queue(), ContextVar("VARIABLE")
LOCAL.f = unlisted()
QUEUE.put(unlisted())
VARIABLE.set(unlisted())
CHAINED, CYCLE, OBJECTS = ChainMap({"f": unlisted()}), itertools.cycle([unlisted()]), np.array([unlisted()], object)
OVERLOADED, MOCKED = Overloaded(), mock.Mock(side_effect=unlisted())


def by_queue(x):
    QUEUE.put(QUEUE.get())
    return QUEUE.queue[0](x) * float(1)


@pytest.mark.parametrize(
    "f",
    [
        by_queue, lambda x: LOCAL.f(x) * float(1), lambda x: VARIABLE.get()(x) * float(1),
        lambda x: CHAINED["f"](x) * float(1), lambda x: next(CYCLE)(x) * float(1),
        lambda x: OBJECTS[0](x) * float(1), lambda x: Choice.SQUARE(x) * float(1),
        lambda x: OVERLOADED.value(x) * float(1), lambda x: MOCKED(x) * float(1),
    ],
)  # fmt: skip
def test_functions_in_objects_that_are_not_searched(f):
    """The names of the module are replaced, where all of its functions find them."""
    assert [grad(f)(POINT) for _ in range(2)] == [1.0, 1.0]


def test_a_deque_holds_what_is_replaced():
    """Also while the program takes it out."""
    waiting = deque([math.sin, math.exp])
    assert grad(lambda x: waiting[0](x))(POINT) == math.cos(POINT)
    waiting[0] = by_type
    assert grad(lambda x: waiting[0](x))(POINT) == 2 * POINT
    assert grad(lambda x: waiting.pop()(x))(POINT) == math.exp(POINT)
    assert list(waiting) == [by_type]


def enclosing(f):
    return lambda x: f(x) * float(1)


def named(f):
    @functools.wraps(f)
    def wrapped(x):
        return f(x)

    return wrapped


def first_of(held):
    return lambda x: held[0](x)


UNCHANGED = {
    "enclosed": enclosing(by_sine),
    "enclosed twice": enclosing(enclosing(by_sine)),
    "decorated": named(by_sine),
    "in an enclosed tuple": first_of((by_sine, 1.0)),
    "in an enclosed list": first_of([by_sine]),
    "in a dict": lambda x: TABLE["a"](x),
    "in a list": lambda x: LISTED[0](x),
    "nested": lambda x: NESTED[0][1]["f"][0](x),
    "by an object": Model(),
    "a partial application": functools.partial(lambda f, x: f(x), by_sine),
    "of SciPy's": lambda x: scipy.stats.norm.logpdf(x),
}


@pytest.mark.parametrize("f", UNCHANGED.values(), ids=UNCHANGED)
def test_a_program_that_leads_to_the_same_code_is_not_read_again(f, monkeypatch):
    grad(f)(POINT)
    monkeypatch.setattr(known_programs, "_read", lambda _: pytest.fail("read again"))

    grad(f)(POINT)


def test_arguments_made_anew_with_the_same_code_are_not_read_again(monkeypatch):
    def f(x, held):
        return held[1](x)

    grad(f)(POINT, (2.0, by_sine))
    monkeypatch.setattr(known_programs, "_read", lambda _: pytest.fail("read again"))

    grad(f)(POINT, (3.0, by_sine))
