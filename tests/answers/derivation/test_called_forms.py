"""Functions that are called with a number here and with an array or a list there: a form for each."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases

X = np.array([0.5, -1.0, 2.0])


def normal(x, mu, sigma):
    return sigma * (x - mu) ** 2 - np.log(0.5 * sigma**2)


def of_both(x):
    return np.sum(normal(x, x[0], 1.2)) + normal(x[1], 1.0, x[2])


def of_three(x):
    return np.sum(normal(np.outer(x, x), 0.5, 2.0)) + np.sum(normal(x, x[1], x[2])) + normal(x[0], x[1], 1.0)


def twice(x):
    return normal(x, 0.5, 2.0) + normal(x, 1.5, 3.0)


def of_forms_in_forms(x):
    return np.sum(twice(x)) * twice(x[0])


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


def of_a_recursive_function(x):
    return np.sum(power(x, 2)) + power(x[0], 3)


FUNCTIONS = [of_both, of_three, of_forms_in_forms, of_a_recursive_function]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["gradient", "jacobian"])
def test_a_form_for_each_kind(function, mode):
    derived = gradcli.derive(function, at=X, mode=mode).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)


def by_turns(x):
    value = 1.0
    for part in (x, 2.0, x * x):
        value = value + np.sum(normal(part, 0.5, 2.0))
    return value


def test_one_call_of_several_forms():
    with pytest.raises(UnsupportedError, match="by turns"):
        gradcli.derive(by_turns, at=X)


class Link:
    """An object that can be called."""

    def __init__(self, power):
        self.power = power

    def __call__(self, x):
        return x**self.power


CUBE = Link(3)


def of_a_callable_object(x):
    return np.sum(CUBE(x)) * CUBE(x[0])


def scaled(x, *, by=2.0, shape=(3,), weights=np.array([1.0, 2.0, 3.0])):  # noqa: B008
    return by * np.sum(np.reshape(x, shape) * weights)


def of_keywords_only(x):
    return scaled(x) * scaled(x * x, by=x[0])


@pytest.mark.parametrize("function", [of_a_callable_object, of_keywords_only], ids=lambda f: f.__name__)
def test_a_call_by_keyword_or_of_an_object(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-12)
