"""Compiled gradients: every guard and every edge case gives what the eager gradient gives."""

import copy
import functools
import math
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
import scipy.linalg

import gradcli
from gradcli.answers.compilation import compiled_derivative, shared_libraries, specialisations
from gradcli.errors import PointError
from gradcli.methods.transforms import derivative_warnings
from gradcli.shared.pytree import leaves
from tests.generated.programs import function_of


@pytest.fixture(autouse=True, params=["C", "Python"])
def backend(request, monkeypatch):
    """The fastest backend that a program may have."""
    if request.param == "Python":
        monkeypatch.setattr(shared_libraries, "_compiler", list)
    monkeypatch.setattr(specialisations, "QUICK", 0.0)  # C is taken also where it is not faster
    return request.param


pytestmark = pytest.mark.sampled(16)  # each case derives a program

RATE = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])
TURNS = 3
SETTINGS = {"scale": 1.5, "mode": "square"}
SEEN = []


class Model:
    """An object that holds data."""

    def __init__(self):
        self.w = np.array([1.0, -1.0, 0.5])
        self.rate = 2.0

    @classmethod
    def of(cls, size):
        return size

    def loss(self, x):
        return self.rate * np.sum((x * self.w) ** 2)


MODEL = Model()


def outcome(call, *arguments):
    """What a call gives: a value and a gradient, or an exception, with its warnings."""
    derivative_warnings._times.clear()
    derivative_warnings._looked_at.clear()
    derivative_warnings._warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call(*arguments)
        except Exception as error:
            result = (type(error).__name__, str(error))
    return result, sorted({(w.category.__name__, str(w.message)) for w in caught})


def assert_same(compiled, eager, *arguments):
    result, said = outcome(compiled, *arguments)
    expected, expected_said = outcome(eager, *arguments)
    assert type(result) is type(expected)
    if isinstance(expected[0], str):
        assert result == expected
    else:
        for ours, theirs in zip(leaves(result), leaves(expected), strict=True):
            assert type(ours) is type(theirs)
            np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-12, atol=1e-300)
    assert said == expected_said


def pair(f, *first, **options):
    """A compiled gradient after its first call, which has a program, and the eager one."""
    compiled, eager = (gradcli.value_and_grad(f, compile=c, **options) for c in (True, False))
    assert_same(compiled, eager, *first)
    assert len(compiled.report().programs) == 1, compiled.report()
    return compiled, eager


def log(x):
    return math.log(x) * x


def root(x):
    return math.sqrt(x) + x


def root_squared(x):
    return math.sqrt(x * x) + x


def reciprocal(x):
    return 1 / x


def nested_reciprocal(x):
    return 1 / (1 + 1 / x) + x


def power(x):
    return x**2.5 + x


def power_of_two(x, y):
    return x**y + x


def exponential(x):
    return math.exp(x)


def overflowing(x):
    return (x * 1e100) ** 2 + x


def remainder(x):
    return (x % 0.7) * x


def array_log(x):
    return np.sum(np.log(x) * x)


def array_reciprocal(x):
    return np.sum(1.0 / x)


def array_root(x):
    return np.sum(np.sqrt(x))


def absolute(x):
    return abs(x) * 3 + x


def larger(x, y):
    return max(x, y) * x


def array_larger(x):
    return np.sum(np.maximum(x, 1.0) * x)


def norm(x):
    return np.linalg.norm(x) + x[0]


def branch(x):
    if x > 1:
        return x * x
    return 3 * x


def item(x, k):
    return x[k] * x[0]


def truncated(x):
    return int(x) * x


def asserting(x):
    assert x < 5, "too large"
    return x * x


def raising(x):
    if x > 5:
        raise ValueError("too large")
    return x * x


def times(x, n):
    return x * n


def square_of_count(x, n):
    return x * (n * n) * 1e-9


def shifted(x, n):
    return x * 2**n


