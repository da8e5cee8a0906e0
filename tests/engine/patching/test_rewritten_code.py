"""Rewritten code means what a function's code means, and leaves the names of its module alone."""

import functools
import math
import pickle
import statistics
import sys
import threading
import weakref
from math import exp, sin

import numpy as np
import pytest
from numpy import float64

from gradcli import grad
from gradcli.engine.patching import mentioned_names
from gradcli.engine.running import known_programs

SCALE = 2.0
WEIGHTS = [1.0, 2.0]
TABLE = {"sin": math.sin}


class Stage:
    """A stream that keeps the module's names as they are while a function prints."""

    def __init__(self):
        self.names = None

    def write(self, text):
        self.names = {**globals(), "TABLE": {**TABLE}}

    def flush(self):
        pass


def names_in_run(monkeypatch, function, *arguments):
    """The module's names while a function runs that prints, and its derivative."""
    grad(function)(*arguments)  # from the second run on, it is known what the function needs
    monkeypatch.setattr(sys, "stdout", stage := Stage())
    found = grad(function)(*arguments)
    return stage.names, found


def difference(function, x):
    return (function(x + 1e-5) - function(x - 1e-5)) / 2e-5


def of_names(x):
    """Names of `math`, however imported, a number of the module and a built-in name."""
    print(end="")
    return math.sin(x) * SCALE + exp(x) * float(x)


def asks_for_the_type(x):
    """The type of the value, which a thread would see change."""
    print(end="")
    return sin(x) if type(x) is float else 0.0


def helper(x):
    return math.cos(x) * SCALE


def calls_a_helper(x):
    print(end="")
    return helper(helper(x))


def hands_a_helper_on(x):
    print(end="")
    return sum(map(helper, [x, 2 * x])) + np.sum(np.vectorize(helper)(np.array([x, 3 * x])))


def power(x, n):
    return 1.0 if n == 0 else math.fabs(x) * power(x, n - 1)


def calls_itself(x):
    print(end="")
    return power(x, 3)


def factory(scale):
    """A function that encloses another one, and a number."""

    def inner(x):
        return math.sin(x) * scale

    def outer(x):
        print(end="")
        return inner(x) * scale

    return outer


encloses_a_function = factory(3.0)
PARTIAL = functools.partial(power, n=2)


def calls_a_partial(x):
    """An object of the module that leads to a function."""
    print(end="")
    return PARTIAL(x) * math.sin(x)


def imports_inside(x):
    from math import tanh

    print(end="")
    return tanh(x) * math.sin(x)


def has_inner_functions(x, weights=(1.0, 2.0)):
    """Functions made in the run, default values, and a list of the module."""

    def scaled(w):
        return math.sin(x) * w

    print(end="")
    return sum(scaled(w) for w in [*weights, *WEIGHTS]) + max([x, 0.1], key=lambda v: math.exp(v))


def counts(x):
    counts.calls += 1
    print(end="")
    return math.sin(x)


counts.calls = 0


def uses_a_library(x):
    """A library's Python code, whose names are replaced in place."""
    print(end="")
    return statistics.fmean([x, math.sin(x)]) * float(x)


class Model:
    """A class of the user's."""

    def __init__(self):
        self.scale = 2.0

    def __call__(self, x):
        return math.sin(x) * self.scale


MODEL = Model()
REFERENCE = weakref.ref(helper)


def calls_an_instance(x):
    print(end="")
    return MODEL(x)


def makes_an_instance(x):
    print(end="")
    return Model()(x)


def reads_a_table(x):
    print(end="")
    return TABLE["sin"](x)


COUNT = 0


def assigns_a_name(x):
    global COUNT
    COUNT += 1
    print(end="")
    return math.sin(x)


def runs_text(x):
    print(end="")
    return eval("helper(x)") * float(x)


def pickles_a_function(x):
    print(end="")
    return pickle.loads(pickle.dumps(helper))(x) * float(x)


def takes_another_derivative(x):
    print(end="")
    return grad(helper)(x)


def defines_a_class(x):
    """Whose body reads names."""

    class Inner:
        value = math.sin(x)

    print(end="")
    return Inner.value


def rebinder():
    """A function that assigns what it encloses."""

    def inner(x):
        return math.sin(x)

    def outer(x):
        nonlocal inner
        kept, inner = inner, math.cos
        found = inner(x)
        inner = kept
        print(end="")
        return found * inner(x)

    return outer


def reads_one_name_twice(x):
    """A name of the module that is also an attribute."""
    print(end="")
    return sin(x) * np.sin(x) * math.sin(x)


MANY = "def has_many_constants(x):\n    print(end='')\n    y = 0.0\n"
MANY += "".join(f"    y += {n}.5 * x\n" for n in range(300)) + "    return y * math.sin(x) + name_1 * float(x)"
MANY = MANY.replace("y = 0.0", "y = " + " + ".join(f"name_{n}" for n in range(300)))
exec(MANY, globals() | {f"name_{n}": 1.0 for n in range(300)}, NAMES := {})
has_many_constants = NAMES["has_many_constants"]


def calls_a_number_type(x):
    """One of NumPy's, which is also compared with the type of a value."""
    print(end="")
    return float64(x) * sin(x) if type(np.zeros(1)[0]) is float64 else 0.0


def runs_text_with_a_number_type(x):
    """The text finds what the module holds, the code a constant."""
    print(end="")
    return eval("sin(x)") * float64(x) if type(np.zeros(1)[0]) is float64 else 0.0


