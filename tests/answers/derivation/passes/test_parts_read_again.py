"""Parts of arrays that the reverse pass reads again, where it restores what was written into the array."""

import numpy as np
import pytest

import gradcli
from tests.answers.derivation.kernels import of_cholesky, positive_definite

BACKWARD = """
    for i in reversed(range(1, a.shape[0])):
        t_13 = stack.pop()
        # a[i, i] = np.sqrt(a[i, i])
        a[i, i] = stack.pop()
        s_a[i, i] = s_a[i, i] / (2 * t_13)
        # a[i, i] -= np.dot(a[i, :i], a[i, :i])
        s_11 = -s_a[i, i]
        a[i, i] = stack.pop()
        s_a[i, :i] += s_11 * a[i, :i]
        s_a[i, :i] += s_11 * a[i, :i]
"""


def test_rows_of_a_matrix_are_read_again():
    text = str(gradcli.derive(of_cholesky, at=(positive_definite(3),)))

    assert BACKWARD in text


def changed_before_it_is_used(x):
    a = x * 1.0
    for i in range(1, len(a)):
        part = a[:i] * 2.0
        a[0] = a[0] * a[i]
        a[i] = np.dot(part, a[:i]) * np.sum(part)
    return np.sum(a**2)


def by_a_counter(x):
    a = x * 1.0
    k = 0
    for _ in range(len(a) - 1):
        k += 1
        a[k] = a[k] * np.dot(a[:k], a[:k])
    return np.sum(a)


def rebound(x):
    a = x * 1.0
    for i in range(1, len(x)):
        a[i] = np.dot(a[:i], x[:i]) * a[i]
        a = a * np.sin(a)
    return np.sum(a)


def in_branches(x):
    a = x * 1.0
    for i in range(1, len(a)):
        if a[i] > 0.5:
            a[i] -= np.dot(a[:i], a[:i])
        else:
            a[i] = a[i] * np.sum(a[:i] * a[i - 1])
    return np.sum(a**3)


def of_parts(x):
    """Fewer statements write parts than read them."""
    a = np.outer(x, x)
    for i in range(1, len(x)):
        a[i, :] -= np.dot(a[0], a[i]) * np.sin(a[i - 1, :]) * np.dot(a[i - 1, :], a[0, :])
    return np.sum(a * a)


def of_another_array(x):
    b = np.sin(x)
    total = 0.0
    for i in range(1, len(x)):
        total += np.dot(b[:i], x[:i]) * total + np.dot(x[i:], b[i:])
    return total


def shortened(x):
    """The parameter itself is bound anew."""
    for _ in range(2):
        x = x[:-1] * x[1:]
    return np.sum(x)


def shortened_by_two_parts(x):
    for _ in range(2):
        x = np.sin(x[1:]) * x[0]
    return np.sum(x * x)


def turned(x):
    for i in range(1, len(x)):
        x = np.concatenate([x[i:], x[:i]]) * np.sum(x[:i])
    return np.sum(x)


def shortened_in_a_branch(x):
    for i in range(3):
        if i > 0:
            x = x[1:] * np.dot(x[1:], x[:-1])
    return np.sum(x)


@pytest.mark.parametrize(
    "function",
    [
        changed_before_it_is_used, by_a_counter, rebound, in_branches, of_parts, of_another_array, shortened,
        shortened_by_two_parts, turned, shortened_in_a_branch,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_program_agrees_with_the_tape(function):
    x = np.array([0.5, -0.7, 1.2, 0.9])

    derived = gradcli.derive(function, at=(x.copy(),)).function

    np.testing.assert_allclose(derived(x.copy()), gradcli.grad(function)(x.copy()), rtol=1e-10)
