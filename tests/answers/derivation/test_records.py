"""Dicts with texts as keys: made inside, given as inputs, filled by callees."""

import functools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(3)  # many like cases

X = np.array([0.5, -1.0, 2.0])


def new_key(x):
    o = {}
    o["y"] = x * x
    o["z"] = np.sum(o["y"])
    return o["y"].sum() * o["z"]


def existing_key(x):
    o = {"y": np.zeros(3), "n": 2}
    o["y"] = x**3
    return o["y"].sum() * o["n"]


def made_by_dict(x):
    o = dict(y=0.0, z=1.0)  # noqa: C408 - what is tested
    o["y"] = x[0] * x[1]
    o["z"] += o["y"] * x[2]
    return 2.0 * o["y"] * o["z"]


def fills(x, out):
    out["F"] = x * x
    out["G"] = np.sum(x)


def filled_by_a_callee(x):
    out = {}
    fills(x, out)
    return out["F"].sum() * out["G"]


def updated_in_a_loop(x):
    state = {"position": x[0], "speed": x[1]}
    for _ in range(3):
        force = -x[2] * state["position"]
        state["speed"] = state["speed"] + 0.1 * force
        state["position"] = state["position"] + 0.1 * state["speed"]
    return state["position"] * state["speed"]


def made_in_a_loop(x):
    total = 0.0
    for k in range(3):
        part = {"a": x[k] ** 2}
        part["b"] = part["a"] * x[0]
        total += part["b"]
    return total


def written_through(x):
    o = {"y": x * 2.0}
    o["y"][0] = x[1] ** 2
    o["y"][1:] += x[:-1]
    return np.sum(o["y"] ** 2)


def replaced_after_a_write(x):
    o = {"y": x * 2.0}
    o["y"][0] = x[1] ** 2
    first = o["y"][0] * o["y"][1]
    o["y"] = x**3
    return np.sum(o["y"]) * first


def stored_twice(x):
    o = {"y": x * 2.0}
    o["y"] = np.sin(o["y"])
    o["y"] = o["y"] * x
    return np.sum(o["y"])


def on_a_condition(x):
    o = {"scale": 1.0}
    if x[0] > 0.0:
        o["scale"] = x[1] ** 2
    return o["scale"] * np.sum(x)


def nested(x):
    o = {"inner": {"a": x[0] * x[1]}, "items": [x[2], x[0]]}
    return o["inner"]["a"] * o["items"][1] + o["items"][0] ** 2


def returned(x):
    return {"value": x[0] * x[1], "norm": np.sum(x * x)}


def returned_by_a_callee(x):
    o = returned(x)
    return o["value"] * o["norm"]


def never_read(x):
    o = {"y": x[0] * x[1]}
    if x[2] > 0.0:
        o["z"] = x * x
        o["y"] = o["y"] * x[2]
        return o["y"]
    return o["y"] * x[1]


FUNCTIONS = [
    never_read,
    new_key, existing_key, made_by_dict, filled_by_a_callee, updated_in_a_loop, made_in_a_loop, written_through,
    replaced_after_a_write, stored_twice, on_a_condition, nested, returned_by_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_dict_made_inside(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)
    np.testing.assert_allclose(derived(-X), gradcli.grad(function)(-X), rtol=1e-12)


@pytest.mark.parametrize("function", [new_key, made_by_dict, updated_in_a_loop, nested], ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["forward", "jacobian", "hessian"])
def test_the_other_modes(function, mode):
    derived = gradcli.derive(function, at=X, mode=mode).function
    expected = (gradcli.hessian if mode == "hessian" else gradcli.grad)(function)(X)

    found = derived(X, X) if mode == "forward" else derived(X)

    np.testing.assert_allclose(found, np.dot(expected, X) if mode == "forward" else expected, rtol=1e-12)


def layers(p, x):
    h = np.tanh(x @ p["w"] + p["b"])
    return np.sum(h**2) * p["out"]["scale"]


def test_a_dict_as_an_input():
    """The gradient is a dict with the same keys."""
    point = {"w": np.array([[0.5, 1.0], [-1.0, 0.3]]), "b": np.array([0.1, 0.2]), "out": {"scale": 1.5}}
    x = np.array([[1.0, 2.0]])

    found = gradcli.derive(layers, at=(point, x), wrt=["p"]).function(point, x)

    expected = gradcli.grad(layers)(point, x)
    assert list(found) == ["w", "b", "out"]
    np.testing.assert_allclose(found["w"], expected["w"], rtol=1e-12)
    np.testing.assert_allclose(found["b"], expected["b"], rtol=1e-12)
    assert pytest.approx(found["out"]["scale"], rel=1e-12) == expected["out"]["scale"]


def test_a_dict_as_an_input_in_forward_mode():
    point, x = {"a": 2.0, "b": 3.0}, 1.5

    found = gradcli.derive(lambda p, x: p["a"] * p["b"] ** 2 * x, at=(point, x), mode="forward").function

    assert pytest.approx(found(point, x, {"a": 0.5, "b": 0.25}, 1.0)) == 9.0 * 1.5 * 0.5 + 12.0 * 1.5 * 0.25 + 18.0


def by_numbers(x):
    o = {0: x[0], 1: x[1]}
    return o[0] * o[1]


def filled_by_numbers(x):
    o = {}
    o[0] = x[0]
    return o[0] * x[1]


def by_a_name(x, name="a"):
    o = {name: x[0], "b": x[1]}
    return o["a"] * o["b"]


def shared(x):
    y = x * 2.0
    o = {"y": y}
    y[0] = x[1]
    return np.sum(o["y"])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (by_numbers, "which is no number, list or array"),
        (filled_by_numbers, "a write into o, which is no list, array or dict with texts as keys"),
        (by_a_name, "a dict with keys that are not written out"),
        (shared, "o as a second name of what y holds"),
    ],
)
def test_a_dict_that_is_refused(function, what):
    with pytest.raises(UnsupportedError, match=what):
        gradcli.derive(function, at=X)


