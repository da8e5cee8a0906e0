# Derived by gradcli: gradcli.derive(loss, at=…)

import numpy as np

LABELS = np.array([0, 1, 2, 0])
SAMPLES = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1], [-1.0, 1.5]])


def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - len(shape))))
    axes = tuple(n for n, length in enumerate(shape) if length == 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


def grad_loss(w, b):
    """The gradient of loss (softmax.py) by w and b.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert w.ndim == 2, "w is an array with 2 axes"
    assert b.ndim == 1, "b is an array with 1 axis"
    assert w.dtype.kind in "fc", "w holds floats"
    assert b.dtype.kind in "fc", "b holds floats"
    t_1 = SAMPLES @ w
    scores = t_1 + b
    t_2 = scores.max(axis=1, keepdims=True)
    scores_1 = scores
    scores = scores - t_2
    odds = np.exp(scores)
    total = odds.sum(axis=1, keepdims=True)
    probabilities = odds / total
    t_4 = np.arange(4)
    likelihood = probabilities[t_4, LABELS]
    s_probabilities = np.zeros_like(probabilities)
    # return -np.mean(np.log(likelihood))
    s_likelihood = -1.0 / np.size(likelihood) / likelihood
    # likelihood = probabilities[np.arange(4), LABELS]
    np.add.at(s_probabilities, (t_4, LABELS), s_likelihood)
    # probabilities = odds / total
    s_odds = s_probabilities / total
    s_total = np.sum(-(probabilities * s_probabilities / total), axis=1, keepdims=True)
    # total = odds.sum(axis=1, keepdims=True)
    s_odds = s_odds + s_total
    # odds = np.exp(scores)
    s_scores = odds * s_odds
    # scores = scores - scores.max(axis=1, keepdims=True)
    scores = scores_1
    chosen = scores == t_2
    s_scores = (
        s_scores
        + np.sum(-s_scores, axis=1, keepdims=True) * chosen / np.sum(
            chosen, axis=1, keepdims=True, dtype=scores.dtype
        )
    )
    # scores = SAMPLES @ w + b
    return SAMPLES.T @ sum_to(s_scores, np.shape(t_1)), sum_to(s_scores, np.shape(b))
