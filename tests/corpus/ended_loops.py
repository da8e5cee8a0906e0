"""Claims about loops that end by a comparison and converge to nothing: one more turn excuses no slip."""

import math

from tests.corpus.claim import claims

STEPS = (0.3, -0.1, 0.5, 0.2, 0.7, 0.4)


def mantissa(x):
    v = x[0]
    while v >= 10.0:
        v = v / 10.0
    return v**3 * x[1]


def remainder(x):
    """What is left when the second is taken from the first as often as it goes, squared, times the second."""
    rest = x[0]
    while rest >= x[1]:
        rest -= x[1]
    return rest * rest * x[1]


def wrapped(x):
    """An angle of less than half a turn, squared."""
    angle = x[0] * x[1]
    while angle > math.pi:
        angle -= 2 * math.pi
    return angle * angle + x[1]


def passage(x):
    """How far a walk has gone beyond a level when it first does, squared."""
    gone, turn = 0.0, 0
    while gone < x[1]:
        gone += x[0] * STEPS[turn]
        turn += 1
    return (gone - x[1]) ** 2


def searched(x):
    """A step of Newton's length that is halved until it descends enough."""

    def height(u):
        return math.cosh(u) + 0.1 * u * x[1]

    slope, size = math.sinh(x[0]) + 0.1 * x[1], 4.0
    while height(x[0] - size * slope) > height(x[0]) - 0.3 * size * slope * slope:
        size *= 0.5
    return height(x[0] - size * slope)


def grad_searched(x):
    """The length of the step is a quarter."""
    size = 0.25
    slope = math.sinh(x[0]) + 0.1 * x[1]
    end = x[0] - size * slope
    here = math.sinh(end) + 0.1 * x[1]
    return [here * (1 - size * math.cosh(x[0])), here * (-size * 0.1) + 0.1 * end]


def in_order(x):
    """Sorted by insertion, with the places as weights."""
    done: list[float] = []
    for v in x:
        place = len(done)
        while place > 0 and done[place - 1] > v:
            place -= 1
        done.insert(place, v)
    return sum((k + 1) * v * v for k, v in enumerate(done))


def bounced(x):
    """Where a ball that falls from x[0] is after one bounce and a time of 1, in steps of a hundredth after it."""
    fall = math.sqrt(2 * x[0] / 9.81)
    left, t = 1.0 - fall, 0.0
    up = x[1] * 9.81 * fall
    while t + 0.01 < left:
        t += 0.01
    return up * left - 9.81 * left * left / 2 + 0.0 * t


def grad_bounced(x):
    fall = math.sqrt(2 * x[0] / 9.81)
    by_fall = x[1] * 9.81 * (1 - 2 * fall) + 9.81 * (1 - fall)
    return [by_fall / (9.81 * fall), 9.81 * fall * (1 - fall)]


CLAIMS = [
    *claims("loops: a mantissa by tenths", mantissa, [734.0, 1.5],
        lambda x: [3 * (x[0] / 100) ** 2 * x[1] / 100, (x[0] / 100) ** 3], "two turns",
        wrong={"not scaled": lambda x: [3 * (x[0] / 100) ** 2 * x[1], (x[0] / 100) ** 3],
            "half as much again": lambda x: [4.5 * (x[0] / 100) ** 2 * x[1] / 100, (x[0] / 100) ** 3],
            "nothing": lambda x: [0.0, 0.0]}),
    *claims("loops: a remainder by differences", remainder, [7.3, 2.0],
        lambda x: [2 * (x[0] - 3 * x[1]) * x[1], -6 * (x[0] - 3 * x[1]) * x[1] + (x[0] - 3 * x[1]) ** 2], "three turns",
        wrong={"without the turns": lambda x: [2 * (x[0] - 3 * x[1]) * x[1], (x[0] - 3 * x[1]) ** 2],
            "one turn less": lambda x: [2 * (x[0] - 3 * x[1]) * x[1], -4 * (x[0] - 3 * x[1]) * x[1] + 1.69],
            "nothing": lambda x: [0.0, 0.0]}),
    *claims("loops: an angle wrapped turn by turn", wrapped, [5.0, 3.1],
        lambda x: [2 * (x[0] * x[1] - 4 * math.pi) * x[1], 2 * (x[0] * x[1] - 4 * math.pi) * x[0] + 1], "two turns off",
        wrong={"not wrapped": lambda x: [2 * x[0] * x[1] ** 2, 2 * x[0] ** 2 * x[1] + 1]}),
    *claims("loops: beyond a level", passage, [1.1, 0.6],
        lambda x: [2 * (0.7 * x[0] - x[1]) * 0.7, -2 * (0.7 * x[0] - x[1])], "after three steps, which add up to 0.7",
        wrong={"the sign of the level": lambda x: [2 * (0.7 * x[0] - x[1]) * 0.7, 2 * (0.7 * x[0] - x[1])],
            "the last step alone": lambda x: [2 * (0.7 * x[0] - x[1]) * 0.5, -2 * (0.7 * x[0] - x[1])]}),
    *claims("loops: a search along a line", searched, [2.5, 1.5], grad_searched,
        "four halvings, and then a smooth step",
        wrong={
            "the step is held": lambda x: [math.sinh(x[0] - 0.25 * (math.sinh(x[0]) + 0.1 * x[1])) + 0.1 * x[1],
                grad_searched(x)[1]], "nothing": lambda x: [0.0, 0.0]}),
    *claims("loops: sorted by insertion", in_order, [3.0, 1.0, 2.0], lambda x: [6 * x[0], 2 * x[1], 4 * x[2]],
        "the places are 3, 1 and 2", wrong={"in the given order": lambda x: [2 * x[0], 4 * x[1], 6 * x[2]]}),
    *claims("loops: a ball after a bounce", bounced, [1.2, 0.8], grad_bounced,
        "the time of the fall depends on the height",
        wrong={"the time is held": lambda x: [x[1] * 9.81 * (1 - 2 * 0.4946) / 4.852, grad_bounced(x)[1]]}),
]  # fmt: skip
