# Derived by gradcli: gradcli.derive(least_squares, at=…)

import numpy as np


def grad_least_squares(m, b):
    """The gradient of least_squares (array_programs.py) by m and b.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert m.ndim == 2, "m is an array with 2 axes"
    assert b.ndim == 1, "b is an array with 1 axis"
    assert m.dtype.kind in "fc", "m holds floats"
    assert b.dtype.kind in "fc", "b holds floats"
    t_1 = m.T
    t_4 = t_1 @ m + np.eye(2)
    t_5 = m.T
    x = np.linalg.solve(t_4, t_5 @ b)
    r = m @ x - b
    # return r @ r + np.linalg.norm(x)
    s_x = np.divide(x, np.linalg.norm(x), out=np.zeros_like(x), where=x != 0.0)
    s_r = 2 * r
    # r = m @ x - b
    s_b = -s_r
    s_m = np.outer(s_r, x)
    s_x = s_x + m.T @ s_r
    # x = np.linalg.solve(m.T @ m + np.eye(2), m.T @ b)
    solved = np.linalg.solve(t_4.T, s_x)
    s_4 = -np.outer(solved, x)
    s_b = s_b + t_5.T @ solved
    s_m = s_m + np.outer(b, solved)
    s_m = s_m + t_1.T @ s_4
    s_m = s_m + (s_4 @ m.T).T
    return s_m, s_b
