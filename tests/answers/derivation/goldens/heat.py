# Derived by gradcli: gradcli.derive(heat, at=…)

import numpy as np


def grad_heat(u, c):
    """The gradient of heat (array_programs.py) by u and c.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert u.ndim == 1, "u is an array with 1 axis"
    assert u.dtype.kind in "fc", "u holds floats"
    stack = []
    v = u.copy()
    for _ in range(5):
        w = np.zeros(len(v))
        t_6 = v[2:] - 2.0 * v[1:-1] + v[:-2]
        w[1:-1] = v[1:-1] + c * t_6
        w[0] = v[0]
        w[-1] = v[-1]
        stack.append(v)
        v = w
        stack.append(t_6)
    s_c = 0.0
    # return np.sum(v**2)
    s_v = 2 * v
    for _ in reversed(range(5)):
        t_6 = stack.pop()
        # v = w
        s_w = s_v
        s_v = np.zeros_like(v)
        v = stack.pop()
        # w[-1] = v[-1]
        s_10 = s_w[-1]
        s_w[-1] = 0.0
        s_v[-1] += s_10
        # w[0] = v[0]
        s_v[0] += s_w[0]
        # w[1:-1] = v[1:-1] + c * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        s_8 = s_w[1:-1]
        s_c += np.sum(t_6 * s_8)
        s_6 = c * s_8
        s_v[:-2] += s_6
        s_v[1:-1] -= 2.0 * s_6
        s_v[2:] += s_6
        s_v[1:-1] += s_8
    # v = u.copy()
    return s_v, s_c