def given_before_it_has_all_keys(x):
    d = {"k": x[0]}
    fills(x * 2.0, d)
    d["n"] = np.sum(d["F"]) * d["k"]
    fills(x * d["n"], d)
    return np.sum(d["F"]) * d["G"] + d["n"]


def replaced_by_another_size(x):
    d = {"v": x * 2.0}
    for _ in range(2):
        first = d["v"][0]
        d["v"] = np.array([first, x[1] * first, x[0], x[2]])
    d["v"] = d["v"][:2]
    return np.sum(d["v"] ** 2)


def cuts(d):
    d["v"] = d["v"][1:] * 2.0


def notes_a_total(total, out):
    out["total"] = total


def replaced_after_a_callee_and_not_read(x):
    out = {"k": x[0], "v": x * x}
    notes_a_total(np.dot(x, x), out)
    out["v"] = np.array([x[0], x[1], 0.5])
    return x[1] * out["k"] + out["total"]


def replaced_after_two_callees(x):
    out = {"k": x[0], "v": x * x}
    notes_a_total(np.sum(out["v"]), out)
    out["v"] = out["v"][1:] * x[0]
    notes_a_total(out["total"] * np.sum(out["v"]), out)
    out["v"] = np.array([x[0], 0.5])
    return np.sum(out["v"]) * out["total"]


def halved(out):
    return {"k": 0.5 * out["k"], "v": out["v"][:1] * out["k"]}


def given_to_a_callee_that_replaces_it(x):
    out = {"k": x[0], "v": x * x}
    out = halved(out)
    out = halved(out)
    return out["k"] * np.sum(out["v"])


def replaced_by_another_size_in_a_callee(x):
    d = {"v": x * x, "n": 2.0}
    cuts(d)
    return np.sum(d["v"] ** 2) * d["n"]


def cuts_twice(d):
    d["v"] = d["v"][:2]
    d["v"] = d["v"][1:]


def replaced_twice_in_a_callee(x):
    d = {"v": x**3}
    cuts_twice(d)
    return np.sum(d["v"] * x[0])


def grows(d, x):
    d["v"] = np.concatenate([d["v"], x])
    return d["v"][0]


def grown_by_a_callee(x):
    d = {"v": x * x}
    first = grows(d, x)
    again = grows(d, x * first)
    return np.sum(d["v"] ** 2) * again


def cut_in_a_loop(x):
    d = {"v": x * x}
    while len(d["v"]) > 1:
        cuts(d)
    return d["v"][0] * x[0]


def cuts_and_adds_a_key(d):
    cuts(d)
    d["w"] = d["v"] * 3.0


def given_a_key_by_a_callee(x):
    d = {"v": x}
    cuts_and_adds_a_key(d)
    return np.sum(d["w"] * d["v"])


CHANGED = [
    given_before_it_has_all_keys, replaced_by_another_size, replaced_by_another_size_in_a_callee,
    replaced_after_a_callee_and_not_read, replaced_after_two_callees, given_to_a_callee_that_replaces_it,
    replaced_twice_in_a_callee, grown_by_a_callee, cut_in_a_loop, given_a_key_by_a_callee,
]  # fmt: skip


@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
def test_a_dict_that_changes(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-12)


def shifts(x, out):
    out[1:] = x[:-1]