def quotient(x, n):
    return x * (7 // n) + x * x * (7 % n)


def arc_sine(x):
    return math.asin(x) * x


def angle(x, y):
    return math.atan2(x, y) + x


def of_pow(x, y):
    return math.pow(x, y)


def hyperbolic(x):
    return math.cosh(x) * x


def array_power(x):
    return np.sum(x**2.5)


def array_quotient(x, y):
    return np.sum(x / y)


def numpy_log(x):
    return np.log(x) * x


def log_or_square(x):
    try:
        return math.log(x)
    except ValueError:
        return x * x


def item_or_square(x):
    try:
        y = [1.0, x][int(x)]
    except IndexError:
        y = x * x
    return y * x


def unpacked(x):
    a, b = x
    return a * b * b


def two_keys(p):
    return p["a"] * p["b"] ** 2


def cut(x, k):
    return np.sum(x[:k] ** 2)


CASES = [
    (times, (2.0, 3), [(2.0, n) for n in (2**53 + 1, 2**63, -(2**63), 2**64, 10**400, True, 3.0)]),
    (square_of_count, (2.0, 3), [(2.0, 2**32), (2.0, 2**31), (2.0, -(2**40))]),
    (shifted, (2.0, 3), [(2.0, 62), (2.0, 63), (2.0, 64), (2.0, 1100), (2.0, -1)]),
    (quotient, (2.0, 3), [(2.0, 0), (2.0, -3), (2.0, 7)]),
    (arc_sine, (0.5,), [(1.0,), (2.0,), (-1.0,), (0.0,)]),
    (angle, (0.5, 2.0), [(0.0, 0.0), (0.0, -1.0), (-0.0, -1.0)]),
    (of_pow, (2.0, 3.0), [(0.0, -1.0), (-8.0, 1 / 3), (0.0, 0.0), (-2.0, 2.0), (0.0, 0.5), (1e200, 2.0)]),
    (hyperbolic, (0.5,), [(1000.0,), (-1000.0,)]),
    (array_power, (np.array([1.0, 2.0]),), [(np.array([0.0, 2.0]),), (np.array([-1.0, 2.0]),)]),
    (array_quotient, (np.ones(2), np.ones(2)), [(np.ones(2), np.array([0.0, 1.0])), (np.zeros(2), np.zeros(2))]),
    (numpy_log, (2.0,), [(-1.0,), (0.0,), (np.float64(-1.0),), (np.float64(0.0),)]),
    (numpy_log, (np.float64(2.0),), [(np.float64(-1.0),), (np.float64(0.0),), (0.0,)]),
    (unpacked, ([1.0, 2.0],), [([1.0, 2.0, 3.0],), ([1.0],), ((1.0, 2.0),)]),
    (two_keys, ({"a": 1.0, "b": 2.0},), [({"a": 1.0},), ({"b": 1.0, "a": 2.0},), ({"a": 1.0, "b": 2},)]),
    (cut, (np.arange(4.0), 2), [(np.arange(4.0), 9), (np.arange(4.0), 0), (np.arange(4.0), -1)]),
    (log, (2.0,), [(-1.0,), (0.0,), (math.inf,), (math.nan,), (3.0,)]),
    (root, (2.0,), [(-1.0,), (0.0,), (4.0,)]),
    (root_squared, (2.0,), [(-1.0,), (0.0,)]),
    (reciprocal, (2.0,), [(0.0,), (-0.0,), (5e-324,), (1e308,)]),
    (reciprocal, (np.float64(2.0),), [(np.float64(0.0),), (np.float64(3.0),)]),
    (nested_reciprocal, (2.0,), [(0.0,), (-1.0,), (7.0,)]),
    (power, (2.0,), [(0.0,), (-1.0,), (1e200,)]),
    (power_of_two, (2.0, 3.0), [(0.0, 2.0), (0.0, -1.0), (-2.0, 2.0), (-8.0, 1 / 3), (0.0, 0.0), (0.0, 0.5)]),
    (exponential, (2.0,), [(1000.0,), (-1000.0,), (709.0,)]),
    (overflowing, (0.5,), [(1.0,), (1e150,), (1e90,)]),
    (remainder, (2.0,), [(0.7,), (-2.0,), (1.4,)]),
    (array_log, (np.array([1.0, 2.0]),), [(np.array([-1.0, 2.0]),), (np.array([0.0, 2.0]),)]),
    (array_reciprocal, (np.array([1.0, 2.0]),), [(np.array([0.0, 2.0]),), (np.array([1e-320, 2.0]),)]),
    (array_root, (np.array([1.0, 2.0]),), [(np.array([0.0, 2.0]),), (np.array([-1.0, 2.0]),)]),
    (absolute, (2.0,), [(0.0,), (-3.0,), (-0.0,)]),
    (larger, (2.0, 3.0), [(2.0, 2.0), (4.0, 1.0)]),
    (array_larger, (np.array([0.5, 2.0]),), [(np.array([1.0, 2.0]),)]),
    (norm, (np.array([3.0, 4.0]),), [(np.array([0.0, 0.0]),), (np.array([1.0, 0.0]),)]),
    (branch, (2.0,), [(1.0,), (0.5,), (0.0,)]),
    (item, ([1.0, 2.0, 3.0], 1), [([1.0, 2.0, 3.0], 2), ([1.0, 2.0, 3.0], 5), ([1.0, 2.0, 3.0], -1), ([1.0, 2.0], 2)]),
    (item, (np.array([1.0, 2.0]), 1), [(np.array([1.0, 2.0]), 5), (np.array([4.0, 2.0]), 0)]),
    (asserting, (2.0,), [(7.0,), (5.0,), (3.0,)]),
    (raising, (2.0,), [(7.0,), (5.0,), (3.0,)]),
    (truncated, (2.5,), [(3.0,), (3.5,), (0.0,), (-2.0,)]),
]


@pytest.mark.parametrize(("f", "first", "others"), CASES, ids=[f"{f.__name__}-{n}" for n, (f, *_) in enumerate(CASES)])
def test_an_edge_case_is_as_eager(f, first, others):
    compiled, eager = pair(f, *first)

    for others_ in (*others, first):
        assert_same(compiled, eager, *others_)


def total(x):
    return np.sum(x * x) * RATE


READ_ONLY = np.array([1.0, 2.0, 3.0])
READ_ONLY.flags.writeable = False
UNALIGNED = np.frombuffer(b"0" + np.array([1.0, 2.0, 3.0]).tobytes(), np.float64, offset=1)

LAYOUTS = [
    READ_ONLY,
    UNALIGNED,
    np.empty(0),
    np.array(3.0),
    np.ma.array([1.0, 2.0, 3.0]),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.ones((3, 1))[:, 0],
    np.broadcast_to(2.0, 3),
    np.arange(6.0)[::2] + 1,
    np.arange(6.0).reshape(2, 3).T + 1,
    np.ones(4),
    np.ones(3, np.float32),
    np.ones((2, 2)),
    np.ones(3) + 1j,
    np.array([1, 2, 3]),
    np.ones(3)[::-1],
    np.array([1.0, 2.0, 3.0], dtype=">f8"),
    3.0,
    np.float64(3.0),
]


def penalty(values):
    return sum(v * v for v in values if v < 0.0)


def first_below(x):
    return x[: sum(1 for v in x if v < 0.0)]


OF_NOTHING = [
    lambda x: penalty(x) + x[0],
    lambda x: sum(v * v for v in x if v < 0.0) + x[0],
    lambda x: sum([v for v in x if v < 0.0]) * 3 + x[0],
    lambda x: sum(first_below(x)) ** 2 + x[0],
    lambda x: math.prod(first_below(x)) + x[0],
    lambda x: 2 * sum(a * b for a, b in zip(first_below(x), x[1:], strict=False)) * x[1] + x[0],
    lambda x: max(first_below(x), default=1) + x[0],
]


def payoff(s):
    return max(100 - s, 0)


def counted_and_added(x):
    sums = [0, 0]
    for v in x:
        sums[v < 0] += v
    return sums[1] ** 2 + sums[0]


def largest(x):
    best = 0
    for v in x:
        best = best if best > -v else -v
    return best * 2 + x[0]


def largest_by_max(x):
    best = 0
    for v in x:
        best = max(best, -v)
    return best**2 + x[0]


def last_or_doubled(x):
    last = 0
    for v in x:
        if v < -25:
            last = v
        else:
            last = last * 2
    return last + x[0]


OF_WHOLE_NUMBERS = [
    lambda x: sum(np.array(x)[: sum(1 for v in x if v < 0)]) * 2 + x[0],
    lambda x: max(0, -x[0]) ** 2 + x[1],
    lambda x: max(0, *(-v for v in x)) * 3 + x[1],
    lambda x: payoff(100 + x[0]) * x[1] + x[2],
    lambda x: sum([max(-v, 0) for v in x]) ** 2 + x[1],
    lambda x: [0, x[1]][x[0] < 0] * x[1] + x[2],
    lambda x: ([v for v in x if v < 0] + [0])[0] * 2 + x[0],
    lambda x: ([v for v in x if v < 0] or [0])[0] * 2 + x[0],
    counted_and_added, largest, largest_by_max, last_or_doubled,
]  # fmt: skip
ELSEWHERE = [*OF_NOTHING, *OF_WHOLE_NUMBERS]


@pytest.mark.parametrize("f", ELSEWHERE, ids=range(len(ELSEWHERE)))
def test_what_was_empty_or_a_whole_number_where_the_program_was_made_may_not_be_elsewhere(f):
    compiled = gradcli.value_and_grad(f, compile=True)
    for x in ([10.0, 20.0, 30.0], [-10.0, 20.0, -30.0]):
        assert_same(compiled, gradcli.value_and_grad(f), x)


@pytest.mark.parametrize(("f", "first"), [(log_or_square, -1.0), (item_or_square, 30.7)])
def test_a_handler_that_ran_where_the_program_was_made_may_not_run_elsewhere(f, first):
    compiled = gradcli.value_and_grad(f, compile=True)
    for x in (first, 1.5, 0.5, -1.5, 2.5):
        assert_same(compiled, gradcli.value_and_grad(f), x)


@pytest.mark.parametrize("other", LAYOUTS, ids=range(len(LAYOUTS)))
def test_other_types_shapes_dtypes_and_layouts(other):
    compiled, eager = pair(total, np.array([1.0, 2.0, 3.0]))

    for _ in range(2):
        assert_same(compiled, eager, other)


def test_one_array_as_two_arguments():
    compiled, eager = pair(lambda x, y: np.sum(x * y * y), np.ones(3), np.ones(3), argnums=(1, 0))
    x = np.array([1.0, 2.0, 3.0])

    whole = np.arange(4.0)

    for arguments in ((x, x), (x[:3], x), (whole[:3], whole[1:]), (whole[:3], whole[2::-1]), (WEIGHTS, WEIGHTS)):
        assert_same(compiled, eager, *arguments)


TABLE = [np.array([1.0, 2.0, 3.0])]


def captured_table(x):
    return np.sum(x * TABLE[0])


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (lambda x: np.sum(x * WEIGHTS), (np.ones(3),)),
        (captured_table, (np.ones(3),)),
        (lambda x, y: np.sum(x * y), (np.ones(3), np.arange(3.0))),
        (lambda x, y: np.sum(x * WEIGHTS) + np.sum(y * WEIGHTS), (np.ones(3), np.arange(3.0))),
        (lambda p: np.sum(p["x"] * p["y"]), ({"x": np.ones(3), "y": np.arange(3.0)},)),
    ],
)
def test_a_gradient_is_an_array_of_its_own(f, arguments):
    """The caller may write into it."""
    compiled = gradcli.value_and_grad(f, tuple(range(len(arguments))), compile=True)
    compiled(*arguments)
    before = copy.deepcopy(compiled(*arguments))
    for array in leaves(compiled(*arguments)[1]):
        array += 100.0

    for ours, expected in zip(leaves(compiled(*arguments)), leaves(before), strict=True):
        np.testing.assert_array_equal(ours, expected)
    assert compiled.report().programs


