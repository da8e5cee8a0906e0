"""Generators, whose values a loop consumes, as functions that return lists."""

import numpy as np
import pytest

import gradcli

X = np.array([0.5, -1.0, 2.0])


def squares(x):
    for k in range(len(x)):
        if k == 2:
            return
        yield x[k] ** 2


def in_a_loop(x):
    total = 0.0
    for square in squares(x):
        total += square * x[2]
    return total


def summed(x):
    return sum(squares(x)) * x[2]


def both(x):
    yield from squares(x)
    yield x[2]


def in_a_comprehension(x):
    return sum(value * k for k, value in enumerate(both(x)))


def nested(x):
    def halves(factor):
        for item in x:
            yield item / factor

    first, *others = list(halves(2.0))
    return first * others[1]


@pytest.mark.parametrize("function", [in_a_loop, summed, in_a_comprehension, nested], ids=lambda f: f.__name__)
def test_a_generator(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-12)
