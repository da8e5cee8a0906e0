"""Claims about functions that keep something from run to run, and whose value does not depend on it."""

import collections
import functools
import itertools
import math
import random
import threading
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.claim import claims

MEMO: dict[float, float] = {}
SEEN: list[float] = []
BUFFER = np.zeros(3)
LOCAL = threading.local()
X3 = np.array([0.5, -1.2, 2.0])


def counted(x):
    counted.calls += 1
    return x * math.sin(x)


counted.calls = 0


def remembered(x):
    if x not in MEMO:
        MEMO[x] = x**3
    return MEMO[x] + x


@functools.lru_cache(maxsize=8)
def kernel(x):
    return x**3


def buffered(x):
    """Writes its terms to an array of the module."""
    BUFFER[:] = x * x
    BUFFER[0] += x[1]
    return BUFFER.sum()


def noted(x, seen=SEEN):
    """Writes down what it was given, in a default argument."""
    seen.append(x)
    return math.exp(-x) * len([seen[-1]])


def seeded(x):
    """Seeds the generator of the process at each call."""
    random.seed(4)
    return sum(math.sin(x * random.random()) for _ in range(4))


def grad_seeded(x):
    draws = random.Random(4)
    return sum(u * math.cos(x * u) for u in [draws.random() for _ in range(4)])


def legacy(x):
    """Seeds NumPy's generator of the process at each call."""
    np.random.seed(3)
    return np.sum(np.random.normal(size=3) * x**2)


def grad_legacy(x):
    return 2 * np.random.RandomState(3).normal(size=3) * x


class Root:
    """Kepler's equation by Newton, begun where the last call ended."""

    def __init__(self):
        self.start = 1.0
        self.calls = 0

    def __call__(self, m):
        e, self.calls = self.start, self.calls + 1
        for _ in range(30):
            e = e - (e - 0.3 * math.sin(e) - m) / (1 - 0.3 * math.cos(e))
        self.start = round(e, 3)
        return e


def grad_root(m):
    return 1 / (1 - 0.3 * math.cos(Root()(m)))


class Layer:
    """Buffers and a matrix that are made once."""

    __slots__ = ("cells", "matrix", "steps")

    def __init__(self):
        self.matrix, self.cells, self.steps = None, np.zeros(3), 0

    def loss(self, x):
        if self.matrix is None:
            self.matrix = np.arange(9.0).reshape(3, 3) / 10
        self.steps += 1
        for i in range(3):
            self.cells[i] = self.matrix[i] @ x
        return np.sum(self.cells**2)


def grad_layer(x):
    """Twice the matrix, transposed, by what it gives."""
    matrix = np.arange(9.0).reshape(3, 3) / 10
    return 2 * matrix.T @ (matrix @ x)


class Draws:
    """A generator that is put back after each call."""

    def __init__(self):
        self.generator = np.random.default_rng(5)

    def __call__(self, x):
        before = self.generator.bit_generator.state
        noise = self.generator.normal(size=3)
        self.generator.bit_generator.state = before
        return np.sum((x - noise) ** 2)


@dataclass
class Mean:
    """A running mean that begins anew."""

    m: float = 0.0
    history: list[float] = field(default_factory=list)

    def loss(self, x):
        self.m = 0.0
        for k in range(1, 4):
            self.m = 0.9 * self.m + 0.1 * x**k
            self.history.append(self.m)
        return self.m


def grad_mean(x):
    return 0.1 * (0.81 + 0.9 * 2 * x + 3 * x**2)


class Best:
    """Keeps the least value seen, the last point and a queue of two."""

    least = math.inf

    def __init__(self):
        self.last, self.queue = None, collections.deque(maxlen=2)

    def loss(self, x):
        value = np.sum((x - 1.0) ** 4)
        type(self).least = min(type(self).least, float(value))
        self.last = x.copy()
        self.queue.append(value)
        return self.queue[-1] + 0.0 * np.sum(self.last)


TURNS = itertools.cycle([2.0, 5.0])


