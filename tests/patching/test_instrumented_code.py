"""Recompiled code: what the program has made can be written into, and what its variables hold can be called."""

import functools
import gc
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradcli
from gradcli.errors import DetachedError
from tests.everyday import one_in

TABLE = np.array([1.0, 2.0, 3.0, 4.0])
ROWS = [1.0, 2.0, 3.0]


def copied(x, other=np.ones(3)):  # noqa: B008 - what is tested
    """A copy of a global array, and one of a default."""
    w, v = TABLE.copy(), other.copy()
    w[0], v[1] = x, x**2
    return (w**2).sum() * v.sum()


def computed(x):
    """What is computed of plain numbers, by operators and by functions."""
    w = -TABLE * 2.0
    w[1] = x
    m = np.outer(TABLE, np.exp(-TABLE))
    m[0, 1] *= x
    return (w**3).sum() + np.trace(m @ m)


def reshaped(x):
    m = (TABLE + 1.0).reshape(2, 2).T
    m[0, 1] = x
    return np.linalg.det(m) * x


def drawn(x):
    noise = np.random.default_rng(1).normal(size=3)
    noise[0] = x
    return np.sum(noise**2)


def from_a_list(x):
    w = np.asarray(ROWS, dtype=float)
    w[1:] = x
    return np.prod(w)


def in_place(x):
    """Written by an operator, by `out=`, and by functions."""
    w = TABLE.copy()
    w += x
    np.multiply(w, x, out=w)
    np.add.at(w, [0, 0], x)
    return (w**2).sum()


def handed_over(x):
    """Made in one function, and written into in another one."""

    def make():
        return TABLE[:3].copy()

    def fill(w):
        for n in range(len(w)):
            w[n] = w[n] * x + n

    w = make()
    fill(w)
    return (w**2).sum()


def never_named(x):
    """Made where it is handed over, and where a list is built."""

    def fill(w):
        w[0] = x
        return w

    parts = [fill(a + 1.0) for a in (TABLE, TABLE)]
    return fill(TABLE * 2.0).sum() * math.prod(part.sum() for part in parts)


class Layer:
    """A holder of an array."""

    def __init__(self):
        self.weights = np.random.default_rng(2).normal(size=(2, 2))

    def __call__(self, x):
        self.weights[0, 0] = x
        return np.tanh(self.weights).sum()


def of_an_object(x):
    return Layer()(x)


def either(x):
    """One of two, the other is the program's constant."""
    w = TABLE.copy() if x > 0 else TABLE
    (v := w * 3.0)[0] = x
    w[0] = x
    return w.sum() * v.sum()


DTYPE = np.float64


def optional(chosen, default):
    return default if chosen is None else chosen


def by_a_default(x, dtype=None):
    kind = optional(dtype, DTYPE)
    return kind(x) ** 2 if kind in (np.float32, np.float64) else x


def by_a_table(x):
    """A type in a table, and one that a loop takes."""
    for kind in (float, np.float64):
        x = kind(x)
    return {"wide": np.float64}["wide"](x) ** 2


class Reader:
    """A holder of a type."""

    def __init__(self, kind):
        self.kind = kind

    def __call__(self, x):
        return self.kind(x) * np.asarray(x, self.kind)


def by_an_attribute(x):
    """A type in an object of the run."""
    return Reader(optional(None, DTYPE))(x) + max(map(optional(None, float), [x, -x]))


def by_a_returned_one(x):
    """A type that a call returns, called at once, with arguments for the check that takes none."""
    return optional(None, DTYPE)(x) * isinstance(x, optional(float, DTYPE))


PROGRAMS = (
    copied, computed, reshaped, drawn, from_a_list, in_place, handed_over, never_named, of_an_object, either,
    by_a_default, by_a_table, by_an_attribute, by_a_returned_one,
)  # fmt: skip


@pytest.mark.parametrize("f", one_in(2, PROGRAMS), ids=lambda f: f.__name__)
def test_followed(f):
    """The derivative is that of the plain program, at the first call and at the next one, and so is the second one."""
    before, step = TABLE.copy(), 1e-5
    expected = (f(1.3 + step) - f(1.3 - step)) / (2 * step)

    for _ in range(2):
        assert pytest.approx(expected, rel=1e-7) == gradcli.grad(f)(1.3)

    slope = gradcli.grad(f)
    assert pytest.approx((slope(1.3 + step) - slope(1.3 - step)) / (2 * step), rel=1e-6) == gradcli.hessian(f)(1.3)
    np.testing.assert_array_equal(before, TABLE)


@functools.cache
def kept():
    return TABLE * 2.0


def into_what_a_cache_holds(x):
    w = kept()
    w[0] = x
    return w.sum()


def into_a_view_of_what_a_cache_holds(x):
    """The view is new, and its memory is not."""
    w = kept()[1:]
    w[0] = x
    return w.sum()


