"""All sweeps of a Jacobian at once give what each gives alone."""

import numpy as np
import pytest

from gradcli import hessian, jacobian
from gradcli.methods.transforms import jacobians

X = np.linspace(0.3, 1.7, 6)
A = np.arange(1.0, 13.0).reshape(2, 6) / 7

PROGRAMS = [
    lambda x: np.sin(x) * x[::-1],
    lambda x: x[1:] * x[:-1] - 2.0,
    lambda x: x[[0, 2, 2]] + x[x > 1.0].sum(),
    lambda x: (x.reshape(2, 3).T @ x[:2])[:, None] * x[:2],
    lambda x: A @ np.exp(x),
    lambda x: x.reshape(3, 2) @ x.reshape(2, 3),
    lambda x: x[:2] @ x.reshape(2, 3),
    lambda x: np.dot(x, x) * np.ones(3),
    lambda x: x.reshape(2, 3).mean(axis=0) + x.reshape(2, 3).sum(axis=1, keepdims=True),
    lambda x: np.maximum(x, 1.0) ** 3 / np.mean(x),
    lambda x: np.broadcast_to(x[:3], (2, 3)) * x.reshape(2, 3),
    lambda x: x.astype(np.float32) * 2,
    lambda x: np.zeros(4) + 1.0,
    lambda x: x.reshape(1, 6, 1)[:, ::2] * np.ones((2, 1, 4)),
    lambda x: np.where(x > 1, x, x**2) + float(x[0]) * x,
    lambda x: x.reshape(2, 3)[0, 1:] * x.reshape(2, 3)[:, 2],
    lambda x: np.linalg.inv(x[:4].reshape(2, 2) + np.eye(2)) * x[0],
    lambda x: np.concatenate([x, np.sort(x)]) * np.cumsum(x)[0],
]


def alone(monkeypatch):
    monkeypatch.setattr(jacobians, "reverse_together", lambda *_: None)


@pytest.mark.parametrize("n", range(len(PROGRAMS)))
def test_together_as_alone(n, monkeypatch):
    f = PROGRAMS[n]

    def g(x, s):
        return f(s * x) + s

    together = [jacobian(f)(X), *jacobian(g, (0, 1))(X, 1.5)]
    alone(monkeypatch)
    for expected, found in zip([jacobian(f)(X), *jacobian(g, (0, 1))(X, 1.5)], together, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6 if n == 11 else 1e-13, atol=1e-15)
        assert (np.shape(expected), np.asarray(expected).dtype) == (np.shape(found), np.asarray(found).dtype)


@pytest.mark.parametrize("n", range(len(PROGRAMS)))
def test_second_derivatives(n, monkeypatch):
    """A Hessian goes over the rows of a gradient."""

    def total(x):
        return np.sum(np.sin(PROGRAMS[n](x)))

    together = hessian(total)(X)
    alone(monkeypatch)
    np.testing.assert_allclose(together, hessian(total)(X), rtol=1e-5 if n == 11 else 1e-12, atol=1e-14)


def test_a_lane_that_was_not_taken_is_left_out():
    """Where a number is not finite, each sweep is done by itself with an eye on what was reached."""
    x = np.array([0.0, 4.0, 9.0])

    np.testing.assert_allclose(jacobian(lambda x: np.where(x < 1, x, np.sqrt(x)) * 2)(x), np.diag([2, 0.5, 1 / 3]))


def test_a_large_jacobian_is_swept_alone(monkeypatch):
    from gradcli.engine.tape.sweeps import batched_reverse as together

    monkeypatch.setattr(together, "MOST", 30)
    np.testing.assert_allclose(jacobian(np.sin)(X), np.diag(np.cos(X)))
