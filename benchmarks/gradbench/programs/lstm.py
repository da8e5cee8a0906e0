"""A recurrent network with diagonal weights that predicts the next character of a text."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, plain


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def layer(weights, biases, hidden, cell, x):
    forget = sigmoid(x * weights[0] + biases[0])
    ingate = sigmoid(hidden * weights[1] + biases[1])
    outgate = sigmoid(x * weights[2] + biases[2])
    change = np.tanh(hidden * weights[3] + biases[3])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def loss(main, extra, state, text):
    """The mean cross entropy.

    Args:
        main: weights and biases of the gates, for each layer.
        extra: the input's weights, and the output's weights and biases.
        state: hidden values and cells, for each layer.
        text: a row of bits for each character.
    """
    layers, bits = len(state) // 2, len(text[0])
    gates = main.reshape(layers, 2, 4, bits)
    hidden, cells = state[::2].copy(), state[1::2].copy()
    total = 0.0
    for t in range(len(text) - 1):
        x = text[t] * extra[0]
        for n in range(layers):
            x, cells[n] = layer(gates[n, 0], gates[n, 1], hidden[n], cells[n], x)
            hidden[n] = x
        predicted = x * extra[1] + extra[2]
        normalised = predicted - np.log(np.sum(np.exp(predicted)) + 2)
        total = total + np.sum(text[t + 1] * normalised)
    return -total / ((len(text) - 1) * bits)


def arguments(given):
    return tuple(np.array(given[name]) for name in ("main_params", "extra_params", "state", "sequence"))


def output(gradients):
    return np.concatenate([part.ravel() for part in gradients]).tolist()


MODULE = {
    "objective": Evaluation(arguments, plain(loss), float),
    "jacobian": Evaluation(arguments, gradient(loss, (0, 1)), output),
}
