"""Claims where the gradient vanishes: what is left is rounding, of the formula, its constants and the point."""

import math

import numpy as np

from tests.corpus.claim import claims

RANDOM = np.random.default_rng(11)
SQUARE = RANDOM.normal(size=(4, 4))
TALL = RANDOM.normal(size=(30, 4))
TRUTH = np.array([0.3, -1.7, 2.2, 0.9])
HIT, MISSED = SQUARE @ TRUTH, TALL @ TRUTH + RANDOM.normal(size=30)
SOLVED, FITTED = np.linalg.solve(SQUARE, HIT), np.linalg.lstsq(TALL, MISSED)[0]


def grad_fitted(w):
    """By the normal equations, whose two terms cancel."""
    return 2 * (TALL.T @ TALL) @ w / 30 - 2 * TALL.T @ MISSED / 30


CLAIMS = [
    *claims("the vertex of a parabola", lambda x: 3 * (x - 0.1) ** 2, 0.1, lambda x: 6 * x - 0.6,
        "0.6 was rounded when it was typed, and 6 * x when it was computed",
        wrong={"a millionth of a term": lambda x: 6 * x - 0.6000006, "a digit mistyped": lambda x: 6 * x - 0.60000001}),
    *claims("between two points", lambda x: (x - 0.1) ** 2 + (x - 0.3) ** 2, 0.2, lambda x: 4 * x - 0.8,
        "the constants were rounded when they were typed", wrong={"a digit mistyped": lambda x: 4 * x - 0.8000001}),
    *claims("a solved system", lambda w: np.sum((SQUARE @ w - HIT) ** 2), SOLVED,
        lambda w: 2 * SQUARE.T @ SQUARE @ w - 2 * SQUARE.T @ HIT, "the residuals are rounding",
        wrong={"a millionth of a term": lambda w: 2 * SQUARE.T @ SQUARE @ w - 2 * (1 + 1e-6) * SQUARE.T @ HIT,
            "one number": lambda w: 2 * SQUARE.T @ (SQUARE @ w - HIT) + np.array([0, 0, 1e-9, 0])}),
    *claims("a least-squares fit", lambda w: np.mean((TALL @ w - MISSED) ** 2), FITTED, grad_fitted,
        "the terms of the residuals' sum cancel",
        wrong={"a millionth of a term": lambda w: grad_fitted(w) + 2e-6 * TALL.T @ MISSED / 30,
            "one number": lambda w: grad_fitted(w) + np.array([0, 1e-12, 0, 0])}),
    *claims("a product at its peak", lambda x, y: x * y * math.exp(-(x**2 + y**2)), (math.sqrt(0.5), math.sqrt(0.5)),
        lambda x, y: ((1 - 2 * x * x) * y * math.exp(-x * x - y * y), (1 - 2 * y * y) * x * math.exp(-x * x - y * y)),
        "1 - 2 x**2 is what is left of sqrt(1/2) rounded",
        wrong={"a millionth of a term": lambda x, y: (1e-6 * y * math.exp(-1), 0.0)}),
    *claims("the bottom of a cosine", lambda x: np.cos(x) + 0.1 * (x - np.pi), np.float64(math.pi + math.asin(-0.1)),
        lambda x: 0.1 - np.sin(x), "two terms of 0.1",
        wrong={"one term": lambda x: -np.sin(x), "a digit mistyped": lambda x: 0.1000001 - np.sin(x)}),
]  # fmt: skip
