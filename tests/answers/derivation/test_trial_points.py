"""Derived programs at sizes that their point does not show."""

import numpy as np
import pytest

import gradcli

ONE = np.array([0.7])
THREE = np.array([0.3, -0.4, 1.2])


def biased(w, b):
    return np.sum(np.tanh(w + b))


def symmetrised(w):
    return np.sum(np.sin(w + w.T) * w)


def weighted_distance(x, y):
    return np.sum((x - y) ** 2 * x)


def larger(x, y):
    return np.sum(np.maximum(x, y) * y)


def chosen(x, y):
    return np.sum(np.where(x > y, x * y, y))


def inner(x, y):
    return np.dot(x + y, x * y)


CASES = [
    (biased, (ONE.reshape(1, 1), ONE), (ONE.reshape(1, 1), THREE)),
    (biased, (ONE.reshape(1, 1), ONE), (THREE.reshape(3, 1), np.append(THREE, 0.1))),
    (symmetrised, (np.outer([1.0, 2.0], [0.5, 1.0]),), (THREE.reshape(1, 3),)),
    (weighted_distance, (ONE, ONE * 2), (THREE, ONE)),
    (weighted_distance, (ONE, ONE * 2), (ONE, THREE)),
    (larger, (ONE, ONE * 2), (THREE, ONE)),
    (chosen, (ONE, ONE * 2), (ONE, THREE)),
    (inner, (ONE, ONE * 2), (THREE, ONE)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("function", "at", "elsewhere"), CASES)
def test_a_length_of_one_broadcasts_elsewhere(function, at, elsewhere):
    """The sensitivity has the shape of its input, also where the point's own sizes do not broadcast."""
    derived = gradcli.derive(function, at=at).function(*elsewhere)

    found = derived if isinstance(derived, tuple) else (derived,)
    expected = gradcli.grad(function, tuple(range(len(elsewhere))))(*elsewhere)
    assert [each.shape for each in found] == [each.shape for each in elsewhere]
    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("mode", ["forward", "jacobian"])
def test_a_length_of_one_in_other_modes(mode):
    derived = gradcli.derive(lambda x, y: x * y, at=(ONE, ONE * 2), mode=mode, wrt=["x"]).function

    found = derived(THREE, ONE, np.ones(3)) if mode == "forward" else derived(THREE, ONE)
    assert np.allclose(found, 0.7 * (np.ones(3) if mode == "forward" else np.eye(3)))
