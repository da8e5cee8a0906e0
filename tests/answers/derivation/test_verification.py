"""Verification of derived programs."""

import numpy as np
import pytest

import gradcli


def as_float32(xs):
    x = np.asarray(xs, np.float32)
    return np.sum(x**2 * np.sin(x))


def by_astype(xs):
    return float(np.sum(np.exp(np.array(xs).astype(np.float32)) ** 2))


def by_mixed_products(xs):
    x = np.array(xs)
    return np.sum(x.astype("float32") * x) ** 2


def in_half_precision(xs):
    return float(np.sum(np.array(xs, dtype=np.float16) ** 2))


@pytest.mark.parametrize(
    "function", [as_float32, by_astype, by_mixed_products, in_half_precision], ids=lambda f: f.__name__
)
def test_the_tolerance_is_that_of_the_coarsest_numbers_in_a_run(function):
    """The rounding errors of a program and of the tape are those of the numbers in which they compute."""
    at = [0.3, 0.7, 1.1]

    found = gradcli.derive(function, at=at).function(at)

    np.testing.assert_allclose(found, gradcli.grad(function)(at), rtol=2e-2 if "half" in function.__name__ else 1e-5)
