"""The determinant of a matrix by expansion along its rows, in which equal minors are computed once."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, plain


def det(entries, size):
    minors = {(): 1.0}  # by their columns, of the last rows
    for row in range(size - 1, -1, -1):
        wider = {}
        for columns, minor in minors.items():
            for column in range(size):
                if column not in columns:
                    key = tuple(sorted((*columns, column)))
                    term = entries[row * size + column] * minor
                    if key.index(column) % 2:
                        term = -term
                    wider[key] = wider[key] + term if key in wider else term
        minors = wider
    return minors[tuple(range(size))]


def arguments(given):
    return [float(x) for x in given["A"]], given["ell"]


MODULE = {
    "primal": Evaluation(arguments, plain(det), float),
    "gradient": Evaluation(arguments, gradient(det), lambda entries: [float(x) for x in np.asarray(entries)]),
}
