"""The saddle point of a function by gradient descent inside gradient descent, in each mode."""

from benchmarks.gradbench.evaluation import Evaluation
from benchmarks.gradbench.gradient_descent import argmin
from benchmarks.gradbench.modes import by_modes


def f(x, y):
    return (x[0] ** 2 + x[1] ** 2) - (y[0] ** 2 + y[1] ** 2)


def search(outer, inner):
    def of_start(start):
        def largest_beside(x):
            def negative(y):
                return -f(x, y)

            return argmin(negative, inner(negative), start)

        def maximum(x):
            return f(x, largest_beside(x))

        x = argmin(maximum, outer(maximum), start)

        def negative(y):
            return -f(x, y)

        return [*x, *argmin(negative, outer(negative), start)]

    return of_start


def arguments(given):
    return (given["start"],)


MODULE = {
    name: Evaluation(arguments, made, lambda result: [float(x) for x in result])
    for name, made in by_modes(search).items()
}
