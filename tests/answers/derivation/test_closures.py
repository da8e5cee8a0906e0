"""Functions that are handed on: the user's, lambdas, nested functions with what they capture, those of libraries."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(3)  # many like cases


def square(x):
    return x * x


def cube(x):
    return x**3


def applied(f, x):
    return f(x) + 1.0


def twice(f, x):
    return f(f(x))


def through(f, g, x):
    return f(g, x) + g(x)


def integral(f, a, b, n=4):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total += f(a + i * h)
    return total * h


def step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2.0, y + h / 2.0 * k1)
    return y + h * k2


def scaled_by(factor):
    def scaled(x):
        return factor * x

    return scaled


def two_functions(x):
    return applied(square, x) * applied(cube, x) + twice(square, x)


def of_libraries(x):
    return applied(math.sin, x) * applied(np.cos, x)


def a_lambda(x):
    return integral(lambda t: math.sin(t * x), 0.0, x)


def a_lambda_by_keyword(x):
    return applied(x=x, f=lambda t: t + x)


def a_nested_function(x):
    def inner(t):
        return t * x + t**2

    return integral(inner, 0.0, x) + twice(inner, x)


def with_rebound_variables(x):
    a = x
    f = lambda t: t * a
    a = x * x
    return applied(f, x)


def functions_of_functions(x):
    return through(applied, lambda t: t * x, x) + through(twice, cube, x)


def in_a_loop(x):
    y = x
    for n in range(3):
        y = step(lambda t, u: t - x * u, 0.1 * n, y, 0.1)
    return y


def of_arrays(x):
    v = np.array([x, 2.0 * x])
    return applied(lambda u: np.sum(u * v), v * x) + applied(np.sum, v)


def made_by_a_function(x):
    g = scaled_by(x)
    return g(x) + applied(scaled_by(x * 2.0), x)


def without_a_derivative(x):
    k = 3.0
    return applied(square, 2.0) * x + integral(lambda t: t * k, 0.0, 1.0) * x


def mapped(x):
    return sum(map(square, [x, 2.0 * x])) + max(map(lambda a, b: a * b, [x, 1.0], [2.0, x]))


FUNCTIONS = [
    two_functions, of_libraries, a_lambda, a_lambda_by_keyword, a_nested_function, with_rebound_variables,
    functions_of_functions, in_a_loop, of_arrays, made_by_a_function, without_a_derivative, mapped,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_function_that_is_handed_on(function):
    derived = gradcli.derive(function, at=1.5).function

    assert derived(0.4) == pytest.approx(gradcli.grad(function)(0.4), rel=1e-12)


@pytest.mark.parametrize("mode", ["forward", "hessian"])
def test_the_other_modes(mode):
    derived = gradcli.derive(a_lambda, at=1.5, mode=mode).function
    expected = gradcli.grad(gradcli.grad(a_lambda) if mode == "hessian" else a_lambda)(0.4)

    assert (derived(0.4, 1.0) if mode == "forward" else derived(0.4)) == pytest.approx(expected, rel=1e-12)


def by_turns(x):
    f = square if x > 0.0 else cube
    return f(x)


def of_a_loop(x):
    total = 0.0
    for f in (square, cube):
        total += f(x)
    return total


def of_its_index(x):
    return sum([applied(lambda t: t * k, x) for k in range(3)])


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (by_turns, "one function and another by turns"),
        (of_a_loop, "calls different functions by turns"),
        (of_its_index, "a lambda that is passed"),
    ],
)
def test_a_function_that_is_chosen(function, what):
    with pytest.raises(UnsupportedError, match=what):
        gradcli.derive(function, at=1.5)


def rebinds_what_it_captures(x):
    total = x

    def adds():
        nonlocal total
        total = total * x
        return total

    return adds() * adds() + total


def test_a_function_that_rebinds_what_it_captures_is_refused():
    with pytest.raises(UnsupportedError, match="adds, which rebinds total of the function around it"):
        gradcli.derive(rebinds_what_it_captures, at=1.5)
