"""Polynomials by their roots, windows, grids of places, and functions that go over to complex numbers."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B = numbers((2, 3)), numbers((2, 3), seed=1)
FEW, MORE, ONE = numbers((3,), seed=2), numbers((5,), seed=5), numbers((1,), seed=3)
SPREAD = numbers((2, 3), order="strided")

CASES = {
    "poly": [(np.poly, FEW), (np.poly, ONE)],
    "polydiv": [(lambda u, v: np.polydiv(u, v)[0], MORE, FEW), (lambda u, v: np.polydiv(u, v)[1], MORE, FEW),
        (lambda u, v: np.polydiv(u, v)[1], FEW, MORE), (lambda v: np.polydiv([2, 3, 4, 5], v)[0], FEW)],
    "i0": [(np.i0, SPREAD), (lambda x: np.i0(-x), numbers(()))],
    "kaiser": [(lambda b: np.kaiser(5, b), numbers(())), (lambda b: np.kaiser(1, b) * b, numbers(()))],
    "ix_": [(lambda x, y: np.multiply(*np.ix_(x, y)), FEW, MORE),
        (lambda x: np.outer(x, x)[np.ix_(x > 1.0, x > 0.1)], FEW)],
    "emath.sqrt": [(np.emath.sqrt, SPREAD)],
    "emath.log": [(np.emath.log, A)],
    "emath.log2": [(np.emath.log2, A)],
    "emath.log10": [(np.emath.log10, A)],
    "emath.logn": [(lambda n, x: np.emath.logn(n, x), B + 1, A)],
    "emath.power": [(lambda x: np.emath.power(x, 1.5), A)],
    "emath.arccos": [(lambda x: np.emath.arccos(x / 3), A)],
    "emath.arcsin": [(lambda x: np.emath.arcsin(x / 3), A)],
    "emath.arctanh": [(lambda x: np.emath.arctanh(x / 3), A)],
}  # fmt: skip
