"""A result that a program reads from its own cache has the derivative of its computation."""

import math

import numpy as np
import pytest
from scipy import interpolate

from gradcli import check, grad, hessian, trace, value_and_grad
from gradcli.engine.running import user_program_caches

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


CACHES = {
    **{f"attributes, {name}": lambda same=same: Model(same) for name, same in SAME.items()},
    "an attribute that is not copied": lambda: Model(copied=lambda x: x),
    "a global": lambda: by_global,
    "a dict with rounded keys": lambda: by_dict,
    "a list": lambda: by_list,
    "enclosed variables": enclosed,
    "an enclosed dict with texts as keys": enclosed_dict,
}


@pytest.mark.parametrize("made", CACHES.values(), ids=CACHES)
def test_every_gradient_is_that_of_the_computation(made):
    """The first one, the later ones, and one after a plain call."""
    f = made()
    expected = [5 + 2.0, 4.0]  # of (x^2 + y^2) x

    assert pytest.approx(grad(f)(POINT)) == expected
    assert pytest.approx(grad(f)(POINT)) == expected
    other = POINT + 1
    value = f(other)
    assert (value, pytest.approx([13 + 8.0, 12.0])) == value_and_grad(f)(other)


def test_a_cache_of_one_number():
    kept: dict[str, float] = {}

    def f(x):
        if kept.get("x") != x:
            kept["x"], kept["value"] = x, math.exp(x)
        return kept["value"]

    assert f(0.5) == pytest.approx(grad(f)(0.5))
    assert f(0.5) == pytest.approx(grad(f)(0.5))


def test_the_cache_is_left_as_a_plain_call_leaves_it():
    f = Model()
    f(POINT)
    kept, value = f.x, f.value

    grad(f)(POINT)

    assert kept is f.x
    assert value is f.value
    assert (f.calls, f.misses) == (2, 1)


def test_a_trace_has_the_steps_of_the_computation():
    f = Model()
    f(POINT)

    recorded = trace(f, POINT)

    assert recorded.value == 5.0
    assert [node.operation for node in recorded.nodes] == ["input", "mul", "sum", "index", "mul"]


class Cubes(Model):
    """Its gradient is not linear."""

    def kernel(self, x):
        return super().kernel(x**1.5)


def test_a_second_derivative():
    """The inner run finds what an earlier run, a plain call or the outer run has kept."""
    f = Cubes()
    f(POINT)
    expected = pytest.approx(np.full((2, 2), 12.0))  # of (x^3 + y^3) x

    assert hessian(f)(POINT) == expected
    assert hessian(f)(POINT) == expected
    assert pytest.approx(grad(lambda x: f(x) + np.sum(grad(f)(x)))(POINT)) == [36.0, 36.0]


def test_two_caches():
    """The second is read under a key that the first has computed."""
    first, second = Model(), Model()

    def f(x):
        return second.kernel(np.array([first.kernel(x), x[1]]))

    expected = [20.0, 44.0]  # of (x^2 + y^2)^2 + y^2
    assert pytest.approx(grad(f)(POINT)) == expected
    assert pytest.approx(grad(f)(POINT)) == expected


def test_a_check_agrees_with_differences():
    f = Model(np.array_equal)
    f(POINT)

    assert check(f, at=POINT).verdict == "pass"


@pytest.mark.filterwarnings("ignore:G206")
def test_a_number_that_happens_to_be_the_input():
    """A constant of the program takes part in the computation, so that nothing is a cache."""

    class Scaled:
        scale = 2.0

        def __call__(self, x):
            return x * self.scale if x == self.scale else x

    assert grad(Scaled())(2.0) == 2.0


@pytest.mark.parametrize("counts", [False, True], ids=["kept", "beside a count"])
def test_an_array_that_happens_to_be_the_input(counts):
    """A table of the program stays what it was in the recorded steps, though the result is the same without it."""
    table, seen = np.array([1.0, 2.0]), [0]

    def f(x):
        seen[0] += counts
        return np.sum(x) * np.searchsorted(table, x[0])

    (outcome,) = trace(f, POINT).outcomes

    assert [list(each) for each in outcome.operands if isinstance(each, np.ndarray) and each.ndim] == [[1.0, 2.0]]


@pytest.mark.parametrize("made", CACHES.values(), ids=CACHES)
def test_a_constant_that_is_among_the_input(made):
    cached = made()

    class Weighted:
        weight = 2.0

        def __call__(self, x):
            return cached(x) * self.weight

    f = Weighted()
    grad(f)(POINT)

    assert pytest.approx(grad(f)(POINT)) == [14.0, 8.0]


def test_a_value_at_one_point():
    """The value differs from that of the formula, so that the exception stands."""
    special = {3.0: 5.0}

    def f(x):
        at = round(x, 6)
        return special[at] + x if at in special else x**2

    assert grad(f)(3.0) == 1.0
    assert special == {3.0: 5.0}


@pytest.mark.parametrize(
    "f",
    [
        lambda x, held: held["first"] * np.sum(np.sort(x)[:1]),
        lambda x, held: held["first"] * x[np.argmax(x)],
        lambda x, held: held["first"] * np.sum(x[np.argsort(x)] * np.arange(2)),
        lambda x, held: held["first"] * np.interp(0.5, [0.0, 1.0], x),
        lambda x, held: held["first"] * x[0] * np.count_nonzero(x) / 2,
        lambda x, held: held["first"] * np.median(x),
    ],
    ids=["sort", "argmax", "argsort", "interp", "count", "median"],
)
def test_an_index_is_no_key(f, monkeypatch):
    """The run is not repeated: an index that equals a number of the program's is no sign of a cache."""
    held = {"first": 1, 0: 2}
    monkeypatch.setattr(user_program_caches, "_run_without_keys", lambda *_: pytest.fail("repeated"))

    assert pytest.approx(np.sum(grad(lambda x: f(x, held))(POINT))) == 1.0


def test_a_warm_start():
    """Where the last solution is the first guess, the solution's derivative is that of the last step."""

    class Solver:
        guess = 1.0

        def __call__(self, a):
            x = self.guess
            while abs(x * x - a) > 1e-14 * a:
                x = (x + a / x) / 2
            self.guess = x
            return x

    f = Solver()

    assert grad(f)(2.0) == pytest.approx(1 / math.sqrt(8), rel=1e-6)


class Interpolated:
    """It keeps SciPy's object for the last values."""

    def __init__(self):
        self.y = self.spline = None

    def __call__(self, y):
        if self.y is None or not np.array_equal(self.y, y):
            self.y, self.spline = np.array(y), interpolate.PchipInterpolator(np.arange(4.0), y)
        return self.spline(1.3) ** 2


def test_a_cache_of_an_object_of_scipys():
    f, y = Interpolated(), np.array([1.0, 2.0, 4.0, 8.0])
    expected = pytest.approx(grad(lambda y: interpolate.PchipInterpolator(np.arange(4.0), y)(1.3) ** 2)(y))

    assert grad(f)(y) == expected
    assert type(f.spline.c) is np.ndarray
    assert grad(f)(y) == expected


def test_a_program_that_only_calls_scipy_is_run_once(monkeypatch):
    """SciPy's own functions and classes are no caches, whatever numbers equal those of the input."""
    monkeypatch.setattr(user_program_caches, "recomputed", lambda *_: pytest.fail("searched for a cache"))

    gradient = grad(lambda y: interpolate.PchipInterpolator(np.arange(4.0), y)(1.3))(np.array([1.0, 2.0, 4.0, 8.0]))

    assert np.sum(gradient) == pytest.approx(1.0)  # a shift of all values shifts the interpolant
