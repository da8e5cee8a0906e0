"""Arguments of called functions: any number of them, by keyword alone, from lists and dicts; decorated functions."""

import functools
import inspect
import math

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases


def squares(*numbers):
    total = 0.0
    for number in numbers:
        total += number * number
    return total


def scaled_sum(first, *rest, scale=1.0):
    return first + scale * sum(rest)


def by_keyword(a, *, factor=2.0, offset):
    return a * factor + offset


def by_any_keyword(a, **options):
    return a * options["power"] + options["b"]


def product(a, b, c):
    return a * b**2 * c**3


def handed_on(*args, **kwargs):
    return scaled_sum(*args, **kwargs)


def any_number(x, y):
    return squares(x, y, x * y) + squares(x) * squares() + squares(y, x)


def a_first_and_others(x, y):
    return scaled_sum(x, y, y * y, scale=x) * scaled_sum(y)


def by_keyword_alone(x, y):
    return by_keyword(x, offset=y) * by_keyword(y, factor=x, offset=1.0)


def gathered_by_keyword(x, y):
    return by_any_keyword(x, b=y, power=x)


def items_of_a_tuple(x, y):
    pair = (x * y, y)
    return product(*pair, c=x) + product(x, *pair)


def items_of_a_dict(x, y):
    options = {"b": y, "c": x * y}
    return product(x, **options)


def through_another(x, y):
    return handed_on(x, y, scale=y)


def a_whole_list(x, y):
    return squares(*[x, y, 2.0 * x])


def unchanged(function):
    return function


def named(name):
    def decorator(function):
        return function

    return decorator


def wrapping(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def doubling(function):
    @functools.wraps(function)
    def wrapper(x):
        return 2.0 * function(x)

    return wrapper


@unchanged
@named("square")
def square(x):
    return x * x


@wrapping
def power(x, n):
    return x**n


@doubling
def sine(x):
    return math.sin(x)


@functools.lru_cache
def factor(n):
    return 2.0 * n


@functools.cache
def kept(x):
    return x * 3.0


def decorated(x, y):
    return square(x) * sine(y) + power(y, 3) * factor(2) + kept(x)


@unchanged
def decorated_itself(x, y):
    return x * y**2


def of_the_library(x, y):
    pair, options = [np.array([x, y, x * y]), 2.0 * x], {"axis": 0}
    product = np.multiply(*pair)
    return math.hypot(*[x, y]) * np.sum(np.cumsum(product, **options)) + np.sum(np.sin(*[product]))


FUNCTIONS = [
    of_the_library, any_number, a_first_and_others, by_keyword_alone, gathered_by_keyword, items_of_a_tuple,
    items_of_a_dict, through_another, a_whole_list, decorated_itself,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_arguments_of_a_call(function):
    derived = gradcli.derive(function, at=(1.5, 0.7)).function

    np.testing.assert_allclose(derived(0.4, -1.2), gradcli.grad(function, argnums=(0, 1))(0.4, -1.2), rtol=1e-12)


def test_decorators_are_what_they_return():
    derived = gradcli.derive(decorated, at=(1.5, 0.7)).function

    assert derived(0.4, 0.3) == pytest.approx(
        (2 * 0.4 * 2 * math.sin(0.3) + 3.0, 0.4**2 * 2 * math.cos(0.3) + 3 * 0.3**2 * 4.0), rel=1e-12
    )


def of_twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * f(*args, **kwargs)

    return wrapper


def of_finite(f):
    @functools.wraps(f)
    def wrapper(first, *others):
        assert first < 9.0
        return f(first, *others)

    return wrapper


def of_doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*[2 * x for x in args])

    return wrapper


@of_twice
def squared(x, y=2.0):
    return x * math.sin(y)


@of_finite
def quotient(x, y):
    return x / y


@of_finite
@of_twice
def scaled_power(x, y, n=3):
    return x**n * y


def of_own_names(f):
    @functools.wraps(f)
    def wrapper(y, *others):
        x = 3.0 * f(y, *others)
        return x + y

    return wrapper


@of_own_names
def of_x_and_y(x, y):
    """Has parameters that are variables of its decorator, in another order."""
    return x / y


@pytest.mark.parametrize(
    ("function", "lang"),
    [
        *((squared, "python"), (quotient, "python"), (scaled_power, "python"), (of_x_and_y, "python")),
        *((squared, "c"), (quotient, "c"), (of_x_and_y, "c")),
    ],
)
def test_what_a_decorator_returns_is_derived(function, lang):
    """The C program is compared before it is returned."""
    source = gradcli.derive(function, at={"x": 1.5, "y": 0.7}, lang=lang)

    assert source.function(0.4, 1.3) == pytest.approx(gradcli.grad(function, (0, 1))(0.4, 1.3), rel=1e-12)


def test_a_parameter_of_what_is_decorated_keeps_its_default():
    assert gradcli.derive(squared, at=1.5).function(0.4) == pytest.approx(gradcli.grad(squared)(0.4), rel=1e-12)


def of_scaled(y):
    def of(f):
        @functools.wraps(f)
        def wrapper(*args):
            return y * f(*args)

        return wrapper

    return of


class Decorated:
    """Has a method that a decorator returned."""

    @of_twice
    def method(self, x):
        return x * x


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (of_doubled(quotient), "the parameter args"),
        (of_scaled(2.0)(quotient), "the parameter args"),  # whose y is not that of what it wraps
        (Decorated().method, "the object of the method method"),
    ],
)
def test_what_a_decorator_does_with_its_arguments_is_refused(function, what):
    with pytest.raises(UnsupportedError, match=what):
        gradcli.derive(function, at=(1.5, 0.7)[: len(inspect.signature(function).parameters)])


def by_turns(x, y):
    total = 0.0
    for numbers in ([x], [x, y]):
        total += handed_on(*numbers)
    return total


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (by_turns, "arguments with a star, of several lists or lengths"),
        (lambda x, y: max(*[x][:1], *[y]), "arguments with a star, of several lists or lengths"),
    ],
)
def test_a_star_that_is_refused(function, what):
    with pytest.raises(UnsupportedError, match=what):
        gradcli.derive(function, at=(1.5, 0.7))