@pytest.mark.parametrize("argnums", [0, (0,), (0, 1), (1, 0)])
@pytest.mark.parametrize("arguments", [(2.0, 3.0), (np.arange(1.0, 3.0), 3.0), ([2.0, 1.0], (3.0, 0.5))])
def test_gradients_by_several_arguments(argnums, arguments):
    compiled, eager = (gradcli.grad(of_two, argnums, compile=c) for c in (True, False))
    compiled(*arguments)

    assert repr(compiled(*arguments)) == repr(eager(*arguments))
    assert compiled.report().programs[0].calls == 1


def of_two(x, y):
    return np.sum(np.array(x)) * np.sum(np.array(y)) ** 2


def of_either(a, v):
    return a * a if a > 1.0 else a * v[0]


def test_a_value_is_a_number_of_python_or_of_numpy_by_the_way_taken():
    compiled, eager = pair(of_either, 2.0, np.array([3.0]))

    for a in (3.0, 0.5):
        assert_same(compiled, eager, a, np.array([3.0]))


def test_inputs_of_several_types():
    def mixed(a, v, p):
        return a * np.sum(v) * p["s"] + np.sum(p["r"] ** 2)

    compiled = gradcli.grad(mixed, (2, 0, 1), compile=True)
    arguments = 2.0, np.array([1.0, 2.0]), {"s": 3.0, "r": np.array([1.0, 2.0, 3.0])}

    for _ in range(3):
        by_p, by_a, by_v = compiled(*arguments)
        assert (by_a, by_p["s"]) == (9.0, 6.0)
        np.testing.assert_array_equal(by_v, [6.0, 6.0])
        np.testing.assert_array_equal(by_p["r"], [2.0, 4.0, 6.0])
    assert compiled.report().programs[0].calls == 2


