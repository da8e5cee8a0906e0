"""The determinant of a matrix by expansion along its rows, in which equal minors are computed once."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, plain


def det(entries, size):
    minors = [1.0] + [0.0] * (2**size - 1)  # of the last rows, by the set of their columns: bits of the place
    for chosen in range(1, 2**size):
        columns = [column for column in range(size) if chosen >> column & 1]
        row, sign = size - len(columns), 1.0
        for column in columns:
            minors[chosen] += sign * entries[row * size + column] * minors[chosen - 2**column]
            sign = -sign
    return minors[-1]


def arguments(given):
    return [float(x) for x in given["A"]], given["ell"]


MODULE = {
    "primal": Evaluation(arguments, plain(det), float),
    "gradient": Evaluation(arguments, gradient(det), lambda entries: [float(x) for x in np.asarray(entries)]),
}
