# Derived by gradcli: gradcli.derive(columns, at=…)

import numpy as np


def grad_columns(x):
    """The gradient of columns (array_programs.py) by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert x.ndim == 2, "x is an array with 2 axes"
    assert x.dtype.kind in "fc", "x holds floats"
    mean = np.mean(x, axis=0)
    centred = x - mean
    scale = np.sqrt(np.sum(centred**2, axis=0) + 1.0)
    t_5 = scale[0]
    t_8 = centred / scale
    # return np.sum(centred[:, 0] / scale[0]) + np.sum(np.tanh(centred / scale…
    s_8 = (1 / np.cosh(t_8)) ** 2 * (2 * np.tanh(t_8))
    s_centred = s_8 / scale
    s_scale = np.sum(-(t_8 * s_8 / scale), axis=0)
    s_scale[0] += np.sum(-(centred[:, 0] / t_5 / t_5))
    s_centred[:, 0] += 1.0 / t_5
    # scale = np.sqrt(np.sum(centred**2, axis=0) + 1.0)
    s_centred = s_centred + 2 * centred * np.expand_dims(s_scale / (2 * scale), 0)
    # centred = x - mean
    s_x = s_centred
    s_mean = np.sum(-s_centred, axis=0)
    # mean = np.mean(x, axis=0)
    s_x = s_x + np.expand_dims(s_mean, 0) / np.shape(x)[0]
    return s_x
