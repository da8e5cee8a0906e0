"""Data outcomes: what a program computes of recorded arrays and hands on, replays compute again."""

import contextlib
import copy
import math
import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, fsolve, least_squares

import gradcli
from gradcli import trace, value_and_grad

pytestmark = pytest.mark.sampled(3)  # many like cases

RNG = np.random.default_rng(0)
MATRIX, SHIFT = RNG.normal(size=(30, 5)), RNG.normal(size=30)
HERE = RNG.normal(size=5)
POINTS = np.linspace(-6.0, 6.0, 13)


def hidden(x):
    return MATRIX @ x + SHIFT


def chosen(x):
    h = hidden(x)
    return np.sum(np.where(h > 0, h, 0.01 * h) ** 2)


def huber(x):
    r = hidden(x)
    a = np.abs(r)
    return np.sum(np.where(a <= 1, 0.5 * r * r, a - 0.5))


def written(x):
    y = hidden(x).copy()
    y[y < 0] = 0.0
    return np.sum(y**2)


def softened(x):
    """The largest number is taken out as a constant."""
    h = hidden(x)
    largest = np.max(h)
    return np.log(np.sum(np.exp(h - gradcli.stop_gradient(largest)))) + largest


def several(x):
    h = hidden(x)
    inside = (h > -1) & ~(h > 1)
    return np.sum(h * inside) / np.sum(inside) + h[inside].max()


def descending(x):
    h = hidden(x)
    order = np.argsort(h)[::-1]
    return np.sum(h[order][:5] * np.arange(5.0))


PROGRAMS = {
    "where": chosen,
    "times a mask": lambda x: np.sum((hidden(x) * (hidden(x) > 0)) ** 2),
    "a mask as an index": lambda x: np.sum(hidden(x)[hidden(x) > 0] ** 2),
    "huber": huber,
    "sort": lambda x: np.sort(hidden(x)) @ np.arange(30.0),
    "median": lambda x: np.median(hidden(x)),
    "quantile": lambda x: np.quantile(hidden(x), 0.3),
    "interp": lambda x: np.sum(np.interp(hidden(x), POINTS, np.sin(POINTS))),
    "argmax": lambda x: hidden(x)[np.argmax(hidden(x))] ** 2,
    "brentq": lambda x: brentq(lambda t: t**3 + x[0] ** 2 * t - x[1] ** 2 - 1, 0, 10) + x[2],
    "quad": lambda x: quad(lambda t: math.exp(-t * x[0] ** 2) * math.cos(x[1] * t), 0, 2)[0],
    "fsolve": lambda x: np.sum(fsolve(lambda v: [v[0] ** 3 + 2 * v[0] + v[1] - x[0], v[1] - v[0] - x[1]], [0.5, 0.5])),
    "overwritten": written,
    "a maximum taken out": softened,
    "masks of masks": several,
    "descending": descending,
    "partition": lambda x: np.sum(np.partition(hidden(x), -5)[-5:]),
    "rounded": lambda x: np.sum(hidden(x) * np.floor(3 * hidden(x))),
    "whole quotients": lambda x: np.sum(hidden(x) * np.divmod(hidden(x), 0.7)[0]),
    "whole parts": lambda x: np.sum(hidden(x) * np.modf(3 * hidden(x))[1]),
    "exponents": lambda x: np.sum(hidden(x) * np.frexp(hidden(x))[1]),
    "taken along": lambda x: np.sum(np.take_along_axis(hidden(x), np.argsort(hidden(x)), 0)[:3]),
    "a mean of some": lambda x: np.mean(hidden(x)[hidden(x) > 0]),
}


def is_followed(found):
    """Whether a replay went along the recorded program."""
    return type(found) is not gradcli.Trace


