"""Recorded values written into plain arrays: served where every reference to the array is known, else refused."""

import collections
import contextlib
import copy
import dataclasses
import functools
import operator
import sys
import threading
import types
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradcli
from gradcli.engine.running import program_state
from gradcli.engine.running.bound_call import BoundCall
from gradcli.errors import DetachedError

TABLE = np.array([1.0, 2.0, 3.0, 4.0])
OUT = np.zeros(4)
SECOND = OUT
SHOWN = OUT[1:3]
HELD = {"out": np.zeros(3), "rows": [np.zeros(2), np.zeros(2)], "tuple": (np.zeros(2),)}
WHOLE = np.zeros(4, int)


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    """A holder without a dict."""

    array: np.ndarray


class Model:
    """A model with buffers of its own."""

    shared = np.zeros(3)

    def __init__(self):
        self.buffer = np.zeros((2, 3))
        self.other = self.buffer
        self.row = self.buffer[1]


MODEL, SLOTS = Model(), Slots(np.zeros(3))
SERVED, REFUSED = {}, {}
ARRAYS = [TABLE, OUT, HELD["out"], *HELD["rows"], *HELD["tuple"], WHOLE, MODEL.buffer, Model.shared, SLOTS.array]


def served(f):
    SERVED[f.__name__] = f
    return f


def refused(f):
    REFUSED[f.__name__] = f
    return f


def fill(w, x):
    w[0] = x


@served
def a_copy_and_what_is_computed(x):
    w, v = TABLE.copy(), -TABLE * 2.0
    w[0], v[1] = x, x**2
    m = np.outer(TABLE, np.exp(-TABLE))
    m[0, 1] *= x
    return (w**2).sum() * v.sum() + np.trace(m @ m)


@served
def what_is_drawn(x):
    noise = np.random.default_rng(1).normal(size=3)
    noise[0] = x
    return np.sum(noise**2)


@served
def in_place(x):
    w, v = TABLE.copy(), TABLE.copy()
    w += x
    v **= x
    v @= np.outer(TABLE, TABLE) * x
    return sum((each**2).sum() for each in (w, v))


@served
def items_of_all_kinds(x):
    w, v, u = TABLE.copy(), TABLE.copy(), TABLE[:3].copy()
    w[1:3] += x
    w[[0, 3]] *= x
    w[w > 3] = x**2
    v[0], v[1] = x, [x, x * x][1]
    v[2:] = [x, 1.0]
    for u[0] in (x, x * x):
        u[1] += x
    return (w**2).sum() + (v * TABLE).sum() + (u**3).sum()


@served
def views(x):
    """Of what the function made, in all directions, and written from both sides."""
    w = np.outer(TABLE, TABLE)
    column, back = w[:, 1], w.T[::-1, 2]
    column[:] = x
    back[0] = x**2
    w[3] *= x
    diagonal = np.einsum("ii->i", w)
    diagonal += x
    return (w * np.arange(16).reshape(4, 4)).sum() + column.sum() * back.sum()


@served
def two_names(x):
    w = TABLE.copy()
    u, held, named, lists = w, {"w": w}, types.SimpleNamespace(w=w), [[w]]
    w[0] = x
    return (u**2).sum() + held["w"].sum() * (named.w * lists[0][0]).sum()


@served
def handed_over(x):
    """Made in one function, written in another, and by a function that encloses it."""

    def make():
        return TABLE.copy()

    def inside():
        w[2] = x * x

    w = make()
    fill(w, x)
    inside()
    fill(w[1:], x)
    return (w**2).sum() + sum((fill(part := TABLE + 1.0, x), part.sum())[1] for _ in range(2))


@served
def in_a_loop(x):
    w = TABLE.copy()
    for n in range(4):
        w[n] = w[n - 1] * x + n
    for row in HELD["rows"]:
        row[:] = w[:2] ** 2
    return w[3] * HELD["rows"][1].sum()