def test_a_float_of_a_module_is_read_anew(monkeypatch):
    compiled, eager = pair(total, np.ones(3))
    monkeypatch.setitem(globals(), "RATE", 7.0)

    assert_same(compiled, eager, np.ones(3))
    assert compiled.report().programs[0].hidden == ("RATE",)
    assert len(compiled.report().programs) == 1


@pytest.mark.parametrize("value", [3, "x", None, np.float64(3.0), np.ones(3)])
def test_a_captured_value_of_another_type(monkeypatch, value):
    compiled, eager = pair(total, np.ones(3))
    monkeypatch.setitem(globals(), "RATE", value)

    assert_same(compiled, eager, np.ones(3))


def weighted(x):
    return np.sum(WEIGHTS * x**2)


@pytest.mark.parametrize("value", [np.ones(3), np.ones(1), np.ones(3, np.float32), np.arange(6.0)[::2], 2.0])
def test_an_array_of_a_module_is_read_anew(monkeypatch, value):
    compiled, eager = pair(weighted, np.ones(3))
    monkeypatch.setitem(globals(), "WEIGHTS", value)

    assert_same(compiled, eager, np.ones(3))
    assert_same(compiled, eager, np.arange(3.0) + 1)


def test_an_array_of_a_module_that_is_written_into(monkeypatch):
    compiled, eager = pair(weighted, np.ones(3))
    monkeypatch.setitem(globals(), "WEIGHTS", WEIGHTS.copy())
    WEIGHTS[1] = 9.0

    assert_same(compiled, eager, np.ones(3))


def turning(x):
    for _ in range(TURNS):
        x = x * x + 0.5
    return x


def test_a_whole_number_of_a_module_is_compared(monkeypatch):
    compiled, eager = pair(turning, 0.5)
    monkeypatch.setitem(globals(), "TURNS", 2)

    assert_same(compiled, eager, 0.5)
    assert_same(compiled, eager, 0.6)
    assert len(compiled.report().programs) == 2


def of_settings(x):
    return SETTINGS["scale"] * x if SETTINGS["mode"] == "linear" else SETTINGS["scale"] * x * x


@pytest.mark.parametrize("changed", [("scale", 4.0), ("mode", "linear"), ("other", 3)])
def test_an_item_of_a_dict(monkeypatch, changed):
    compiled, eager = pair(of_settings, 0.5)
    monkeypatch.setitem(SETTINGS, *changed)

    assert_same(compiled, eager, 0.5)
    assert len(compiled.report().programs) == (1 if changed[0] == "scale" else 2)


def of_model(x):
    return np.sum(MODEL.w * x) * MODEL.rate * x[0]


@pytest.mark.parametrize("f", [of_model, MODEL.loss])
@pytest.mark.parametrize("changed", [("rate", 4.0), ("w", np.ones(3)), ("w", np.ones(1)), ("w", 3.0)])
def test_an_attribute(monkeypatch, f, changed):
    compiled, eager = pair(f, np.ones(3))
    monkeypatch.setattr(MODEL, *changed)

    assert_same(compiled, eager, np.ones(3))


