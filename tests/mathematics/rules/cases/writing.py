"""Functions that write into an array."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE, TALL = numbers((2, 3)), numbers((2, 3), seed=1), numbers((3, 3, 3)), numbers((5, 2))
FEW = numbers((3,), seed=2)
MASK = A > 1.2


def into(write):
    """A program that writes into a copy of its argument."""

    def program(x, *others):
        made = x.copy()
        write(made, *others)
        return made * x

    return program


def into_zeros(write):
    """A program that writes into an array of its own."""

    def program(*others):
        made = np.zeros((2, 3))
        write(made, *others)
        return made

    return program


CASES = {
    "copyto": [(into(lambda a, y: np.copyto(a, y)), A, FEW),
        (into(lambda a, y: np.copyto(a[0], y, where=[True, False, True])), A, FEW),
        (into(lambda a, y: np.copyto(a, y[0, 0], where=a > 1)), A, B), (into_zeros(lambda a, y: np.copyto(a, y)), FEW)],
    "put": [(into(lambda a, y: np.put(a, [0, -1], y)), A, FEW), (into(lambda a, y: np.put(a, [4, 2, 0, 1], y)), A, FEW),
        (into(lambda a, y: a.put([9, -9], y, mode="clip")), A, FEW),
        (into(lambda a, y: np.put(a.T, [[7], [8]], y, mode="wrap")), A, FEW),
        (into_zeros(lambda a, y: np.put(a, 2, y[1])), FEW)],
    "place": [(into(lambda a, y: np.place(a, MASK, y)), A, FEW),
        (into_zeros(lambda a, y: np.place(a, MASK, y[:2])), FEW)],
    "putmask": [(into(lambda a, y: np.putmask(a, MASK, y)), A, B),
        (into(lambda a, y: np.putmask(a, a > 1, y[:2])), A, FEW),
        (into_zeros(lambda a, y: np.putmask(a, MASK, y)), FEW)],
    "put_along_axis": [(into(lambda a, y: np.put_along_axis(a, np.array([[1], [2]]), y[:2, None], axis=1)), A, FEW),
        (into(lambda a, y: np.put_along_axis(a, np.array([5, 0]), y[:2], axis=None)), A, FEW),
        (into_zeros(lambda a, y: np.put_along_axis(a, np.array([[1, 0, 1]]), y, axis=0)), FEW)],
    "fill_diagonal": [(into(lambda a, y: np.fill_diagonal(a, y[1])), A, FEW),
        (into(lambda a, y: np.fill_diagonal(a, y)), CUBE, FEW),
        (into(lambda a, y: np.fill_diagonal(a, y[:2], wrap=True)), TALL, FEW),
        (into_zeros(lambda a, y: np.fill_diagonal(a, y[:2])), FEW)],
}  # fmt: skip
