"""Arguments that a called function keeps for its reverse pass, and that are written into after the call."""

import numpy as np
import pytest

import gradcli

pytestmark = pytest.mark.sampled(2)  # many like cases

X = np.array([0.5, -1.0, 2.0])


def of_neighbours(x):
    return np.sum(np.tanh(x[1:] * x[:-1]))


def of_items(xs):
    total = 0.0
    for x in xs:
        total += x * x * xs[0]
    return total


def of_fields(d):
    return np.sum(np.sin(d["a"]) * d["b"])


def an_array(x):
    u = x * 1.0
    kept = of_neighbours(u)
    u[0] = x[1] * 3.0
    return kept * np.sum(u)


def an_array_in_a_loop(x):
    u, total = np.zeros(3), 0.0
    for k in range(3):
        u[k] = x[k] * x[0]
        total += of_neighbours(u)
        u[1:] = x[:-1]
    return total * of_neighbours(u)


def an_array_at_places(x):
    u = np.sin(x)
    kept = of_neighbours(u)
    np.add.at(u, [0, 0, 2], x)
    return kept * of_neighbours(u)


def a_list(x):
    xs = [x[0], x[1], x[2] * 2.0]
    kept = of_items(xs)
    xs[0] = x[2]
    return kept * of_items(xs)


def a_list_that_grows(x):
    xs = [x[0]]
    kept = of_items(xs)
    xs.append(x[1] * 2.0)
    return kept * of_items(xs)


def a_dict(x):
    d = {"a": x * 3.0, "b": x * 2.0}
    kept = of_fields(d)
    d["b"] = x * x
    return kept * of_fields(d)


def a_part_of_an_array(x):
    u = np.outer(x, x)
    kept = of_neighbours(u[0])
    u[0] = x
    return kept * of_neighbours(u[0])


FUNCTIONS = [an_array, an_array_in_a_loop, an_array_at_places, a_list, a_list_that_grows, a_dict, a_part_of_an_array]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_reverse_pass_of_a_call_has_the_argument_as_it_was(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)
