"""Running sums and products, differences of neighbours, slopes, integrals, phases."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, B, CUBE, FEW = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4)), numbers((3,), seed=2)
ONE, FIVE = numbers((1,), seed=3), numbers((5,), seed=5)
PLACES, TIMES = np.array([0.0, 0.4, 1.1, 2.5]), np.array([0.0, 0.7, 1.1])


CASES = {
    "cumsum": [(np.cumsum, A), (lambda x: np.cumsum(x, 0), A), (lambda x: x.cumsum(axis=-1), CUBE)],
    "cumprod": [(np.cumprod, A), (lambda x: np.cumprod(x, 0), A), (lambda x: x.cumprod(axis=-1), CUBE)],
    "cumulative_sum": [(np.cumulative_sum, FEW), (lambda x: np.cumulative_sum(x, axis=-1, include_initial=True), CUBE),
        (lambda x: np.cumulative_sum(x, axis=0), A)],
    "cumulative_prod": [(np.cumulative_prod, FEW), (lambda x: np.cumulative_prod(x, axis=1, include_initial=True), A)],
    "diff": [(np.diff, CUBE), (lambda x: np.diff(x, n=2, axis=1), CUBE), (lambda x: np.diff(x, 0), A),
        (lambda x: np.diff(x, prepend=0.5), A), (lambda x, y: np.diff(x, axis=0, prepend=y, append=1.0), A, B[:1]),
        (lambda y: np.diff(A, append=y), B[:, :2]), (lambda y: np.diff(FEW, n=2, prepend=y), numbers(())),
        (np.diff, ONE), (np.diff, numbers((2, 3), order="strided"))],
    "ediff1d": [(np.ediff1d, A), (lambda x, y: np.ediff1d(x, to_end=y, to_begin=[1.0, 2.0]), A, FEW),
        (lambda y: np.ediff1d(FEW, to_begin=y), numbers(()))],
    "gradient": [(np.gradient, FIVE), (lambda x: np.gradient(x, 0.5), FIVE),
        (lambda x, h: np.gradient(x, h), FIVE, np.float64(0.5)), (lambda x: np.gradient(x, edge_order=2), FIVE),
        (lambda x: np.gradient(x)[0] * np.gradient(x)[1], A), (lambda x: np.gradient(x, axis=(0, 2))[1], CUBE),
        (lambda x: np.gradient(x, 2.0, [0.0, 0.3, 1.0], axis=(0, 1))[1], CUBE),
        (lambda x: np.gradient(x, PLACES, axis=-1, edge_order=2), CUBE),
        (lambda x: np.gradient(x, np.arange(4), axis=-1), CUBE),
        (lambda x, t: np.gradient(x, t, edge_order=2), FEW, TIMES),
        (lambda x, t: np.gradient(x, t), FEW, np.array([0.0, 1.0, 2.0]))],
    "trapezoid": [(np.trapezoid, A), (lambda x: np.trapezoid(x, dx=0.5, axis=0), CUBE),
        (lambda x, t: np.trapezoid(x, t), A, TIMES), (lambda x, t: np.trapezoid(x, t, axis=0), A, B),
        (lambda x, t: np.trapezoid(x, t, axis=1), CUBE, TIMES), (lambda h: np.trapezoid(A, dx=h), numbers(()))],
    "unwrap": [(lambda x: np.unwrap(x * 5), FIVE), (lambda x: np.unwrap(x * 9, axis=0), CUBE),
        (lambda x, p: np.unwrap(x, period=p), FIVE, np.float64(0.35)),
        (lambda x: np.unwrap(x, discont=0.4, period=0.5), FIVE)],
}  # fmt: skip
