"""A perceptron of two layers, and its squared error on one sample."""

import numpy as np

SAMPLE = np.array([0.5, -1.0])
WANTED = np.array([1.0])


def layer(x, weights, bias):
    """A matrix product and a bias."""
    return weights @ x + bias


def error(w1, b1, w2, b2):
    """Half the squared error of tanh units and a linear output."""
    hidden = np.tanh(layer(SAMPLE, w1, b1))
    out = layer(hidden, w2, b2)
    return np.sum((out - WANTED) ** 2) / 2
