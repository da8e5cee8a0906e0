"""A run that finds its input where the program has kept it is refused, as the result may be a cached one."""

import hashlib
import math

import numpy as np
import pytest
from scipy import interpolate

from gradcli import check, grad, stop_gradient
from gradcli.errors import DetachedError

POINT = np.array([1.0, 2.0])


class Model:
    """It keeps the last input and what it computed from it."""

    def __init__(self, same=np.allclose, copied=np.array):
        self.x = self.value = None
        self.same, self.copied = same, copied
        self.calls = self.misses = 0

    def kernel(self, x):
        if self.x is None or not self.same(x, self.x):
            self.x, self.value = self.copied(x), np.sum(x * x)
            self.misses += 1
        return self.value

    def __call__(self, x):
        self.calls += 1
        return self.kernel(x) * x[0]


SAME = {
    "np.allclose": np.allclose,
    "np.array_equal": np.array_equal,
    "np.all(==)": lambda x, y: np.all(x == y),
    "(!=).any()": lambda x, y: not (x != y).any(),
    "a norm": lambda x, y: np.linalg.norm(x - y) < 1e-12,
    "a largest difference": lambda x, y: np.max(np.abs(x - y)) == 0,
    "element by element": lambda x, y: all(a == b for a, b in zip(x, y, strict=True)),
}
LAST = None
TABLE: dict[tuple[float, ...], float] = {}
SEEN: list[tuple[np.ndarray, float]] = []


def by_global(x):
    """A global holds the last input and its result."""
    global LAST
    if LAST is None or not np.array_equal(x, LAST[0]):
        LAST = (np.array(x), np.sum(x * x))
    return LAST[1] * x[0]


def by_dict(x):
    key = tuple(np.round(x, 8))
    if key not in TABLE:
        TABLE[key] = np.sum(x * x)
    return TABLE[key] * x[0]


def by_list(x):
    """A list holds all inputs and their results."""
    for key, value in SEEN:
        if np.allclose(x, key):
            return value * x[0]
    SEEN.append((np.array(x), np.sum(x * x)))
    return SEEN[-1][1] * x[0]


def enclosed():
    """Enclosed variables hold the last input and its result."""
    last = value = None

    def f(x):
        nonlocal last, value
        if last is None or not np.allclose(x, last):
            last, value = np.array(x), np.sum(x * x)
        return value * x[0]

    return f


def enclosed_dict():
    """An enclosed dict holds results by texts."""
    kept: dict[str, float] = {}

    def f(x):
        key = f"{x[0]:.6f} {x[1]:.6f}"
        return kept.setdefault(key, np.sum(x * x)) * x[0]

    return f


def dict_by(key_of):
    """A dict holds results by keys that are made of the numbers."""
    kept: dict[object, float] = {}

    def f(x):
        key = key_of(x)
        if key not in kept:
            kept[key] = np.sum(x * x)
        return kept[key] * x[0]

    return f


class Tagged:
    """It keeps the text of the last input and what it computed from it."""

    tag = value = None

    def __init__(self, text):
        self.text = text

    def __call__(self, x):
        if self.text(x) != self.tag:
            self.tag, self.value = self.text(x), np.sum(x * x)
        return self.value * x[0]


KEYS = {
    "a text by %": lambda x: ",".join("%.4f" % number for number in x),  # noqa: UP031
    "bytes": lambda x: b"%.3f %.3f" % (x[0], x[1]),
    "a digest": lambda x: hashlib.md5(str(x).encode()).hexdigest(),
    "the text of a tuple": lambda x: str((x[0], x[1], 1)),
    "a whole number beside a constant": lambda x: (int(x[0] * 10), int(x[1] * 10), 1),
    "whole numbers": lambda x: tuple((x * 1e6).astype(int)),
    "numbers that count as constants": lambda x: tuple(stop_gradient(x)),
}


class Assigned:
    """It assigns a dict of the last input and its result as a whole."""

    last = None

    def __call__(self, x):
        if self.last is None or not np.array_equal(x, self.last["x"]):
            self.last = {"x": np.array(x), "value": np.sum(x * x)}
        return self.last["value"] * x[0]


