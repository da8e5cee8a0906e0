"""What the rules of linear algebra are held to: finite differences, and their own forward sweep."""

from __future__ import annotations

import numpy as np

from gradcli import grad, jvp
from gradcli.numerics import differences
from tests.rules.arrays import EPS, flat, recorded_as_plain, second_agrees, weights

RNG = np.random.default_rng(11)


def matrix(*shape, seed=0):
    """A repeatable stack of matrices of both signs, square ones far from singular and with distinct eigenvalues."""
    values = np.random.default_rng([seed, *shape]).uniform(-1, 1, shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        values = values + np.diag(np.arange(2.0, 2.0 + shape[-1]))
    return values


def symmetric(x):
    """A positive definite matrix made of any."""
    return x @ np.swapaxes(x, -1, -2) + np.diag(np.arange(1.0, 1.0 + x.shape[-2]))


def agree_nearby(f, *arrays, rtol=1e-12):
    """Hold a function of matrices to its own differences: value, gradient, forward sweep and second derivative."""
    plain = f(*arrays)
    recorded_as_plain(f, arrays, plain, rtol=rtol, atol=1e-14)
    weight = weights(np.shape(plain))
    along = [weights(x.shape, seed=n + 3) for n, x in enumerate(arrays)]
    slope_agrees(lambda *x: np.sum(weight * f(*x)), arrays, along)
    gradient = grad(lambda *x: np.sum(weight * f(*x)), tuple(range(len(arrays))))(*arrays)
    tangent = jvp(f, arrays, along)[1]
    np.testing.assert_allclose(np.sum(weight * tangent), np.dot(flat(gradient), flat(along)), rtol=1e-10, atol=1e-12)
    second_agrees(lambda *x: np.sum(weight * np.sin(f(*x))), arrays)


def slope_agrees(f, arrays, along):
    """The gradient along a direction is the slope of the plain function."""
    found = differences.slope(lambda t: float(f(*(x + t * d for x, d in zip(arrays, along, strict=True)))), 0.0, EPS)
    gradient = grad(f, tuple(range(len(arrays))))(*arrays)
    assert [x.shape for x in gradient] == [x.shape for x in arrays]
    assert found.error < 1e-6
    assert abs(np.dot(flat(gradient), flat(along)) - found.value) <= 4 * found.error + 1e-11