@pytest.mark.parametrize("name", PROGRAMS)
def test_small_moves_stay_on_the_program(name):
    """Of twenty moves of one percent at least nineteen; value and sensitivities are those of a run there."""
    f = PROGRAMS[name]
    found, rng, stayed = trace(f, HERE, names=False), np.random.default_rng(1), 0

    for _ in range(20):
        there = HERE * (1 + 0.01 * rng.normal(size=5))
        replayed = found.replay(there)
        value, gradient = value_and_grad(f)(there)
        stayed += is_followed(replayed)
        np.testing.assert_allclose(replayed.value, value, rtol=1e-12)
        np.testing.assert_allclose(replayed.sensitivities()[0], gradient, rtol=1e-9, atol=1e-11)
    assert stayed >= 19


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_moves_are_right(name):
    f = PROGRAMS[name]
    found, rng = trace(f, HERE, names=False), np.random.default_rng(2)

    for size in (0.1, 0.3, 1.0, 3.0) * 3:
        there = HERE * (1 + size * rng.normal(size=5))
        value, gradient = value_and_grad(f)(there)
        replayed = found.replay(there)
        np.testing.assert_allclose(replayed.value, value, rtol=1e-11)
        np.testing.assert_allclose(replayed.sensitivities()[0], gradient, rtol=1e-8, atol=1e-10)


def test_what_is_handed_on_is_not_told():
    """The program has no guard, and is that of another mask."""
    one, other = (trace(chosen, x, names=False).program for x in (HERE, -HERE))

    assert [outcome.guard for outcome in one.outcomes] == [None]
    assert one == other
    assert hash(one) == hash(other)


H = np.array([0.5, -1.5, 2.5, -0.25])
MOVED = np.array([0.5, 1.5, 2.5, -0.25])
TABLE = np.arange(4.0)


def counted(x):
    total = 0.0
    for n in range(np.count_nonzero(x > 0)):
        total = total + x[n]
    return total


def by_hash(x):
    return x[0] * {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}[np.argmax(x * [1, 3, 1, 1])]


def shared(x):
    """A view of a mask is written, and the mask is used."""
    mask = x > 0
    part = mask[1:]
    part[0] = True
    return np.sum(x * mask)


def changed_in_place(x):
    mask = x > 0
    mask |= x < -1
    return np.sum(x * mask)


def passed_on(x):
    """The numbers leave by NumPy, and are written there."""
    mask = x > 0
    other = np.asarray(mask)
    other[0] = False
    return np.sum(x * mask)


def as_long_as_it_is(x):
    """A shape that a mask decides is told."""
    part = x[x > 0]
    return np.sum(part) * len(part)


TOLD = {
    "if": lambda x: np.sum(x) if (x > 0).all() else np.sum(x * x),
    "any": lambda x: np.sum(x) if np.any(x < -1) else np.sum(x * x),
    "an item": lambda x: x[0] if (x > 0)[1] else x[2],
    "iterated": lambda x: sum(v if positive else 2 * v for v, positive in zip(x, x > 0, strict=True)),
    "a count": counted,
    "a whole number": lambda x: x[0] * int(np.sum(x > 0)),
    "a plain table": lambda x: np.sum(x) * TABLE[np.argsort(x)[-1]] + np.sum(TABLE[x > 0]) * x[0],
    "a dictionary": by_hash,
    "a list": lambda x: np.sum(x * (x > 0).tolist()),
    "text": lambda x: x[0] * len(str((x > 0).astype(int).sum() * 9)),
    "formatted": lambda x: x[0] * len(f"{np.argmax(x) * 7}"),
    "a view that is written": shared,
    "changed in place": changed_in_place,
    "passed on and written": passed_on,
    "a slice": lambda x: np.sum(x[: np.argmax(x)]),
    "a slice of two axes": lambda x: np.sum(np.stack([x, x])[0, : np.argmax(x)]),
    "a length": as_long_as_it_is,
    "a standard deviation of some": lambda x: np.std(x[x > 0]),
    "a loop over some": lambda x: sum(v * v for v in x[x > 0]),
    "a copy": lambda x: np.sum(x * copy.deepcopy(x > 0)),
    "pickled": lambda x: np.sum(x * pickle.loads(pickle.dumps(x > 0))),
    "in a set": lambda x: x[0] * len({*np.sign(x).astype(int)}),
    "nonzero": lambda x: np.sum(x[np.nonzero(x > 0)]),
    "a float": lambda x: x[0] * math.floor(float(np.floor(x)[1])),
    "a comparison with a count": lambda x: x[0] if x[2] > np.sum(x > 0) else x[1],
    "stacked": lambda x: np.sum(np.stack([x, x]) * np.stack([x > 0, x < 1])),
    "written with out": lambda x: np.sum(x * np.logical_not(x > 0, out=np.zeros(4, bool))),
    "a power of a count": lambda x: x[0] ** np.sum(x > 0) + 2.0 ** np.argmax(x) * x[1],
    "a histogram": lambda x: np.sum(np.histogram(x, 3, weights=x * x)[0] * [1.0, 2.0, 3.0]),
    "unwrapped": lambda x: np.sum(np.unwrap(3 * x) * x),
}


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.filterwarnings("ignore:G204")  # some jump at a point of the test
def test_what_python_was_told(name):
    """The recorded value is the plain one, and a replay is what a run there is."""
    f = TOLD[name]
    found = trace(f, H, names=False)

    assert f(H) == found.value
    for there in (MOVED, H * 1.01, -H, np.array([3.0, 1.0, 0.5, 0.25])):
        replayed = found.replay(there)
        np.testing.assert_allclose(replayed.value, f(there), rtol=1e-13)
        np.testing.assert_allclose(replayed.sensitivities()[0], gradcli.grad(f)(there), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "there"),
    [("if", np.abs(H)), ("iterated", MOVED), ("a count", MOVED), ("a list", MOVED), ("a dictionary", H[::-1])],
)
def test_what_python_was_told_is_a_guard(name, there):
    assert not is_followed(trace(TOLD[name], H, names=False).replay(there))


