"""Hello, world: a square and its derivative."""

from benchmarks.gradbench.evaluation import Evaluation, gradient, plain


def square(x):
    return x * x


def arguments(given):
    return (given,)


MODULE = {"square": Evaluation(arguments, plain(square)), "double": Evaluation(arguments, gradient(square))}
