"""Repeatable arrays for the tests of rules: numbers, matrices, complex numbers, weights, and shapes."""

import numpy as np

SHAPES = [(), (1,), (4,), (1, 3), (2, 3), (2, 1, 3)]
EMPTY = [(0,), (2, 0), (0, 3)]


def numbers(shape, seed=0, order="C"):
    """An array of numbers between 0.5 and 2, distinct from those of other seeds, in the memory layout `order`."""
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
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def matrix(*shape, seed=0):
    """A stack of matrices of both signs; square ones are far from singular and have distinct eigenvalues."""
    values = np.random.default_rng([seed, *shape]).uniform(-1, 1, shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        values = values + np.diag(np.arange(2.0, 2.0 + shape[-1]))
    return values


def symmetric(x):
    """A positive definite matrix made of any matrix."""
    return x @ np.swapaxes(x, -1, -2) + np.diag(np.arange(1.0, 1.0 + x.shape[-2]))


def complexes(shape, seed=0):
    """A complex array off all branch cuts and kinks: real parts of both signs, imaginary parts over 0.7."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, shape) + 1j * rng.uniform(0.7, 1.5, shape)
