# Derived by gradcli: gradcli.derive(least_squares, at=…)

import numpy as np


def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - len(shape))))
    axes = tuple(n for n, length in enumerate(shape) if length == 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


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
    t_2 = t_1 @ m
    t_4 = t_2 + np.eye(2)
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
    s_b = s_b + t_5.T @ solved
    s_m = s_m + np.outer(b, solved)
    s_2 = sum_to(-np.outer(solved, x), np.shape(t_2))
    s_m = s_m + t_1.T @ s_2
    s_m = s_m + (s_2 @ m.T).T
    return s_m, s_b
