# Derived by gradcli: gradcli.derive(loss, at=…)

import numpy as np

LABELS = np.array([-1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
SAMPLES = np.array([[0.5, 1.25], [1.0, 0.25], [2.0, 2.25], [2.5, 0.75], [3.0, 3.0], [3.25, 1.5], [4.0, 3.25], [4.5, 2.0]])


def grad_loss(w, b):
    """The gradient of loss (logistic.py) by w and b.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert w.ndim == 1, "w is an array with 1 axis"
    assert w.dtype.kind in "fc", "w holds floats"
    margin = LABELS * (SAMPLES @ w + b)
    t_4 = np.exp(-margin)
    # return np.sum(np.log1p(np.exp(-margin)))
    s_margin = -(t_4 / (1 + t_4))
    # margin = LABELS * (SAMPLES @ w + b)
    s_2 = LABELS * s_margin
    return SAMPLES.T @ s_2, np.sum(s_2)
