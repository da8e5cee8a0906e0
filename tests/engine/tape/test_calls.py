"""A gradient calls the user's function once, and what it keeps is then as after one plain call."""

import collections
import itertools
import math
import os
import queue
import random
import types
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.engine.tape.value import is_recorded
from gradcli.errors import FindingWarning

pytestmark = pytest.mark.sampled(4)  # many like cases

TRANSFORMS = {
    "grad": lambda f, x: gradcli.grad(f)(x),
    "value_and_grad": lambda f, x: gradcli.value_and_grad(f)(x),
    "jacobian": lambda f, x: gradcli.jacobian(f)(x),
    "hessian": lambda f, x: gradcli.hessian(f)(x),
    "jvp": lambda f, x: gradcli.jvp(f, (x,), (x,)),
    "vjp": lambda f, x: gradcli.vjp(f, x),
    "trace": lambda f, x: gradcli.trace(f, x),
}
CALLS = queue.SimpleQueue()  # whatever is put back, it counts every call
TOTAL = [0.0]
COUNT = 0


def written(array, x):
    """The sum of an array into which a value is written."""
    array[0] = x
    return array.sum()


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: math.sin(x) * x,
        lambda x: float(x) ** 2,
        lambda x: np.array([x, x * x]).sum(),
        lambda x: np.sum([x, x * x]),
        lambda x: np.float64(x) * np.hypot(x, 3.0),
        lambda x: sum(map(math.exp, [x, x])),
        lambda x: written(np.zeros(2), x),
    ],
    ids=["math", "float", "array", "list", "float64", "map", "written"],
)
def test_the_function_is_called_once(transform, f):
    """Names that its code mentions are replaced before the first call."""

    def counted(x):
        CALLS.put(None)
        return f(x)

    transform(counted, 1.5)

    assert CALLS.qsize() == 1
    CALLS.get()


class Counted:
    """Ways of counting calls that nothing puts back, each with what a function does at a call and the count so far."""

    def __init__(self, folder):
        self.queue = queue.SimpleQueue()
        self.path = folder / "calls"
        self.path.touch()
        self.numbers = itertools.count()

    def a_counter(self):
        self.queue.put(None)

    def a_print(self):
        os.write(1, b"called\n")

    def a_file(self):
        with self.path.open("a") as file:
            file.write("called\n")

    def a_generator(self):
        next(self.numbers)

    def counts(self, capfd):
        """The calls by each way."""
        printed, lines = capfd.readouterr().out, self.path.read_text()
        return self.queue.qsize() + printed.count("called") + lines.count("called") + next(self.numbers)


@pytest.mark.parametrize("way", ["a_counter", "a_print", "a_file", "a_generator"])
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_first_call_is_seen_once(transform, way, tmp_path, capfd):
    counted = Counted(tmp_path)
    note = getattr(counted, way)

    def f(x):
        note()
        return math.sin(x) * float(x)

    transform(f, 1.5)

    assert counted.counts(capfd) == 1


@pytest.mark.parametrize("at", [1.5, np.array([1.0, 2.0])], ids=["a number", "an array"])
def test_a_check_records_the_function_once(at, tmp_path):
    """Its other calls are on plain numbers: differences, and whether the function repeats its result."""
    path = tmp_path / "calls"

    def f(x):
        with path.open("a") as file:
            file.write("recorded\n" if is_recorded(x) else "plain\n")
        return np.sum(np.sin(x) * x)

    assert gradcli.check(f, at=at).verdict == "pass"
    assert path.read_text().count("recorded") == 1


class Model:
    """Keeps things of all kinds."""

    seen = 0

    def __init__(self):
        self.mean = 0.5
        self.history = []
        self.table = {"n": 0}
        self.array = np.ones(2)
        self.recent = collections.deque(maxlen=2)
        self.names = set()
        self.inner = types.SimpleNamespace(count=0)
        self.rng = np.random.default_rng(0)

    def loss(self, x):
        """One step of everything."""
        global COUNT
        COUNT += 1
        Model.seen += 1
        self.mean = 0.9 * self.mean + 0.1 * x
        self.history.append(x)
        self.table["n"] += 1
        self.array *= 2.0
        self.recent.append((x, 1.0))
        self.names.add(len(self.names))
        self.inner.count += 1
        return self.mean**2 * self.function(x) + self.rng.normal() + random.random()

    def function(self, x):
        return math.sin(x)

    def kept(self):
        """All that it keeps, to be compared."""
        lists = self.history, list(self.recent), sorted(self.names)
        return [
            self.mean,
            *lists,
            self.table,
            self.array.tolist(),
            self.inner.count,
            Model.seen,
            COUNT,
            self.rng.normal(),
        ]


