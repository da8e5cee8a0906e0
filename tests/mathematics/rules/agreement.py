"""The one harness for functions of arrays: value, gradient, forward sweep, second derivative and replay agree.

`agree` holds a function to the derivative of its recorded program with 50 digits, and to the same on a device.
`agree_nearby` holds it to differences of its plain values: for rules that the exact number system computes by their own
forward, such as those of matrices, and for complex arrays, which move along the real axis, the imaginary one and a
direction between the two.
"""

import warnings

import numpy as np
import pytest

from gradcli import device, grad, jvp, trace, value_and_grad, vjp
from gradcli.errors import FindingWarning
from gradcli.methods.exact import gradient as exact
from gradcli.shared.devices import on_device, to_host
from tests import settled_differences
from tests.mathematics.rules.sample_arrays import weights
from tests.standin.library import installed

EPS = 2.2e-16

# Central differences of two orders, so that one shows the error of the other.
STEP = 2.0**-9
SIXTH_ORDER = [3 / 4, -3 / 20, 1 / 60]
EIGHTH_ORDER = [4 / 5, -1 / 5, 4 / 105, -1 / 280]
SHARED = 16  # no value weighs more than so many times as much in the derivative as in the difference of the two
SETTLED = 1e-10
UNSETTLED = 1e-6

REAL = (1.0,)
COMPLEX = (1.0, 1j, 0.6 + 0.8j)


def agree(f, *arrays):
    """Value, gradient, forward sweep and second derivative agree with 50 digits, and with those on a device."""
    agree_on_the_host(f, *arrays)
    device_agrees(f, arrays)


def agree_on_the_host(f, *arrays):
    """The same for a function that CuPy lacks, or does not have in this form."""
    plain = f(*arrays)
    recorded_as_plain(f, arrays, plain)
    has_plain_value(f, arrays, plain)
    weight = weights(np.shape(plain))
    truth = gradient_agrees(lambda *x: np.sum(weight * f(*x)), arrays)
    along = [weights(x.shape, seed=n) for n, x in enumerate(arrays)]
    tangent = jvp(f, arrays, along)[1]
    assert np.shape(tangent) == weight.shape
    np.testing.assert_allclose(np.sum(weight * tangent), np.dot(truth, flat(along)), rtol=1e-12, atol=1e-14)
    second_agrees(lambda *x: np.sum(weight * np.sin(f(*x))), arrays)


def agree_nearby(f, *arrays, rtol=1e-12):
    """Value, gradient, forward sweep and second derivative agree with differences of plain values.

    Args:
        f: a function of arrays, real or complex.
        arrays: the point.
        rtol: how far the value that the rows compute may be from the plain one.
    """
    plain = f(*arrays)
    recorded_as_plain(f, arrays, plain, rtol=rtol, atol=1e-14)
    derivatives_agree_nearby(f, arrays, np.asarray(plain))


def derivatives_agree_nearby(f, arrays, plain):
    """The derivatives of a function with the value `plain`: all along directions, so that each is one number."""
    total = weighted(f, plain)
    for seed, unit in enumerate(COMPLEX if any(map(np.iscomplexobj, arrays)) else REAL, 1):
        along = directions(arrays, seed, unit)
        slope = slope_agrees(total, arrays, along)
        value, tangent = jvp(f, arrays, along)
        assert (np.shape(value), np.asarray(value).dtype) == (np.shape(tangent), np.asarray(tangent).dtype)
        np.testing.assert_allclose(contracted(tangent), slope, rtol=1e-9, atol=1e-11)
    scale = max(1.0, np.max(np.abs(plain), initial=0.0))
    second_agrees(weighted(lambda *x: np.sin(f(*x) / scale), plain), arrays)


def recorded_as_plain(f, arrays, plain, rtol=1e-14, atol=0.0):
    """The recorded value is the plain one, and the rows that give the derivatives compute it up to rounding."""
    recording = trace(f, *arrays, names=False)
    assert identical(recording.value, plain), (recording.value, plain)
    np.testing.assert_allclose(recording.replay(*arrays).value, plain, rtol=rtol, atol=atol)
    replayed_as_run(f, arrays, recording)


def has_plain_value(f, arguments, plain):
    """The value of a function by every transform that reports one is the plain one, bit for bit."""
    plains = forms(plain)
    same = [any(identical(found, plain) for plain in plains) for found in values(f, arguments)]
    assert all(same), (same, plain)


def values(f, arguments):
    """The value of a function by every transform that reports one."""
    yield trace(f, *arguments, names=False).value
    found = vjp(f, *arguments)[0]
    yield found
    if getattr(found, "dtype", np.dtype(float)).kind == "f":
        yield jvp(f, arguments, [np.ones_like(x)[()] if hasattr(x, "dtype") else 1.0 for x in arguments])[0]
        if np.ndim(found) == 0:
            yield value_and_grad(f)(*arguments)[0]


def forms(plain):
    """The value in the forms in which it may be reported: an array without axes, and a complex number, as NumPy's."""
    if isinstance(plain, np.ndarray) and plain.ndim == 0:
        return [plain, plain[()]]
    return [plain, np.complex128(plain)] if type(plain) is complex else [plain]


