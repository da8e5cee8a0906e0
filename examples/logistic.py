"""Logistic regression on two measurements: the negative log-likelihood of eight labelled samples."""

import numpy as np

SAMPLES = np.array(
    [[0.5, 1.25], [1.0, 0.25], [2.0, 2.25], [2.5, 0.75], [3.0, 3.0], [3.25, 1.5], [4.0, 3.25], [4.5, 2.0]],
)
LABELS = np.array([-1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0])


def loss(w, b):
    """How unlikely the labels are under weights w (two numbers) and an offset b."""
    margin = LABELS * (SAMPLES @ w + b)
    return np.sum(np.log1p(np.exp(-margin)))
