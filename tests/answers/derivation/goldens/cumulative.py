# Derived by gradcli: gradcli.derive(cumulative, at=…)

import numpy as np


def grad_cumulative(x):
    """The gradient of cumulative (array_programs.py) by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert x.ndim == 1, "x is an array with 1 axis"
    assert x.dtype.kind in "fc", "x holds floats"
    y = np.cumsum(x)
    t_2 = np.exp(-x)
    # return np.sum(y * np.exp(-x)) + np.sum(np.diff(y) ** 2)
    s_y = -np.diff(2 * np.diff(y), prepend=0.0, append=0.0)
    s_y = s_y + t_2
    s_x = -(t_2 * y)
    # y = np.cumsum(x)
    s_x = s_x + np.cumsum(s_y[::-1])[::-1]
    return s_x