@pytest.mark.parametrize("changed", [("rate", 4.0), ("w", np.ones(3))])
def test_an_attribute_of_the_receiver_is_read_anew(monkeypatch, changed):
    compiled, eager = pair(MODEL.loss, np.ones(3))
    monkeypatch.setattr(MODEL, *changed)

    assert_same(compiled, eager, np.ones(3))
    assert len(compiled.report().programs) == 1


def enclosing():
    rate, table = 2.0, [1.0, 2.0]

    def inner(x):
        return rate * x * x * table[0]

    def change(new):
        nonlocal rate
        rate = new

    return inner, change, table


def test_an_enclosed_float_and_a_list():
    inner, change, table = enclosing()
    compiled, eager = pair(inner, 3.0)
    change(5.0)
    assert_same(compiled, eager, 3.0)
    table[0] = 4.0
    assert_same(compiled, eager, 3.0)
    change(5)
    assert_same(compiled, eager, 3.0)


def helper(x):
    return x * RATE


def calling(x):
    return helper(x) * x


def other_helper(x):
    return x**3


def test_another_helper(monkeypatch):
    compiled, eager = pair(calling, 3.0)
    monkeypatch.setitem(globals(), "helper", other_helper)

    assert_same(compiled, eager, 3.0)


def test_other_code_of_a_helper(monkeypatch):
    compiled, eager = pair(calling, 3.0)
    monkeypatch.setattr(helper, "__code__", other_helper.__code__)

    assert_same(compiled, eager, 3.0)


def test_a_float_that_a_helper_reads(monkeypatch):
    compiled, eager = pair(calling, 3.0)
    monkeypatch.setitem(globals(), "RATE", 7.0)

    assert_same(compiled, eager, 3.0)


LIMITS = {"low": 0.5, "other": 3}


def scaled(x):
    return RATE * x**2


def clipped(x):
    return scaled(x) - LIMITS["low"] * x


def through_two(x):
    return np.sum(clipped(x))


def both(x):
    return np.sum(RATE * scaled(x)) + sum(scaled(item) for item in x)


def weights():
    return WEIGHTS


def of_indices(x):
    return np.sum(np.einsum("i,ij->j", x, np.outer(x, WEIGHTS)) ** 2)


def of_returned_array(x):
    return np.sum(weights() * x**2)


def with_own_name(x):
    RATE = x * 2.0
    return np.sum(scaled(RATE) * RATE)


def of_an_object(x):
    return MODEL.loss(x) * MODEL.rate


def by_name(x, *, power):
    return RATE * x**power


def by_keyword(x):
    return np.sum(by_name(x, power=3))


class Net(Model):
    """An object whose methods call one another."""

    def __init__(self):
        super().__init__()
        self.mode = "a"

    def pre(self, x):
        return self.rate * x

    def inner(self, x):
        return self.pre(x) * self.w if self.mode == "a" else x

    def deep(self, x):
        return np.sum(self.inner(x) ** 2)

    def __call__(self, x):
        return self.deep(x) * self.rate


NET = Net()


def of_callable(x):
    return NET(x) + RATE


def enclosing_helper():
    rate = 2.0

    def pre(x):
        return rate * x * x

    def inner(x):
        return np.sum(pre(x)) + rate

    def change(new):
        nonlocal rate
        rate = new

    return inner, change


@pytest.mark.parametrize(
    ("f", "changed"),
    [
        (through_two, ("RATE", 5.0)),
        (through_two, ("LIMITS", {"low": 0.25, "other": 3})),
        (both, ("RATE", 5.0)),
        (of_returned_array, ("WEIGHTS", np.array([3.0, 1.0, 2.0]))),
        (of_indices, ("WEIGHTS", np.array([3.0, 1.0, 2.0]))),
        (with_own_name, ("RATE", 5.0)),
        (by_keyword, ("RATE", 5.0)),
        (of_callable, ("RATE", 5.0)),
        (lambda x: through_two(x) + np.sum(x), ("RATE", 5.0)),
    ],
)
def test_what_a_helper_reads_is_read_anew(monkeypatch, f, changed):
    compiled, eager = pair(f, np.ones(3))
    monkeypatch.setitem(globals(), *changed)

    assert_same(compiled, eager, np.array([1.0, 2.0, 3.0]))
    assert len(compiled.report().programs) == 1


@pytest.mark.parametrize("f", [NET.deep, of_callable, lambda x: NET.deep(x)])
@pytest.mark.parametrize(("changed", "programs"), [(("rate", 4.0), 1), (("w", np.ones(3)), 1), (("mode", "b"), 2)])
def test_what_the_methods_of_an_object_read(monkeypatch, f, changed, programs):
    compiled, eager = pair(f, np.ones(3))
    monkeypatch.setattr(NET, *changed)

    assert_same(compiled, eager, np.array([1.0, 2.0, 3.0]))
    assert len(compiled.report().programs) == programs


def test_what_an_enclosed_helper_reads():
    inner, change = enclosing_helper()
    compiled, eager = pair(inner, np.ones(3))
    change(5.0)

    assert_same(compiled, eager, np.ones(3))
    assert len(compiled.report().programs) == 1


@pytest.mark.parametrize("transform", [gradcli.jacobian, gradcli.hessian])
def test_other_derivatives_of_what_reads_by_a_helper(monkeypatch, transform):
    f = clipped if transform is gradcli.jacobian else through_two
    compiled, eager = (transform(lambda x: f(x), compile=c) for c in (True, False))
    for rate in (2.0, 3.0, 4.0):
        monkeypatch.setitem(globals(), "RATE", rate)
        np.testing.assert_allclose(compiled(np.ones(3)), eager(np.ones(3)))

    assert len(compiled.report().programs) == 1


