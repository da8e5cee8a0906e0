"""The saddle point of a function by gradient descent inside gradient descent, in each mode."""

from benchmarks.gradbench.evaluation import Evaluation
from benchmarks.gradbench.gradient_descent import argmin
from benchmarks.gradbench.modes import by_modes


def f(x, y):
    return (x[0] ** 2 + x[1] ** 2) - (y[0] ** 2 + y[1] ** 2)


def maximum(inner, start):
    """The largest `f(x, y)` of all y, as a function of x; gradient descent begins at `start`."""

    def largest(x):
        return f(x, argmin(lambda y: -f(x, y), inner(lambda y: -f(x, y)), start))

    return largest


def search(outer, inner):
    def of_start(start):
        largest = maximum(inner, start)
        x = argmin(largest, outer(largest), start)
        return [*x, *argmin(lambda y: -f(x, y), outer(lambda y: -f(x, y)), start)]

    return of_start


def arguments(given):
    return (given["start"],)


MODULE = {
    name: Evaluation(arguments, made, lambda result: [float(x) for x in result])
    for name, made in by_modes(search).items()
}
