"""Claims at kinks, ties and jumps, beside them, and where pieces with kinks make something smooth."""

import math

import numpy as np

from tests.corpus.claim import claims


def relu(x):
    return max(0.0, x)


def hinge(x):
    return 1 - x if x < 1 else 0.0


def smooth_pieces(x):
    """Two pieces with the same value and the same slope at 0."""
    return x if x < 0 else math.sin(x)


def step(x):
    return 1.0 if x > 0 else 0.0


def beyond(x):
    """A branch 1e-9 to the right of 1, with another slope."""
    return 3 * x if x < 1 + 1e-9 else 2 * x + 1


CLAIMS = [
    *claims("abs at 0", abs, 0.0, lambda x: 0.3, "slopes -1 and 1", own="kink",
        wrong={"above both slopes": lambda x: 1.5, "a millionth above": lambda x: 1.00001}),
    *claims("a small abs at 0", lambda x: 1e-9 * abs(x), 0.0, lambda x: 1e-9, "slopes -1e-9 and 1e-9", own="kink",
        wrong={"outside": lambda x: 2e-9}),
    *claims("relu at 0", relu, 0.0, lambda x: 1.0, "slopes 0 and 1", own="kink",
        wrong={"the sign": lambda x: -1.0, "twice": lambda x: 2.0}),
    *claims("NumPy's maximum at 0", lambda x: np.sum(np.maximum(x, 0.0)), np.array([0.0, 2.0]), lambda x: (x > 0) * 1.0,
        "slopes 0 and 1", own="kink", wrong={"the smooth one": lambda x: np.array([0.0, 0.5])}),
    *claims("a hinge at its bend", hinge, 1.0, lambda x: -0.5, "slopes -1 and 0", own="kink",
        wrong={"the sign": lambda x: 0.5}),
    *claims("two lines that meet", lambda x: x if x < 1 else 0.5 * x + 0.5, 1.0, lambda x: 0.75, "slopes 1 and 1/2",
        own="kink", wrong={"above": lambda x: 1.25, "below": lambda x: 0.25}),
    *claims("clip at its bound", lambda x: float(np.clip(x, 0.0, 1.0)), 1.0, lambda x: 1.0, "slopes 1 and 0",
        own="kink", wrong={"beyond": lambda x: 1.1}),
    *claims("a tie of two", lambda x: np.max(x), np.array([3.0, 1.0, 3.0]), lambda x: np.array([1.0, 0.0, 0.0]),
        "each of the two has slopes 0 and 1", own="kink", wrong={"the loser": lambda x: np.array([0.5, 0.5, 0.5])}),
    *claims("a tie of Python's max", lambda x, y: max(x, y), (2.0, 2.0), lambda x, y: (0.5, 0.5), "slopes 0 and 1",
        own="kink", wrong={"the sign": lambda x, y: (-0.5, 1.5)}),
    *claims("the norm at 0", lambda x: np.sqrt(np.sum(x**2)) if np.any(x) else np.sum(x) * 0, np.zeros(3),
        lambda x: np.zeros(3), "slopes -1 and 1", own="kink", wrong={"longer than 1": lambda x: np.full(3, 2.0)}),
    *claims("one bend of three", lambda x: np.sum(np.abs(x) * np.array([1.0, 2.0, 3.0])), np.array([1.0, 0.0, -1.0]),
        lambda x: np.array([1.0, 0.0, -3.0]), "slopes -2 and 2 in the second", own="kink",
        wrong={"a smooth one": lambda x: np.array([1.0, 0.0, 3.0])}),
    *claims("the positive part of a sine", lambda x: max(math.sin(x), 0.0), 0.0, lambda x: 0.0, "slopes 0 and 1",
        own="kink"),
    *claims("the larger of two curves", lambda x: max(x**2, x), 1.0, lambda x: 1.5, "slopes 1 and 2", own="kink",
        wrong={"above": lambda x: 2.5}),
    *claims("a bend under a square root", lambda x: math.sqrt(1 + abs(x)), 0.0, lambda x: 0.0, "slopes -1/2 and 1/2",
        own="kink", wrong={"outside": lambda x: 0.7}),
    *claims("the median of two alike", lambda x: np.sum(np.sort(x)[1:2]), np.array([2.0, 2.0, 5.0]),
        lambda x: np.array([0.5, 0.5, 0.0]), "slopes 0 and 1 in the first two", own="kink"),
    # smooth where pieces with kinks meet
    *claims("x times abs(x) at 0", lambda x: x * abs(x), 0.0, lambda x: 2 * abs(x), "both slopes are 0",
        wrong={"a thousandth": lambda x: 1e-3}),
    *claims("abs squared at 0", lambda x: abs(x) ** 2, 0.0, lambda x: 2 * x, "x**2",
        wrong={"a millionth": lambda x: 1e-6}),
    *claims("abs cubed at 0", lambda x: abs(x) ** 3, 0.0, lambda x: 3 * x * abs(x), "both slopes are 0"),
    *claims("relu squared at 0", lambda x: relu(x) ** 2, 0.0, lambda x: 2 * relu(x), "both slopes are 0",
        wrong={"one": lambda x: 1.0}),
    *claims("relu less its mirror", lambda x: relu(x) - relu(-x), 0.0, lambda x: 1.0, "x itself", own=None,
        wrong={"nothing": lambda x: 0.0, "twice": lambda x: 2.0}),
    *claims("maximum and minimum together", lambda x: np.maximum(x, 0.0) + np.minimum(x, 0.0), np.float64(0.0),
        lambda x: 1.0, "x itself", wrong={"nothing": lambda x: 0.0}),
    *claims("pieces with one slope", smooth_pieces, 0.0, math.cos, "both slopes are 1",
        wrong={"nothing": lambda x: 0.0}),
    *claims("huber at its seam", lambda x: np.sum(np.where(np.abs(x) <= 1, 0.5 * x**2, np.abs(x) - 0.5)),
        np.array([1.0, -1.0, 0.5, 3.0]), lambda x: np.clip(x, -1, 1), "the slopes meet",
        wrong={"not clipped": lambda x: x}),
    *claims("a guard at one point", lambda x: 0.0 if x == 0 else math.expm1(x), 0.0, math.exp, "both slopes are 1",
        own="wrong", wrong={"what the guard's branch gives": lambda x: 0.0}),
    *claims("a ratio guarded at one point", lambda x: 1.0 if x == 0 else math.expm1(x) / x, 0.0, lambda x: 0.5,
        "(exp(x) - 1)/x = 1 + x/2 + ...", own="wrong", wrong={"nothing": lambda x: 0.0, "one": lambda x: 1.0}),
    # jumps
    *claims("floor at a whole number", lambda x: math.floor(x) * 2.0, 3.0, lambda x: 0.0, "jumps by 2", own="jump"),
    *claims("round at a half", lambda x: x * round(x), 2.5, lambda x: 2.0, "jumps by 2.5", own="jump"),
    *claims("a unit step at 0", step, 0.0, lambda x: 0.0, "jumps by 1", own="jump"),
    *claims("sign at 0", lambda x: np.sign(x) * 1.0, np.float64(0.0), lambda x: 0.0, "jumps by 2", own="jump"),
    *claims("a remainder at its wrap", lambda x: x % 1.0, 2.0, lambda x: 1.0, "jumps by 1", own="jump"),
    *claims("a small jump on a slope", lambda x: 5 * x + (1e-3 if x >= 1 else 0.0), 1.0, lambda x: 5.0, "jumps by 1e-3",
        own="jump"),
    # away from the jump
    *claims("floor between whole numbers", lambda x: math.floor(x) * 2.0, 2.5, lambda x: 0.0, "flat there", own="cut",
        wrong={"the slope of the ramp": lambda x: 2.0, "its opposite": lambda x: -2.0}),
    *claims("floor of one number beside another", lambda x: math.floor(x[0]) + x[1] ** 2, np.array([0.5, 2.0]),
        lambda x: np.array([0.0, 2 * x[1]]), "the first is flat", own="cut",
        wrong={"the slope of the ramp": lambda x: np.array([1.0, 2 * x[1]])}),
    *claims("four alike in order", lambda x: np.sum(np.sort(x) * np.array([1.0, 5.0, 2.0, 3.0])), np.full(4, 0.5),
        lambda x: np.array([5.0, 1.0, 3.0, 2.0]), "any order of the weights is a derivative close by", own="kink",
        wrong={"more than any": lambda x: np.full(4, 5.5)}),
    *claims("a value rounded to eight decimals", lambda x: round(x**2, 8), 1.3, lambda x: 0.0, "flat between jumps",
        own="cut"),
    *claims("a remainder before its wrap", lambda x: (x % 1.0) ** 2, 2.75, lambda x: 2 * (x % 1.0),
        wrong={"not wrapped": lambda x: 2 * x}),
    # beside a kink
    *claims("abs a hair off 0", abs, 1e-300, lambda x: 1.0, "x > 0",
        wrong={"nothing": lambda x: 0.0, "the sign": lambda x: -1.0}),
    *claims("relu a hair below 0", relu, -1e-12, lambda x: 0.0, "flat there", own="right",
        wrong={"one": lambda x: 1.0}),
    *claims("a branch 1e-9 away", beyond, 1.0, lambda x: 3.0, "x < 1 + 1e-9",
        wrong={"the other branch": lambda x: 2.0}),
    *claims("a maximum nearly tied", lambda x: np.max(x), np.array([1.0, 1.0 + 1e-12]), lambda x: np.array([0.0, 1.0]),
        "the second is larger", wrong={"shared": lambda x: np.array([0.5, 0.5])}),
    *claims("a sum of many bends", lambda x: np.sum(np.abs(x)), np.array([1e-12, -1e-12, 3.0]), np.sign,
        wrong={"one side": lambda x: np.ones(3)}),
    *claims("a hinge off its bend", hinge, 1 - 1e-8, lambda x: -1.0, "x < 1", wrong={"flat": lambda x: 0.0}),
]  # fmt: skip
