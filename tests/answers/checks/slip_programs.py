"""Programs, and gradients of them written by hand with one slip each: what the slip is called, and its line."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

X = np.array([[1.2, -0.4, 0.3], [0.5, 0.9, -1.1], [-0.7, 0.2, 1.6]])
TALL = np.array([[1.2, -0.4], [0.5, 0.9], [-0.7, 0.2], [0.3, 1.5], [0.8, -0.6]])
Y = np.array([0.4, -1.3, 0.9])
LONG = np.array([0.4, -1.3, 0.9, 0.2, 1.7])
POSITIVE = np.array([0.7, 1.9, 1.2, 0.4, 2.6])
ROOT3 = math.sqrt(3)
EPS = 1e-3


class Slip(NamedTuple):
    """A function, a point, a wrong gradient, the line (a part of it, or none) that the slip is on, what is said."""

    f: Callable[..., Any]
    at: Any
    against: Callable[..., Any]
    line: str | None
    said: str


# Numbers


def entropy(p):
    heads = p * math.log(p)
    tails = (1 - p) * math.log(1 - p)
    return -(heads + tails)


def energy(x, v):
    kinetic = 0.5 * 3.0 * v**2
    potential = 4.0 * math.cos(x)
    return kinetic - potential


def decibels(p, q):
    ratio = p / q
    level = math.log10(ratio)
    return 10 * level + q


def bits(p):
    information = math.log2(p)
    return p * p - information


def growth(x, rate):
    return math.log(x) * rate + rate**3


def matern(r):
    scaled = ROOT3 * r
    return (1 + scaled) * math.exp(-scaled)


def pendulum(angle, length):
    height = length * math.cos(math.radians(angle))
    return 9.81 * height


def pylon(angle, distance):
    height = distance * math.tan(math.radians(angle))
    return 9.81 * height


def michaelis(s, k):
    whole = k + s
    return s / whole


def damped(t, d):
    envelope = math.exp(-d * t)
    return envelope * math.sin(5.0 * t)


def neuron(w, b):
    inner = 1.7 * w + b
    outer = math.tanh(inner)
    return (outer - 0.3) ** 2


def slope_of_hill(x):
    inner = x**3
    return math.atan(inner)


def safe_log(x):
    """A logarithm squared, kept away from 0."""
    shifted = x + 0.01
    return math.log(shifted) ** 2


def lens(a, b):
    squares = a * a + b * b
    return math.sqrt(squares)


def compound(x, n):
    base = 1 + x
    return base**n


def quotient(x, y):
    share = x / y
    return share + x * y * y


def horner(x):
    total = 0.0
    for c in (2.0, -1.0, 3.0, 0.5):
        total = total * x + c
    return total


def series(x):
    total = 0.0
    for k in (1.0, 2.0, 3.0):
        total = total + math.sin(k * x)
    return total


def helped(x, y):
    return twisted(x) + 3.0 * twisted(y)


def twisted(x):
    inner = x * x
    return math.sin(inner)


def recurrent(w):
    """The same step again and again."""
    h = 0.2
    for _ in range(4):
        h = math.tanh(w * h + 0.5)
    return h


NUMBERS = {
    "entropy, one sign": Slip(entropy, 0.3, lambda p: -(math.log(p) + math.log(1 - p)) - 2,
                              "tails = ", "has the wrong sign"),
    "entropy, one term": Slip(entropy, 0.3, lambda p: -(math.log(p) + 1), "tails = ", "is missing"),
    "energy, a sign": Slip(energy, (0.7, 1.1), lambda x, v: (-4 * math.sin(x), 3 * v), "potential", "wrong sign"),
    "energy, one half": Slip(energy, (0.7, 1.1), lambda x, v: (4 * math.sin(x), 6 * v), "kinetic", "1/2"),
    "energy, half too many": Slip(energy, (0.7, 1.1), lambda x, v: (4 * math.sin(x), 1.5 * v), "kinetic", "1/2"),
    "decibels, ln": Slip(decibels, (3.0, 1.4), lambda p, q: (10 / p, 1 - 10 / q), "level = ", "log(10)"),
    "decibels, log2": Slip(decibels, (3.0, 1.4), lambda p, q: (10 / p / math.log(2), 1 - 10 / q / math.log(2)),
                           "level = ", "log(2)"),
    "bits, ln": Slip(bits, 0.3, lambda p: 2 * p - 1 / p, "information = ", "log(2)"),
    "bits, log10": Slip(bits, 0.3, lambda p: 2 * p - 1 / p / math.log(10), "information = ", "log10"),
    "growth, log10": Slip(growth, (2.0, 1.3), lambda x, r: (r / x / math.log(10), math.log(x) + 3 * r * r),
                          "return math.log(x)", "log10"),
    "growth, all by log10": Slip(growth, (2.0, 1.3), lambda x, r: (r / x / math.log(10), math.log10(x) + 3 * r * r),
                                 "return math.log(x)", "log10"),
    "growth, log2": Slip(growth, (2.0, 1.3), lambda x, r: (r / x / math.log(2), math.log(x) + 3 * r * r),
                         "return math.log(x)", "log2"),
    "growth, exponent": Slip(growth, (2.0, 1.3), lambda x, r: (r / x, math.log(x) + r * r), "return", "rate ** 3"),
    "matern, the root": Slip(matern, 0.8, lambda r: -ROOT3 * r * math.exp(-ROOT3 * r), "scaled = ", "missing"),
    "matern, 3": Slip(matern, 0.8, lambda r: -9 * r * math.exp(-3 * r), "scaled = ", "3"),
    "pendulum, radians": Slip(pendulum, (20.0, 1.5), lambda a, n: (-9.81 * n * math.sin(math.radians(a)),
                              9.81 * math.cos(math.radians(a))), "height = ", "pi/180"),
    "pendulum, degrees taken for radians": Slip(pendulum, (20.0, 1.5), lambda a, n: (-9.81 * n * math.sin(a),
                              9.81 * math.cos(a)), "height = ", "radians"),
    "a secant's radians": Slip(pylon, (20.0, 1.5), lambda a, n: (9.81 * n / math.cos(math.radians(a)) ** 2,
                               9.81 * math.tan(math.radians(a))), "height = ", "pi/180"),
    "michaelis, a term": Slip(michaelis, (0.8, 1.5), lambda s, k: (1 / (k + s), -s / (k + s) ** 2), "whole = ",
                              "missing"),
    "michaelis, a sign": Slip(michaelis, (0.8, 1.5), lambda s, k: (1 / (k + s) + s / (k + s) ** 2, s / (k + s) ** 2),
                              "return", "wrong sign"),
    "michaelis, no square": Slip(michaelis, (0.8, 1.5), lambda s, k: (1 / (k + s) - s / (k + s), -s / (k + s)),
                                 "return", "-s / whole"),
    "damped, the chain": Slip(damped, (0.6, 0.8),
                              lambda t, d: (math.exp(-d * t) * (math.cos(5 * t) - d * math.sin(5 * t)),
                              -t * math.exp(-d * t) * math.sin(5 * t)), "return envelope", "factor 5"),
    "damped, a term": Slip(damped, (0.6, 0.8), lambda t, d: (math.exp(-d * t) * 5 * math.cos(5 * t),
                           -t * math.exp(-d * t) * math.sin(5 * t)), "envelope = ", "missing"),
    "neuron, a square": Slip(neuron, (0.4, -0.2), lambda w, b: _neuron(w, b, 1 - math.tanh(1.7 * w + b)), "outer = ",
                             "1 - tanh(inner)"),
    "neuron, no derivative": Slip(neuron, (0.4, -0.2), lambda w, b: _neuron(w, b, 1.0), "outer = ", "is missing"),
    "neuron, of the input": Slip(neuron, (0.4, -0.2), lambda w, b: _neuron(w, b, 1 - (1.7 * w + b) ** 2), "outer = ",
                                 "1 - inner ** 2"),
    "hill, a square": Slip(slope_of_hill, 0.7, lambda x: 3 * x * x / (1 + x**3), "return", "1 / (1 + inner)"),
    "hill, the chain": Slip(slope_of_hill, 0.7, lambda x: 1 / (1 + x**6), "inner = ", "is missing"),
    "hill, the power": Slip(slope_of_hill, 0.7, lambda x: 3 * x**3 / (1 + x**6), "inner = ", "3 * x ** 3"),
    "logarithm, no shift": Slip(safe_log, 0.6, lambda x: 2 * math.log(x + 0.01) / x, "return",
                                "0.01 of shifted is missing"),
    "logarithm, no shift at all": Slip(safe_log, 0.6, lambda x: 2 * math.log(x) / x, "shifted = ", "0.01"),
    "lens, no root": Slip(lens, (0.3, 1.2), lambda a, b: (2 * a, 2 * b), "return math.sqrt", "is missing"),
    "lens, the root's half": Slip(lens, (0.3, 1.2), lambda a, b: (2 * a / math.hypot(a, b), 2 * b / math.hypot(a, b)),
                                  None, "twice"),
    "compound, the exponent": Slip(compound, (0.3, 2.5), lambda x, n: (n * (1 + x) ** n,
                                   (1 + x) ** n * math.log(1 + x)),
                                   "return base", "n * base ** n"),
    "compound, no logarithm": Slip(compound, (0.3, 2.5), lambda x, n: (n * (1 + x) ** (n - 1), (1 + x) ** n),
                                   "return base", "log(base)"),
    "quotient, swapped": Slip(quotient, (1.3, 0.7), lambda x, y: (-x / y**2 + 2 * x * y, 1 / y + y * y), None,
                              "swapped"),
    "quotient, a sign": Slip(quotient, (1.3, 0.7), lambda x, y: (1 / y + y * y, x / y**2 + 2 * x * y), "share = ",
                             "wrong sign"),
    "horner, a step": Slip(horner, 0.7, lambda x: 4 * x * x - x, "total = total * x + c", "missing"),
    "series, the chain": Slip(series, 0.4, lambda x: sum(math.cos(k * x) for k in (1, 2, 3)), "math.sin(k * x)",
                              "missing"),
    "series, the sign": Slip(series, 0.4, lambda x: math.cos(x) - 2 * math.cos(2 * x) + 3 * math.cos(3 * x),
                             "math.sin(k * x)", "wrong sign"),
    "helped, the chain": Slip(helped, (0.6, 1.1), lambda x, y: (math.cos(x * x), 3 * math.cos(y * y)), "inner = ", "x"),
    "helped, the sine": Slip(helped, (0.6, 1.1), lambda x, y: (2 * x * math.sin(x * x), 6 * y * math.sin(y * y)),
                             "return math.sin(inner)", "sin(inner)"),
    "helped, the three": Slip(helped, (0.6, 1.1), lambda x, y: (2 * x * math.cos(x * x), 2 * y * math.cos(y * y)),
                              "return twisted(x)", "factor 3"),
    "recurrent, no derivative": Slip(recurrent, 0.9, lambda w: _recurrent(w, lambda h: 1.0), "h = math.tanh",
                                     "missing"),
    "recurrent, no square": Slip(recurrent, 0.9, lambda w: _recurrent(w, lambda h: 1 - h), "h = math.tanh", "1 - tanh"),
}  # fmt: skip


def _neuron(w, b, slope):
    outer = 2 * (math.tanh(1.7 * w + b) - 0.3)
    return outer * slope * 1.7, outer * slope


def _recurrent(w, slope):
    h, moved = 0.2, 0.0
    for _ in range(4):
        before, h = h, math.tanh(w * h + 0.5)
        moved = slope(h) * (before + w * moved)
    return moved


# Arrays


def least_squares(w):
    r = TALL @ w - LONG
    loss = np.mean(r**2)
    penalty = 0.1 * np.sum(w * w)
    return loss + penalty


def halved(w):
    r = TALL @ w - LONG
    return 0.5 * r @ r + 0.3 * np.sum(np.abs(w))


def logistic(w):
    margin = LONG * (TALL @ w)
    likelihood = np.sum(np.log1p(np.exp(-margin)))
    return likelihood + 0.05 * w @ w


def spread(x):
    centred = x - np.mean(x)
    return np.sum(centred**2) / (len(x) - 1)


def score(x):
    """A mean over a deviation."""
    return np.mean(x) / np.std(x)


def softmax(z):
    shifted = np.exp(z)
    return np.log(np.sum(shifted)) - z[1]


def normalised(x):
    length = np.sqrt(np.sum(x**2) + EPS)
    return np.sum(x[:2]) / length


def chained(x):
    steps = x[1:] - x[:-1]
    curve = np.sum(steps**2)
    pull = np.sum(np.cos(x))
    return curve + 2.0 * pull


def hidden(w, b):
    h = np.tanh(w * Y + b)
    return np.sum((h - 0.2) ** 2)


def gains(x):
    level = np.log10(x)
    return np.mean(level * level)


ARRAYS = {
    "a mean": Slip(least_squares, [0.3, -0.8], lambda w: 2 * TALL.T @ (TALL @ w - LONG) + 0.2 * w, "np.mean(r**2)",
                   "1/5"),
    "n - 1": Slip(least_squares, [0.3, -0.8], lambda w: 2 / 4 * TALL.T @ (TALL @ w - LONG) + 0.2 * w,
                  "np.mean(r**2)", "n - 1"),
    "a penalty": Slip(least_squares, [0.3, -0.8], lambda w: 2 / 5 * TALL.T @ (TALL @ w - LONG), "penalty = ",
                      "missing"),
    "a penalty's half": Slip(least_squares, [0.3, -0.8], lambda w: 2 / 5 * TALL.T @ (TALL @ w - LONG) + 0.1 * w,
                             "penalty = ", "1/2"),
    "a penalty's sign": Slip(least_squares, [0.3, -0.8], lambda w: 2 / 5 * TALL.T @ (TALL @ w - LONG) - 0.2 * w,
                             "penalty = ", "wrong sign"),
    "a half": Slip(halved, [0.3, -0.8], lambda w: 2 * TALL.T @ (TALL @ w - LONG) + 0.3 * np.sign(w),
                   "return 0.5 * r @ r", "1/2"),
    "no sign": Slip(halved, [0.3, -0.8], lambda w: TALL.T @ (TALL @ w - LONG) + 0.3, "np.abs(w)", "sign(w)"),
    "a sign of a margin": Slip(logistic, [0.3, -0.8], lambda w: TALL.T @ (LONG / (1 + np.exp(LONG * (TALL @ w))))
                               + 0.1 * w, "likelihood", "wrong sign"),
    "a label": Slip(logistic, [0.3, -0.8], lambda w: -TALL.T @ (1 / (1 + np.exp(LONG * (TALL @ w)))) + 0.1 * w,
                    "margin = ", "the factor LONG"),
    "n for n - 1": Slip(spread, POSITIVE, lambda x: 2 * (x - x.mean()) / len(x), "return np.sum(centred**2)", "n - 1"),
    "the n of a variance": Slip(spread, POSITIVE, lambda x: 2 * (x - x.mean()), "return np.sum(centred**2)", "1/4"),
    "softmax, one term": Slip(softmax, [0.3, -0.8, 1.1], lambda z: np.exp(z) / np.exp(z).sum(), "return", "missing"),
    "softmax, a sum": Slip(softmax, [0.3, -0.8, 1.1], lambda z: np.exp(z) - np.array([0, 1, 0]), "return",
                           "is missing"),
    "no constant": Slip(normalised, [0.3, -0.8, 1.1], lambda x: _normalised(x, 0.0), "length = ", "+ EPS"),
    "no root": Slip(normalised, [0.3, -0.8, 1.1], lambda x: _normalised(x, EPS, 2), "length = ", "is missing"),
    "neighbours": Slip(chained, [0.3, -0.8, 1.1, 0.4], lambda x: _chained(x, right=0.0), "steps = ", "missing"),
    "neighbours' sign": Slip(chained, [0.3, -0.8, 1.1, 0.4], lambda x: _chained(x, right=-1.0), "steps = ",
                             "wrong sign"),
    "two for one": Slip(chained, [0.3, -0.8, 1.1, 0.4], lambda x: _chained(x) + np.sin(x), "curve + 2.0 * pull",
                        "factor 2"),
    "cosine for minus sine": Slip(chained, [0.3, -0.8, 1.1, 0.4], lambda x: _chained(x) + 2 * np.sin(x) + 2 * np.cos(x),
                                  "pull = ", "cos(x)"),
    "no square": Slip(hidden, (0.4, -0.2), lambda w, b: _hidden(w, b, lambda h: 1 - h), "h = ", "1 - tanh"),
    "no slope": Slip(hidden, (0.4, -0.2), lambda w, b: _hidden(w, b, lambda h: 1 + 0 * h), "h = ", "is missing"),
    "of another base": Slip(gains, POSITIVE, lambda x: 2 * np.log10(x) / x / 5, "level = ", "log(10)"),
    "all by another base": Slip(gains, POSITIVE, lambda x: 2 * np.log(x) / x / 5, "level = ", "log"),
}  # fmt: skip


def _normalised(x, eps, power=1):
    s = np.sum(x**2) + eps
    return (np.arange(3) < 2) / np.sqrt(s) - np.sum(x[:2]) * x / s * (1 / np.sqrt(s) if power == 1 else 2)


def _chained(x, right=1.0):
    steps = x[1:] - x[:-1]
    return 2 * (np.append(0, steps) - right * np.append(steps, 0)) - 2 * np.sin(x)


def _hidden(w, b, slope):
    h = np.tanh(w * Y + b)
    d = 2 * (h - 0.2) * slope(h)
    return np.sum(d * Y), np.sum(d)


# Matrices


def fit(w):
    """A square system."""
    r = X @ w - Y
    return np.sum(r * r)


def form(a, b):
    return b @ a @ Y + np.sum(a * a)


def through_inverse(a):
    inverse = np.linalg.inv(a)
    return Y @ inverse @ LONG[2:]


def solved(a, b):
    """A form of a solution."""
    x = np.linalg.solve(a, b)
    return np.sum(x**2)


def likelihood(a, m):
    d = Y - m
    quadratic = d @ np.linalg.solve(a, d)
    logdet = np.linalg.slogdet(a)[1]
    return 0.5 * quadratic + 0.5 * logdet


def layers(w, v):
    h = np.tanh(w @ Y)
    out = v @ h
    return 0.5 * np.sum((out - 1) ** 2)


def quadratic(x):
    return x @ X @ x


def trace(a):
    return np.trace(a @ X @ a)


SQUARE = X + 3 * np.eye(3)
SPD = SQUARE @ SQUARE.T
inv = np.linalg.inv


MATRICES = {
    "X for X.T": Slip(fit, [0.3, -0.8, 0.5], lambda w: 2 * X @ (X @ w - Y), "r = ", "transposed"),
    "a form, transposed": Slip(form, (SQUARE, Y), lambda a, b: (np.outer(Y, b) * 0 + np.outer(b, Y) + 2 * a, a.T @ Y),
                               "return b @ a @ Y", "transposed"),
    "an inverse's sign": Slip(through_inverse, SQUARE, lambda a: np.outer(inv(a).T @ Y, inv(a) @ LONG[2:]), None,
                              "wrong sign"),
    "an inverse, transposed": Slip(through_inverse, SQUARE, lambda a: -np.outer(inv(a) @ Y, inv(a).T @ LONG[2:]),
                                   "inverse = ", "transposed"),
    "a matrix for its inverse": Slip(through_inverse, SQUARE, lambda a: -np.outer(a.T @ Y, a @ LONG[2:]),
                                     "inverse = ", "inverse"),
    "a system, transposed": Slip(solved, (SQUARE, Y), lambda a, b: _solved(a, b, inv(a)), "x = ", "transposed"),
    "a system, not inverted": Slip(solved, (SQUARE, Y), lambda a, b: _solved(a, b, a.T), "x = ", "inverse"),
    "a half of a determinant": Slip(likelihood, (SPD, Y * 0.5), lambda a, m: _likelihood(a, m, 1.0),
                                    "return 0.5 * quadratic", "1/2"),
    "a determinant, not inverted": Slip(likelihood, (SQUARE, Y * 0.5), lambda a, m: _likelihood(a, m, of=lambda a: a),
                                        "logdet = ", "inverse"),
    "a determinant, transposed": Slip(likelihood, (SQUARE, Y * 0.5),
                                      lambda a, m: _likelihood(a, m, of=lambda a: inv(a).T),
                                      "logdet = ", "transposed"),
    "no determinant": Slip(likelihood, (SQUARE, Y * 0.5), lambda a, m: _likelihood(a, m, 0.0), "logdet", "missing"),
    "a determinant's sign": Slip(likelihood, (SQUARE, Y * 0.5), lambda a, m: _likelihood(a, m, -0.5), "logdet",
                                 "wrong sign"),
    "weights, transposed": Slip(layers, (X, SQUARE), lambda w, v: _layers(w, v, v), "out = v @ h", "transposed"),
    "no slope of a layer": Slip(layers, (X, SQUARE), lambda w, v: _layers(w, v, v.T, lambda h: 1.0), "h = ", "missing"),
    "one half of a form": Slip(quadratic, [0.3, -0.8, 0.5], lambda x: X @ x, "return x @ X @ x", "missing"),
    "a form taken for symmetric": Slip(quadratic, [0.3, -0.8, 0.5], lambda x: 2 * X @ x, "return x @ X @ x",
                                       "X.T in place of X"),
    "a trace, not transposed": Slip(trace, SQUARE, lambda a: X @ a + a @ X, None, "transposed"),
}  # fmt: skip


def _solved(a, b, back):
    x = np.linalg.solve(a, b)
    adjoint = back @ (2 * x)
    return -np.outer(adjoint, x), adjoint


def _likelihood(a, m, half=0.5, of=None):
    d = Y - m
    right, left = inv(a) @ d, inv(a).T @ d
    return -0.5 * np.outer(left, right) + half * (inv(a) if of is None else of(a)).T, -0.5 * (left + right)


def _layers(w, v, back, slope=lambda h: 1 - h * h):
    h = np.tanh(w @ Y)
    out = v @ h - 1
    return np.outer(back @ out * slope(h), Y), np.outer(out, h)


SLIPS = NUMBERS | ARRAYS | MATRICES