@served
def of_the_module(x):
    OUT[0] = x
    SHOWN[:] = x * OUT[0]
    return (SECOND**2).sum() + SHOWN.sum()


@served
def of_the_module_as_a_whole(x):
    global OUT
    OUT[:] = 1.0
    OUT *= x
    return SECOND.prod()


@served
def by_a_local_name(x):
    w = OUT.reshape(2, 2)
    w[1, 0] = x
    row = MODEL.buffer[0]
    row[:] = x * w[1, 0]
    return OUT.sum() * (MODEL.other**2).sum()


@served
def of_an_object(x):
    MODEL.buffer[0, 1] = x
    MODEL.row[1:] += x
    MODEL.buffer *= x
    MODEL.shared[0], SLOTS.array[1] = x, x**2
    return (MODEL.other**2).sum() + MODEL.row.sum() * (Model.shared * SLOTS.array + x).sum()


@served
def of_an_object_made_in_the_run(x):
    model = Model()
    model.buffer[0, 0] = x
    fill(model.row, x)
    model.other += x
    return np.tanh(model.buffer).sum()


@served
def in_containers(x):
    HELD["out"][0] = x
    for row in HELD["rows"]:
        row[:] = HELD["out"][:2] ** 2
    HELD["rows"][0] += x
    return HELD["rows"][0].sum() * HELD["rows"][1].sum()


@served
def in_a_generator(x):
    def steps():
        w = TABLE.copy()
        for n in range(2):
            w[n] = x**n
            yield w

    return sum((w**2).sum() for w in steps())


@served
def after_an_error(x):
    w = TABLE.copy()
    with contextlib.suppress(ValueError):
        w[0] = x
        raise ValueError
    return (w**2).sum()


@served
def inside_a_gradient(x):
    """The inner function writes, the outer one reads."""
    slope = gradcli.grad(of_the_module)(x)
    return OUT.sum() * slope


@served
def read_before(x):
    """What was read is what the array held then."""
    before = (MODEL.buffer * x).sum() + (OUT**2).sum() * x
    MODEL.buffer[:] = x
    OUT[:] = x
    return before + (MODEL.buffer**2).sum() * OUT.sum()


def enclosing():
    buffer = np.zeros(2)

    @served
    def enclosed(x):
        buffer[:] = x**2
        return buffer.sum()

    ARRAYS.append(buffer)


enclosing()


@refused
def in_a_tuple(x):
    HELD["tuple"][0][0] = x
    return HELD["tuple"][0].sum()


@refused
def also_in_a_tuple(x):
    w = TABLE.copy()
    held = (w,)
    w[0] = x
    return held[0].sum()


@refused
def what_a_pair_of_a_loop_holds(x):
    for _, row in enumerate(HELD["rows"]):
        row[:] = x
    return HELD["rows"][1].sum()


@refused
def by_out(x):
    w = TABLE.copy()
    np.multiply(w, x, out=w)
    return w.sum()


@refused
def by_at(x):
    w = TABLE.copy()
    np.add.at(w, [0, 0], x)
    return w.sum()


@refused
def by_a_function(x):
    w = TABLE.copy()
    np.copyto(w, x * TABLE)
    return w.sum()


@refused
def by_a_function_of_a_mask(x):
    w = TABLE.copy()
    np.putmask(w, w > 2, x)
    return w.sum()


@refused
def by_flat(x):
    w = TABLE.copy()
    w.flat[2] = x
    return w.sum()


@refused
def as_a_default(x, buffer=np.zeros(2)):  # noqa: B008 - what is tested
    buffer[0] = x
    return buffer.sum()


@refused
def also_a_default(x):
    w = TABLE.copy()

    def f(a=w):
        return a.sum()

    w[0] = x
    return f()


@functools.cache
def kept():
    return TABLE * 2.0


@refused
def what_a_cache_holds(x):
    w = kept()[1:]
    w[0] = x
    return kept().sum()


