# Derived by gradcli: gradcli.derive(error, at=…)

import numpy as np

SAMPLE = np.array([0.5, -1.0])
WANTED = np.array([1.0])


def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - len(shape))))
    axes = tuple(n for n, length in enumerate(shape) if length == 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


def forward_layer(x, weights, bias):
    """The value of layer, and what backward_layer needs of its run."""
    result = weights @ x + bias
    return result, (bias, weights, x)


def backward_layer(kept, s_result):
    """The sensitivities to x, weights and bias, from that to the value of layer."""
    bias, weights, x = kept
    # return weights @ x + bias
    return weights.T @ s_result, np.outer(s_result, x), sum_to(s_result, np.shape(bias))


def grad_error(w1, b1, w2, b2):
    """The gradient of error (perceptron.py) by w1, b1, w2 and b2.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert w1.ndim == 2, "w1 is an array with 2 axes"
    assert b1.ndim == 1, "b1 is an array with 1 axis"
    assert w2.ndim == 2, "w2 is an array with 2 axes"
    assert b2.ndim == 1, "b2 is an array with 1 axis"
    assert w1.dtype.kind in "fc", "w1 holds floats"
    assert b1.dtype.kind in "fc", "b1 holds floats"
    assert w2.dtype.kind in "fc", "w2 holds floats"
    assert b2.dtype.kind in "fc", "b2 holds floats"
    t_1, kept = forward_layer(SAMPLE, w1, b1)
    hidden = np.tanh(t_1)
    out, kept_1 = forward_layer(hidden, w2, b2)
    # return np.sum((out - WANTED) ** 2) / 2
    s_out = out - WANTED
    # out = layer(hidden, w2, b2)
    s_hidden, s_w2, s_b2 = backward_layer(kept_1, s_out)
    # hidden = np.tanh(layer(SAMPLE, w1, b1))
    _, s_w1, s_b1 = backward_layer(kept, (1 / np.cosh(t_1)) ** 2 * s_hidden)
    return s_w1, s_b1, s_w2, s_b2
