"""Claims about loops that let an error grow, or forget it: how much of a gradient is left, and what can be told."""

import math

import mpmath

from tests.corpus.claim import Claim, claims


def logistic(rate, turns):
    """The logistic map, its derivative as it is computed by hand, and with all its digits."""

    def f(x):
        for _ in range(turns):
            x = rate * x * (1 - x)
        return x

    def by_hand(x):
        slope = 1.0
        for _ in range(turns):
            slope *= rate * (1 - 2 * x)
            x = rate * x * (1 - x)
        return slope

    def exact(x):
        with mpmath.workdps(300):
            here, slope = mpmath.mpf(x), mpmath.mpf(1)
            for _ in range(turns):
                slope *= mpmath.mpf(rate) * (1 - 2 * here)
                here = mpmath.mpf(rate) * here * (1 - here)
            return float(slope)

    return f, by_hand, exact


def henon(a, b):
    """Fifty turns of the map of Hénon, of chaos for 1.4 and 0.3."""
    x, y = 0.1, 0.1
    for _ in range(50):
        x, y = 1 - a * x * x + y, b * x
    return x


def henon_by_hand(a, b):
    """Its tangents along a and b, carried along."""
    x, y, along_a, along_b = 0.1, 0.1, (0.0, 0.0), (0.0, 0.0)
    for _ in range(50):
        along_a = (-x * x - 2 * a * x * along_a[0] + along_a[1], b * along_a[0])
        along_b = (-2 * a * x * along_b[0] + along_b[1], x + b * along_b[0])
        x, y = 1 - a * x * x + y, b * x
    return along_a[0], along_b[0]


def doubled(x):
    """A tent, 45 times: every turn is exact but those that drop a bit."""
    for _ in range(45):
        x = 2 * x if x < 0.5 else 2 - 2 * x
    return x


def turned_back(x):
    """The turns of the tent on its way down."""
    for _ in range(45):
        if x >= 0.5:
            yield x
        x = 2 * x if x < 0.5 else 2 - 2 * x


def newton(a):
    """A square root by twenty turns, which forget where they began."""
    x = a
    for _ in range(20):
        x = 0.5 * (x + a / x)
    return x


def of_map(rate, turns, kind) -> list[Claim]:
    """What is claimed of one logistic map; where an error has grown beyond the slope, none by floats can be told."""
    f, by_hand, exact = logistic(rate, turns)
    lost = kind == "chaos"
    slips = {"the sign": lambda x: -exact(x), "half of it": lambda x: exact(x) / 2, "nothing": lambda x: 0.0}
    if not lost:
        slips |= {"the sign, in floats": lambda x: -by_hand(x), "a thousandth": lambda x: 1.001 * by_hand(x)}
    name = f"{turns} turns of a logistic map of rate {rate}"
    own = "undecidable" if lost else "right"
    return [
        *claims(name, f, 0.3, by_hand, kind, own=own, truth=own, wrong=slips),
        *claims(f"{name}, with all digits", f, 0.3, exact, kind, own=None),
    ]


CLAIMS = [
    *of_map(2.5, 60, "a fixed point"),
    *of_map(3.2, 100, "a cycle of two"),
    *of_map(3.2, 40, "a cycle of two"),
    *of_map(3.7, 20, "the start of chaos"),
    *of_map(3.7, 100, "chaos"),
    *of_map(3.9, 60, "chaos"),
    *of_map(3.9, 100, "chaos"),
    *of_map(3.9, 200, "chaos"),
    *of_map(4.0, 60, "chaos"),
    *claims("a map in its chaos", henon, (1.4, 0.3), henon_by_hand, "tangents by the chain rule", own=None,
        wrong={"the signs": lambda a, b: tuple(-x for x in henon_by_hand(a, b))}),
    *claims("a tent, 45 times", doubled, 0.3, lambda x: 2.0**45 * (-1.0) ** sum(1 for _ in turned_back(x)),
        "2 or -2 a turn", own="right",
        wrong={"one turn less": lambda x: 2.0**44 * (-1.0) ** sum(1 for _ in turned_back(x))}),
    *claims("Newton's square root, from far off", newton, 7.0, lambda a: 0.5 / math.sqrt(a),
        wrong={"the sign": lambda a: -0.5 / math.sqrt(a), "a millionth": lambda a: 0.5000005 / math.sqrt(a)}),
]  # fmt: skip
