"""Branches that the kinds of values, or constants of the program, decide; and what objects outside a function hold."""

import linecache
import math
import types

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases

X = np.array([0.5, -1.0, 2.0])
SETTINGS = types.SimpleNamespace(rate=0.5, inner=types.SimpleNamespace(count=3), weights=None)


class Layer:
    """Called, and with a method that calls it."""

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x)

    def loss(self, x):
        return np.sum(self(x) ** 2) + np.sum(self.act(x))

    @classmethod
    def act(cls, x):
        return x * cls.slope

    slope = 0.5


LAYERS = {"a": Layer(0.3), "b": Layer(0.7)}


class Backend:
    """Hands out the functions of NumPy, as libraries with several backends do."""

    def __getattr__(self, name):
        return getattr(np, name)


BACKEND = Backend()


def by_type(x):
    if isinstance(x, dict):
        x = x["value"][0] @ np.linalg.inv(x["matrix"])
    return np.sum(x * x)


def by_rank(x):
    if x.ndim == 2:
        return np.sum(np.transpose(x, (0, 2, 1)) @ x)
    return np.sum(np.sin(x))


def with_an_option(x, weights=None):
    if weights is not None and x is not None:
        return np.sum(weights.dot(x))
    return np.sum(x**3)


def by_a_constant(x):
    y = x * 2.0 if SETTINGS.weights is None else SETTINGS.weights @ x
    for _ in range(SETTINGS.inner.count):
        y = y * SETTINGS.rate
    return np.sum(y * x)


def of_two_objects(x):
    return np.sum(LAYERS["a"](x) * LAYERS["b"](x)) + LAYERS["a"].loss(x)


def through_a_backend(x):
    return BACKEND.sum(BACKEND.exp(-x)) + BACKEND.pi * BACKEND.cos(x[0])


def at_the_places_of_a_condition(x):
    y = x * x
    y[np.where(x < 0.0)] = 0.25
    return np.sum(y * x)


def quotient(n, d):
    try:
        return n / d
    except ZeroDivisionError:
        return 0.0


def never_handled(x):
    return quotient(x[0], 3.0 + x[1] * x[1]) + quotient(x[2], 2.0)


def always_handled(x):
    total = x[0] * x[1]
    try:
        total = total * 2.0
        total[0] = 0.0
    except TypeError:
        total = total + x[2] ** 2
    finally:
        total = total * x[0]
    return total


def handled_within_a_handler(x):
    try:
        y = missing(x)
    except NameError:
        try:
            y = np.sin(x)
        except ValueError:
            y = x
        else:
            y = y * x
    return np.sum(y)


def checked_within_a_try(x):
    try:
        if (np.asarray(x) < -100.0).any():
            raise ValueError("too small")
    except NameError:
        x = x.unknown
    return np.sum(x * x)


def is_symbol(x):
    if isinstance(x, list):
        return any(isinstance(item, str) for item in x)
    else:
        return isinstance(x, str)


def is_scaled():
    if SETTINGS.rate == 0.5:
        return True
    raise ValueError("no rate")


def doubled(x):
    return len(x) if is_symbol(x) else 2.0 * x


def tripled(x):
    return len(x) if is_symbol(x) else 3.0 * x


def of_a_predicate(x):
    y = doubled(x) * tripled(x)
    y = y if np.isscalar(x) else y * x
    return np.sum(y * y) if is_scaled() else x @ x.unknown


def powered(x, mode=None, count=2):
    if mode is not None:
        return x.unknown(mode) * x.shape
    return x**count


def of_a_default_in_every_call(x):
    return np.sum(powered(x) * powered(x, count=3))


FUNCTIONS = [
    by_type, by_rank, by_a_constant, of_two_objects, through_a_backend, at_the_places_of_a_condition,
    never_handled, always_handled, checked_within_a_try, handled_within_a_handler,
    of_a_predicate, of_a_default_in_every_call,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_branch_or_a_value_that_is_decided(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(2.0 * X), gradcli.grad(function)(2.0 * X), rtol=1e-12)


def test_a_condition_of_the_numbers_is_not():
    """No run took the other side, but another point may."""
    with pytest.raises(UnsupportedError, match="which no run reached"):
        gradcli.derive(lambda x: x * x if x < 1e300 or x > 1e301 else x.real @ x.real, at=1.5)


def handled_at_some_points(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return x * x


def raised_at_some_points(x):
    try:
        if x > 5:
            raise ValueError
        y = x * x
    except ValueError:
        y = x**3
    return y


def handled_amid_a_loop(x):
    total, k, items = 0.0, 0, [x, x * x]
    try:
        while True:
            total += items[k] ** 2
            k += 1
    except IndexError:
        pass
    return total


def handled_at_every_index_tried(x):
    try:
        y = [1.0, 2.0][int(2e6 + x)]
    except IndexError:
        y = x * x
    return y * x


def handled_as_any(x):
    try:
        y = math.acos(2.0 + x * x)
    except Exception:
        y = x * x
    return y


def left_by_break(x):
    for i in range(10):
        try:
            if i > abs(x):
                break
        finally:
            x = x * 1.01
    return x * i


def left_by_continue(x):
    for i in range(3):
        try:
            if i > x:
                continue
            x = x + 1.0
        finally:
            x = x * 1.1
    return x * i


def left_by_return(x):
    try:
        if x > 100.0:
            return x
        y = x * x
    finally:
        x = x * 2.0
    return x * y


UNDECIDED = [
    handled_at_some_points, raised_at_some_points, handled_amid_a_loop, handled_at_every_index_tried, handled_as_any,
    left_by_break, left_by_continue, left_by_return,
]  # fmt: skip


@pytest.mark.parametrize("function", UNDECIDED)
@pytest.mark.parametrize("at", [0.5, 6.2])
def test_a_try_statement_that_is_not_decided(function, at):
    with pytest.raises(UnsupportedError, match="derive does not know a try statement") as refused:
        gradcli.derive(function, at=at)

    assert linecache.getline(__file__, refused.value.line).strip() == "try:"


def test_a_handler_in_a_language_that_raises_nothing():
    with pytest.raises(UnsupportedError, match="derive does not know the statement try"):
        gradcli.derive(never_handled, at=X, lang="c")


def test_a_default_that_is_no_number():
    layer = Layer(0.4)

    def value(x, layer=layer, scale=2.0):
        return np.sum(layer(x)) * scale

    np.testing.assert_allclose(gradcli.derive(value, at=X).function(X), gradcli.grad(value)(X), rtol=1e-12)
