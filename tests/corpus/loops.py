"""Claims about loops that a comparison ends: those that converge stop early, the others where their function says."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.corpus.claim import Claim

MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.5, -1.0, 6.0]])


def early_root(a):
    """Newton's iteration for a square root, stopped early."""
    y = 1.0
    while abs(y * y - a) > 1e-3:
        y = 0.5 * (y + a / y)
    return y


def fixed_point(a):
    """The solution of x = cos(a x) / 2 to three digits, which is then used."""
    x, before = 0.5, 0.0
    while abs(x - before) > 1e-3:
        x, before = math.cos(a * x) / 2, x
    return 3 * x * x + a


def exponential(x):
    """A series whose terms are left out below a ten-thousandth."""
    total, term, n = 1.0, 1.0, 0
    while abs(term) > 1e-4 * abs(total):
        n += 1
        term = term * x / n
        total = total + term
    return total


def kepler(e):
    """Kepler's equation by Newton's iteration, left by a break."""
    angle = 1.0
    for _ in range(50):
        step = (angle - e * math.sin(angle) - 1.0) / (1 - e * math.cos(angle))
        angle = angle - step
        if abs(step) < 0.3:
            break
    return math.sin(angle)


def relaxed(b):
    """A linear system by Jacobi's iteration to three digits."""
    x = np.zeros(3) * b
    while np.max(np.abs(MATRIX @ x - b)) > 1e-3:
        x = x + (b - MATRIX @ x) / np.diag(MATRIX)
    return np.sum(x)


def descent(a):
    """The least of a convex function by steps along its slope."""
    x = 0.0
    while abs(2 * (x - a) + 0.4 * x**3) > 1e-3:
        x = x - 0.3 * (2 * (x - a) + 0.4 * x**3)
    return x


def dominant(a):
    """The largest eigenvalue by powers, until it changes little."""
    x, y, value, before = 1.0, 0.0, a, 0.0
    while abs(value - before) > 1e-3:
        x, y = a * x + y, x + 2 * y
        size = math.sqrt(x * x + y * y)
        x, y = x / size, y / size
        before, value = value, a * x * x + 2 * x * y + 2 * y * y
    return value


def geometric(r):
    """The sum of powers until they are small."""
    total, term = 0.0, 1.0
    while term > 1e-3:
        total, term = total + term, term * r
    return total


def bisected(a):
    """A root between two numbers, of which only comparisons know."""
    low, high = 0.0, 3.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**3 < a else (low, middle)
    return (low + high) / 2


def halved(x, y):
    while x > 2.0:
        x = x / 2
    return x * x * y + 100.0


def doubled(x):
    while x < 1.0:
        x = 2 * x
    return math.log(x)


def wrapped(x):
    angle = x * x
    while angle > math.pi:
        angle = angle - 2 * math.pi
    return angle * angle


def ball(v):
    """The flight of a ball until it is on the ground, in small steps."""
    x, y, up, h = 0.0, 0.0, v, 0.01
    while True:
        x, y, up = x + h * v, y + h * up, up - h * 9.81
        if y < 0:
            break
    return x + y


def spent(rate):
    """Interest until a limit: each step adds little."""
    total = 1.0
    while total < 1.5:
        total = total * (1 + rate)
    return total


def bracket(a):
    """An interval that grows until it has a root."""
    end = a
    while end**3 < 20.0:
        end = 1.6 * end
    return end**2


def inserted(x):
    """Three numbers in order, weighted by rank."""
    x = [*x]
    for n in range(1, len(x)):
        while n and x[n - 1] > x[n]:
            x[n - 1], x[n] = x[n], x[n - 1]
            n -= 1
    return sum((rank + 1) * each**2 for rank, each in enumerate(x))


def passage(x):
    """Irregular steps until a level is passed."""
    total, n = 0.0, 0
    while total < 1.3:
        total = total + x * math.sin(n + 1.0) ** 2
        n += 1
    return total**2


def logistic(r):
    x = 0.2
    while x < 0.93:
        x = r * x * (1 - x)
    return x


def searched(x):
    """A step that is halved until the value falls."""
    step, slope = 1.0, 4 * x**3
    while (x - step * slope) ** 4 > x**4 - 0.3 * step * slope**2:
        step = step * 0.5
    return (x - step * slope) ** 4


