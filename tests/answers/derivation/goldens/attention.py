# Derived by gradcli: gradcli.derive(attention, at=…)

import numpy as np


def grad_attention(q, k, v):
    """The gradient of attention (array_programs.py) by q, k and v.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert q.ndim == 2, "q is an array with 2 axes"
    assert k.ndim == 2, "k is an array with 2 axes"
    assert v.ndim == 2, "v is an array with 2 axes"
    assert q.dtype.kind in "fc", "q holds floats"
    assert k.dtype.kind in "fc", "k holds floats"
    assert v.dtype.kind in "fc", "v holds floats"
    t_1 = k.T
    t_3 = np.sqrt(q.shape[1])
    s = q @ t_1 / t_3
    t_4 = s.max()
    e = np.exp(s - t_4)
    t_6 = e.sum(axis=1, keepdims=True)
    p = e / t_6
    # return (p @ v).sum()
    s_8 = np.full_like(p @ v, 1.0)
    s_p = s_8 @ v.T
    # p = e / e.sum(axis=1, keepdims=True)
    s_e = s_p / t_6
    s_e = s_e + np.sum(-(p * s_p / t_6), axis=1, keepdims=True)
    # e = np.exp(s - s.max())
    s_5 = e * s_e
    s_s = s_5
    chosen = s == t_4
    s_s = s_s + np.sum(-s_5) * chosen / np.sum(chosen, dtype=s.dtype)
    # s = q @ k.T / np.sqrt(q.shape[1])
    s_2 = s_s / t_3
    return s_2 @ t_1.T, (q.T @ s_2).T, p.T @ s_8
