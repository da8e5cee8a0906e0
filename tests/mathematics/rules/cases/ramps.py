"""Functions that make evenly spaced numbers."""

import numpy as np

from tests.mathematics.rules.sample_arrays import numbers

A, FEW, ONE, HALF = numbers((2, 3)), numbers((3,), seed=2), numbers((1,), seed=3), numbers((), seed=1)

CASES = {
    "linspace": [(lambda x, y: np.linspace(x, y, 4), HALF, numbers(())),
        (lambda x, y: np.linspace(x, y, 3, endpoint=False), A, FEW), (lambda x: np.linspace(x, 2, 5, axis=-1), FEW),
        (lambda x: np.linspace(x, 3.0, 1), FEW), (lambda x: np.linspace(1, x, num=2, retstep=True)[1], FEW),
        (lambda x: np.linspace(1.0, x[0], 4, dtype=np.float64), ONE), (lambda x: np.linspace(x, x, 3), ONE)],
    "logspace": [(lambda x, y: np.logspace(x, y, 3), HALF, FEW),
        (lambda x: np.logspace(0.0, x, 3, base=2.0, endpoint=False), FEW),
        (lambda x, b: np.logspace(x, 1.5, 3, base=b), FEW, A)],
    "geomspace": [(lambda x, y: np.geomspace(x, y, 4), HALF, FEW),
        (lambda x: np.geomspace(-x, -3.0, 3, endpoint=False, axis=-1), A), (lambda x: np.geomspace(x, 5.0, 1), ONE)],
}  # fmt: skip
