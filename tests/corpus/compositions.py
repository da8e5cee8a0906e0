"""Claims at kinks that come about where smooth functions meet: an inverse cosine at 1, a root of a square at 0."""

import math

import numpy as np

from tests.corpus.claim import claims


def bend(name, f, at, least, most, own="nonfinite", **options):
    """The claims about one number at which the slopes are `least` and `most`."""
    middle, beyond = 0.3 * least + 0.7 * most, most + 0.3 * (most - least)
    return claims(
        name,
        f,
        at,
        lambda x: middle,
        f"slopes {least:.3g} and {most:.3g}",
        own=own,
        truth="kink",
        wrong={"beyond": lambda x: beyond},
        **options,
    )


ROOT2 = math.sqrt(2)

CLAIMS = [
    *bend("acos of cos at 0", lambda x: math.acos(math.cos(x)), 0.0, -1.0, 1.0),
    *bend("NumPy's arccos of cos at 0", lambda x: np.arccos(np.cos(x)), np.float64(0.0), -1.0, 1.0),
    *bend("acos of cos at pi", lambda x: math.acos(math.cos(x)), math.pi, -1.0, 1.0),
    *bend("asin of sin at pi/2", lambda x: math.asin(math.sin(x)), math.pi / 2, -1.0, 1.0),
    *bend("asin of cos at 0", lambda x: math.asin(math.cos(x)), 0.0, -1.0, 1.0),
    *bend("acos of 1 less a square at 0", lambda x: math.acos(1 - x * x), 0.0, -ROOT2, ROOT2),
    *bend("acosh of 1 and a square at 0", lambda x: math.acosh(1 + x**2), 0.0, -ROOT2, ROOT2),
    *bend("acosh of cosh at 0", lambda x: math.acosh(math.cosh(x)), 0.0, -1.0, 1.0),
    *bend("the root of a square at 0", lambda x: math.sqrt(x * x), 0.0, -1.0, 1.0),
    *bend("NumPy's root of a square at 0", lambda x: np.sqrt(x**2), np.float64(0.0), -1.0, 1.0),
    *bend("a square to the half at 0", lambda x: (x * x) ** 0.5, 0.0, -1.0, 1.0),
    *bend("the root of 1 less a cosine at 0", lambda x: math.sqrt(1 - math.cos(x)), 0.0, -1 / ROOT2, 1 / ROOT2),
    *bend("the root of a sine squared at 0", lambda x: math.sqrt(math.sin(x) ** 2), 0.0, -1.0, 1.0),
    *bend("a cube root of a size cubed at 0", lambda x: np.cbrt(np.abs(x) ** 3), np.float64(0.0), -1.0, 1.0),
    *bend("hypot of twice the same at 0", lambda x: math.hypot(x, x), 0.0, -ROOT2, ROOT2),
    *bend("abs to the power 1 at 0", lambda x: abs(x) ** 1, 0.0, -1.0, 1.0, own="kink"),
    *bend("the logarithm of an exponential of abs at 0", lambda x: math.log(math.exp(abs(x))), 0.0, -1.0, 1.0, "kink"),
    *bend("atan2 of a size at 0", lambda x: math.atan2(abs(x), 1.0), 0.0, -1.0, 1.0, own="kink"),
    *bend("a maximum of a maximum at 0", lambda x: max(max(x, -x), 2 * x), 0.0, -1.0, 2.0, own="kink"),
    *bend("an exponential falling from 0", lambda x: math.exp(-abs(x)), 0.0, -1.0, 1.0, own="kink"),
    *claims("the angle between a vector and itself",
        lambda x: math.acos(min(1.0, float(x[0] / np.sqrt(x[0] ** 2 + x[1] ** 2)))), np.array([2.0, 0.0]),
        lambda x: np.array([0.0, 0.3]), "slopes -1/2 and 1/2 by the second number", own=None, truth="kink",
        wrong={"beyond": lambda x: np.array([0.0, 0.6]), "along": lambda x: np.array([0.2, 0.0])}),
    *claims("a maximum of maxima of three", lambda x, y, z: max(max(x, y), max(y, z)), (1.0, 1.0, 1.0),
        lambda x, y, z: (0.2, 0.3, 0.5), "shares of 1", own="kink",
        wrong={"each": lambda x, y, z: (1.0, 1.0, 1.0), "two": lambda x, y, z: (0.5, 0.5, 0.5)}),
    # smooth all the same
    *claims("the root of a fourth power at 0", lambda x: math.sqrt(x**4), 0.0, lambda x: 0.0,
        "x**2, where the tape has nan", own="wrong", wrong={"one": lambda x: 1.0}),
    *claims("a cosine of acos within", lambda x: math.cos(math.acos(x)), 0.5, lambda x: 1.0, "x itself"),
    *claims("acos at 1", math.acos, 1.0, lambda x: -1.0, "infinite slope", own="nonfinite"),
    *claims("asin at -1", math.asin, -1.0, lambda x: 1.0, "infinite slope", own="nonfinite"),
    *claims("acosh at 1", math.acosh, 1.0, lambda x: 1.0, "infinite slope", own="nonfinite"),
    # no derivative, though there is one by each number
    *claims("a product over a length at 0", lambda x, y: x * y / math.hypot(x, y) if x or y else 0.0, (0.0, 0.0),
        lambda x, y: (0.0, 0.0), "0 along both axes, and 1/2 of the way along the diagonal", own=None, truth="kink",
        wrong={"one": lambda x, y: (1.0, 0.5), "two": lambda x, y: (0.6, 0.6)}),
    *claims("a product of three over a squared length at 0",
        lambda x: x[0] * x[1] * x[2] / (x @ x) if np.any(x) else 0.0, np.zeros(3), lambda x: np.zeros(3),
        "0 along the axes, and no slope beyond 0.54 along the diagonals", own=None, truth="kink",
        wrong={"one": lambda x: np.ones(3)}),
    *claims("a saddle over a length at 0", lambda x, y: (x * x - y * y) / math.hypot(x, y) if x or y else 0.0,
        (0.0, 0.0), lambda x, y: (1.0, -1.0), "the cosine of twice the angle: 1 along one axis, -1 along the other",
        own=None, truth="kink", wrong={"one": lambda x, y: (2.0, 1.0)}),
    *claims("the root of a product's size at 0", lambda x, y: math.sqrt(abs(x * y)), (0.0, 0.0),
        lambda x, y: (0.0, 0.0), "0 along both axes, and the size of the way along the diagonal", own="nonfinite",
        truth="kink", wrong={"one": lambda x, y: (1.0, 1.0)}),
    *claims("a product of cube roots at 0", lambda x: np.cbrt(x[0]) * np.cbrt(x[1]) ** 2, np.zeros(2),
        lambda x: np.zeros(2), "0 along both axes, and linear along every other line, each with a slope of its own",
        own="nonfinite", truth="kink", wrong={"one": lambda x: np.ones(2)}),
]  # fmt: skip