def into_what_has_two_names(x):
    """A name handed on is not a new array."""
    w = TABLE
    w[0] = x
    return w.sum()


def into_a_view(x):
    """The array that is viewed is the program's."""
    w = TABLE.reshape(2, 2)
    w[0, 0] = x
    return w.sum()


@pytest.mark.parametrize("f", [into_what_a_cache_holds, into_a_view_of_what_a_cache_holds])
def test_what_others_hold_is_refused(f):
    before = kept().copy()

    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        gradcli.grad(f)(1.3)

    np.testing.assert_array_equal(before, kept())


@pytest.mark.parametrize("f", [into_what_has_two_names, into_a_view])
def test_what_the_module_holds_is_written(f, monkeypatch):
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())

    assert 1.0 == gradcli.grad(f)(1.3)
    assert 1.3 == TABLE[0]


def called(function, x):
    return function(x)


METHODS = {
    "dot": lambda x: TABLE.dot(x).sum(),
    "of whole numbers": lambda x: np.arange(4).dot(x),
    "of a list": lambda x: TABLE.dot([x[0], x[1] * x[0], x[2], x[3]]),
    "taken apart": lambda x: called(TABLE.dot, x),
    "of a part": lambda x: TABLE[:2].dot(x[1:3]) * x[0],
    "of what was made": lambda x: (TABLE.reshape(2, 2) * 2.0).dot(x.reshape(2, 2)).sum(),
    "with limits": lambda x: TABLE.clip(x[0], x[3]).sum(),
    "beside its size": lambda x: TABLE.dot(x) / TABLE.size * x[1],
    "beside its shape": lambda x: TABLE.dot(x) * TABLE.shape[0] * x[1],
    "beside its number of axes": lambda x: TABLE.dot(x) * x[1 if TABLE.ndim == 1 else 2],
    "beside its type": lambda x: TABLE.dot(x) * x[1 if TABLE.dtype == np.float64 else 2],
    "beside its real part": lambda x: TABLE.dot(x) * (TABLE.real @ x),
    "beside its imaginary part": lambda x: (TABLE + 2j).imag.dot(x) * x[1] * TABLE.imag.size,
    "in an operator": lambda x: TABLE.__matmul__(x) * TABLE.__rmul__(x).sum(),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", METHODS)
def test_methods_of_plain_arrays_take_recorded_values(name):
    point, f = np.array([0.2, 0.7, 0.4, 2.5]), METHODS[name]

    found = gradcli.grad(f)(point)

    steps = 1e-6 * np.eye(4)
    expected = [(f(point + step) - f(point - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_methods_in_threads():
    point = np.array([0.2, 0.7, 0.4, 2.5])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: gradcli.grad(lambda x: TABLE.dot(x))(point), range(40)))
    np.testing.assert_array_equal([TABLE] * 40, found)


TEXT = """
from concurrent.futures import ThreadPoolExecutor

import numpy as np
TABLE = np.arange(3.0)
def f(x):
    w = TABLE + {}
    w[0] = x
    return (w * x).sum()
"""


def executed(text, name):
    names = {"__name__": "text"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def test_without_its_source_a_function_is_refused():
    with pytest.raises(DetachedError, match="written into an array of plain numbers"):
        gradcli.grad(executed(TEXT.format(1.0), "<nowhere>"))(1.3)


def test_a_source_that_was_edited_since_is_not_run(tmp_path):
    file = tmp_path / "edited.py"
    file.write_text(TEXT.format(2.0))
    f = executed(TEXT.format(1.0), str(file))

    with pytest.raises(DetachedError):
        gradcli.grad(f)(1.3)

    assert pytest.approx(2 * 1.3 + 5.0) == gradcli.grad(executed(TEXT.format(1.0), str(_written(tmp_path))))(1.3)


def _written(folder):
    file = folder / "as_it_was.py"
    file.write_text(TEXT.format(1.0))
    return file


def test_a_function_made_anew_is_remembered():

    def make(factor):
        def f(x):
            w = TABLE * factor
            w[0] = x * factor
            return (w * x).sum()

        return f

    for factor in (1.0, 2.0, 3.0):
        assert pytest.approx(factor * (2 * 1.3 + 9.0)) == gradcli.grad(make(factor))(1.3)


def test_the_code_is_restored():
    """After the run the function is what it was."""
    before = copied.__code__

    gradcli.grad(copied)(1.3)

    assert copied.__code__ is before


def frozen(x):
    w = TABLE.copy()
    w[0] = x
    return (w * x).sum()


def test_after_gc_freeze():
    gc.freeze()
    try:
        assert pytest.approx(2 * 1.3 + 9.0) == gradcli.grad(frozen)(1.3)
    finally:
        gc.unfreeze()
