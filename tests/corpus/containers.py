"""Claims at points that are lists, tuples and dicts, by functions that use them as such."""

import collections
import math

import numpy as np

from tests.corpus.claim import claims

Pair = collections.namedtuple("Pair", "x y")


def doubled(x):
    """A list twice over: of an array it would be each number twice."""
    return sum(w * c for w, c in zip((1.0, 2.0, 3.0, 4.0), x * 2, strict=False))


def divided(x):
    """A list's numbers raise where an array's give nan."""
    try:
        return x[0] / (x[1] - x[1])
    except ZeroDivisionError:
        return x[0] * x[1]


def overflown(x):
    try:
        return x[0] ** 400 + x[1]
    except OverflowError:
        return x[0] * x[1]


def logged(x):
    """A logarithm of `math` raises where NumPy's is nan."""
    try:
        return math.log(x[0]) * x[1]
    except ValueError:
        return x[0] * x[1]


def negated(x):
    try:
        return sum(-x)
    except TypeError:
        return sum(c**3 for c in x)


def matched(x):
    match x:
        case [first, second]:
            return first * second**2
    return sum(x)


def stacked(x):
    stack = list(x)
    while len(stack) > 1:
        stack.append(stack.pop() * stack.pop())
    return stack[0]


def popped(x):
    """Takes the last number off what it was given."""
    last = x.pop()
    return last * sum(x)


def ordered(x):
    x.sort()
    return sum((k + 1) * c for k, c in enumerate(x))


def dict_sum(p):
    return sum((k + 1) * v * v for k, (_, v) in enumerate(sorted(p.items()))) + p.get("c", 2.0) * p["a"]


def dict_merged(p):
    q = p | {"scale": 3.0}
    return q["scale"] * q["a"] * q["b"]


def dict_matched(p):
    match p:
        case {"a": a, "b": b, **rest} if not rest:
            return a * b**2
    return 0.0


def dict_changed(p):
    """Writes to the dict that it was given."""
    p["a"] = p["a"] * p["b"]
    p["c"] = p["a"] ** 2
    return sum(p.values())


X = [1.5, -2.0, 0.5]