@refused
def of_whole_numbers(x):
    WHOLE[0] = x
    return WHOLE.sum()


@refused
def in_a_suspended_generator(x):
    def f(w):
        yield 0
        yield w.sum()

    w = TABLE.copy()
    steps = f(w)
    next(steps)
    w[0] = x
    return next(steps)


@refused
def in_another_thread(x):
    w, sums, ready, go = TABLE.copy(), [], threading.Event(), threading.Event()

    def f(w):
        ready.set()
        go.wait()
        sums.append(w.sum())

    thread = threading.Thread(target=f, args=(w,))
    thread.start()
    ready.wait()
    try:
        w[0] = x
    finally:
        go.set()
        thread.join()
    return sums[0]


@refused
def in_a_memoryview(x):
    w = TABLE.copy()
    shown = memoryview(w)
    w[0] = x
    return w.sum() + shown[0]


@refused
def behind_a_weak_reference(x):
    w = TABLE.copy()
    found = weakref.ref(w)
    w[0] = x
    return found().sum()


@refused
def on_the_stack(x):
    """The left operand is read before the array is written into."""

    def f(w):
        w[0] = x
        return w.sum()

    w = TABLE.copy()
    return (w + f(w)).sum()


@refused
def in_a_deque(x):
    w = collections.deque([TABLE.copy()])
    w[0][0] = x
    return w[0].sum()


@refused
def by_a_partial(x):
    """Its own reference is the second one, in the place of the operand that a call would have."""
    w = TABLE.copy()
    multiply = functools.partial(np.multiply, out=w)
    multiply(x, TABLE)
    return w.sum() + multiply.keywords["out"].sum()


@refused
def by_a_function_of_operator(x):
    w = TABLE.copy()
    held = (w,)
    w = operator.iadd(w, x)
    return held[0].sum()


@refused
def by_arguments_in_a_tuple(x):
    w = TABLE.copy()
    arguments = (w, x)
    np.multiply(*arguments, out=w)
    return arguments[0].sum()


@refused
def in_pairs(x):
    pairs = [(TABLE.copy(), 1.0)]
    for w, factor in pairs:
        w[0] = x * factor
    return pairs[0][0].sum()


@refused
def in_a_masked_array(x):
    w = TABLE.copy()
    masked = np.ma.array(w, copy=False)
    w[0] = x
    return masked.data.sum()


@refused
def in_an_executed_text(x):
    names = {"w": TABLE.copy(), "x": x}
    exec("w[0] = x", names)
    return names["w"].sum()


@pytest.fixture(autouse=True)
def _as_before():
    before = copy.deepcopy(ARRAYS)
    yield
    for array, numbers in zip(ARRAYS, before, strict=True):
        array[...] = numbers


def _after(f, x):
    """The result of a run from the same numbers, and the arrays afterwards."""
    before = copy.deepcopy(ARRAYS)
    result = f(x)
    after = copy.deepcopy(ARRAYS)
    for array, numbers in zip(ARRAYS, before, strict=True):
        array[...] = numbers
    return result, after


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SERVED)
def test_written_into(name):
    """The slope is that of differences, and what existed before holds the numbers of a plain run."""
    f, x, step = SERVED[name], 1.3, 1e-6
    expected = (_after(f, x + step)[0] - _after(f, x - step)[0]) / (2 * step)
    plainly = _after(f, x)[1]

    for _ in range(2):
        slope, arrays = _after(gradcli.grad(f), x)
        assert slope == pytest.approx(expected, rel=1e-7)
        np.testing.assert_equal(arrays, plainly)
        assert all(type(array) is np.ndarray for array in (*HELD["rows"], MODEL.buffer, MODEL.row, OUT, SHOWN))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", REFUSED)
def test_what_else_refers_to_it_is_refused(name):
    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        gradcli.grad(REFUSED[name])(1.3)


