"""What every array rule is held to: 50 digits, finite differences, its own forward sweep, and the same on a device."""

from __future__ import annotations

import numpy as np

from gradcli import device, grad, jvp, trace
from gradcli.devices import host, on_device
from gradcli.exact import gradient as exact
from gradcli.numerics import differences
from tests.standin.library import installed

EPS = 2.2e-16

# Central differences of two orders, so that one shows the error of the other.
STEP = 2.0**-9
SIXTH_ORDER = [3 / 4, -3 / 20, 1 / 60]
EIGHTH_ORDER = [4 / 5, -1 / 5, 4 / 105, -1 / 280]
SHARED = 16  # no value weighs more than so many times as much in the derivative as in the difference of the two
SETTLED = 1e-10

SHAPES = [(), (1,), (4,), (1, 3), (2, 3), (2, 1, 3)]
EMPTY = [(0,), (2, 0), (0, 3)]


def numbers(shape, seed=0, order="C"):
    """A repeatable array of numbers between 0.5 and 2, distinct from those of other seeds, laid out as asked for."""
    size = int(np.prod(shape))
    values = (
        np.random.default_rng(seed).permutation(np.linspace(0.5, 2.0, size + 2)[1:-1] + 0.0123 * seed).reshape(shape)
    )
    if order == "strided" and values.ndim:
        spread = np.full([2 * n for n in shape], np.nan)
        inner = (slice(None, None, 2),) * values.ndim
        spread[inner] = values
        return spread[inner]
    if order == "reversed" and values.ndim:
        return values[::-1].copy()[::-1]
    return np.asfortranarray(values) if order == "F" and values.ndim else values


def weights(shape, seed=7):
    """Repeatable numbers of both signs."""
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def identical(found, plain):
    """Whether two results are the same bit for bit, in form and type too."""
    if isinstance(plain, (tuple, list)):
        return type(found) is type(plain) and len(found) == len(plain) and all(map(identical, found, plain))
    if type(found) is not type(plain) or np.shape(found) != np.shape(plain):
        return False
    return np.asarray(found).dtype == np.asarray(plain).dtype and np.array_equal(found, plain, equal_nan=True)


def recorded_as_plain(f, arrays, plain, rtol=1e-14, atol=0.0):
    """The recorded value is the plain one, and the rows that give the derivatives compute it up to rounding."""
    recording = trace(f, *arrays, names=False)
    assert identical(recording.value, plain), (recording.value, plain)
    np.testing.assert_allclose(recording.replay(*arrays).value, plain, rtol=rtol, atol=atol)
    replayed_as_run(f, arrays, recording)


def replayed_as_run(f, arrays, recording):
    """Close by, where masks and orders may be others, a replay gives what a run there does, up to rounding."""
    rng = np.random.default_rng(3)
    there = [x + 0.05 * rng.standard_normal(np.shape(x)) for x in arrays]
    try:
        with np.errstate(all="ignore"):
            moved = f(*there)
    except Exception:
        return
    with np.errstate(all="ignore"):
        replayed = recording.replay(*there).value
    np.testing.assert_allclose(replayed, moved, rtol=1e-9, atol=1e-11)


def agree(f, *arrays):
    """Hold a function of arrays to the truth: value, gradient, forward sweep, second derivative; and on a device."""
    agree_on_the_host(f, *arrays)
    device_agrees(f, arrays)


def agree_on_the_host(f, *arrays):
    """Hold a function that CuPy lacks, or does not have in this form, to the truth on the host alone."""
    plain = f(*arrays)
    recorded_as_plain(f, arrays, plain)
    weight = weights(np.shape(plain))
    truth = gradient_agrees(lambda *x: np.sum(weight * f(*x)), arrays)
    forward_agrees(f, arrays, weight, truth)
    second_agrees(lambda *x: np.sum(weight * np.sin(f(*x))), arrays)


def gradient_agrees(f, arrays):
    """The reverse sweep is the derivative of the recorded program with 50 digits, which is returned."""
    recording = trace(f, *arrays, names=False)
    inputs = list(recording.input_indices())
    truth = [float(x) for x in exact.gradient(recording, recording.result_index(), inputs).derivatives]
    got = grad(f, tuple(range(len(arrays))))(*arrays)
    assert [x.shape for x in got] == [x.shape for x in arrays]
    assert all(x.dtype == y.dtype for x, y in zip(got, arrays, strict=True))
    np.testing.assert_allclose(flat(got), truth, rtol=1e-12, atol=1e-15)
    return truth


def forward_agrees(f, arrays, weight, truth):
    """The forward sweep along a direction is the same derivative from the other side."""
    along = [weights(x.shape, seed=n) for n, x in enumerate(arrays)]
    tangent = jvp(f, arrays, along)[1]
    assert np.shape(tangent) == weight.shape
    np.testing.assert_allclose(np.sum(weight * tangent), np.dot(truth, flat(along)), rtol=1e-12, atol=1e-14)


def second_agrees(f, arrays):
    """The gradient of a recorded gradient is what finite differences make of the plain one."""
    everything = tuple(range(len(arrays)))
    gradient = grad(f, everything)
    along, beside = ([weights(x.shape, seed=n + k) for n, x in enumerate(arrays)] for k in (20, 40))

    def slope_along(*x):
        return sum(np.sum(part * direction) for part, direction in zip(gradient(*x), along, strict=True))

    def on_the_line(t):
        return float(slope_along(*(x + t * direction for x, direction in zip(arrays, beside, strict=True))))

    value, error = slope_at_zero(on_the_line)
    assert error < 1e-6
    got = np.dot(flat(grad(slope_along, everything)(*arrays)), flat(beside))
    assert abs(got - value) <= 4 * error + 1e-11


def slope_at_zero(f):
    """The derivative of a function of one number at 0 and its error: by eight values where they settle it."""
    rises = [f(k * STEP) - f(-k * STEP) for k in (1, 2, 3, 4)]
    sixth, eighth = (np.dot(order, rises[: len(order)]) / STEP for order in (SIXTH_ORDER, EIGHTH_ORDER))
    error = SHARED * abs(eighth - sixth)
    if error < SETTLED:
        return eighth, error
    found = differences.slope(f, 0.0, EPS)
    return found.value, found.error


def device_agrees(f, arrays):
    """On the stand-in for a device, which refuses every conversion, all numbers are the same to rounding."""
    wanted = derivatives(f, arrays)
    with installed(), device("gpu"):
        found = derivatives(f, arrays)
    assert all(map(on_device, found))
    for got, number in zip(map(host, found), wanted, strict=True):
        assert np.asarray(number).dtype == got.dtype
        np.testing.assert_allclose(got, number, rtol=1e-12, atol=1e-13)


def derivatives(f, arrays):
    """The value of a function of arrays, its gradient, tangent and second derivative: all that the engine computes."""
    everything = tuple(range(len(arrays)))
    along = [weights(x.shape, seed=n) for n, x in enumerate(arrays)]
    value = trace(f, *arrays, names=False).value
    gradient = grad(lambda *x: np.sum(np.sin(f(*x))), everything)
    twice = grad(lambda *x: sum(np.sum(part * part) for part in gradient(*x)), everything)
    return [value, *gradient(*arrays), jvp(f, arrays, along)[1], *twice(*arrays)]


def flat(arrays):
    """All numbers of some arrays in one."""
    return np.concatenate([np.ravel(x) for x in arrays])