CLAIMS = [
    *claims(
        "a list made longer",
        lambda x: sum(c * c for c in x + [1.0]),
        X,
        lambda x: [2 * c for c in x],
        "a list + a list is a longer list",
        wrong={"as of an array": lambda x: [2 * (c + 1.0) for c in x], "one of three": lambda x: [3.0, -4.0, 1.000001]},
    ),
    *claims("a list made longer by *=", lambda x: sum((k + 1) * c for k, c in enumerate([*x, *x])), X,
        lambda x: [5.0, 7.0, 9.0], "the weights 1 + 4, 2 + 5, 3 + 6", wrong={"once": lambda x: [1.0, 2.0, 3.0]}),
    *claims("a list twice over", doubled, [0.7, -1.1], lambda x: [4.0, 6.0], "the weights 1 + 3 and 2 + 4",
        wrong={"as of an array": lambda x: [2.0, 4.0], "the wrong order": lambda x: [6.0, 4.0]}),
    *claims("a division that raises", divided, [1.5, -2.0], lambda x: [x[1], x[0]], "x/0 raises for floats",
        wrong={"not a number": lambda x: [math.nan, math.nan], "swapped": lambda x: [x[0], x[1]]}),
    *claims("a power that raises", overflown, [1e3, -2.0], lambda x: [x[1], x[0]], "1e1200 raises for floats",
        wrong={"the other branch": lambda x: [0.0, 1.0]}),
    *claims("a logarithm that raises", logged, [-1.5, 2.0], lambda x: [x[1], x[0]],
        "math.log raises for negative numbers",
        wrong={"the other branch": lambda x: [x[1] / x[0], math.log(abs(x[0]))]}),
    *claims("a list has no minus", negated, X, lambda x: [3 * c * c for c in x], "-[...] raises",
        wrong={"as of an array": lambda x: [-1.0, -1.0, -1.0]}),
    *claims("a sequence pattern", matched, [1.5, -2.0], lambda x: [x[1] ** 2, 2 * x[0] * x[1]],
        wrong={"as of an array": lambda x: [1.0, 1.0], "the power": lambda x: [x[1] ** 2, x[0] * x[1]]}),
    *claims("a root of a negative float", lambda x: abs(x[0] ** 0.5), [-2.0], lambda x: [-0.5 / math.sqrt(2.0)],
        "|sqrt(-2)| is sqrt(2), for a float's power is complex",
        wrong={"the sign": lambda x: [0.5 / math.sqrt(2.0)], "not a number": lambda x: [math.nan]}),
    *claims("a list used as a stack", stacked, X, lambda x: [x[1] * x[2], x[0] * x[2], x[0] * x[1]],
        wrong={"the squares": lambda x: [c * c for c in x]}),
    *claims("a list that loses its last", popped, list(X), lambda x: [0.5, 0.5, -0.5],
        "the plain run takes one number off", wrong={"the last twice": lambda x: [0.5, 0.5, 1.0]}),
    *claims("a list that is sorted in place", ordered, list(X), lambda x: [3.0, 1.0, 2.0],
        "1.5 is the largest, -2 the least", wrong={"as if it were in order": lambda x: [1.0, 2.0, 3.0]}),
    *claims("rows of unlike lengths", lambda x: sum(len(row) * c * c for row in x for c in row),
        [[1.0, -0.5], [2.0], [0.25, 3.0, -1.0]], lambda x: [[2 * len(row) * c for c in row] for row in x],
        wrong={"without the lengths": lambda x: [[2 * c for c in row] for row in x]}),
    *claims("the type of a list",
        lambda x: sum(c * c for c in x) if type(x) is list and isinstance(x, list) else sum(x), X,
        lambda x: [2 * c for c in x], wrong={"the other branch": lambda x: [1.0] * 3}),
    *claims("a list equal to a list", lambda x: x[0] ** 2 * x[1] if x == [x[0], x[1]] else x[0], [1.5, -2.0],
        lambda x: [2 * x[0] * x[1], x[0] ** 2], wrong={"the other branch": lambda x: [1.0, 0.0]}),
    *claims("a tuple as the one argument", lambda x: sum((k + 1) * c * c for k, c in enumerate(x + (1.0,))),
        (1.5, -2.0, 0.5), lambda x: (2 * x[0], 4 * x[1], 6 * x[2]), "three numbers for one parameter are its tuple",
        wrong={"without the weights": lambda x: (2 * x[0], 2 * x[1], 2 * x[2])}),
    *claims("a named tuple", lambda p: p.x**2 * p.y + len(p), Pair(1.5, -2.0), lambda p: Pair(2 * p.x * p.y, p.x**2),
        "two fields for one parameter", wrong={"swapped": lambda p: Pair(p.x**2, 2 * p.x * p.y)}),
    *claims("a list for one of two parameters", lambda x, y: sum(c * y for c in x + [2.0]), ([1.5, -2.0], 3.0),
        lambda x, y: ([y, y], x[0] + x[1] + 2.0), wrong={"without the longer list": lambda x, y: ([3.0, 3.0], -0.5)}),
    *claims("a dict by its methods", dict_sum, {"a": 1.5, "b": -2.0},
        lambda p: {"a": 2 * p["a"] + 2.0, "b": 4 * p["b"]},
        wrong={"without the default": lambda p: {"a": 2 * p["a"], "b": 4 * p["b"]}}),
    *claims("a union of dicts", dict_merged, {"a": 1.5, "b": -2.0}, lambda p: {"a": 3 * p["b"], "b": 3 * p["a"]},
        wrong={"swapped": lambda p: {"a": 3 * p["a"], "b": 3 * p["b"]}}),
    *claims("a mapping pattern", dict_matched, {"a": 1.5, "b": -2.0},
        lambda p: {"a": p["b"] ** 2, "b": 2 * p["a"] * p["b"]},
        wrong={"the power": lambda p: {"a": p["b"] ** 2, "b": p["a"] * p["b"]}}),
    *claims("a dict that is written to", dict_changed, {"a": 1.5, "b": -2.0},
        lambda p: {"a": -2.0 + 2 * 1.5 * 4.0, "b": 1.5 + 2 * 2.25 * -2.0 + 1.0}, "ab + b + (ab)**2",
        wrong={"of the dict as written": lambda p: {"a": 1.0, "b": 1.0}}),
    *claims("a dict whose key is the parameter", lambda w: w[0] ** 2 * w[1], {"w": np.array([1.5, -2.0])},
        lambda w: np.array([2 * w[0] * w[1], w[0] ** 2]), "it goes by name",
        wrong={"swapped": lambda w: np.array([w[0] ** 2, 2 * w[0] * w[1]])}),
    *claims("a dict of unlike things", lambda p: np.sum(np.tanh(p["w"] * 2.0)) + p["layers"][0] * p["layers"][1],
        {"w": np.array([0.3, -0.2]), "layers": [2.0, 5.0]},
        lambda p: {"w": 2.0 / np.cosh(2.0 * p["w"]) ** 2, "layers": [p["layers"][1], p["layers"][0]]},
        wrong={"a factor": lambda p: {"w": 1.0 / np.cosh(2.0 * p["w"]) ** 2, "layers": [5.0, 2.0]}}),
]  # fmt: skip
