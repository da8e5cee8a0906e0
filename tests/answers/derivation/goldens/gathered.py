# Derived by gradcli: gradcli.derive(gathered, at=…)

import numpy as np


def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - len(shape))))
    axes = tuple(n for n, length in enumerate(shape) if length == 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


def grad_gathered(x, w):
    """The gradient of gathered (array_programs.py) by x and w.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert x.ndim == 1, "x is an array with 1 axis"
    assert w.ndim == 1, "w is an array with 1 axis"
    assert x.dtype.kind in "fc", "x holds floats"
    assert w.dtype.kind in "fc", "w holds floats"
    index = np.array([0, 2, 0, 1])
    t_1 = x[index]
    y = t_1 * w
    mask = y > 0.0
    s_x = np.zeros_like(x)
    # return np.sum(y[mask] ** 2) + np.sum(np.where(mask, y, 0.1 * y))
    s_6 = np.full_like(y, 1.0)
    s_y = np.where(mask, s_6, 0.0)
    s_y = s_y + 0.1 * np.where(mask, 0.0, s_6)
    s_y[mask] += 2 * y[mask]
    # y = x[index] * w
    np.add.at(s_x, index, w * s_y)
    return s_x, sum_to(t_1 * s_y, np.shape(w))