def test_a_function_that_writes_is_refused_with_the_way_out():
    with pytest.raises(DetachedError) as caught:
        gradcli.grad(by_out)(1.3)
    assert caught.value.hint.startswith("Write into the items, `a[...] = x`, or create that array")
    with pytest.raises(DetachedError) as caught:
        gradcli.grad(in_a_tuple)(1.3)
    assert caught.value.hint.startswith("Create that array")


@pytest.mark.parametrize("write", [lambda w, x: w.fill(x), lambda w, x: w.put([1], x)], ids=["fill", "put"])
def test_methods_that_write_are_refused(write):
    with pytest.raises(DetachedError, match="converted to a plain number") as caught:
        gradcli.grad(lambda x: (w := TABLE.copy(), write(w, x), w.sum())[2])(1.3)
    assert "write into the items, a[:] = x" in caught.value.hint


def test_the_second_derivative():
    step = 1e-5
    slope = gradcli.grad(of_the_module)
    expected = (_after(slope, 1.3 + step)[0] - _after(slope, 1.3 - step)[0]) / (2 * step)
    assert gradcli.hessian(of_the_module)(1.3) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_what_was_written(error):
    def f(x):
        OUT[:] = x**2
        raise error

    with pytest.raises(error):
        gradcli.grad(f)(3.0)
    np.testing.assert_array_equal(OUT, [9.0] * 4)
    assert SECOND is OUT


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # at the start of what frees an object
@pytest.mark.long
def test_an_interrupt_at_the_start_of_any_function_puts_the_arrays_back():
    f, starts = gradcli.grad(of_an_object), [0, 0]
    f(1.3)

    def count(frame, event, argument):
        starts[0] += event == "call"
        if starts[0] == starts[1]:
            raise KeyboardInterrupt

    for start in range(1, 2000, 9):
        starts[:] = 0, start
        with contextlib.suppress(KeyboardInterrupt):
            sys.setprofile(count)
            try:
                f(1.3)
            finally:
                sys.setprofile(None)
        kinds = {type(MODEL.buffer), type(MODEL.row), type(Model.shared), type(SLOTS.array)}
        assert kinds == {np.ndarray}, start
        assert MODEL.other is MODEL.buffer
        if starts[0] < start:
            break


def test_large_arrays():
    def f(x):
        w = np.tile(TABLE, 5000) * 1.0
        before = (w * x).sum()
        for n in range(3):
            w[n] = x * n
        return before + (w**2).sum()

    assert gradcli.grad(f)(1.5) == pytest.approx(50_000 + 2 * 1.5 * 5)


def test_a_new_object_each_time():
    def f(model, x):
        model.buffer[0] = x
        return model.other.sum()

    for _ in range(5):
        assert gradcli.grad(functools.partial(f, Model()))(1.0) == 3.0


def test_in_threads():
    def f(x):
        w = TABLE * x.size
        w[0] = x[0]
        return (w * w).sum()

    with ThreadPoolExecutor(4) as pool:
        slopes = list(pool.map(lambda n: gradcli.grad(f)(np.array([float(n)]))[0], range(40)))
    assert slopes == [2.0 * n for n in range(40)]


@pytest.mark.parametrize("f", [of_the_module, in_containers, SERVED["enclosed"]], ids=lambda f: f.__name__)
def test_while_the_run_is_observed(f):
    """As for a trace with names, which remembers the plain arrays by their variables."""
    value = _after(f, 1.3)[0]

    assert gradcli.trace(f, 1.3).value == pytest.approx(value)


@pytest.mark.parametrize("f", [of_the_module, in_containers, SERVED["enclosed"]], ids=lambda f: f.__name__)
def test_while_the_state_is_kept(f):
    """As a check does, whose own references are known."""
    with program_state.unchanged(BoundCall(f, (1.3,), (0,))):
        assert gradcli.grad(f)(1.3) == pytest.approx((_after(f, 1.3 + 1e-6)[0] - _after(f, 1.3 - 1e-6)[0]) / 2e-6)
