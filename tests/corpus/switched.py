"""Claims about differential equations and integrals that change their law at a time or a value that is an input."""

from functools import partial

import numpy as np
import scipy.integrate

from tests.corpus.claim import claims

integrals = partial(claims, quick=False)
TIGHT = {"rtol": 1e-9, "atol": 1e-11}


def run(law, start, end=2.0):
    return scipy.integrate.solve_ivp(law, (0.0, end), start, **TIGHT).y[0, -1]


def by_odeint(p):
    """A rate of 1 before p and of 3 after it, by odeint."""
    return scipy.integrate.odeint(lambda y, t: [1.0 if t < p else 3.0], [0.0], [0.0, 2.0], rtol=1e-9, atol=1e-11)[-1, 0]


def of_vectors(p):
    """Of a vector whose second number changes at p."""
    return np.sum(scipy.integrate.quad_vec(lambda t: np.array([3 * t * p, 1.0 if t < p else 3.0]), 0.0, 2.0)[0])


CLAIMS = [
    *integrals("switched: a dose that ends at a time", lambda p: run(lambda t, y: [1.0 if t < p else 3.0], [0.0]), 0.73,
        lambda p: -2.0, "p + 3 (2 - p)", own="wrong", wrong={"nothing": lambda p: 0.0, "the sign": lambda p: 2.0}),
    *integrals("switched: a dose that ends at a time, by where",
        lambda p: run(lambda t, y: np.where(t < p, 2.0, 0.5) - 0.0 * y, np.zeros(1)), 0.73, lambda p: 1.5,
        "2 p + (2 - p) / 2", own="wrong", wrong={"nothing": lambda p: 0.0}),
    *integrals("switched: a rate that doubles at a value",
        lambda p: run(lambda t, y: [1.0 if y[0] < p else 2.0], [0.0]), 0.73, lambda p: -1.0, "p + 2 (2 - p)",
        own="wrong", wrong={"nothing": lambda p: 0.0}),
    *integrals("switched: a rate that falls to nothing", lambda p: run(lambda t, y: [max(0.0, p - t)], [0.0]), 0.73,
        why="p**2 / 2", own=None, wrong={"nothing": lambda p: 0.0}),
    *integrals("switched: a rate by a size", lambda p: run(lambda t, y: [abs(t - p)], [0.0]), 0.73,
        why="(p**2 + (2 - p)**2) / 2", own=None, wrong={"the sign": lambda p: 2 - 2 * p}),
    *integrals("switched: a dose by odeint", by_odeint, 0.73, lambda p: -2.0, "p + 3 (2 - p)", own="wrong",
        wrong={"nothing": lambda p: 0.0}),
    *integrals(
        "switched: an integral that jumps",
        lambda p: scipy.integrate.quad(lambda t: 1.0 if t < p else 3.0, 0.0, 2.0)[0],
        0.73,
        lambda p: -2.0,
        "p + 3 (2 - p)",
        truth="undecidable",  # QUADPACK errs by 1e-8, by another amount for each p
        own=None,
        wrong={"nothing": lambda p: 0.0},
    ),
    *integrals(
        "switched: an integral that jumps, with a slope",
        lambda p: scipy.integrate.quad(lambda t: p * t if t < p else 1.0, 0.0, 2.0)[0],
        0.73,
        lambda p: 1.5 * p * p - 1.0,
        "p**3 / 2 + 2 - p",
        truth="undecidable",  # QUADPACK errs by 1e-8, by another amount for each p
        own=None,
        wrong={"under the integral alone": lambda p: p * p / 2},
    ),
    *integrals("switched: an integral of what is above 0",
        lambda p: scipy.integrate.quad(lambda t: max(p - t, 0.0), 0.0, 2.0)[0], 0.73, why="p**2 / 2", own=None,
        wrong={"nothing": lambda p: 0.0}),
    *integrals("switched: an integral of vectors that jumps", of_vectors, 0.73, lambda p: 4.0, "6 p + p + 3 (2 - p)",
        own="wrong", wrong={"under the integral alone": lambda p: 6.0, "nothing": lambda p: 0.0}),
    *integrals("switched: an integral that jumps where no input says",
        lambda p: scipy.integrate.quad(lambda t: p * p if t < 0.7 else 3.0 * p, 0.0, 2.0)[0], 0.73,
        lambda p: 1.4 * p + 3.9, "0.7 p**2 + 3.9 p", own=None, wrong={"the later part": lambda p: 3.9}),
]  # fmt: skip
