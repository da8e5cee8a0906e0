"""Derived programs of functions that join a list of arrays."""

import numpy as np
import pytest

import gradcli

WEIGHTS = np.cos(np.arange(24.0))
MATRIX = np.array([[0.3, -0.4, 0.5], [0.6, 0.7, -0.8]])


def weighted(joined):
    return np.sum(joined**2 * WEIGHTS[: joined.size].reshape(joined.shape))


def stacked_last(m):
    columns = [m[0] * k for k in range(1, 4)]
    return weighted(np.stack(columns, axis=-1))


def stacked_in_a_loop(m):
    columns = []
    for k in range(3):
        columns.append(np.sin(m * k))
    return weighted(np.stack(columns, axis=1))


def stacked_matrices_last(m):
    planes = [m, m * m, np.exp(m)]
    return weighted(np.stack(planes, axis=2))


def side_by_side(m):
    parts = [m * k for k in range(3)]
    return weighted(np.concatenate(parts, axis=1))


def of_several_widths(m):
    parts = [m[:, : k + 1] for k in range(3)]
    return weighted(np.concatenate(parts, axis=-1))


def below_each_other(m):
    parts = [m[: k + 1] for k in range(2)]
    return weighted(np.concatenate(parts, axis=0))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", ["gradient", "forward"])
@pytest.mark.parametrize(
    "function",
    [stacked_last, stacked_in_a_loop, stacked_matrices_last, side_by_side, of_several_widths, below_each_other],
    ids=lambda f: f.__name__,
)
def test_a_list_that_is_joined_along_an_axis(function, mode):
    direction = np.ones_like(MATRIX)
    derived = gradcli.derive(function, at=MATRIX, mode=mode, wrt=["m"]).function
    expected = gradcli.grad(function)(MATRIX)

    found = derived(MATRIX, direction) if mode == "forward" else derived(MATRIX)

    np.testing.assert_allclose(found, np.sum(expected * direction) if mode == "forward" else expected, rtol=1e-12)