def fills_a_constant(x):
    """A call without a derivative writes into a copy, not into what the argument was made of."""
    scale = np.array([1.0, 2.0, 3.0])
    moved = scale * 1.0
    shifts(scale, moved)
    return np.sum(x * scale) * np.sum(x * moved)


def test_a_passive_call_that_writes_into_its_argument():
    found = gradcli.derive(fills_a_constant, at=X).function(X)

    np.testing.assert_allclose(found, gradcli.grad(fills_a_constant)(X), rtol=1e-12)


@dataclass
class State:
    """A position and a speed."""

    position: float
    speed: float = 2.0

    def energy(self):
        return self.position * self.speed**2


class Pair(NamedTuple):
    """Two values."""

    first: float
    second: float


def a_dataclass(x):
    state = State(x[0], speed=x[1])
    for _ in range(3):
        state.speed = state.speed - 0.1 * state.position
        state.position += 0.1 * state.speed
    return state.position * state.speed


def with_a_default(x):
    state = State(x * x)
    return np.sum(state.position) * state.speed


def a_named_tuple(x):
    pair = Pair(x[0] * x[1], second=x)
    return pair.first * np.sum(pair.second**2)


def a_namespace(x):
    made = SimpleNamespace(scale=x[2], items=[x[0], x[1]], count=3)
    made.scale = made.scale * made.items[1]
    return made.scale * made.items[0] ** made.count


@pytest.mark.parametrize(
    "function", [a_dataclass, with_a_default, a_named_tuple, a_namespace], ids=lambda f: f.__name__
)
def test_a_record_whose_fields_are_used(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-12)


def with_a_method(x):
    state = State(x[0], x[1])
    return state.energy()


def energy_of(state):
    return state.energy() * state.speed


def handed_on(x):
    state = State(x[0], x[1])
    return energy_of(state) + energy_of(State(1.5))


def changed_by_a_callee(x):
    state = State(x[0], x[1])
    damp(state, x[2])
    return state.energy()


def damp(state, rate):
    state.speed *= 1.0 - rate


def in_a_list(x):
    states = [State(x[k]) for k in range(3)]
    total = 0.0
    for state in states:
        total += state.energy() * state.position
    return total


def unpacked(x):
    pair = doubled(Pair(x[0], x[1]))
    first, second = pair
    return first * second + pair.first * pair[1]


def doubled(pair):
    return Pair(2.0 * pair.first, second=pair.second**2)


class Damper:
    """A class with methods that call each other."""

    exponent = 3

    def __init__(self, rate, offset=0.2):
        if rate > 10.0:
            self.rate = 10.0
            self.offset = offset
            return
        self.rate = rate
        self.offset = offset

    def moved(self, x):
        return x - self.offset

    def force(self, x):
        return self.rate * self.moved(x) ** self.exponent

    def stiffer(self, by):
        return type(self)(self.rate * by)

    def shifted(self, by):
        return self.__class__(self.rate, offset=by)


DAMPERS = [Damper(1.0, 0.0), Damper(7.0, 0.5)]


def chosen(x):
    damper = DAMPERS[0] if x[0] < 100.0 else DAMPERS[1]
    return damper.force(x[1])


def made_by_a_condition(x):
    damper = Damper(2.0 if x[0] > 100.0 else 5.0)
    return damper.force(x[1])


def made_of_an_input(x):
    return Damper(x[2] * 30.0, offset=x[0]).force(x[1])


def made_by_its_own_class(x):
    return Damper(x[0]).stiffer(x[1]).shifted(x[2]).force(x[0])


def made_in_each_turn(x):
    total = 0.0
    for k in range(3):
        total += Damper(float(k)).force(x[k])
    return total


class Scale:
    """A class with properties that can be read and written."""

    def __init__(self, width):
        self.width = width

    @property
    def width(self):
        return 0.5 * self._double

    @width.setter
    def width(self, width):
        self._double = 2.0 * width

    @property
    def area(self):
        return self.width * self.width

    def grown(self, x):
        self.width = self.width + x
        return self.area * self._double


def with_properties(x):
    scale = Scale(x[2])
    other = Scale(x * scale.area)
    grown = scale.grown(x[0])
    return grown * scale.area + np.sum(other.area) * Scale(2.0).width


class Kernel:
    """An object that is called."""

    def __init__(self, width):
        self.width = width

    def __call__(self, x):
        return np.exp(-np.sum((x / self.width) ** 2))


def called(x):
    kernel = Kernel(x[2] + 3.0)
    return kernel(x) * kernel(x * x) * Kernel(x)(X + 2.5) * Kernel(x[1]).width


