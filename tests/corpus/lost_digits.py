"""Claims whose last operations lose digits, and published test functions where they are least."""

import math

import mpmath
import numpy as np

from tests.corpus.claim import Claim, claims


def exactly(f):
    """The derivative at the binary number itself, with 150 digits."""

    def gradient(x):
        with mpmath.workdps(150):
            return float(mpmath.diff(f, mpmath.mpf(float(x)), h=mpmath.mpf(10) ** -40 * abs(x)))

    return gradient


def sine_of_inverse(x):
    """It turns 1e15 times from here to twice here."""
    return math.sin(1 / x)


def grad_sine_of_inverse(x):
    """-cos(1/x)/x**2: 1/x is rounded by as much as a turn."""
    return -math.cos(1 / x) / (x * x)


def exact_sine_of_inverse(x):
    with mpmath.workdps(60):
        return float(-mpmath.cos(1 / mpmath.mpf(x)) / mpmath.mpf(x) ** 2)


exact_tangent_rest = exactly(lambda x: -mpmath.log(mpmath.cos(x)) - x * x / 2)


def softplus(x):
    """log(1 + exp(x)) as it is written in books."""
    return math.log(1 + math.exp(x))


def naive_sigmoid(x):
    return 1 - 1 / (1 + math.exp(x))


def sigmoid(x):
    return math.exp(x) / (1 + math.exp(x))


def heron(a, b, c):
    s = (a + b + c) / 2
    return math.sqrt(s * (s - a) * (s - b) * (s - c))


def grad_heron(a, b, c):
    """By hand, a (b**2 + c**2 - a**2)/(8 A), and so on round, with 60 digits."""
    with mpmath.workdps(60):
        a, b, c = map(mpmath.mpf, (a, b, c))
        s = (a + b + c) / 2
        area = 8 * mpmath.sqrt(s * (s - a) * (s - b) * (s - c))
        squares = a * a + b * b + c * c
        return tuple(float(side * (squares - 2 * side * side) / area) for side in (a, b, c))


def ackley(x):
    cone = -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2)))
    return cone - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e


def salomon(x):
    r = np.linalg.norm(x)
    return 1 - np.cos(2 * np.pi * r) + 0.1 * r


def eggholder(x, y):
    """Least at the end of its domain, where it still falls."""
    a, b = y + 47, abs(x / 2 + y + 47)
    return -a * math.sin(math.sqrt(b)) - x * math.sin(math.sqrt(abs(x - a)))


def grad_eggholder(x, y):
    """By hand."""
    p, q = x / 2 + y + 47, x - y - 47
    rp, rq = math.sqrt(abs(p)), math.sqrt(abs(q))
    dp = -(y + 47) * math.cos(rp) * math.copysign(0.5, p) / rp
    dq = -x * math.cos(rq) * math.copysign(0.5, q) / rq
    return dp / 2 - math.sin(rq) + dq, dp - math.sin(rp) - dq


def grad_schwefel(x):
    r = np.sqrt(x)
    return -np.sin(r) - r / 2 * np.cos(r)


def least(name, f, at, right, why, wrong, **options) -> list[Claim]:
    """Claims at a kink where a test function is least."""
    return claims(f"least: {name}", f, at, right, why, truth="kink", wrong=wrong, **{"own": "kink", **options})


def lost(name, f, at, lossy, exact, why="the last operations lose the digits") -> list[Claim]:
    """A candidate that loses its digits, one that does not, and one that is twice that."""
    return [
        *claims(f"{name}, with its digits lost", f, at, lossy, why, own=None, truth="undecidable"),
        *claims(f"{name}, with all digits", f, at, exact, why, own=None, wrong={"twice": lambda x: 2 * exact(x)}),
    ]