def identical(found, plain):
    """Whether two results are the same bit for bit, in form and type too."""
    if isinstance(plain, (tuple, list)):
        return type(found) is type(plain) and len(found) == len(plain) and all(map(identical, found, plain))
    if type(found) is not type(plain) or np.shape(found) != np.shape(plain):
        return False
    return np.asarray(found).dtype == np.asarray(plain).dtype and np.array_equal(found, plain, equal_nan=True)


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


def gradient_agrees(f, arrays):
    """The reverse sweep is the derivative of the recorded program with 50 digits, which is returned."""
    recording = trace(f, *arrays, names=False)
    inputs = list(recording.input_indices())
    truth = [float(x) for x in exact.gradient(recording, recording.result_index(), inputs).derivatives]
    np.testing.assert_allclose(flat(gradient_of(f, arrays)), truth, rtol=1e-12, atol=1e-15)
    return truth


def slope_agrees(f, arrays, along):
    """The gradient along a direction, which is returned, is the slope of the plain function."""
    value, error = slope_at_zero(lambda t: float(f(*moved(arrays, along, t))))
    found = paired(gradient_of(f, arrays), along)
    assert error < UNSETTLED
    assert abs(found - value) <= 4 * error + 1e-11 + 1e-9 * abs(value)
    return found


def second_agrees(f, arrays):
    """The gradient of a recorded gradient is the slope of the plain gradient."""
    first, second = directions(arrays, 20, 0.6 - 0.8j), directions(arrays, 40, 0.8 + 0.6j)
    gradient = grad(f, tuple(range(len(arrays))))
    with warnings.catch_warnings():  # some functions are tested at a tie, beside which their second derivative jumps
        warnings.filterwarnings("ignore", "G213", FindingWarning)
        slope_agrees(lambda *x: paired(gradient(*x), first), arrays, second)


def gradient_of(f, arrays):
    """The gradient in all arguments, of their shapes and types."""
    gradient = grad(f, tuple(range(len(arrays))))(*arrays)
    assert [(x.shape, x.dtype) for x in arrays] == [(x.shape, x.dtype) for x in gradient]
    return gradient


def slope_at_zero(f):
    """The derivative of a function of one number at 0 and its error: by eight values where they settle it."""
    rises = [f(k * STEP) - f(-k * STEP) for k in (1, 2, 3, 4)]
    sixth, eighth = (np.dot(order, rises[: len(order)]) / STEP for order in (SIXTH_ORDER, EIGHTH_ORDER))
    error = SHARED * abs(eighth - sixth)
    if error < SETTLED:
        return eighth, error
    found = settled_differences.slope(lambda t: or_nan(f, t), 0.0, EPS)
    return found.value, found.error


def or_nan(f, t):
    """The value of a function of one number, nan where it has none, as far from the point."""
    try:
        return f(t)
    except ValueError:
        return np.nan


def weighted(f, plain):
    """A real number that depends on the real and on the imaginary part of every number of a function's result."""
    return lambda *x: contracted(f(*x), np.iscomplexobj(plain))


def contracted(result, is_complex=None):
    """The weighted sum of all numbers of a result, of the imaginary parts with weights of their own."""
    is_complex = np.iscomplexobj(result) if is_complex is None else is_complex
    real = np.sum(weights(np.shape(result)) * (np.real(result) if is_complex else result))
    return real + np.sum(weights(np.shape(result), seed=8) * np.imag(result)) if is_complex else real


def directions(arrays, seed, unit):
    """A movement of each array; complex ones move along `unit`."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, x.shape) * (unit if np.iscomplexobj(x) else 1.0) for x in arrays]


def moved(arrays, along, t):
    return [x + t * d for x, d in zip(arrays, along, strict=True)]


def paired(gradient, along):
    """How fast a real result moves along a direction: the real part of conj(gradient) times it."""
    parts = (np.real(np.conj(g) * d) if np.iscomplexobj(g) else g * d for g, d in zip(gradient, along, strict=True))
    return sum(map(np.sum, parts))


def device_agrees(f, arrays):
    """On the stand-in for a device, which refuses every conversion, all numbers are the same to rounding."""
    wanted = derivatives(f, arrays)
    with installed(), device("gpu"):
        found = derivatives(f, arrays)
    assert all(map(on_device, found))
    for got, number in zip(map(to_host, found), wanted, strict=True):
        assert np.asarray(number).dtype == got.dtype
        np.testing.assert_allclose(got, number, rtol=1e-12, atol=1e-13)


def derivatives(f, arrays):
    """The value of a function of arrays, its gradient, tangent and second derivative: all that the engine computes."""
    everything = tuple(range(len(arrays)))
    along = [weights(x.shape, seed=n) for n, x in enumerate(arrays)]
    gradient = grad(lambda *x: np.sum(np.sin(f(*x))), everything)

    def squares(*x):
        parts = gradient(*x)
        return sum(np.sum(part * part) for part in parts), parts

    twice, parts = grad(squares, everything, has_aux=True)(*arrays)
    return [*jvp(f, arrays, along), *parts, *twice]


def flat(arrays):
    return np.concatenate([np.ravel(x) for x in arrays])


def of_families(cases):
    """The parameters `family`, `f` and `arrays` of programs that are listed by the function that they are of."""
    return [
        pytest.param(name, f, x, id=f"{name}-{n}") for name, family in cases.items() for n, (f, *x) in enumerate(family)
    ]
