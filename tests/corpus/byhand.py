"""Claims with the slips that people make, and pairs of functions and gradients that libraries ship."""

import math

import numpy as np
import scipy.optimize
import scipy.special

from examples import hyperbox, rosenbrock
from tests.corpus.claim import claims


def grad_himmelblau(x):
    a, b = x[0] ** 2 + x[1] - 11, x[0] + x[1] ** 2 - 7
    return np.array([4 * x[0] * a + 2 * b, 2 * a + 4 * x[1] * b])


def grad_beale(x, y):
    a, b, c = 1.5 - x + x * y, 2.25 - x + x * y**2, 2.625 - x + x * y**3
    by_x = 2 * a * (y - 1) + 2 * b * (y**2 - 1) + 2 * c * (y**3 - 1)
    return by_x, 2 * a * x + 4 * b * x * y + 6 * c * x * y**2


def grad_likelihood(mu, log_sigma):
    z = (1.7 - mu) / math.exp(log_sigma)
    return -z / math.exp(log_sigma), 1 - z**2


VALLEY = np.array([1.3, 0.7, 0.8, 1.9, 1.2])


def valley_without_left(x):
    """The share of the left neighbours is left out."""
    found = rosenbrock.grad_rosen(x)
    found[1:] -= 200 * (x[1:] - x[:-1] ** 2)
    return found