def euclid(x):
    """What is left by a number in its multiples."""
    while x > 0.7:
        x = x - 0.7
    return 5 * x * x


def slope_of(f: Callable[[float], Any], x: float, h: float = 1e-6) -> float:
    """The slope by differences, of a loop whose number of iterations does not change."""
    return float((f(x + h) - f(x - h)) / (2 * h))


def converging(name: str, f: Callable[..., Any], at: Any, slope: Any, beyond: float) -> list[Claim]:
    """The derivative of the limit, and one that is further off than the iterations that are left explain."""
    return [
        Claim(f"loops: {name}", f, at, None, "right", "of the iterations that ran"),
        Claim(f"loops: {name}: of the limit", f, at, lambda *_: slope, "undecidable", "the loop stops early"),
        Claim(f"loops: {name}: beyond", f, at, lambda *_: slope * beyond, "wrong", "much further off"),
    ]


def ending(name: str, f: Callable[..., Any], at: float) -> list[Claim]:
    """The derivative of a loop that ends where its function says, and wrong ones."""
    slope = slope_of(f, at)
    wrong = {"half more": 1.5, "nothing": 0.0, "the sign": -1.0, "a hundredth more": 1.01}
    return [
        Claim(f"loops: {name}", f, at, None, "right", "differences"),
        *(Claim(f"loops: {name}: {told}", f, at, lambda *_, s=s: s * slope, "wrong", "") for told, s in wrong.items()),
    ]


ROOT = math.sqrt(3.1)
CLAIMS = [
    *converging("a square root", early_root, 3.1, 0.5 / ROOT, 1.1),
    Claim("loops: a square root from its root", early_root, 1.0, lambda a: 0.5, "undecidable", "no iteration ran"),
    Claim("loops: a square root from its root: more", early_root, 1.0, lambda a: 1.5, "wrong", "not twice as much"),
    *converging("a series", exponential, 1.3, math.exp(1.3), 1.01),
    *converging("a linear system", relaxed, np.array([1.0, 2.0, 3.0]), np.linalg.inv(MATRIX).sum(0), 1.05),
    *converging("a geometric series", geometric, 0.3, 1 / 0.49, 1.1),
    *converging("a fixed point", fixed_point, 0.8, 0.7932709596, 1.05),
    *converging("Kepler's equation", kepler, 0.3, 0.2923464256, 1.1),
    *converging("a descent", descent, 1.2, 0.625, 1.05),
    *converging("an eigenvalue", dominant, 3.0, 0.7236067977, 1.1),
    Claim("loops: a bisection", bisected, 2.0, lambda a: a ** (-2 / 3) / 3, "cut", "the slope over many paths"),
    Claim("loops: a bisection: twice", bisected, 2.0, lambda a: 2 * a ** (-2 / 3) / 3, "wrong", "twice the slope"),
    *ending("doubling", doubled, 0.13),
    *ending("a turn", wrapped, 4.3),
    *ending("many turns", wrapped, 31.4),
    *ending("a ball", ball, 5.0),
    *ending("small steps", spent, 0.003),
    *ending("a bracket", bracket, 0.37),
    *ending("a passage", passage, 0.4),
    *ending("a chaotic map", logistic, 3.9),
    *ending("a step", searched, 1.9),
    *ending("a remainder", euclid, 9.3),
    Claim(
        "loops: halving: half more", halved, (7.3, 1.5), lambda x, y: (3 * x / 16 * y, 1.5 * (x / 4) ** 2), "wrong", ""
    ),
    Claim("loops: halving: nothing", halved, (7.3, 1.5), lambda x, y: (0.0, 0.0), "wrong", ""),
    Claim("loops: halving", halved, (7.3, 1.5), lambda x, y: (x / 8 * y, (x / 4) ** 2), "right", "x / 4"),
    Claim("loops: order", inserted, [1.02, 1.0, 1.01], lambda x: [6.12, 2.0, 4.04], "right", "ranks 3, 1, 2"),
    Claim("loops: order: not put in order", inserted, [1.02, 1.0, 1.01], lambda x: [2.04, 4.0, 6.06], "wrong", ""),
    Claim("loops: order: one exchange less", inserted, [1.02, 1.0, 1.01], lambda x: [4.08, 2.0, 6.06], "wrong", ""),
]
