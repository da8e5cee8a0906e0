"""Derived programs of assignments to names that are read in them."""

import numpy as np

import gradcli


def broadcast(x, y):
    s = x[:1] * y[:1]
    z = s * s
    s = x + s
    return np.sum(s * s * y) * z[0]


def test_a_sum_that_has_more_elements_than_the_name_before():
    at = np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.3, 1.7])

    found = gradcli.derive(broadcast, at=at).function(*at)

    np.testing.assert_allclose(found, gradcli.grad(broadcast, (0, 1))(*at), rtol=1e-12)


def of_a_copy(x):
    """An array at places, and an array under a mask, is a copy."""
    return np.sum(x[[2, 0, 1]][::-1] ** 2 * x) + x[x > 0.0][1] * x[np.array([0, 1])][1:][0]


def test_a_part_of_a_copy():
    x = np.array([0.5, -1.0, 2.0])

    found = gradcli.derive(of_a_copy, at=x).function(x)

    np.testing.assert_allclose(found, gradcli.grad(of_a_copy)(x), rtol=1e-12)