CLAIMS = [
    *lost("sin(1/x) at 1e-16", sine_of_inverse, 1e-16, grad_sine_of_inverse, exact_sine_of_inverse),
    *lost("sin(1/x) at 1e-12", sine_of_inverse, 1e-12, grad_sine_of_inverse, exact_sine_of_inverse),
    *lost("log(1 + exp(x)) at -26", softplus, -26.0, naive_sigmoid, sigmoid),
    *lost("log(1 + exp(x)) at -33", softplus, -33.0, naive_sigmoid, sigmoid),
    *lost("cos at 1e-7", lambda x: -math.cos(x), 1e-7, lambda x: math.sqrt(1 - math.cos(x) ** 2), math.sin),
    *lost("tan less its argument", lambda x: -math.log(math.cos(x)) - x * x / 2, 1e-6, lambda x: math.tan(x) - x,
        exact_tangent_rest),
    *lost("sqrt of x + 1 less sqrt of x", lambda x: 2 / 3 * ((x + 1) ** 1.5 - x**1.5), 1e12,
        lambda x: math.sqrt(x + 1) - math.sqrt(x), lambda x: 1 / (math.sqrt(x + 1) + math.sqrt(x))),
    *claims("log1p, stable", math.log1p, 1e-12, lambda x: 1 / (1 + x),
        wrong={"of a square": lambda x: 1 / (1 + x) ** 2 * (1 + 1e-6), "nothing": lambda x: 0.0}),
    *claims("log(1 + x), its value without digits", lambda x: math.log(1 + x), 1e-12, lambda x: 1 / (1 + x),
        "the slope keeps the digits that the value has lost",
        wrong={"a millionth": lambda x: (1 + 1e-6) / (1 + x), "half": lambda x: 0.5}),
    *claims("1 - cos(x), its value without digits", lambda x: 1 - math.cos(x), 1e-9, math.sin,
        wrong={"the sign": lambda x: -math.sin(x), "half": lambda x: x / 2}),
    *claims("sin squared for 1 - cos", lambda x: 2 * math.sin(x / 2) ** 2, 1e-9, math.sin,
        wrong={"twice": lambda x: 2 * math.sin(x)}),
    *claims("expm1 over x", lambda x: math.expm1(x) / x, 1e-5, exactly(lambda x: mpmath.expm1(x) / x),
        wrong={"one": lambda x: 1.0, "a third": lambda x: 1 / 3}),
    *claims("a needle of a triangle", heron, (1.0, 0.5, 0.5 + 1e-9), grad_heron, "16 A**2 by its sides", own=None,
        wrong={"the first missing": lambda a, b, c: (0.0, *grad_heron(a, b, c)[1:])}),
    *claims("Csendes' function next to its least", lambda x: sum(c**6 * (2 + math.sin(1 / c)) if c else 0.0 for c in x),
        [1e-3, -2e-3], lambda x: [6 * c**5 * (2 + math.sin(1 / c)) - c**4 * math.cos(1 / c) for c in x],
        wrong={"the second term missing": lambda x: [6 * c**5 * (2 + math.sin(1 / c)) for c in x]}),
    # what larger terms absorb
    *claims("a small slope next to a product that cancels", lambda x, y: x * y - x * y + 1e-150 * x, (1.0, 3.0),
        lambda x, y: (1e-150, 0.0), "the products cancel", own="roundoff", truth="right",
        wrong={"nothing": lambda x, y: (0.0, 0.0), "twice": lambda x, y: (2e-150, 0.0)}),
    *claims("an exponential next to an identity", lambda x: math.sin(x) ** 2 + math.cos(x) ** 2 + math.exp(-400 * x),
        1.0, lambda x: -400 * math.exp(-400 * x), "the squares add up to 1", own="roundoff", truth="right",
        wrong={"nothing": lambda x: 0.0}),
    *claims("the second derivatives of a cube next to terms that cancel",
        lambda x, y: x * x * y - x * x * y + 1e-150 * x**3, (1.0, 3.0),
        lambda x, y: [[6e-150 * x, 0.0], [0.0, 0.0]], "the products cancel",
        wrong={"nothing": lambda x, y: np.zeros((2, 2))}, of="hessian"),
    # where test functions are least
    *least("Ackley's function", ackley, np.zeros(2), np.zeros_like, "a cone with the slope 4/sqrt(2)",
        {"steeper": lambda x: np.array([2.5, 2.5]), "steeper along one": lambda x: np.array([2.9, 0.0])}, own=None),
    *least("Salomon's function", salomon, np.zeros(3), lambda x: np.array([0.05, 0.0, 0.08]),
        "a cone with the slope 0.1", {"steeper": lambda x: np.full(3, 0.06)}),
    *least("Schwefel's 2.22", lambda x: np.sum(np.abs(x)) + np.prod(np.abs(x)), np.zeros(3),
        lambda x: np.array([0.5, -1.0, 0.0]), "each from -1 to 1",
        {"one beyond": lambda x: np.array([0.5, -1.1, 0.0])}),
    *least("Alpine's function", lambda x: np.sum(np.abs(x * np.sin(x) + 0.1 * x)), np.zeros(2),
        lambda x: np.array([0.1, -0.03]), "each from -0.1 to 0.1", {"one beyond": lambda x: np.array([0.1, -0.11])}),
    *least("Bartels' function", lambda x, y: abs(x * x + y * y + x * y) + abs(math.sin(x)) + abs(math.cos(y)),
        (0.0, 0.0), lambda x, y: (0.7, 0.0), "|sin x| has the slopes -1 and 1, |cos y| is smooth",
        {"one beyond": lambda x, y: (1.1, 0.0), "the other not flat": lambda x, y: (0.0, 0.1)}),
    *least("Xin-She Yang's second function", lambda x: np.sum(np.abs(x)) * np.exp(-np.sum(np.sin(x**2))), np.zeros(3),
        lambda x: np.array([1.0, 0.2, -0.9]), "each from -1 to 1",
        {"one beyond": lambda x: np.array([1.0, 1.2, -0.9])}),
    *least("a cusp beside a kink", lambda x: abs(x) + abs(x) ** 1.5, 0.0, lambda x: 0.2,
        "|x|**1.5 adds nothing to the slopes -1 and 1", {"beyond": lambda x: 1.2}),
    *claims("least: Bukin's function", lambda x, y: 100 * math.sqrt(abs(y - x * x / 100)) + 0.01 * abs(x + 10),
        (-10.0, 1.0), lambda x, y: (0.0, 0.0), "infinite slopes to both sides", own="nonfinite"),
    *claims("least: Eggholder's function", eggholder, (512.0, 404.2319), grad_eggholder,
        "it still falls at the end of its domain",
        wrong={"nothing": lambda x, y: (0.0, 0.0), "the second by the first": lambda x, y: grad_eggholder(x, y)[::-1]}),
    *claims("least: Schwefel's function", lambda x: 418.9829 * len(x) - np.sum(x * np.sin(np.sqrt(np.abs(x)))),
        np.full(3, 420.968746), grad_schwefel, "what is left by the six digits published",
        wrong={"a factor": lambda x: -np.sin(np.sqrt(x)) - np.sqrt(x) * np.cos(np.sqrt(x))}),
    *claims("least: Easom's function",
        lambda x, y: -math.cos(x) * math.cos(y) * math.exp(-((x - math.pi) ** 2) - (y - math.pi) ** 2),
        (math.pi, math.pi), lambda x, y: (math.sin(x) * math.cos(y), math.cos(x) * math.sin(y)),
        "where x - pi is 0 the other term is", wrong={"a thousandth": lambda x, y: (1e-3, 0.0)}),
    *claims("least: Griewank's function",
        lambda x: np.sum(x**2) / 4000 - np.prod(np.cos(x / np.sqrt([1.0, 2.0, 3.0]))) + 1, np.zeros(3), np.zeros_like,
        "even in each", wrong={"a thousandth": lambda x: np.full(3, 1e-3)}),
]  # fmt: skip
