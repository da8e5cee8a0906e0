"""Statements that are rewritten as simpler ones before a function is derived."""

import functools
import logging
import operator
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases

X = np.array([0.5, -1.0, 2.0])
MATRIX = np.array([[2.0, 1.0, 0.5], [0.0, 3.0, 1.0], [1.0, 0.5, 0.2]])


def named_in_a_condition(x):
    if (s := np.sum(x * x)) > 1.0:
        return s * x[0]
    return s


def named_in_a_value(x):
    y = (t := x * 2.0) * t + np.sum(t)
    return np.sum(y)


def named_twice(x):
    y = (s := np.sum(x) * 2.0) * (t := s + x[1]) + (s * t)
    z = (s := s * t) + 1.0
    return y * t * z * s


def over_what_has_its_name(x):
    y = [x * t for x, t in zip(reversed(x), x * 2.0, strict=True)]
    x = [y * y for y in list(y)]
    return sum(x)


def named_in_a_return(x):
    return (y := np.sum(x**3)) * y


def named_in_a_loop(x):
    s = 0.1
    while (s := s + np.sum(x**2)) < 20.0:
        if s > 15.0:
            continue
        s = s * 1.1
    return s


def named_in_an_elif(x):
    if x[0] > 10.0:
        return x[0]
    elif (y := x[1] * x[2]) < 0.0:
        return y * y
    return x[2]


def without_warnings(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x * x)
        y = y * x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.sum(y)


def product_of_items(x):
    return functools.reduce(operator.mul, (np.cos(a / (k + 1.0)) for k, a in enumerate(x)), 1) + x[0]


def read_from_a_generator(x):
    return np.fromiter((v * v for v in x), dtype=float).prod() * np.fromiter((v for v in x[1:]), float)[0]


def divided_with_a_rest(x):
    whole, rest = divmod(x[0] * 7.0, x[2])
    return whole * rest * rest + divmod(x[1], 0.3)[1] * x[0]


def turned_round(x):
    total, y = 0.0, list(x)
    for k in range(3):
        y.append(x[k] * y[-1])
        y.reverse()
        total += y[0] * y[1]
    return total


def logged(x):
    logging.info("x is %s", x)
    logging.getLogger(__name__).debug("x is %s", x[0])
    return x[0] * x[1]


def reduced_without_a_start(x):
    return functools.reduce(lambda a, b: a * 0.5 + b * b, [x[0], x[1], x[2] * x[0]])


def reduced_by_a_function(x):
    y = functools.reduce(np.hypot, [a for a in x if a < 1.0], 0.5)
    return y * x[2]


def mapped_over_a_tuple(x):
    a, b = list(map(np.asanyarray, (x[0], x[1] * x[2])))
    c = np.float64(a)[None] * np.array(b, ndmin=2)
    return np.sum(c * a)


def with_finally(x):
    y = x * x
    try:
        y = y * 2.0
    finally:
        y = y + x
    return np.sum(y)


def matched(x, kind="square", power=3):
    match kind:
        case "sum":
            y = np.sum(x)
        case "square" | "quadratic":
            y = np.sum(x * x)
        case other:
            y = x[0] * len(other)
    match power % 2, kind:
        case _:
            y = y * 2.0
    match power:
        case 2:
            return y
        case 3 if x[0] > 0:
            return y**3
        case None:
            return y * 5.0
        case _:
            return y * 4.0


def into_an_array(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    np.add(y, 1.0, out=y)
    z = np.empty((2, 3))
    np.sin(y, out=z[0])
    z[1] = x
    w = np.empty(3)
    s = np.cos(x, out=w)
    x.dot(MATRIX, out=y)
    return np.sum(z * z) + s[0] * w[1] * y[2]


def chained(x):
    y = np.zeros(3)
    (a, b) = c = (x[0], x[1] ** 2)
    y[0] = y[2] = x[2] * a
    d, y[1] = e = (b, x[0])
    return np.sum(y * y) * c[0] + d * e[1]


def joined_by_index(x):
    y = np.r_[x[0] * x[1], x[1:], x[2] ** 2]
    return np.sum(y**2) + np.sum(np.c_[x, x * x] ** 3)


def with_a_star(x):
    first, *others = x
    *most, last = [x[0] * x[1], x[1], x[2] ** 2]
    a, *_, b = (x[2], last, most[0])
    return first * others[1] + a * b * len(most)


FUNCTIONS = [
    joined_by_index, with_a_star,
    named_in_a_condition, named_in_a_value, named_twice, over_what_has_its_name, named_in_a_return, named_in_a_loop,
    named_in_an_elif, without_warnings,
    divided_with_a_rest, turned_round, logged,
    product_of_items, read_from_a_generator, reduced_without_a_start, reduced_by_a_function, mapped_over_a_tuple,
    with_finally, matched, into_an_array, chained,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_rewritten_statement(function):
    found = gradcli.derive(function, at={"x": X}).function(X)

    np.testing.assert_allclose(found, gradcli.grad(function)(X), rtol=1e-12)


def named_on_a_condition(x):
    if x[0] > 0.0 and (y := x[1] * 2.0) < 0.0:
        return y
    return x[0]


def named_after_it_is_read(x):
    y = x[0]
    return y * (y := x[1]) * y


def named_after_another_is_read(x):
    y = x[0]
    return (s := x[2]) + y * (y := x[1]) * y * s


def raises_on_nan(x):
    with np.errstate(all="raise"):
        return np.sum(x * x)


def matched_by_length(x):
    match x[0], x[1]:
        case a, b:
            return a * b


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (named_on_a_condition, "an assignment inside an expression"),
        (named_after_it_is_read, "an assignment inside an expression"),
        (named_after_another_is_read, "an assignment inside an expression"),
        (raises_on_nan, "a with statement"),
        (matched_by_length, "a match statement"),
    ],
)
def test_a_statement_that_cannot_be_rewritten(function, what):
    with pytest.raises(UnsupportedError, match=f"derive does not know {what}"):
        gradcli.derive(function, at=X)
