"""A run warns where the plain run warns, and as often."""

import warnings

import numpy as np
import pytest
import scipy.linalg

import gradcli

ZEROS, LARGE = np.zeros(2), np.full(2, 1e300)


def of_equal_rows(x):
    return np.sum(scipy.linalg.solve(np.array([[1, 1], [1, 1 + 3e-16]]) * x, np.ones(2)))


def names_its_caller(x):
    warnings.warn("it is old", DeprecationWarning, stacklevel=2)
    return x * x


PROGRAMS = {
    "log of a product": (lambda x: np.log(x * 0), 1.0),
    "log of a number": (lambda x: np.log(x), np.float64(0)),
    "sqrt": (lambda x: np.sum(np.sqrt(x)), ZEROS - 1),
    "sqrt at 0": (lambda x: np.sum(np.sqrt(x)), ZEROS),
    "reflected": (lambda x: np.sum(1 / x), ZEROS),
    "of two": (lambda x: np.sum(x / x), ZEROS),
    "numbers of an array": (lambda x: x[0] / x[1], ZEROS),
    "power": (lambda x: np.sum(x**-1.0), ZEROS),
    "overflow": (lambda x: np.sum(x * x), LARGE),
    "exp": (lambda x: np.sum(np.exp(x)), LARGE),
    "matmul": (lambda x: x @ x, LARGE),
    "reduce": (lambda x: np.add.reduce(x), LARGE * 1e8),
    "where": (lambda x: np.sum(np.where(x > 0, np.log(x), 0)), ZEROS),
    "float32": (lambda x: np.sum(np.float32(1e38) * x), np.float32([1e10, 1])),
    "all nan": (lambda x: np.nanmax(x / x), ZEROS),
    "solve": (of_equal_rows, 1.0),
    "deprecation": (names_its_caller, 2.0),
}


def shown(act, action="always"):
    """The warnings but for gradcli's own: category, file, line and text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        act()
    every = [(each.category, each.filename, each.lineno, str(each.message)) for each in caught]
    return [each for each in every if each[0] is not gradcli.FindingWarning]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_warns_as_the_plain_run_does(name):
    f, point = PROGRAMS[name]
    g = gradcli.grad(f)
    calls = {call: shown(lambda call=call: call(point)) for call in (f, g)}

    assert calls[f] == calls[g]


def test_two_lines_with_one_operation_warn_each():
    """Python counts a warning by its line, and both compute in the same line of gradcli's."""

    def f(x):
        a = np.log(x * 0)
        return a + np.log(x * 0)

    def loop():
        for _ in range(3):
            gradcli.grad(f)(1.0)

    first = f.__code__.co_firstlineno
    assert [first + 1, first + 2] == [line for _, _, line, _ in shown(loop, "default")]


def test_a_warning_that_is_an_error_stops_the_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
            gradcli.grad(lambda x: np.log(x * 0))(1.0)


def test_a_warning_that_the_user_ignores_is_not_shown():
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("ignore", message="divide by zero", category=RuntimeWarning)
        warnings.filterwarnings("ignore", category=gradcli.FindingWarning)
        gradcli.grad(lambda x: np.log(x * 0))(1.0)

    assert caught == []


@pytest.mark.parametrize("body", [lambda x: x * x, lambda x: 1 / (x - x), lambda x: [warnings.resetwarnings(), x][1]])
def test_the_filters_are_left_alone(body):
    """After a result, an error, and a program that removes all filters."""
    with warnings.catch_warnings():
        before = list(warnings.filters)
        try:
            gradcli.grad(body)(1.0)
        except ZeroDivisionError:
            pass

        assert list(warnings.filters) in (before, [])