@pytest.mark.parametrize("f", [
    lambda x: np.searchsorted(np.linspace(0.0, 1.0, 101), x) / 100.0, lambda x: np.rint(10 * x) / 4,
    lambda x: {"step": np.floor(5 * x)}, lambda x: (x * x, np.sign(x - 0.6)), lambda x: np.argmax(np.array([x, 0.6])),
])  # fmt: skip
def test_a_result_that_has_no_derivative_is_that_of_the_replay(f):
    """It is an outcome that nobody reads but the trace."""
    here, there = trace(f, 0.51, names=False), 0.77

    assert f(0.51) == here.value
    assert f(there) == here.replay(there).value != here.value


def test_results_are_plain():
    """A mask that a program returns, or keeps, is NumPy's."""
    kept = []

    def f(x):
        kept.append(x > 0)
        return {"loss": np.sum(x), "mask": x > 0, "best": np.argmax(x)}

    found = trace(f, H, names=False).value

    assert type(found["mask"]) is np.ndarray
    assert type(found["best"]) is np.int64
    assert kept[0].tolist() == [True, False, True, False]


def test_a_mask_in_a_suspended_generator_is_plain_after_the_run():
    def masks(x):
        mask = x > 0
        while True:
            yield mask

    def f(x):
        generators[:] = [masks(x)]
        return np.sum(x[next(generators[0])])

    generators = []
    trace(f, H, names=False)
    kept = next(generators[0])

    for found, expected in ((kept & kept, H > 0), (~kept, H <= 0), (kept[1], H[1] > 0), (kept + 1, (H > 0) + 1)):
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected)


def behaves(mask, best):
    """What plain code asks of them."""
    return [
        isinstance(mask, np.ndarray), mask.dtype == bool, mask.shape, mask.ndim, mask.size, len(mask), mask.sum(),
        best + 1, best == 2, isinstance(best, np.integer), mask.T.shape, mask.nbytes, (mask & mask).all(),
        (~mask).tolist(), np.ones_like(mask).tolist(), mask.astype(float).tolist(), f"{best:3d}", str(mask),
    ]  # fmt: skip


def test_they_behave_as_plain_ones():
    seen = []

    def f(x):
        seen.append(behaves(x > 0, np.argmax(x)))
        return np.sum(x)

    trace(f, H, names=False)

    assert behaves(H > 0, np.argmax(H)) == seen[0]