def shares_a_name_in_two_branches(x):
    total = x[0]
    for k in range(3):
        if k > total:
            first, *others = x[k], x[0], total
            if x[1] > 3.0:
                return first * others[1]
            total += first * others[0]
    return total


STIFF = Damper(5.0)


def by_an_object_of_the_module(x, damper=STIFF):
    return damper.force(x[0]) * STIFF.force(x[1]) * STIFF.rate


OBJECTS = [
    by_an_object_of_the_module, called, shares_a_name_in_two_branches,
    with_a_method, handed_on, changed_by_a_callee, in_a_list, unpacked, chosen, made_by_a_condition, made_of_an_input,
    made_in_each_turn, made_by_its_own_class, with_properties,
]  # fmt: skip


@pytest.mark.parametrize("function", OBJECTS, ids=lambda f: f.__name__)
def test_an_object_that_is_used_as_a_whole(function):
    """Also where a condition goes another way than at the point."""
    derived = gradcli.derive(function, at=X).function

    for point in (X, X + 200.0, np.array([-0.7, 0.2, 0.1])):
        np.testing.assert_allclose(derived(point), gradcli.grad(function)(point), rtol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "jacobian", "hessian"])
def test_an_object_in_the_other_modes(mode):
    derived = gradcli.derive(made_of_an_input, at=X, mode=mode).function
    expected = (gradcli.hessian if mode == "hessian" else gradcli.grad)(made_of_an_input)(X)

    found = derived(X, X) if mode == "forward" else derived(X)

    np.testing.assert_allclose(found, np.dot(expected, X) if mode == "forward" else expected, rtol=1e-12)


def of_a_state(state, x):
    return state.energy() * x + state.position


def test_an_object_as_an_input():
    """Its gradient is a dict of its fields."""
    at = {"state": State(1.5, 0.5), "x": 2.0}

    found = gradcli.derive(of_a_state, at=at).function(State(1.5, 0.5), 2.0)

    assert found == ({"position": 2.0 * 0.25 + 1.0, "speed": 2.0 * 1.5 * 0.5 * 2.0}, 1.5 * 0.25)


def of_two_classes(x):
    made = State(x[0]) if x[1] > 0.0 else Damper(x[0])
    return made.energy() if x[1] > 0.0 else made.force(x[2])


class Doubling:
    """A class with a value that is computed once."""

    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def twice(self):
        return 2.0 * self.x


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (of_two_classes, "made, which is of several classes by turns"),
        (lambda x: Doubling(x[0]).twice, r"Doubling\(x\[0\]\).twice, which is no field of Doubling"),
    ],
)
def test_an_object_that_is_refused(function, what):
    with pytest.raises(UnsupportedError, match=what):
        gradcli.derive(function, at=X)


PARAMETERS = {"w": np.array([[0.5, 1.0], [-1.0, 0.3]]), "b": np.array([0.1, 0.2]), "scale": 1.5}


def over_items(p):
    total = 0.0
    for key, value in p.items():
        weight = 0.1 if key == "b" else p["scale"]
        total += weight * np.sum(value**2)
    return total


def over_keys(p):
    total = 1.0
    for key in p:
        total *= np.sum(p[key]) + 0.5
    return total


def over_values(p):
    return sum(np.sum(value**3) for value in p.values()) * len(p.keys())


@pytest.mark.parametrize("function", [over_items, over_keys, over_values], ids=lambda f: f.__name__)
def test_a_dict_that_is_iterated_over(function):
    """Its values may be of different kinds."""
    derived = gradcli.derive(function, at={"p": PARAMETERS}).function

    found, expected = derived(PARAMETERS), gradcli.grad(function)(PARAMETERS)

    for key in PARAMETERS:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-12)
    with pytest.raises(AssertionError, match="derived for other keys"):
        derived({**PARAMETERS, "other": 2.0})


def updated(x):
    held = {"a": x[0], "b": 2.0}
    held.update({"a": x[1] ** 2}, c=x[2])
    return sum([value * number for number, value in enumerate(held.values())]) * held["a"]


def test_a_dict_that_is_updated_by_written_keys():
    np.testing.assert_allclose(gradcli.derive(updated, at=X).function(X), gradcli.grad(updated)(X), rtol=1e-12)


def notes(x, d):
    d["seen"] = x


def shortened_after_a_call(x):
    d = {"v": x * 2.0}
    notes(np.sum(x), d)
    d["v"] = d["v"][1:] * x[0]
    return np.sum(d["v"]) * d["seen"]


def test_a_dict_that_a_callee_fills_and_that_then_changes():
    """Where the statements of the callee stand at its call, as in LaTeX, both names are of one dict."""
    assert gradcli.derive(shortened_after_a_call, at=X, lang="latex").verified.by_tape > 1
