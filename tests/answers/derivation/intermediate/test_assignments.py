"""Derived programs of assignments to names that are read in them."""

import numpy as np
import pytest

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


def counts_beside_a_number(x):
    stack = [x * x, 3, (1, 2), [x, x]]
    a, b = stack.pop()
    i, j = stack.pop()
    n = stack.pop()
    return a * b * stack[0] * (i + j + n)


def appended_counts(x):
    stack = [x]
    stack.append((1, 2))
    i, j = stack.pop()
    y = stack.pop()
    return y * y * (i + j)


def masks_on_a_stack(x):
    v, stack, y = np.array([1.0, 2.0, 3.0]), [], x
    for i in range(2):
        y = y * np.sum(v)
        stack.append(y)
        stack.append((v > 1.5 * i, i))
    for _ in range(2):
        mask, i = stack.pop()
        kept = stack.pop()
        y = y + kept * np.sum(v[mask]) * y * i
    return y


def numbers_that_no_run_saw(x):
    stack, y = [x], x
    for i in range(2):
        if x > 5e3:
            stack.append((x * 2.0, i))
        stack.append((i, 1 + i))
    for _ in range(2):
        n, m = stack.pop()
        y = y * stack[0] * (n + m)
    return y


def into_places(x):
    stack, counts = [x * x, (1, 2)], [0, 0]
    counts[0], counts[1] = stack.pop()
    y = stack.pop()
    return y * x * (counts[0] + counts[1])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", ["gradient", "forward", "jacobian"])
@pytest.mark.parametrize(
    "function",
    [counts_beside_a_number, appended_counts, masks_on_a_stack, numbers_that_no_run_saw, into_places],
    ids=lambda f: f.__name__,
)
def test_counts_on_a_stack_of_numbers(function, mode):
    """What is popped has no derivative, and the stacks of sensitivities and of tangents lose an item too."""
    derived = gradcli.derive(function, at=1.3, mode=mode).function

    found = derived(1.3, 1.0) if mode == "forward" else derived(1.3)

    assert found == pytest.approx(gradcli.grad(function)(1.3), rel=1e-12)


def triangles(x):
    y = np.zeros((3, 3))
    y[np.triu_indices(3)] = x
    y[np.tril_indices(3, -1)] = 0.5
    y[np.diag_indices(3)] *= 2.0
    return np.sum(y @ y.T)


def swapped_copies(x):
    y = x * 1.0
    y[:2], y[2:4] = y[2:4].copy(), y[:2].copy()
    y[[0, 1]], y[4] = y[[1, 0]], y[5]
    return np.sum(y[:5] ** 2 * np.arange(5.0))


def bounded_on_one_side(x):
    return np.sum(np.clip(x, None, 1.0)) * np.sum(np.clip(x, 0.7, None))


@pytest.mark.parametrize("mode", ["gradient", "forward"])
@pytest.mark.parametrize("function", [triangles, swapped_copies, bounded_on_one_side])
def test_places_that_differ_and_copies(function, mode):
    x, direction = np.linspace(0.3, 1.9, 6), np.arange(6.0)
    derived, expected = gradcli.derive(function, at=x, mode=mode).function, gradcli.grad(function)(x)

    found = derived(x, direction) if mode == "forward" else derived(x)

    np.testing.assert_allclose(found, expected @ direction if mode == "forward" else expected, rtol=1e-12)