MAKERS = (
    lambda h, m, k: np.where(m, h, -0.5 * h),
    lambda h, m, k: h * m,
    lambda h, m, k: h[np.argsort(h)],
    lambda h, m, k: np.sort(h)[::-1],
    lambda h, m, k: h + h[k],
    lambda h, m, k: np.tanh(h) + np.floor(2 * h),
    lambda h, m, k: np.clip(h, -1.0, h[k]),
    lambda h, m, k: h - np.mean(h[m | (np.arange(len(h)) == 0)]),
    lambda h, m, k: np.interp(h, [-1.0, 0.0, 2.0], [3.0, h[0], 1.0]),
    lambda h, m, k: np.maximum(h, np.median(h)),
    lambda h, m, k: h / (1 + np.sum(m)),
    lambda h, m, k: np.cumsum(h * ~m),
    lambda h, m, k: -h if m[0] else 0.5 * h,
    lambda h, m, k: np.take(h, (np.arange(len(h)) + k) % len(h)),
)
MASKS = (
    lambda h, m, k: h > 0,
    lambda h, m, k: m & (h < 1),
    lambda h, m, k: m | (np.abs(h) > 1.5),
    lambda h, m, k: h == np.max(h),
    lambda h, m, k: np.isfinite(h) & ~m,
)
PLACES = (
    lambda h, m, k: np.argmax(h),
    lambda h, m, k: np.argmin(np.abs(h)),
    lambda h, m, k: np.searchsorted(np.sort(h), 0.3) % len(h),
    lambda h, m, k: (k + np.count_nonzero(m)) % len(h),
    lambda h, m, k: np.argsort(h)[len(h) // 2],
)


def random_program(seed):
    """Some of these in turn."""
    rng = np.random.default_rng(seed)
    picks = [(group, rng.integers(len(group))) for group in (MAKERS, MASKS, PLACES, MAKERS, MASKS, MAKERS)]
    weights = rng.normal(size=(6, 3))

    def f(x):
        h = weights @ x
        m, k = h > 0.1, 0
        for group, n in picks:
            if group is MAKERS:
                h = group[n](h, m, k)
            elif group is MASKS:
                m = group[n](h, m, k)
            else:
                k = group[n](h, m, k)
        return np.sum(h * np.arange(1.0, 7.0)) + np.sum(np.where(m, h, 0.0) ** 2)

    return f, rng.normal(size=3)


def replays_are_right(seed):
    """Close by and further off, value and sensitivities are those of a run."""
    f, here = random_program(seed)
    found = trace(f, here, names=False)
    rng = np.random.default_rng(seed)
    for size in (0.01, 0.2, 1.0):
        there = here + size * rng.normal(size=3)
        replayed = found.replay(there)
        np.testing.assert_allclose(replayed.value, f(there), rtol=1e-11, atol=1e-12)
        expected = gradcli.grad(f)(there)
        np.testing.assert_allclose(replayed.sensitivities()[0], expected, rtol=1e-9, atol=1e-10)


def test_random_programs():
    for seed in range(60):
        replays_are_right(seed)


@pytest.mark.long
def test_many_random_programs():
    for seed in range(60, 560):
        replays_are_right(seed)


def test_a_solver_of_least_squares():

    def f(p):
        t = np.linspace(0.0, 1.0, 8)
        found = least_squares(lambda v: v[0] * np.exp(-v[1] * t) - p[0] * np.exp(-t) - p[1] * t, [1.0, 1.0])
        return found.x[0] * 2 + found.x[1]

    here = np.array([1.4, 0.2])
    found = trace(f, here, names=False)

    for there in (here * 1.01, here * 0.98):
        np.testing.assert_allclose(found.replay(there).value, f(there), rtol=1e-6)


def test_gradients_get_plain_arrays():
    seen = []
    gradcli.grad(lambda x: seen.append(x > 0) or np.sum(x))(H)

    assert type(seen[0]) is np.ndarray


def rooted(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return 3.0 * x


def inverse(x):
    """One within a called function, and one for all exceptions."""
    try:
        return rooted(x) / (x - 4.0)
    except:  # noqa: E722 - what is tested
        return x


def suppressed(x):
    found = 3.0 * x
    with contextlib.suppress(ValueError):
        found = math.sqrt(x)
    return found


@pytest.mark.parametrize("f", [rooted, inverse, suppressed])
@pytest.mark.parametrize(("here", "there"), [(-1.0, 9.0), (9.0, -1.0), (4.0, 9.0), (9.0, 4.0)])
def test_an_exception_is_a_branch(f, here, there):
    """No outcome says that it was raised, so a program that may catch one is recorded anew."""
    value, slope = value_and_grad(f)(there)
    found = trace(f, here).replay(there)

    assert (value, slope) == (found.value, found.sensitivities()[0])