@pytest.mark.parametrize(("changed", "programs"), [("step", 1), ("loss", 1), ("pre", 2)])
def test_an_attribute_that_no_code_reads_is_not_compared(monkeypatch, changed, programs):
    compiled, eager = pair(NET.deep, np.ones(3))
    monkeypatch.setattr(NET, changed, lambda x: 3.0 * x, raising=False)

    assert_same(compiled, eager, np.array([1.0, 2.0, 3.0]))
    assert len(compiled.report().programs) == programs


def handed_on(x):
    return np.sum(sum(map(scaled, [x, x]))) + RATE


def of_whole_object(x):
    model = MODEL
    return np.sum(MODEL.w * x**2) + model.w[0] * x[1]


def rated(model, x):
    return model.rate * x**2


def of_given_object(x):
    return np.sum(rated(MODEL, x)) * MODEL.rate


def of_all_items(x):
    return LIMITS["low"] * np.sum(x**2) + sum(LIMITS.values()) * x[0]


def falling(x, n):
    return RATE * x if n == 0 else RATE * x * falling(x, n - 1)


def recursive(x):
    return falling(np.sum(x**2), 2) * RATE


@pytest.mark.parametrize("f", [handed_on, of_whole_object, of_given_object, of_all_items, recursive])
def test_what_is_read_in_two_ways_is_compared(monkeypatch, f):
    compiled, eager = (gradcli.value_and_grad(f, compile=c) for c in (True, False))
    assert_same(compiled, eager, np.ones(3))
    monkeypatch.setitem(globals(), "RATE", 7.0)
    monkeypatch.setitem(LIMITS, "low", 7.0)
    monkeypatch.setattr(MODEL, "w", np.array([3.0, 4.0, 5.0]))
    monkeypatch.setattr(MODEL, "rate", 7.0)

    assert_same(compiled, eager, np.array([1.0, 2.0, 3.0]))
    assert_same(compiled, eager, np.array([1.0, 2.0, 4.0]))


def with_default(x, rate=2.0, table=WEIGHTS):
    return x * x * rate * table[0]


def test_defaults(monkeypatch):
    compiled, eager = pair(with_default, 3.0)
    assert_same(compiled, eager, 4.0)
    assert_same(compiled, eager, 4.0, 3.0)
    monkeypatch.setattr(with_default, "__defaults__", (5.0, WEIGHTS + 1))
    assert_same(compiled, eager, 4.0)


@pytest.mark.long
def test_no_program_after_eight():
    compiled = gradcli.grad(lambda x: np.sum(x * x), compile=True)
    for n in range(1, 11):
        np.testing.assert_array_equal(compiled(np.ones(n)), 2 * np.ones(n))

    assert len(compiled.report().programs) == 8
    assert "8 programs exist already" in str(compiled.report())


def printing(x):
    print("x")
    return x * x


def drawing(x):
    return x * np.random.rand()


def remembering(x):
    SEEN.append(1)
    return x * x


def writing(x):
    x[0] = 2.0
    return np.sum(x * x)


def unused(x):
    y = math.log(x)  # noqa: F841
    return x * x


def running(x):
    return x * len(subprocess.run([sys.executable, "-c", ""], check=True).args)


def float_by_branch(x):
    if x < 0:
        return float(np.exp(x))
    return float(np.exp(x) + x)


def solving(x):
    return np.sum(scipy.linalg.solve_triangular(np.eye(2) * x[0], x))


def jumping(x):
    return math.floor(x) * x


@pytest.mark.parametrize(
    ("f", "x", "reason"),
    [
        (printing, 2.0, "it prints"),
        (drawing, 2.0, "draws random numbers"),
        (remembering, 2.0, "it changes an object"),
        (writing, np.ones(2), "writes into its argument"),
        (unused, 2.0, "computes what is not used"),
        (running, 2.0, "it calls subprocess.run, whose edge cases are not known"),
        (jumping, 2.5, "math.floor, whose edge cases are not known"),
        (solving, np.ones(2), "its derivative calls scipy.linalg.solve_triangular, whose edge cases are not known"),
        (lambda x: np.prod(x), np.ones(2), "it calls prod, whose edge cases are not known"),
        (lambda x: x.prod(), np.ones(2), "it calls prod, whose edge cases are not known"),
        (lambda x: np.cumprod(x)[1], np.ones(2), "it calls cumprod, whose edge cases are not known"),
        (lambda x: x[0] * x[1], [1, 2], "the input x, whose numbers are whole: it takes floats"),
        (lambda x: x[0] * x[1], (1, 2), "the input x, whose numbers are whole: it takes floats"),
        (lambda x: x[0][0] * x[1], [[1], 2], "the input x, whose numbers are whole: it takes floats"),
        (lambda x: x * x, 2, "the input x, whose numbers are whole: it takes floats"),
        (lambda x: np.sum(abs(x) ** 2), np.array([1.0 + 1.0j]), "complex128[1]: eager, which no program takes"),
        (lambda x: np.sum(x) + 1.0, np.zeros(0), "float64[0]: eager, which no program takes"),
        (lambda x: x * x, 0.0, "float: eager, the first value or derivative is not finite, or the derivative is 0"),
    ],
)
def test_a_program_that_stays_eager(f, x, reason, capsys):
    SEEN.clear()
    compiled = gradcli.grad(f, compile=True)
    for _ in range(3):
        compiled(x)

    assert len(SEEN) == (3 if f is remembering else 0)
    assert not compiled.report().programs
    assert reason in str(compiled.report())
    assert capsys.readouterr().out == ("x\n" * 3 if f is printing else "")


