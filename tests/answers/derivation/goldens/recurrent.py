# Derived by gradcli: gradcli.derive(recurrent, at=…)

import numpy as np


def grad_recurrent(w, u, xs):
    """The gradient of recurrent (array_programs.py) by w, u and xs.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert w.ndim == 2, "w is an array with 2 axes"
    assert u.ndim == 2, "u is an array with 2 axes"
    assert xs.ndim == 2, "xs is an array with 2 axes"
    assert w.dtype.kind in "fc", "w holds floats"
    assert u.dtype.kind in "fc", "u holds floats"
    assert xs.dtype.kind in "fc", "xs holds floats"
    stack = []
    h = np.zeros(w.shape[0])
    for k in range(len(xs)):
        x = xs[k]
        t_3 = w @ h + u @ x
        stack.append(h)
        h = np.tanh(t_3)
        stack.append((t_3, x))
    s_h = np.zeros_like(h)
    s_w = np.zeros_like(w)
    s_xs = np.zeros_like(xs)
    s_u = np.zeros_like(u)
    for k in reversed(range(len(xs))):
        t_3, x = stack.pop()
        # loss += np.sum(h * h)
        s_h = s_h + h + h
        # h = np.tanh(w @ h + u @ x)
        s_3 = (1 / np.cosh(t_3)) ** 2 * s_h
        h = stack.pop()
        s_u = s_u + np.outer(s_3, x)
        s_x = u.T @ s_3
        s_w = s_w + np.outer(s_3, h)
        s_h = w.T @ s_3
        # for x in xs:
        s_xs[k] += s_x
    return s_w, s_u, s_xs