class NotFinite(Model):
    """The same, with a gradient that is not finite, which is diagnosed."""

    def function(self, x):
        return (x - x) ** 0.5


def after(kind, run):
    """What is kept after some calls, all of which begin alike."""
    global COUNT
    Model.seen = COUNT = 0
    random.seed(3)
    model = kind()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(model.loss)
        run(model.loss)
    return [*model.kept(), random.random()]


@pytest.mark.parametrize("kind", [Model, NotFinite])
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_what_is_kept_is_that_of_plain_calls(transform, kind):
    """Plain numbers, at the first call and at the second."""
    assert after(kind, lambda f: f(1.5)) == after(kind, lambda f: transform(f, 1.5))


def test_a_closure_a_callable_object_and_a_function_keep_too():

    class Slotted:
        __slots__ = ("n",)

        def __init__(self):
            self.n = 0

        def __call__(self, x):
            self.n += 1
            return math.sin(x)

    slotted, enclosed = Slotted(), 0

    def f(x):
        nonlocal enclosed
        enclosed += 1
        f.count += 1
        return slotted(x)

    f.count = 0
    gradcli.grad(f)(0.5)

    assert (enclosed, f.count, slotted.n) == (1, 1, 1)


def test_an_average_is_followed_at_the_first_call():
    model = types.SimpleNamespace(m=0.0)

    def f(x):
        model.m = 0.9 * model.m + 0.1 * x
        return model.m * math.exp(x - x)

    assert pytest.approx([gradcli.grad(f)(2.0), gradcli.grad(f)(3.0)]) == [0.1, 0.1]
    assert (float, pytest.approx(0.48)) == (type(model.m), model.m)


def test_a_gradient_that_is_not_finite_is_diagnosed_once():

    def f(x):
        CALLS.put(None)
        return np.sqrt(x) * 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            gradcli.grad(f)(0.0)

    assert CALLS.qsize() == 4
    for _ in range(4):
        CALLS.get()


@pytest.mark.parametrize(
    "last",
    [
        lambda x: np.log(x - x),
        lambda x: np.sqrt(x - x) * 1.0,
        lambda x: np.sum(np.log([x - x, x])),
        lambda x: 1.0 / (x - x),
        lambda x: np.exp(1e3 * x),
        lambda x: np.float64(0.0) / (x - x) + np.log(x),
    ],
)
def test_a_loop_of_another_length_at_each_call_is_not_diagnosed_at_each(last):
    """Calls at which the same line is found again are diagnosed ever more rarely."""

    def f(x, count):
        CALLS.put(None)
        for _ in range(count):
            x = x * 1.5
        return last(x)

    f.__code__ = f.__code__.replace(co_name=f"f{id(last)}")  # another program for each case
    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        gradcli.grad(f)(np.float64(1.0), 0)
        one = CALLS.qsize() - 1  # the calls of a diagnosis
        for count in range(1, 20):
            gradcli.grad(f)(np.float64(1.0), count)

    diagnosed = (CALLS.qsize() - 20) / one
    for _ in range(CALLS.qsize()):
        CALLS.get()
    assert 1 <= diagnosed <= 6
    assert sum(issubclass(each.category, FindingWarning) for each in told) == 1


def test_another_line_of_a_program_that_was_diagnosed_is_diagnosed():

    def f(x, count, other):
        for _ in range(count):
            x = x * 1.5
        if other:
            return np.sqrt(x - x) * 1.0
        return np.log(x - x)

    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        for count in range(10):
            gradcli.grad(f)(np.float64(1.0), count, other=False)
        gradcli.grad(f)(np.float64(1.0), 3, other=True)

    assert len({each.lineno for each in told if issubclass(each.category, FindingWarning)}) == 2