@pytest.mark.parametrize(
    ("text", "called"),
    [("import numpy", "numpy"), ("import numpy as xp", "xp"), ("from numpy import concatenate", ""),
     ("from numpy import concatenate as joined", "")],
)  # fmt: skip
def test_a_library_under_another_name(text, called):
    name = f"{called}.concatenate" if called else text.split()[-1]
    f = function_of(f"{text}\nimport numpy as np\ndef f(x):\n    return np.sum({name}((x[:1], x * x)) ** 2)\n")

    pair(f, np.arange(1.0, 4.0))


def test_the_derivation_says_nothing():
    """It tries to derive a division by 0, of which the eager gradient does not warn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gradcli.grad(nuclear, compile=True)(np.array([[0.0, 2.0], [-2.0, 0.0]]))

    assert caught == []


def nuclear(x):
    return np.linalg.norm(x, "nuc")


def test_the_function_sees_one_call():
    """What is repeated for the derivation is invisible to a program without effects."""
    SEEN.clear()
    compiled = gradcli.grad(remembering, compile=True)
    compiled(2.0)

    assert len(SEEN) == 1


def handed_on(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return RATE * f(*args, **kwargs)

    return wrapper


def gathered(f):
    return lambda *args: f(*args)


@handed_on
def of_a_decorator(x, n=2):
    return np.sum(x**n)


def test_what_a_decorator_returns_is_compiled(monkeypatch):
    compiled = gradcli.grad(of_a_decorator, compile=True)
    compiled(WEIGHTS)
    monkeypatch.setitem(globals(), "RATE", 5.0)

    np.testing.assert_allclose(compiled(WEIGHTS[:2]), 10.0 * WEIGHTS[:2], rtol=1e-14)
    assert "eager" not in str(compiled.report())
    np.testing.assert_allclose(compiled(WEIGHTS, n=3), 15.0 * WEIGHTS**2, rtol=1e-14)


def test_parameters_that_are_not_known_are_a_reason():
    compiled = gradcli.grad(gathered(of_a_decorator), compile=True)
    compiled(WEIGHTS)

    assert "gathers its arguments by *" in str(compiled.report())


def test_a_compiled_gradient_inside_another_one():
    inner = gradcli.grad(turning, compile=True)
    inner(0.5)
    outer, eager = gradcli.grad(lambda x: inner(x) * x), gradcli.grad(lambda x: gradcli.grad(turning)(x) * x)

    assert outer(0.5) == eager(0.5)


def test_a_recorded_value_that_is_captured():
    def outer(x):
        inner = gradcli.grad(lambda y: x * y * y, compile=True)
        return inner(2.0) + inner(3.0)

    assert gradcli.grad(outer)(1.5) == 10.0


def long_turns(x):
    y = np.tanh(x)
    for _ in range(4):
        y = np.tanh(y[::-1] * x) + y
    return np.sum(y * y)


@pytest.mark.parametrize(("f", "first"), [(turning, 0.5), (long_turns, np.linspace(0.1, 0.9, 20000))])
def test_threads_share_a_program(f, first):
    """The buffers of the second one do not fit on a stack, and other threads run during its calls."""
    compiled, eager = pair(f, first)
    points = [[first + n / 100 + k / 1000 for k in range(50)] for n in range(4)]
    results = {}

    def work(n):
        results[n] = [compiled(point) for point in points[n]]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for n, result in results.items():
        for (value, gradient), point in zip(result[::10], points[n][::10], strict=True):
            expected = eager(point)
            np.testing.assert_allclose(value, expected[0], rtol=1e-12)
            np.testing.assert_allclose(gradient, expected[1], rtol=1e-11, atol=1e-13)


def test_a_compiled_gradient_is_pickled_as_its_call():
    compiled = pickle.loads(pickle.dumps(gradcli.grad(turning, compile=True)))

    assert compiled(0.5) == gradcli.grad(turning)(0.5)
    assert len(compiled.report().programs) == 1


@pytest.mark.parametrize(
    ("arguments", "named", "calls"),
    [((2.0,), {"rate": 3.0}, 1), ((2.0,), {}, 0), ((), {"x": 2.0, "rate": 3.0}, 0), ((2.0,), {"other": 3.0}, 0)],
)
def test_arguments_by_keyword(arguments, named, calls):
    compiled, eager = (gradcli.grad(with_default, compile=c) for c in (True, False))
    compiled(2.0, 3.0)

    def outcome(gradient):
        try:
            return gradient(*arguments, **named)
        except Exception as error:
            return repr(error)

    assert outcome(compiled) == outcome(eager)
    assert compiled.report().programs[0].calls == calls


def by_name_alone(x, *, scale):
    return scale * x * x


def test_keywords_and_aux_are_eager():
    compiled = gradcli.grad(lambda x: (x * x, "aux"), has_aux=True, compile=True)
    assert compiled(2.0) == (4.0, "aux")
    assert "calls with has_aux: eager, as a program returns no pair" in str(compiled.report())
    by_name = gradcli.grad(with_default, argnums="rate", compile=True)
    assert by_name(2.0, rate=3.0) == 4.0
    by_keyword = gradcli.grad(by_name_alone, compile=True)
    assert by_keyword(2.0, scale=3.0) == 12.0
    assert "calls by keyword: eager, as a program takes its arguments by position" in str(by_keyword.report())
    with pytest.raises(PointError):
        gradcli.grad(with_default, argnums=2, compile=True)(2.0)


def test_calls_inside_another_derivative_are_eager():
    compiled = gradcli.grad(lambda x: x**3, compile=True)

    assert gradcli.grad(compiled)(2.0) == 12.0
    assert "calls inside another derivative: eager, which records them" in str(compiled.report())


@pytest.mark.parametrize(("tries", "calls"), [(1, 1), (compiled_derivative.MOST_TRIES, 0)])
def test_a_program_is_derived_at_the_first_ordinary_point(tries, calls):
    compiled = gradcli.grad(lambda x: x**2, compile=True)
    for x in [0.0] * tries + [1.0, 2.0]:
        assert compiled(x) == 2.0 * x
    report = compiled.report()

    assert [program.calls for program in report.programs] == [1] * calls
    assert [reason for _, reason in report.eager] == [compiled_derivative.NOT_ORDINARY] * (1 - calls)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: float(np.sum(x**2)), np.arange(1.0, 4.0)),
        (lambda x: float(np.exp(x)), 0.5),
        (lambda x: float(x[0] / x[1]), [1.0, 2.0]),
        (lambda x: np.where(x < 1, x, np.sqrt(x)), 0.5),
        (float_by_branch, 0.5),
        (float_by_branch, -0.5),
    ],
)
def test_the_type_of_the_value(f, x):
    assert_same(*pair(f, x), x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: max(x), lambda x: max(x) - min(x), lambda x: math.prod(x) + max(x), lambda x: max(v * v for v in x),
        lambda x: min([v * x[0] for v in x]), lambda x: min(x) ** 2,
    ],
)  # fmt: skip
def test_an_extreme_of_items_compares_none_with_itself(f):
    compiled, eager = pair(f, [0.7, 1.3, 0.4])
    for x in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.1], [0.1, 0.2, 0.2], [0.2, 0.2, 0.2]):
        assert_same(compiled, eager, x)

    assert compiled.report().programs[0].reruns < 4


def test_edge_cases_alone_give_a_program_up():
    compiled, eager = pair(branch, 2.0)
    for _ in range(40):
        assert_same(compiled, eager, 1.0)

    assert "given up for edge cases" in str(compiled.report())


def test_the_report_is_text(backend):
    compiled, _ = pair(of_model, np.ones(3))
    report = compiled.report()

    assert str(report).startswith(f"compiled gradient of of_model\nfloat64[3]: {backend}")
    assert report.programs[0].hidden == ("MODEL.w", "MODEL.rate")


def with_turns(turns, table):
    return lambda x: sum(x * table[0] for _ in range(turns)) * len(SETTINGS["mode"]) + np.sum(WEIGHTS[:TURNS])


def test_the_report_says_which_values_a_program_holds_for(monkeypatch):
    compiled, _ = pair(with_turns(2, [1, 2]), 1.0)
    monkeypatch.setitem(globals(), "TURNS", 2)
    compiled(1.0)

    settings, rest = "SETTINGS = {'scale': 1.5, 'mode': 'square'}", ("table = [1, 2]", "turns = 2")
    guarded = [{*program.guarded} for program in compiled.report().programs]
    assert guarded == [{settings, *rest, f"TURNS = {turns}"} for turns in (3, 2)]
    assert "  compiled anew for others than: " in str(compiled.report())


def test_an_eager_gradient_imports_nothing_of_it():
    program = "import gradcli, sys; gradcli.grad(lambda x: x * x)(2.0)"
    program += "; print([m for m in sys.modules if '.compilation' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def in_rows(x):
    rows = int(np.sqrt(len(x)))
    return np.sum(x.reshape(rows, rows)[0] * x[-1])


def in_rows_of_a_size(x):
    size = x.size
    return np.sum(x.reshape(int(size**0.5), -1)[0] ** 2)


def as_often_as_their_sum(x):
    return np.sum(x**2) * int(np.sum(x))


def as_often_as_the_sum_of_a(x):
    return np.sum(x**2) * int(np.sum(a=x))


@pytest.mark.parametrize(
    ("f", "reruns"),
    [(in_rows, 0), (in_rows_of_a_size, 0), (as_often_as_their_sum, 1), (as_often_as_the_sum_of_a, 1)],
)
def test_a_whole_number_is_an_edge_case_only_where_it_is_computed_from_the_point(f, reruns):
    compiled, eager = pair(f, np.array([1.5, 2.0, 3.0, 4.0]))
    assert_same(compiled, eager, np.array([2.0, 2.0, 3.0, 4.0]))
    assert [made.reruns for made in compiled.report().programs] == [reruns]