CLAIMS = [
    *claims("the seeds' box", hyperbox.f4, [1.0, 2.0, 3.0, 4.0], hyperbox.grad_f4,
        wrong={"a slip": hyperbox.grad_f4_slip}),
    *claims("the valley", rosenbrock.rosen, VALLEY, rosenbrock.grad_rosen,
        wrong={"the left neighbours' share missing": valley_without_left,
            "half": lambda x: rosenbrock.grad_rosen(x) / 2}),
    *claims("the valley's floor", rosenbrock.rosen, np.ones(5), rosenbrock.grad_rosen, "exactly 0",
        wrong={"a billionth": lambda x: np.full(5, 1e-9)}),
    *claims("a hair off the floor", rosenbrock.rosen, np.full(5, 1 + 1e-15), rosenbrock.grad_rosen, "1e-13"),
    *claims("beside the floor", rosenbrock.rosen, np.full(5, 1 + 1e-9), rosenbrock.grad_rosen),
    *claims("the valley at 0", rosenbrock.rosen, np.zeros(5), rosenbrock.grad_rosen),
    *claims("the valley far out", rosenbrock.rosen, np.full(5, 1e8), rosenbrock.grad_rosen),
    *claims("the valley in 200 numbers", rosenbrock.rosen, np.linspace(-1, 1, 200), rosenbrock.grad_rosen),
    *claims("scipy's valley", scipy.optimize.rosen, VALLEY, scipy.optimize.rosen_der, "shipped with scipy",
        wrong={"one sign": lambda x: scipy.optimize.rosen_der(x) * np.array([1, 1, -1, 1, 1])}),
    *claims("scipy's valley at its start", scipy.optimize.rosen, np.array([-1.2, 1.0]), scipy.optimize.rosen_der,
        "shipped with scipy", own=None, wrong={"swapped": lambda x: scipy.optimize.rosen_der(x)[::-1]}),
    *claims("scipy's error function", scipy.special.erf, 0.7, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
        "2/sqrt(pi) exp(-x**2)", own=None, wrong={"without the factor": lambda x: math.exp(-x * x)}),
    *claims("math's error function", math.erf, 0.7, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
        "2/sqrt(pi) exp(-x**2)",
        wrong={"of the normal density": lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)}),
    *claims("scipy's Bessel function", scipy.special.j0, 1.3, lambda x: -scipy.special.j1(x), "J0' = -J1", own=None,
        wrong={"the sign": scipy.special.j1}),
    *claims("math's lgamma", math.lgamma, 3.4, scipy.special.digamma, "its derivative is digamma",
        wrong={"digamma one on": lambda x: scipy.special.digamma(x + 1)}),
    *claims("scipy's expit", scipy.special.expit, 0.4, lambda x: scipy.special.expit(x) * (1 - scipy.special.expit(x)),
        "s (1 - s)", own=None, wrong={"s (1 + s)": lambda x: scipy.special.expit(x) * (1 + scipy.special.expit(x))}),
    *claims("a polynomial and its derivative", lambda x: np.polyval([2.0, -3.0, 0.5, 1.0], x), 1.4,
        lambda x: np.polyval(np.polyder([2.0, -3.0, 0.5, 1.0]), x), "np.polyder", own=None,
        wrong={"the next derivative": lambda x: np.polyval(np.polyder([2.0, -3.0, 0.5, 1.0], 2), x)}),
    *claims("a pendulum", lambda angle, length: 9.81 * length * (1 - math.cos(angle)), (0.6, 2.0),
        lambda a, r: (9.81 * r * math.sin(a), 9.81 * (1 - math.cos(a))),
        wrong={"swapped": lambda a, r: (9.81 * (1 - math.cos(a)), 9.81 * r * math.sin(a)),
            "the sign": lambda a, r: (-9.81 * r * math.sin(a), 9.81 * (1 - math.cos(a))),
            "without g": lambda a, r: (r * math.sin(a), 1 - math.cos(a))}),
    *claims("Himmelblau's function", lambda x: (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2,
        np.array([1.5, -0.7]), grad_himmelblau,
        wrong={"one term missing": lambda x: grad_himmelblau(x) - np.array([2 * (x[0] + x[1] ** 2 - 7), 0.0]),
            "swapped": lambda x: grad_himmelblau(x)[::-1]}),
    *claims("Beale's function",
        lambda x, y: (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2, (1.2, 0.4),
        grad_beale,
        wrong={
            "the cubic term missing": lambda x, y: (grad_beale(x, y)[0],
                grad_beale(x, y)[1] - 6 * (2.625 - x + x * y**3) * x * y**2)}),
    *claims(
        "a pair potential",
        lambda r: 4 * (r**-12 - r**-6),
        1.1,
        lambda r: 4 * (-12 * r**-13 + 6 * r**-7),
        wrong={
            "6 for 12": lambda r: 4 * (-6 * r**-13 + 6 * r**-7),
            "the force": lambda r: 4 * (12 * r**-13 - 6 * r**-7),
        },
    ),
    *claims("Kepler's equation", lambda e, m: m - e * math.sin(m), (0.3, 1.1),
        lambda e, m: (-math.sin(m), 1 - e * math.cos(m)),
        wrong={"the product rule": lambda e, m: (-math.sin(m), 1 - math.cos(m))}),
    *claims("degrees", lambda x: math.sin(math.radians(x)), 30.0,
        lambda x: math.radians(1.0) * math.cos(math.radians(x)),
        wrong={"in radians": lambda x: math.cos(math.radians(x))}),
    *claims(
        "a likelihood",
        lambda mu, log_sigma: log_sigma + 0.5 * ((1.7 - mu) / math.exp(log_sigma)) ** 2,
        (1.0, -0.5),
        grad_likelihood,
        wrong={
            "by sigma for log sigma": lambda m, s: (grad_likelihood(m, s)[0], grad_likelihood(m, s)[1] / math.exp(s)),
            "the sign of the first": lambda m, s: (-grad_likelihood(m, s)[0], grad_likelihood(m, s)[1]),
        },
    ),
    *claims("a quotient", lambda x: math.sin(x) / (1 + x * x), 0.8,
        lambda x: math.cos(x) / (1 + x * x) - 2 * x * math.sin(x) / (1 + x * x) ** 2,
        wrong={"the quotient rule's sign": lambda x: math.cos(x) / (1 + x * x) + 2 * x * math.sin(x) / (1 + x * x) ** 2,
            "the denominator not squared": lambda x: (math.cos(x) - 2 * x * math.sin(x)) / (1 + x * x)}),
    *claims("a chain", lambda x: math.exp(math.sin(3 * x)), 0.5,
        lambda x: 3 * math.cos(3 * x) * math.exp(math.sin(3 * x)),
        wrong={"the inner factor missing": lambda x: math.cos(3 * x) * math.exp(math.sin(3 * x)),
            "the middle factor missing": lambda x: 3 * math.exp(math.sin(3 * x))}),
    *claims("a millionth off", lambda x: math.exp(x), 1.0, math.exp,
        wrong={"more": lambda x: math.exp(x) * (1 + 1e-6), "less": lambda x: math.exp(x) * (1 - 1e-6)}),
    *claims("a large gradient with an absolute slip", lambda x: 1e6 * x * x, 3.0, lambda x: 2e6 * x,
        wrong={"by 10": lambda x: 2e6 * x + 10.0}),
]  # fmt: skip
