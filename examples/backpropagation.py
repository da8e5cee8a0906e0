"""The backpropagation of a perceptron with 1,305 parameters, with a mistake in one weight matrix."""

import numpy as np

RANDOM = np.random.default_rng(7)
SAMPLE = RANDOM.normal(size=14)
WANTED = RANDOM.normal(size=25)
PARAMETERS = {
    "w1": RANDOM.normal(size=(32, 14)) / 4,
    "b1": RANDOM.normal(size=32) / 4,
    "w2": RANDOM.normal(size=(25, 32)) / 6,
    "b2": RANDOM.normal(size=25) / 6,
}


def loss(w1, b1, w2, b2):
    """Half the squared error of a layer of tanh units and a linear layer."""
    hidden = np.tanh(w1 @ SAMPLE + b1)
    return np.sum((w2 @ hidden + b2 - WANTED) ** 2) / 2


def backpropagated(w1, b1, w2, b2):
    """The gradient of `loss` by hand; the error of the result is doubled in the second weight matrix."""
    hidden = np.tanh(w1 @ SAMPLE + b1)
    error = w2 @ hidden + b2 - WANTED
    inner = (w2.T @ error) * (1 - hidden**2)
    return np.outer(inner, SAMPLE), inner, np.outer(2 * error, hidden), error
