"""Claims that lose their digits in their last operations, and cusps, where no digit of the point is to spare."""

import math

import numpy as np

from tests.corpus.claim import Claim, claims


def lost(name, f, at, gradient) -> list[Claim]:
    """A gradient by hand whose formula is right and whose digits are rounding."""
    return claims(name, f, at, gradient, "rounding decides the last operation", own=None, truth="roundoff")


def bukin(x):
    """A cusp along a parabola, and a kink across it."""
    return 100 * np.sqrt(np.abs(x[1] - 0.01 * x[0] ** 2)) + 0.01 * np.abs(x[0] + 10)


C, S, E, L, THIRD = math.cos(0.3), math.sin(0.3), math.exp(-0.7), math.log(0.7), 1 / 3
TURNED = np.array([[C, -S], [S, C]])
MIXED = np.array([[1.3, 0.2, -0.7], [0.4, 2.1, 0.3], [-0.6, 0.5, 1.9]])
INVERSE = np.linalg.inv(MIXED)


def relative_turn(v):
    """The angle between a turn and a fixed one, times a number."""
    turn = np.array([[np.cos(v[0]), -np.sin(v[0])], [np.sin(v[0]), np.cos(v[0])]])
    moved = turn @ TURNED.T
    return 0.5 * v[1] * (moved[1, 0] - moved[0, 1]) + v[0]


def beside_constants(name, f, at, right, wrong, place) -> list[Claim]:
    """A gradient by hand with a 0 where the program's constants leave rounding, and mistakes in its place."""
    slips = {f"off by {slip:g}": slip for slip in (0.3, -1e-3, 1e-8, -1e-13)}

    def moved(slip):
        return lambda *point: tuple(x + slip * (n == place) for n, x in enumerate(right(*point)))

    made = {told: moved(slip) for told, slip in slips.items()}
    return [
        *claims(f"beside constants: {name}", f, at, right, "the constants are rounded", own=None, truth="roundoff"),
        *(Claim(f"beside constants: {name}: {told}", f, at, g, "wrong", "not 0") for told, g in made.items()),
        Claim(f"beside constants: {name}: elsewhere", f, at, wrong, "wrong", "the other number"),
    ]


def cusp_and_kink(x, y):
    return math.sqrt(abs(x - 1)) + abs(y)


CLAIMS = [
    *lost("a fast sine at 1e-16", lambda x: math.sin(1 / x), 1e-16, lambda x: -math.cos(1 / x) / x**2),
    *lost("a fast sine at 3e-17", lambda x: math.sin(1 / x), 3e-17, lambda x: -math.cos(1 / x) / x**2),
    *lost("a fast sine of NumPy's", lambda x: np.sin(1 / x), np.float64(1e-16), lambda x: -np.cos(1 / x) / x**2),
    *lost("a fast cosine", lambda x: math.cos(1 / (3 * x)), 7e-17, lambda x: math.sin(1 / (3 * x)) / (3 * x**2)),
    *lost(
        "a tamed fast sine",
        lambda x: x * x * math.sin(1 / x),
        1e-16,
        lambda x: 2 * x * math.sin(1 / x) - math.cos(1 / x),
    ),
    *lost("a sine of a large square", lambda x: math.sin(x * x), 123456789.1, lambda x: 2 * x * math.cos(x * x)),
    *lost(
        "a sine of an exponential", lambda x: math.sin(math.exp(x)), 37.3, lambda x: math.exp(x) * math.cos(math.exp(x))
    ),
    *claims(
        "a sine of a number without rounding",
        lambda x: math.sin(1 / x),
        2.0**-55,
        lambda x: -math.cos(1 / x) / x**2,
        "1 / x is exact",
    ),
    *lost("constants that cancel", lambda t: 0.1 * t + 0.2 * t - 0.3 * t, 1.7, lambda t: 0.0),
    *lost(
        "constants that cancel, added up by hand", lambda t: 0.1 * t + 0.2 * t - 0.3 * t, 1.7, lambda t: 0.1 + 0.2 - 0.3
    ),
    *lost("squares that cancel", lambda t: 0.1 * t * t + 0.2 * t * t - 0.3 * t * t, 1.7, lambda t: 0.0),
    *lost("a sum of tenths", lambda t: sum([0.1] * 10) * t - t, 5.0, lambda t: 0.0),
    *claims(
        "constants that cancel but for one",
        lambda t: 0.1 * t + 0.2 * t - 0.3 * t + 1e-9 * t,
        1.7,
        lambda t: 1e-9,
        "the rest is exact",
        wrong={"without it": lambda t: 0.0, "a millionth off": lambda t: 1.000001e-9},
    ),
    *beside_constants(
        "a turn back", lambda a, b: math.cos(b) * (math.cos(a) * S - math.sin(a) * C), (0.3, 0.5),
        lambda a, b: (-math.cos(b), 0.0), lambda a, b: (math.cos(b), 0.0), 1,
    ),
    *beside_constants(
        "a sine less its value", lambda a, b: b * (math.sin(a) - S) + a, (0.3, 0.5),
        lambda a, b: (1 + b * math.cos(a), 0.0), lambda a, b: (1 - b * math.cos(a), 0.0), 1,
    ),
    *beside_constants(
        "an exponential times its inverse", lambda a, b: b * (math.exp(a) * E - 1) - a, (0.7, 2.0),
        lambda a, b: (b - 1, 0.0), lambda a, b: (b, 0.0), 1,
    ),
    *beside_constants(
        "a logarithm less its value", lambda a, b: b * b * (math.log(a) - L) + a, (0.7, 3.0),
        lambda a, b: (b * b / a + 1, 0.0), lambda a, b: (b * b / a, 0.0), 1,
    ),
    *beside_constants(
        "a third of three", lambda a, b: b * (a * THIRD * 3 - a) + a, (0.3, 2.0),
        lambda a, b: (1.0, 0.0), lambda a, b: (1 + b, 0.0), 1,
    ),
    *lost("beside constants: a relative turn", relative_turn, np.array([0.3, 0.5]), lambda v: np.array([1.5, 0.0])),
    *lost(
        "beside constants: a rounded inverse", lambda v: v[1] * ((v[0] * MIXED) @ INVERSE)[1, 0] + v[0],
        np.array([0.9, 2.0]), lambda v: np.array([1.0, 0.0]),
    ),
    *claims("a cusp and a kink", bukin, np.array([-10.0, 1.0]), None, "nan by the chain rule", own="nonfinite"),
    *claims(
        "a cusp and a kink of two numbers",
        cusp_and_kink,
        (1.0, 0.0),
        lambda x, y: (0.0, 0.0),
        "no slope, and one between -1 and 1",
        own="nonfinite",
        wrong={"outside": lambda x, y: (0.0, 3.0)},
    ),
]  # fmt: skip