def closure():
    """A count in a cell, and a toggle that is turned twice."""
    count, up = 0, True

    def f(x):
        nonlocal count, up
        count += 1
        up = not up
        y = x**2 if up else x * x
        up = not up
        return y if up else -y

    return f


def local(x):
    """By way of what belongs to the thread."""
    LOCAL.x = x
    return LOCAL.x * math.cos(LOCAL.x)


CLAIMS = [
    *claims("a count on the function", counted, 0.8, lambda x: math.sin(x) + x * math.cos(x),
        wrong={"one factor": lambda x: x * math.cos(x)}),
    *claims("a memo by value", remembered, 1.3, lambda x: 3 * x**2 + 1, "x**3 + x, from the memo too", own=None,
        wrong={"what is in the memo is held": lambda x: 1.0, "the power": lambda x: 3 * x + 1}),
    *claims("a memo of functools", lambda x: kernel(x) + kernel(x) * x, 1.3, lambda x: 3 * x**2 + 4 * x**3,
        "x**3 + x**4", own=None,
        wrong={"what is in the memo is held": lambda x: x**3, "the second alone": lambda x: 4 * x**3}),
    *claims("an array of the module", buffered, X3, lambda x: 2 * x + np.array([0.0, 1.0, 0.0]), own=None,
        wrong={"what is in the array is held": lambda x: np.zeros(3), "without the second": lambda x: 2 * x}),
    *claims("written down in a default argument", noted, 0.4, lambda x: -math.exp(-x),
        wrong={"the sign": lambda x: math.exp(-x)}),
    *claims("seeded at each call", seeded, 0.9, grad_seeded, "the draws are the same each time",
        wrong={"a millionth": lambda x: (1 + 1e-6) * grad_seeded(x), "the sign": lambda x: -grad_seeded(x)}),
    *claims("NumPy's generator seeded at each call", legacy, X3, grad_legacy, "the draws are the same each time",
        wrong={"half": lambda x: grad_legacy(x) / 2}),
    *claims("begun where the last call ended", Root(), 0.9, grad_root,
        "the theorem of implicit functions; 30 turns converge from anywhere",
        wrong={"the factor of Kepler's equation": lambda m: 1.0, "a millionth": lambda m: grad_root(m) * (1 - 1e-6)}),
    *claims("buffers and a matrix made once", Layer().loss, X3, grad_layer, own=None,
        wrong={
            "not transposed": lambda x: 2 * (np.arange(9.0).reshape(3, 3) / 10) @ (np.arange(9).reshape(3, 3) / 10 @ x),
            "nothing": np.zeros_like}),
    *claims("a generator that is put back", Draws(), X3, lambda x: 2 * (x - np.random.default_rng(5).normal(size=3)),
        "the draws are the same each time", wrong={"without the draws": lambda x: 2 * x}),
    *claims("a running mean that begins anew", Mean().loss, 1.1, grad_mean,
        wrong={"the last turn alone": lambda x: 0.3 * x**2, "a millionth": lambda x: grad_mean(x) * (1 + 1e-6)}),
    *claims("the least value seen", Best().loss, X3, lambda x: 4 * (x - 1.0) ** 3,
        wrong={"the power": lambda x: 3 * (x - 1.0) ** 2, "one index": lambda x: np.roll(4 * (x - 1.0) ** 3, 1)}),
    *claims("a generator of two, both taken", lambda x: next(TURNS) * x**2 + next(TURNS) * x**2, 1.5, lambda x: 14 * x,
        "2 + 5", wrong={"the first twice": lambda x: 8 * x}),
    *claims("a count in a cell", closure(), 1.5, lambda x: 2 * x,
        wrong={"the sign": lambda x: -2 * x, "half": lambda x: x}),
    *claims("what belongs to the thread", local, 0.8, lambda x: math.cos(x) - x * math.sin(x),
        wrong={"one factor": lambda x: math.cos(x), "the sign": lambda x: math.cos(x) + x * math.sin(x)}),
]  # fmt: skip