FOLLOWED = [
    of_names, asks_for_the_type, calls_a_helper, hands_a_helper_on, calls_itself, encloses_a_function, calls_a_partial,
    imports_inside, has_inner_functions, counts, uses_a_library, calls_an_instance, makes_an_instance, assigns_a_name,
    pickles_a_function, takes_another_derivative, defines_a_class, rebinder(), reads_one_name_twice, has_many_constants,
    calls_a_number_type, functools.partial(factory(2.0)), functools.partial(has_inner_functions, weights=[1.0, 2.0]),
]  # fmt: skip


def name_of(function):
    return getattr(function, "__qualname__", "partial application")


def own_names(names):
    return {name: item for name, item in names.items() if name != "COUNT"}


@pytest.mark.parametrize("function", FOLLOWED, ids=name_of)
def test_names_stay_the_modules(monkeypatch, function):
    """While a run goes on, whoever looks at the module finds what it holds at other times."""
    before = own_names(globals())

    names, _ = names_in_run(monkeypatch, function, 0.7)

    assert before == own_names(names)
    assert before.keys() == own_names(globals()).keys()


def of_a_list(x):
    print(end="")
    return sum(map(math.sin, x))


def test_a_long_list_of_inputs(monkeypatch):
    names, slopes = names_in_run(monkeypatch, of_a_list, [0.7] * 1000)

    assert names["math"] is math
    assert slopes == [math.cos(0.7)] * 1000


@pytest.mark.parametrize("function", [*FOLLOWED, reads_a_table, runs_text, runs_text_with_a_number_type], ids=name_of)
def test_the_derivative(monkeypatch, function):
    _, found = names_in_run(monkeypatch, function, 0.7)

    assert math.isclose(difference(function, 0.7), found, rel_tol=1e-6)


@pytest.mark.parametrize(("function", "held"), [(reads_a_table, "TABLE"), (runs_text, "math")])
def test_what_no_code_reads_is_replaced_where_it_is_held(monkeypatch, function, held):
    names, _ = names_in_run(monkeypatch, function, 0.7)

    assert names[held] != globals()[held]


def test_a_name_bound_anew_between_runs(monkeypatch):
    before = grad(of_names)(0.7)

    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)

    assert math.isclose(math.cos(0.7), grad(of_names)(0.7) - before)


@pytest.mark.parametrize(
    "now",
    [lambda x: 5 * math.cos(x), np.exp, functools.partial(power, n=2), MODEL],
    ids=["f", "ufunc", "partial", "object"],
)
def test_a_function_bound_anew_between_runs(monkeypatch, now):
    grad(calls_a_helper)(0.7)

    monkeypatch.setattr(sys.modules[__name__], "helper", now)

    assert math.isclose(difference(calls_a_helper, 0.7), grad(calls_a_helper)(0.7), rel_tol=1e-8)


def test_a_function_changed_between_runs(monkeypatch):
    grad(calls_a_helper)(0.7)

    monkeypatch.setattr(helper, "__code__", (lambda x, scale=1.0: math.exp(x) * scale).__code__)
    monkeypatch.setattr(helper, "__defaults__", (0.5,))

    assert math.isclose(difference(calls_a_helper, 0.7), grad(calls_a_helper)(0.7), rel_tol=1e-8)


def test_functions_of_one_code_enclose_numbers_of_their_own():
    derivatives = [grad(factory(scale))(0.7) for scale in (1.0, 2.0, 3.0)]

    assert [math.cos(0.7) * scale**2 for scale in (1.0, 2.0, 3.0)] == pytest.approx(derivatives)


def test_a_function_is_itself():

    def same(x):
        return x * (helper is sys.modules[__name__].helper) * math.sin(x)

    def same_by_name(x):
        known = helper
        return x * (known is helper) * math.sin(x)

    expected = math.sin(0.7) + 0.7 * math.cos(0.7)
    assert pytest.approx([grad(same)(0.7), grad(same_by_name)(0.7)]) == [expected] * 2


def test_attributes_are_the_functions():
    before = counts.calls

    grad(counts)(0.7)

    assert before + 1 == counts.calls


def test_a_missing_name():
    """It is named as in a plain run, and found as soon as the module has it."""

    def uses(x):
        return math.sin(x) * defined_later(x)  # noqa: F821

    grad(of_names)(0.7)
    with pytest.raises(NameError, match="defined_later"):
        grad(uses)(0.7)
    globals()["defined_later"] = helper
    try:
        assert math.isclose(difference(uses, 0.7), grad(uses)(0.7), rel_tol=1e-8)
    finally:
        del globals()["defined_later"]


def test_another_thread_of_the_module_sees_its_own_names():
    grad(asks_for_the_type)(0.7)
    steps, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            steps.append(type(WEIGHTS[0]) is float and sin is math.sin and "float" not in globals())

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(200):
            grad(of_names)(0.7)
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)

    assert steps
    assert all(steps)


def test_a_generator_that_outlives_the_run():
    kept = []

    def steps():
        while True:
            yield math.sin(0.5), type(SCALE) is float

    def f(x):
        kept.append(steps())
        next(kept[0])
        return math.sin(x)

    assert grad(f)(0.7) == math.cos(0.7)
    assert next(kept[0]) == (math.sin(0.5), True)


def test_a_function_that_only_a_weak_reference_leads_to():
    assert grad(lambda x: REFERENCE()(x))(0.7) == grad(helper)(0.7)


@pytest.mark.parametrize("function", [of_names, asks_for_the_type, calls_a_helper, imports_inside])
def test_in_a_python_with_unknown_instructions_names_are_replaced_in_their_modules(monkeypatch, function):
    monkeypatch.setattr(mentioned_names, "_KNOWS_CODE", False)
    known_programs.forget()
    names, found = names_in_run(monkeypatch, function, 0.7)
    known_programs.forget()

    assert names["math"] is not math or names["sin"] is not sin
    assert found == pytest.approx(difference(function, 0.7), rel=1e-8)
