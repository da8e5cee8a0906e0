# Derived by gradcli: gradcli.derive(written_in_place, at=…)

import numpy as np


def grad_written_in_place(x):
    """The gradient of written_in_place (language_programs.py) by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert x.ndim == 1, "x is an array with 1 axis"
    assert x.dtype.kind in "fc", "x holds floats"
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] ** 2
    y[1:] += y[:-1] * 0.1
    s_x = np.zeros_like(x)
    # return y[-1] * np.sum(y)
    s_y = np.full_like(y, y[-1])
    s_y[-1] += np.sum(y)
    # y[1:] += y[:-1] * 0.1
    s_y[:-1] += 0.1 * s_y[1:]
    for i in reversed(range(1, len(x))):
        # y[i] = 0.5 * y[i - 1] + x[i] ** 2
        s_4 = s_y[i]
        s_x[i] += 2 * x[i] * s_4
        s_y[i - 1] += 0.5 * s_4
    # y[0] = x[0]
    s_x[0] += s_y[0]
    return s_x
