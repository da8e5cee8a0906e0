"""Claims about programs: loops, branches on data, state, coarse numbers, noise."""

import math
import random
import zlib

import numpy as np

import gradcli
from examples import newton_sqrt
from tests.corpus.claim import claims


def newton_from_one(a):
    """Newton's iteration from 1: at 1 it takes no step at all."""
    x = 1.0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def loose_newton(a):
    """Stopped early: the value is good to 1e-3, and the derivative to less."""
    x = a
    while abs(x * x - a) > 1e-2:
        x = 0.5 * (x + a / x)
    return x


def fixed_point(a):
    """X = cos(a x), by iteration."""
    x = 0.5
    for _ in range(500):
        new = math.cos(a * x)
        if abs(new - x) < 1e-13:
            break
        x = new
    return x


def fixed_point_slope(a):
    x = fixed_point(a)
    return -x * math.sin(a * x) / (1 + a * math.sin(a * x))


def geometric(x):
    """Summed until the terms are small: 1 / (1 - x)."""
    term = total = 1.0
    while abs(term) > 1e-17:
        term = term * x
        total = total + term
    return total


def euler(k):
    """100 steps of y' = -k y from 1."""
    y = 1.0
    for _ in range(100):
        y = y - 0.01 * k * y
    return y


def collatz(x):
    """A branch at each step, by a plain number that the input decides."""
    n = int(x)
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        x = x * 0.5 if n % 2 == 0 else x + 1.0
    return x


def by_case(x, y):
    """Another formula in each quarter of the plane."""
    if x > 0 and y > 0:
        return x * y**2
    return x + y if x > 0 else x * y


def seeded_noise(x):
    """A square with noise of 1e-8 from a generator that the point seeds."""
    generator = np.random.default_rng(zlib.crc32(f"{x:.17g}".encode()))
    return x * x + 1e-8 * generator.standard_normal()


def monte_carlo(x):
    draws = np.random.default_rng(3).standard_normal(200)
    return np.mean(np.exp(x * draws))


def grad_monte_carlo(x):
    draws = np.random.default_rng(3).standard_normal(200)
    return np.mean(draws * np.exp(x * draws))


def single(x):
    """A sum of squares of sines in single precision."""
    return np.sum(np.sin(x) ** 2)


def halved(x):
    """In single precision inside, though it takes and gives doubles."""
    y = x.astype(np.float32)
    return np.sum(y * y * y).astype(np.float64)


def bisection(a):
    """The place where x**3 = a, between plain numbers: the input acts through comparisons alone."""
    low, high = 0.0, 4.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if middle**3 < a:
            low = middle
        else:
            high = middle
    return low


TABLE = [math.sin(0.01 * n) for n in range(1000)]


def tabulated(x):
    return TABLE[int(100 * x)]


def interpolated(x):
    """A table with straight lines between its entries."""
    n = int(100 * x)
    return TABLE[n] + (100 * x - n) * (TABLE[n + 1] - TABLE[n])


def settles(r):
    """A population after 100 years, which settles: each year forgets what the one before was off by."""
    x = 0.3
    for _ in range(100):
        x = r * x * (1 - x)
    return x


def settles_by_hand(r, factor=1.0):
    x, d = 0.3, 0.0
    for _ in range(100):
        x, d = r * x * (1 - x), x * (1 - x) + r * d * (1 - 2 * x)
    return factor * d


def positive_part(t):
    """A branch of its own, asked for each number."""
    if t > 0:
        return t
    return 0.0


def sum_of_squared_parts(x):
    """A loop in which a question gets both answers, and the last another one than the first."""
    total = 0.0
    for t in x:
        total += positive_part(t) ** 2
    return total


def largest_squared(x):
    """The largest by hand."""
    best = x[0]
    for t in x[1:]:
        if t > best:
            best = t
    return best * best


MIXED = np.array([1.0, 2.0, -1.0, 3.0, -2.0])


def grad_of_squared_parts(x):
    return 2 * np.maximum(x, 0.0)