CACHES = {
    "a dict that is assigned": Assigned,
    **{f"a dict by {name}": lambda key_of=key_of: dict_by(key_of) for name, key_of in KEYS.items()},
    "a text in an attribute": lambda: Tagged(lambda x: str(x[0]) + str(x[1])),
    "the text of a format in an attribute": lambda: Tagged(lambda x: f"{x[0]:.6f}{x[1]:.6f}"),
    **{f"attributes, {name}": lambda same=same: Model(same) for name, same in SAME.items()},
    "an attribute that is not copied": lambda: Model(copied=lambda x: x),
    "a global": lambda: by_global,
    "a dict with rounded keys": lambda: by_dict,
    "a list": lambda: by_list,
    "enclosed variables": enclosed,
    "an enclosed dict with texts as keys": enclosed_dict,
}


@pytest.mark.parametrize("made", CACHES.values(), ids=CACHES)
def test_a_cached_result_is_refused(made):
    """Where it comes from a gradient and where it comes from a plain call; another point is computed anew."""
    f = made()
    assert grad(f)(POINT) == pytest.approx([7.0, 4.0])  # of (x^2 + y^2) x

    with pytest.raises(DetachedError, match="may return a cached result, whose derivative would be lost"):
        grad(f)(POINT)
    f(POINT + 1)
    with pytest.raises(DetachedError):
        grad(f)(POINT + 1)
    assert grad(f)(POINT + 2) == pytest.approx([43.0, 24.0])


def test_the_refusal_names_the_function_that_keeps_its_input():
    f = Model()
    f(POINT)

    with pytest.raises(DetachedError) as refused:
        grad(f)(POINT)

    assert refused.value.message.startswith("kernel keeps `x` from one call to the next")
    assert refused.value.line == Model.kernel.__code__.co_firstlineno
    assert "empty the cache" in str(refused.value.hint)


def test_a_cached_result_of_one_number_is_refused():
    kept: dict[str, float] = {}

    def f(x):
        if kept.get("x") != x:
            kept["x"], kept["value"] = x, math.exp(x)
        return kept["value"]

    assert grad(f)(0.5) == pytest.approx(f(0.5))
    with pytest.raises(DetachedError, match="keeps a dict"):
        grad(f)(0.5)


def test_a_caching_function_is_called_once_by_each_gradient():
    f = Model()
    grad(f)(POINT)
    with pytest.raises(DetachedError):
        grad(f)(POINT)

    assert (f.calls, f.misses) == (2, 1)


def test_a_cached_result_inside_another_gradient_is_refused_though_it_is_caught():
    """It has the derivative by the outer input, and none by the inner one."""
    f = Model()

    def outer(x):
        try:
            return f(x) + np.sum(grad(f)(x))
        except DetachedError:
            return f(x)

    with pytest.raises(DetachedError):
        grad(outer)(POINT)


def test_a_check_of_a_caching_function_passes():
    """Its state is put back before each call."""
    assert check(Model(np.array_equal), at=POINT).verdict == "pass"


class Spline:
    """It keeps SciPy's object for the last values."""

    def __init__(self):
        self.y = self.spline = None

    def __call__(self, y):
        if self.y is None or not np.array_equal(self.y, y):
            self.y, self.spline = np.array(y), interpolate.PchipInterpolator(np.arange(4.0), y)
        return self.spline(1.3) ** 2


def test_a_cached_object_of_scipys_is_plain_afterwards_and_refused():
    f, y = Spline(), np.array([1.0, 2.0, 4.0, 8.0])

    assert np.sum(grad(f)(y)) == pytest.approx(2 * f(y) ** 0.5)  # a shift of all values shifts the interpolant
    assert type(f.spline.c) is np.ndarray
    with pytest.raises(DetachedError):
        grad(f)(y)


