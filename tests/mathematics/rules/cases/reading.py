"""Functions that read places, choose between arrays, sort and interpolate."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4))
FEW, ONE, NONE = numbers((3,), seed=2), numbers((1,), seed=3), np.zeros((0, 3))
SPREAD = numbers((2, 3), order="strided")
MASK = A > 1.2
XP, FP = np.array([1.0, 2.0, 4.0]), np.array([0.5, 3.0, 2.0])
AT = np.array([[0.3, 1.7], [3.1, 9.0]])

CASES = {
    "take": [(lambda x: np.take(x, [5, 0, 0]), A), (lambda x: np.take(x, [1, 1, -3], axis=-1), A),
        (lambda x: x.take(1, axis=0), A), (lambda x: np.take(x, [[7, -9]], mode="wrap"), A),
        (lambda x: np.take(x, [7, -9, 1], axis=1, mode="clip"), A), (lambda x: np.take(x, []), A)],
    "take_along_axis": [(lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1), SPREAD),
        (lambda x: np.take_along_axis(x, np.array([[1]]), axis=0), A),
        (lambda x: np.take_along_axis(x, np.array([4, -1, 4]), axis=None), A)],
    "compress": [(lambda x: np.compress([False, True], x), A),
        (lambda x: x.compress([True, False, True], axis=1), SPREAD),
        (lambda x: np.compress(x[0] > 1.2, x, axis=-1), A)],
    "extract": [(lambda x: np.extract(MASK, x), SPREAD), (lambda x: np.extract(x > 1.1, x), A)],
    "where": [(lambda x, y: np.where(MASK, x, y), A, B), (lambda x, y: np.where(x > y, x, 0.0), A, B),
        (lambda x: np.where([True, False, True], x, 1), A), (lambda x: np.where(x - 1.1, x, -x), A),
        (lambda x: x[np.where(x > 1)], np.array([[0.2, 3.0], [4.0, 0.3]]))],
    "choose": [(lambda x, y: np.choose([[0, 1, 0], [1, 1, 0]], [x, y]), A, B),
        (lambda x, y: np.choose([0, 1, 2], (x, y, 2.0)), SPREAD, FEW),
        (lambda x: np.choose([-5, 1, 7], [x, x * x], mode="clip"), FEW),
        (lambda x: np.choose([-5, 1, 7], x, mode="wrap"), A), (lambda x, y: np.choose(MASK, [x, y]), A, B)],
    "select": [(lambda x, y: np.select([x > 1.5, x > 1], [x, y]), A, B),
        (lambda x, y: np.select([MASK, ~MASK], [x * y, 1.0], default=y[0]), A, B),
        (lambda y: np.select([MASK], [A], default=y[0, 0]) * y, A),
        (lambda x: np.select([True, False], [x, 2 * x]), FEW)],
    "piecewise": [(lambda x: np.piecewise(x, [x < 1, x >= 1], [lambda t: t**2, lambda t: 3 * t]), A),
        (lambda x, y: np.piecewise(x, [x < 1], [y[0], np.sin]), SPREAD, FEW),
        (lambda x: np.piecewise(x, x > 1, [lambda t, n, k: n * k * t, 2.0], 3, k=2), FEW),
        (lambda x: np.piecewise(x, [x > 0], [np.exp]), numbers(()))],
    "clip": [(lambda x: np.clip(x, 0.9, 1.3), A), (lambda x, y: np.clip(x, y, 1.5), A, B - 0.3),
        (lambda x: np.clip(x, None, 1.3), A), (lambda x: np.clip(x, 0.9, None), A), (lambda x: x.clip(0.9, 1.3), A),
        (lambda x: x.clip(max=1.3), A), (lambda x: np.clip(x, np.array([0.9, 1.0, 1.1]), [1.2, 1.3, 1.4]), A),
        (lambda x, y: np.clip(1.0, x, y), np.array([0.5, 1.1]), np.array([0.8, 1.2]))],
    "apply_along_axis": [(lambda x: np.apply_along_axis(np.prod, 1, x), A),
        (lambda x: np.apply_along_axis(lambda row: row[::2] * row[0], -1, x), CUBE),
        (lambda x: np.apply_along_axis(np.outer, 0, x, [1.0, 2.0]), A)],
    "apply_over_axes": [(lambda x: np.apply_over_axes(np.prod, x, [0, -1]), CUBE)],
    "sort": [(np.sort, SPREAD), (lambda x: np.sort(x, axis=0), CUBE),
        (lambda x: np.sort(x, axis=None, kind="heapsort"), A), (lambda x: np.sort(x, stable=True)[..., ::-1], CUBE),
        (np.sort, NONE)],
    "partition": [(lambda x: np.partition(x, 1), A), (lambda x: np.partition(x, (0, 5), axis=None), SPREAD),
        (lambda x: np.partition(x, -1, axis=1), CUBE), (lambda x: np.partition(x, 30), numbers((70,)))],
    "unique": [(np.unique, A), (lambda x: np.unique(x, return_index=True)[0], A),
        (lambda x: np.unique(x, axis=1), CUBE)],
    "unique_values": [(np.unique_values, A)],
    "unique_all": [(lambda x: np.unique_all(x).values * np.unique_all(x).indices, SPREAD)],
    "unique_counts": [(lambda x: np.unique_counts(x).values * np.unique_counts(x)[1], A)],
    "unique_inverse": [(lambda x: np.unique_inverse(x).values, A)],
    "union1d": [(np.union1d, A, FEW), (lambda x: np.union1d(x, [0.3, 1.1]), FEW)],
    "setdiff1d": [(np.setdiff1d, A, FEW), (lambda x: np.setdiff1d(x, [7.0], assume_unique=True), FEW)],
    "setxor1d": [(np.setxor1d, FEW, ONE)],
    "intersect1d": [(lambda x: np.intersect1d(x, x * 1.0), FEW)],
    "interp": [(lambda x, xp, fp: np.interp(x, xp, fp), AT, XP, FP),
        (lambda x: np.interp(x, XP, FP, left=2.0, right=7.0), AT),
        (lambda x, y: np.interp(x, XP, FP, left=y[0], right=y[1]), AT, FP),
        (lambda fp: np.interp([0.0, 1.0, 1.5, 4.0, 5.0], XP, fp), FP),
        (lambda x, xp, fp: np.interp(x, xp, fp, period=3.0), AT, np.array([0.2, 1.4, 2.6]), FP),
        (lambda x, fp: np.interp(x, [1.0], fp), AT, ONE), (lambda x: np.interp(x, XP, FP), numbers(()))],
}  # fmt: skip
