"""The charge that lets a particle meet the origin: gradient descent over paths whose forces are gradients."""

import math

from benchmarks.gradbench.evaluation import Evaluation
from benchmarks.gradbench.gradient_descent import argmin
from benchmarks.gradbench.modes import by_modes

STEP = 0.1


def distance(inner):
    """The squared distance from the origin at which the particle passes, as a function of [charge]."""

    def squared(controls):
        (w,) = controls

        def potential(at):
            return sum(1 / math.sqrt((at[0] - x) ** 2 + (at[1] - y) ** 2) for x, y in ((10.0, 10.0 - w), (10.0, 0.0)))

        force = inner(potential)
        place, speed = [0.0, 8.0], [0.75, 0.0]
        while True:
            pulled = force(place)
            place = [x + STEP * v for x, v in zip(place, speed, strict=True)]
            if place[1] <= 0:
                return (place[0] - place[1] / speed[1] * speed[0]) ** 2
            speed = [v - STEP * a for v, a in zip(speed, pulled, strict=True)]

    return squared


def search(outer, inner):
    squared = distance(inner)
    return lambda w: argmin(squared, outer(squared), [w])[0]


def arguments(given):
    return (float(given["w"]),)


MODULE = {name: Evaluation(arguments, made, float) for name, made in by_modes(search).items()}