class Kept:
    """What it keeps or finds is no cached result."""

    scale = 2.0

    def __init__(self):
        self.start, self.guess, self.least, self.calls = 2.0, 2.0, math.inf, 0
        self.seen, self.table, self.special = [], {0: 1.0, 2: 3.0}, {3.0: 5.0}
        self.texts, self.best, self.masses = [], {}, dict(zip("bc", [1.0, 1.5], strict=True))

    def a_constant_of_the_class(self, x):
        return x * self.scale if x == self.scale else x

    def a_constant_of_the_constructor(self, x):
        return x * self.start if x == self.start else x

    def a_count(self, x):
        self.calls += 1
        return x * 2.0 if x > 0.0 else x

    def the_inputs_so_far(self, x):
        self.seen.append(x)
        return x * x if x == 2.0 else x

    def the_least_value_so_far(self, x):
        if x < self.least:
            self.least = x
        return x * self.start

    def a_guess(self, x):
        """The last solution, with which an iteration begins."""
        root = self.guess
        for _ in range(3 if abs(root * root - x) < 1e-14 else 9):
            root = (root + x / root) / 2
        self.guess = root
        return root

    def a_table_beside_a_written_array(self, x):
        terms = np.zeros(2)
        terms[0] = x * self.table[int(x)]
        return np.sum(terms)

    def a_value_at_one_point(self, x):
        at = round(x, 6)
        return self.special[at] + x if at in self.special else x**2

    def a_sum_that_begins_with_the_number_of_a_guard(self, x):
        if x == 2.0:
            self.total = 2.0
        return x * x

    def a_constant_beside_a_text(self, x):
        """A table whose names are read from it, and texts that are kept."""
        self.label = f"at {x}"
        self.texts.append("{:.3f}".format(x))  # noqa: UP032
        return sum(mass for name, mass in self.masses.items() if name not in self.label) * x

    def a_best_value_in_a_dict(self, x):
        self.label = "{:.3f}".format(x)  # noqa: UP032
        if "value" not in self.best or x < self.best["value"]:
            self.best["value"] = x
        return x * x

    def an_array_that_is_searched(self, x):
        return x * np.searchsorted(np.array([1.0, 2.0]), x)


@pytest.mark.filterwarnings("ignore:G206")
@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("a_constant_of_the_class", 2.0),
        ("a_constant_of_the_constructor", 2.0),
        ("a_count", 2.0),
        ("the_inputs_so_far", 4.0),
        ("the_least_value_so_far", 2.0),
        ("a_guess", 1 / math.sqrt(8)),
        ("a_table_beside_a_written_array", 3.0),
        ("a_value_at_one_point", 4.0),
        ("a_sum_that_begins_with_the_number_of_a_guard", 4.0),
        ("a_constant_beside_a_text", 2.5),
        ("a_best_value_in_a_dict", 4.0),
        ("an_array_that_is_searched", 1.0),
    ],
)
def test_what_is_no_cached_result(name, slope):
    """Each gradient is that of the function, the third as the first."""
    f, x = getattr(Kept(), name), float("2")  # another object than the constants of this file

    assert [grad(f)(x) for _ in range(3)] == pytest.approx([slope] * 3, rel=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, held: held["first"] * np.sum(np.sort(x)[:1]),
        lambda x, held: held["first"] * x[np.argmax(x)],
        lambda x, held: held["first"] * np.interp(0.5, [0.0, 1.0], x),
        lambda x, held: held["first"] * x[0] * np.count_nonzero(x) / 2,
    ],
    ids=["sort", "argmax", "interp", "count"],
)
def test_an_index_is_no_key(f):
    held = {"first": 1, 0: 2}

    assert np.sum(grad(lambda x: f(x, held))(POINT)) == pytest.approx(1.0)


def test_a_program_that_only_calls_scipy_is_not_searched(monkeypatch):
    """SciPy's own functions and classes are no caches, whatever numbers equal those of the input."""
    monkeypatch.setattr(
        "gradcli.engine.running.cached_results.refuse_cached_result", lambda *_: pytest.fail("searched")
    )

    gradient = grad(lambda y: interpolate.PchipInterpolator(np.arange(4.0), y)(1.3))(np.array([1.0, 2.0, 4.0, 8.0]))

    assert np.sum(gradient) == pytest.approx(1.0)
