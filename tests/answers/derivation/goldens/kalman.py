# Derived by gradcli: gradcli.derive(kalman, at=…)

import numpy as np


def grad_kalman(q, r, z):
    """The gradient of kalman (array_programs.py) by q, r and z.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert z.ndim == 1, "z is an array with 1 axis"
    assert z.dtype.kind in "fc", "z holds floats"
    stack = []
    level = z[0]
    p = r
    for k in range(1, len(z)):
        p = p + q
        s = p + r
        e = z[k] - level
        gain = p / s
        level = level + gain * e
        t_2 = 1.0 - gain
        stack.append(p)
        p = t_2 * p
        t_6 = e * e / s
        stack.append((e, gain, s, t_2, t_6))
    s_level = 0.0
    s_z = np.zeros_like(z)
    s_p = 0.0
    s_r = 0.0
    s_q = 0.0
    for k in reversed(range(1, len(z))):
        e, gain, s, t_2, t_6 = stack.pop()
        # total += 0.5 * (np.log(s) + e * e / s)
        s_s = -(t_6 * 0.5 / s)
        s_e = e / s
        s_s += 0.5 / s
        # p = (1.0 - gain) * p
        p = stack.pop()
        s_2 = p * s_p
        s_p = t_2 * s_p
        s_gain = -s_2
        # level = level + gain * e
        s_gain += e * s_level
        s_e += gain * s_level
        # gain = p / s
        s_s -= gain * s_gain / s
        s_p += s_gain / s
        # e = z[k] - level
        s_z[k] += s_e
        s_level -= s_e
        # s = p + r
        s_r += s_s
        s_p += s_s
        # p = p + q
        s_q += s_p
    # level, p = z[0], r
    s_r += s_p
    s_z[0] += s_level
    return s_q, s_r, s_z
