"""What every rule is held to on complex numbers: differences along real, imaginary and mixed directions."""

from __future__ import annotations

import numpy as np

from gradcli import grad, jvp
from gradcli.numerics import differences
from tests.rules.arrays import EPS, recorded_as_plain


def complexes(shape, seed=0):
    """A repeatable complex array off all branch cuts and kinks: real parts of both signs, imaginary parts over 0.7."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, shape) + 1j * rng.uniform(0.7, 1.5, shape)


def sensitive(f, shape):
    """A real number that depends on the real and the imaginary part of every number of a result."""
    rng = np.random.default_rng(7)
    a, b = rng.uniform(-1, 1, (2, *shape))
    return lambda *x: np.sum(a * np.real(f(*x)) + b * np.imag(f(*x)))


def agree(f, *arrays):
    """Hold a function of arrays, some of them complex, to differences: value, gradient, tangent, second derivative."""
    plain = f(*arrays)
    recorded_as_plain(f, arrays, plain, rtol=1e-13)
    total = sensitive(f, np.shape(plain))
    for seed, unit in ((1, 1.0), (2, 1j), (3, 0.6 + 0.8j)):
        along = directions(arrays, seed, unit)
        _slopes_agree(total, f, arrays, along)
    _second_agrees(lambda *x: total(*x) ** 2, arrays)


def directions(arrays, seed, unit):
    """A movement of each array; complex ones move along `unit`."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, x.shape) * (unit if np.iscomplexobj(x) else 1.0) for x in arrays]


def moved(arrays, along, t):
    """The arrays after a movement."""
    return [x + t * d for x, d in zip(arrays, along, strict=True)]


def paired(gradient, along):
    """How fast a real result moves along a direction: the real part of conj(gradient) times it."""
    return sum(np.sum(np.real(np.conj(g) * d)) for g, d in zip(gradient, along, strict=True))


def _slopes_agree(total, f, arrays, along):
    everything = tuple(range(len(arrays)))
    found = differences.slope(lambda t: float(total(*moved(arrays, along, t))), 0.0, EPS)
    assert found.error < 1e-5
    gradient = grad(total, everything)(*arrays)
    assert [x.dtype for x in arrays] == [g.dtype for g in gradient]
    assert [x.shape for x in arrays] == [g.shape for g in gradient]
    np.testing.assert_allclose(paired(gradient, along), found.value, rtol=1e-8, atol=4 * found.error + 1e-11)
    value, tangent = jvp(f, arrays, along)
    assert np.asarray(value).dtype == np.asarray(tangent).dtype
    step = 1e-5
    difference = (f(*moved(arrays, along, step)) - f(*moved(arrays, along, -step))) / (2 * step)
    np.testing.assert_allclose(tangent, difference, rtol=1e-6, atol=1e-7)


def _second_agrees(total, arrays):
    everything = tuple(range(len(arrays)))
    gradient = grad(total, everything)
    first, second = directions(arrays, 4, 0.6 - 0.8j), directions(arrays, 5, 0.8 + 0.6j)

    def slope(*x):
        return paired(gradient(*x), first)

    found = differences.slope(lambda t: float(slope(*moved(arrays, second, t))), 0.0, EPS)
    assert found.error < 1e-5
    got = paired(grad(slope, everything)(*arrays), second)
    np.testing.assert_allclose(got, found.value, rtol=1e-6, atol=4 * found.error + 1e-9)
