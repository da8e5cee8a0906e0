# Derived by gradcli: gradcli.derive(convolution, at=…)

import numpy as np


def grad_convolution(x, k):
    """The gradient of convolution (array_programs.py) by x and k.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert x.ndim == 1, "x is an array with 1 axis"
    assert k.ndim == 1, "k is an array with 1 axis"
    assert x.dtype.kind in "fc", "x holds floats"
    assert k.dtype.kind in "fc", "k holds floats"
    n = len(x) - len(k) + 1
    y = np.zeros(n)
    for i in range(n):
        y[i] = np.dot(x[i : i + len(k)], k)
    s_k = np.zeros_like(k)
    s_x = np.zeros_like(x)
    # return np.sum(np.maximum(y, 0.0) ** 2)
    slope = np.where(y == 0.0, 0.5, np.where(y > 0.0, 1, 0))
    s_y = np.where(slope, slope * (2 * np.maximum(y, 0.0)), 0.0)
    for i in reversed(range(n)):
        # y[i] = np.dot(x[i : i + len(k)], k)
        s_2 = s_y[i]
        s_k = s_k + s_2 * x[i : i + len(k)]
        s_x[i : i + len(k)] += s_2 * k
    return s_x, s_k
