"""Claims where several kinks meet, or several inputs at one: each number may be right, and all together wrong."""

import math

import numpy as np

from tests.corpus.claim import claims

WEIGHTS = np.random.default_rng(7).normal(size=(5, 3))
SIGNS = np.array([1.0, -2.0, 0.5, -1.0, 3.0])


def units(x):
    """Bends of both kinds that have nothing to do with each other."""
    return np.sum(SIGNS * np.maximum(x, 0.0))


MANY = np.random.default_rng(9).normal(size=(20, 3))
MANY_SIGNS = np.where(np.arange(20) % 3, 1.0, -2.0)


def biased(b, x):
    return np.sum(MANY_SIGNS * np.maximum(MANY @ x + b, 0.0))


def length(x):
    return np.sqrt(np.sum(x**2)) if np.any(x) else np.sum(x) * 0


CLAIMS = [
    *claims("the larger of two at a tie", lambda x, y: max(x, y), (1.0, 1.0), lambda x, y: (1.0, 0.0),
        "(1, 0), (0, 1) and what lies between", own="kink",
        wrong={"both": lambda x, y: (1.0, 1.0), "neither": lambda x, y: (0.0, 0.0),
            "less than their sum": lambda x, y: (0.4, 0.4), "a little more": lambda x, y: (0.5, 0.50001)}),
    *claims("the larger of two at a tie, the other one", lambda x, y: np.maximum(x, y),
        (np.float64(1.0), np.float64(1.0)), lambda x, y: (0.25, 0.75), "(1, 0), (0, 1) and what lies between",
        own="kink", wrong={"both": lambda x, y: (1.0, 1.0)}),
    *claims("a tie of two that bend a lot", lambda x, y: max(x**1000, y**1000), (1.0, 1.0), lambda x, y: (1000.0, 0.0),
        "(1000, 0), (0, 1000) and what lies between", own="kink", wrong={"a little more": lambda x, y: (1000.0, 0.1)}),
    *claims("a tie on a steep slope", lambda x, y: 1e9 * max(x, 1e-3 * y) + 1e9 * y, (1.0, 1000.0),
        lambda x, y: (0.0, 1e6 + 1e9), "(1e9, 1e9), (0, 1e9 + 1e6)", own="kink",
        wrong={"both": lambda x, y: (1e9, 1e6 + 1e9)}),
    *claims("the largest of three alike", np.max, np.array([2.0, 2.0, 2.0, 1.0]),
        lambda x: np.array([0.0, 1.0, 0.0, 0.0]), "numbers above 0 with the sum 1", own="kink",
        wrong={"each of them": lambda x: (x == 2) * 1.0, "two shares": lambda x: np.array([0.5, 0.5, 0.5, 0.0])}),
    *claims("the bend of a sum", lambda x, y: abs(x + y), (1.0, -1.0), lambda x, y: (0.3, 0.3),
        "both move the sum alike", own="kink", wrong={"unlike": lambda x, y: (0.3, -0.3)}),
    *claims("the bend of a sum on a curve",
        lambda x: np.abs(np.sum(x * np.array([1.0, -4.0, 2.0])) + 4) + np.sum((x - np.array([2.0, 1.0, -1.0])) ** 2),
        np.array([2.0, 1.0, -1.0]), lambda x: np.array([-0.5, 2.0, -1.0]), "all move the sum alike", own="kink",
        wrong={"unlike": lambda x: np.array([1.0, 4.0, -2.0])}),
    *claims("two bends that meet", lambda x, y: abs(x + y) + abs(x - y), (0.0, 0.0), lambda x, y: (1.2, -0.8),
        "twice the larger of |x| and |y|: numbers whose sizes add up to no more than 2", own="kink",
        wrong={"more than 2": lambda x, y: (1.5, 1.5)}),
    *claims("two bends that do not meet", lambda x, y: abs(x) + abs(y), (0.0, 0.0), lambda x, y: (1.0, -1.0),
        "each on its own", own="kink"),
    *claims("a bend beside a tie", lambda x, y, z: max(x, y) * 3 + abs(z), (1.0, 1.0, 0.0),
        lambda x, y, z: (3.0, 0.0, 1.0), "(3, 0), (0, 3), and -1 to 1", own="kink",
        wrong={"both": lambda x, y, z: (3.0, 3.0, 0.0)}),
    *claims("the smaller of two bends", lambda x, y: min(abs(x), abs(y)), (0.0, 0.0), lambda x, y: (1.0, 0.0),
        "flat along both axes, and yet a gradient of one of four pieces", own="kink",
        wrong={"more than 1": lambda x, y: (0.7, 0.7)}),
    *claims("the length of nothing", length, np.zeros(3), lambda x: np.array([0.6, 0.0, -0.8]), "no longer than 1",
        own="kink",
        wrong={"longer than 1": lambda x: np.full(3, 0.9), "a thousandth longer": lambda x: np.full(3, 0.578)}),
    *claims("a layer at its bends", lambda x: np.sum(np.abs(SIGNS) * np.maximum(WEIGHTS @ x, 0.0)), np.zeros(3),
        lambda x: WEIGHTS.T @ (np.abs(SIGNS) * np.array([0.0, 1.0, 0.3, 0.5, 0.0])),
        "each unit with a slope of its own from 0 to 1", own="kink",
        wrong={"the most of each": lambda x: np.sum(np.maximum(WEIGHTS * np.abs(SIGNS)[:, None], 0), 0)}),
    *claims("units off, as where relu has 0", units, np.zeros(5), np.zeros_like,
        "each on its own, bending upwards or downwards", own="kink",
        wrong={"one too much": lambda x: np.array([0.0, 0.0, 0.0, 0.0, 3.1])}),
    *claims("a layer with biases at 0, its units off", biased, (np.zeros(20), np.zeros(3)),
        lambda b, x: (np.zeros(20), np.zeros(3)), "relu'(0) = 0, as other tools take it", own="kink",
        wrong={"of unlike units": lambda b, x: (0.3 * MANY_SIGNS, 0.5 * MANY.T @ MANY_SIGNS),
            "too much": lambda b, x: (1.1 * MANY_SIGNS, 1.1 * MANY.T @ MANY_SIGNS)}),
    *claims("a layer with biases at 0, its units on", biased, (np.zeros(20), np.zeros(3)),
        lambda b, x: (MANY_SIGNS, MANY.T @ MANY_SIGNS), "relu'(0) = 1", own=None, truth="kink"),
    *claims("more units than are differenced one by one", lambda x: np.sum(np.maximum(x, 0.0)), np.zeros(100),
        np.zeros_like, "relu'(0) = 0, as other tools take it", own="kink",
        wrong={"the last one": lambda x: np.where(np.arange(100) == 99, 1.5, 0.0)}),
    *claims("a bend that cancels", lambda x: max(min(x - 1, 3 * x - 3) - 2 * abs(x - 1), 0.0), 1.0, lambda x: 0.0,
        "0 all around", own=None, wrong={"one": lambda x: 1.0}),
    *claims("NumPy's bend that cancels",
        lambda x: np.sum(np.maximum(np.minimum(x - 1, 3 * x - 3) - 2 * np.abs(x - 1), 0.0)), np.ones(1),
        lambda x: np.zeros(1), "0 all around; the shares of the ties add up to 1", own="wrong",
        wrong={"one": lambda x: np.ones(1)}),
    *claims("a bend of large terms", lambda x, y: 1e7 * ((6 - x - 2 * y) - max(x - 2, 4 - 2 * x) - (x - 2 * y)),
        (2.0, 1.3), lambda x, y: (-3e7, 0.0), "-3e7 and 0; the rounding of the terms is no jump", own="kink",
        wrong={"between, and more": lambda x, y: (-3.1e7, 0.0)}),
    *claims("units on", units, np.zeros(5), lambda x: SIGNS, "each on its own", own=None, truth="kink"),
    *claims("the order of four alike", lambda x: np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0, 5.0])), np.full(4, 0.5),
        lambda x: np.array([4.0, 4.0, 1.5, 1.5]), "no two take more than 5 and 3 together", own="kink",
        wrong={"two take too much": lambda x: np.array([4.5, 4.5, 1.0, 1.0])}),
    *claims("a tie that cancels", lambda x, y: max(x, y) + min(x, y), (1.0, 1.0), lambda x, y: (1.0, 1.0), "x + y",
        own=None, wrong={"one of them": lambda x, y: (1.0, 0.0), "moved": lambda x, y: (0.5, 1.5)}),
    *claims("a spread at a tie", lambda x, y: max(x, y) - min(x, y), (1.0, 1.0), lambda x, y: (0.5, -0.5), "|x - y|",
        own="kink", wrong={"to one side": lambda x, y: (1.0, 0.0)}),
    *claims("a root that underflows", lambda x: math.sqrt(x * x), 1e-200, lambda x: 1.0, "|x|, and x is above 0",
        own=None, wrong={"as if it were a bend": lambda x: 0.3, "the sign": lambda x: -1.0}),
]  # fmt: skip