CLAIMS = [
    *claims("squared positive parts in a loop", sum_of_squared_parts, MIXED, grad_of_squared_parts,
        wrong={"the last one": lambda x: grad_of_squared_parts(x) + np.array([0.0, 0.0, 0.0, 0.0, 0.1]),
            "half": lambda x: np.maximum(x, 0.0)}),
    *claims("the largest by hand, squared", largest_squared, [1.0, 3.0, 2.0], lambda x: [0.0, 2 * x[1], 0.0],
        wrong={"another one": lambda x: [0.0, 0.0, 2 * x[2]], "twice": lambda x: [0.0, 4 * x[1], 0.0]}),
    *(
        claim
        for rate in (2.8, 3.2)
        for claim in claims(
            f"a population that settles at the rate {rate}",
            settles,
            rate,
            settles_by_hand,
            "a bound of the rounding error of this grows like 2 to the 100",
            wrong={
                "twice": lambda r: settles_by_hand(r, 2.0),
                "the sign": lambda r: settles_by_hand(r, -1.0),
                "a millionth off": lambda r: settles_by_hand(r, 1 + 1e-6),
            },
        )
    ),
    *claims("Newton's iteration", newton_sqrt.newton_sqrt, 2.0, lambda a: 0.5 / math.sqrt(a),
        wrong={"without the half": lambda a: 1 / math.sqrt(a)}),
    *claims("Newton's iteration, far out", newton_sqrt.newton_sqrt, 1e12, lambda a: 0.5 / math.sqrt(a),
        wrong={"1 / a": lambda a: 1 / a}),
    *claims("Newton's iteration that takes no step", newton_from_one, 1.0, lambda a: 0.5 / math.sqrt(a),
        "sqrt' = 1/2; the iteration's own derivative is 0 as it takes no step", own="undecidable", truth="undecidable",
        wrong={"one": lambda a: 1.0, "the sign": lambda a: -0.5}),
    *claims("Newton's iteration, stopped early", loose_newton, 2.0, lambda a: 0.5 / math.sqrt(a),
        "one more turn would make it right: nothing is to be said against either", own="right", truth="undecidable",
        wrong={"twice": lambda a: 1 / math.sqrt(a)}),
    *claims("a fixed point", fixed_point, 0.6, fixed_point_slope, "theorem of implicit functions",
        wrong={"the inner derivative alone": lambda a: -fixed_point(a) * math.sin(a * fixed_point(a))}),
    *claims("a geometric series", geometric, 0.5, lambda x: 1 / (1 - x) ** 2,
        wrong={"the value": lambda x: 1 / (1 - x)}),
    *claims("Euler's method", euler, 1.3, lambda k: -((0.99 + 0.01 - 0.01 * k) ** 99), "(1 - k/100)**100",
        wrong={"of the exponential": lambda k: -math.exp(-k)}),
    *claims("a walk by branches", collatz, 7.3, None, "slope 1/2 at each even number"),
    *claims("a case of the plane", by_case, (2.0, 3.0), lambda x, y: (y**2, 2 * x * y),
        wrong={"of another case": lambda x, y: (1.0, 1.0), "the second halved": lambda x, y: (y**2, x * y)}),
    *claims("another case of the plane", by_case, (-2.0, 3.0), lambda x, y: (y, x),
        wrong={"swapped": lambda x, y: (x, y)}),
    *claims("noise seeded by the point", seeded_noise, 1.5, lambda x: 2 * x, own=None, wrong={"half": lambda x: x}),
    *claims("a mean over draws", monte_carlo, 0.4, grad_monte_carlo,
        wrong={"of the limit": lambda x: x * math.exp(x * x / 2)}),
    *claims("another value each time", lambda x: x * x + 1e-3 * random.random(), 2.0, lambda x: 2 * x,
        "the draw is a constant of the run", wrong={"half": lambda x: x}),
    *claims("single precision", single, np.linspace(0.1, 2, 7, dtype=np.float32), lambda x: np.sin(2 * x),
        wrong={"half": lambda x: np.sin(2 * x) / 2, "a hundredth": lambda x: 1.01 * np.sin(2 * x)}),
    *claims("single precision that underflows", np.prod, np.array([1e-15, 2e-15, 3e-15, 4e-15], dtype=np.float32),
        lambda x: np.prod(x.astype(float)) / x, "1e-44, next to the smallest number of single precision",
        own="undecidable",
        wrong={"nothing": lambda x: np.zeros(4), "half": lambda x: np.prod(x.astype(float)) / x / 2}),
    *claims("single precision inside", halved, np.array([1.1, 2.3]), lambda x: 3 * x**2, "of the same digits",
        wrong={"the power": lambda x: 2 * x}),
    *claims("a bisection", bisection, 5.0, lambda a: 0.0,
        "every path is flat; as the steps are of 1e-15, the implicit derivative is right as well", own="cut",
        wrong={"one": lambda a: 1.0}),
    *claims("through text and back", lambda x: x * float(str(x)), 1.7, lambda x: 2 * x, "x * x", own=None,
        wrong={"half": lambda x: x}),
    *claims("a table", tabulated, 1.2345, lambda x: 0.0, "flat between entries", own="cut",
        wrong={"far off": lambda x: 100.0}),
    *claims("a table, as the function in it", tabulated, 1.2345, math.cos,
        "too few steps to be sure of the slope on the whole", own=None, truth="undecidable"),
    *claims("a table with lines", interpolated, 1.2345, lambda x: 100 * (TABLE[124] - TABLE[123]),
        "the slope of the line", wrong={"of the function in it": lambda x: math.cos(1.2345)}),
    *claims("a stopped path", lambda x: x * gradcli.stop_gradient(x), 2.0, lambda x: x, "meant to be held"),
    *claims("a large power by hand", lambda x: math.prod([x] * 40), 1.01, lambda x: 40 * x**39,
        wrong={"one power more": lambda x: 40 * x**40}),
    *claims("periodic", lambda x: math.sin(2 * math.pi * x), 1000.2, lambda x: 2 * math.pi * math.cos(2 * math.pi * x),
        wrong={"without the factor": lambda x: math.cos(2 * math.pi * x)}),
    *claims("periodic, at a turn", lambda x: math.sin(2 * math.pi * x), 1000.25,
        lambda x: 2 * math.pi * math.cos(2 * math.pi * x), "1e-12 beside 6, no digit of it in doubles",
        own="undecidable", truth="undecidable", wrong={"one": lambda x: 1.0}),
]  # fmt: skip
