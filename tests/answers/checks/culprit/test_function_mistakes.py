"""Mistakes about the value that a step computes: the candidate is the gradient of another function."""

import numpy as np
import pytest

from gradcli import grad
from tests.answers.checks.culprit.test_causes import causes

A, B, C = np.array([[2.0, 0.3], [0.5, 1.5]]), np.array([0.7, -0.4]), np.array([[0.2, 1.1], [-0.6, 0.4]])


@pytest.mark.parametrize(
    ("f", "other", "said"),
    [
        (lambda a: np.sum((a @ B) ** 2), lambda a: np.sum((a.T @ B) ** 2), "a.T @ B in place of a @ B"),
        (
            lambda a: np.sum(np.linalg.solve(a, C) ** 2),
            lambda a: np.sum((a @ C) ** 2),
            "a @ C in place of linalg.solve(a, C)",
        ),
    ],
)
def test_another_operation_on_matrices(f, other, said):
    (message,) = causes(f, A, grad(other))

    assert f"the candidate is the gradient with {said}" in message
