"""Functions with a derivative of their own in derived programs: they are called, or refused by name."""

import math
from functools import partial

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError


@gradcli.custom_vjp
def scaled_sine(x, y, power):
    return np.sin(x) * y**power


def scaled_sine_fwd(x, y, power):
    return scaled_sine(x, y, power), (x, y)


def scaled_sine_bwd(kept, g):
    x, y = kept
    return 3.0 * np.cos(x) * y**2 * g, 2.0 * np.sin(x) * y * g, None


scaled_sine.defvjp(scaled_sine_fwd, scaled_sine_bwd)


@gradcli.custom_vjp
def exponential(x):
    return np.exp(x)


exponential.defvjp(lambda x: (exponential(x), np.exp(x)), lambda kept, g: (2.0 * kept * g,))


@partial(gradcli.custom_vjp, nondiff_argnums=(1,))
def power(x, n, y):
    return x**n * y


power.defvjp(lambda x, n, y: (power(x, n, y), (x, y)), lambda n, kept, g: (kept[1] * n * g, 2.0 * kept[0] ** n * g))


@gradcli.custom_jvp
def by_tangents(x):
    return x * x


by_tangents.defjvps(lambda t, v, x: 3.0 * x * t)


@gradcli.custom_jvp
def scaled(x, y):
    return np.sin(x) * y


@scaled.defjvp
def scaled_tangent(primals, tangents):
    x, y = primals
    return scaled(x, y), 2.0 * np.cos(x) * y * tangents[0] + np.sin(x) * tangents[1]


@gradcli.custom_jvp
def total(x, y):
    return np.sum(x) * y


def total_along_x(t, value, x, y):
    return 5.0 * np.sum(t) * y + 0.0 * value


total.defjvps(total_along_x, None)


@partial(gradcli.custom_jvp, nondiff_argnums=(0,))
def raised(n, x):
    return x**n


@raised.defjvp
def raised_tangent(n, primals, tangents):
    return raised(n, *primals), n * tangents[0]


@gradcli.custom_jvp
def of_a_list(items):
    return items[0] * items[1]


@of_a_list.defjvp
def of_a_list_tangent(primals, tangents):
    return of_a_list(*primals), primals[0][0] * tangents[0][1]


@gradcli.opaque
def sine(x):
    return math.sin(x)


def squared(x, y):
    return scaled_sine(x, y, 2) ** 2 + x


def test_a_derived_program_calls_the_users_derivative():
    """The factor 3 is the user's mistake, which the program makes too."""
    source = gradcli.derive(squared, at=(1.0, 2.0))

    assert "cts = bwd_scaled_sine(kept, ct)" in str(source)
    assert source.function(0.5, 1.5) == pytest.approx(gradcli.grad(squared, (0, 1))(0.5, 1.5))


@gradcli.custom_jvp
def twice(x):
    return x, 2.0 * x


@twice.defjvp
def twice_tangent(primals, tangents):
    return twice(*primals), twice(*tangents)


ARRAYS = np.array([0.3, -0.7, 1.1]), np.array([1.5, 0.4, -2.0])


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (squared, (0.5, 1.5)),
        (lambda x, y: exponential(x) * y, (0.5, 1.5)),
        (lambda x, y: power(x, 2, y) + power(y, x, x), (0.5, 1.5)),
        (lambda x, y: by_tangents(x) * by_tangents(y), (0.5, 1.5)),
        (lambda x, y: np.sum(by_tangents(x) * y), ARRAYS),
        (lambda x, y: scaled(x, y) ** 2, (0.5, 1.5)),
        (lambda x, y: np.sum(scaled(x, y) ** 2), ARRAYS),
        (lambda x, y: np.sum(scaled(x, y) ** 2), (ARRAYS[0], 0.7)),
        (lambda x, y: total(x, y[0]) + total(y, x[1]), ARRAYS),
        (lambda x, y: raised(2, x) * raised(3, y) + raised(x, y), (0.5, 1.5)),
    ],
)
def test_the_users_derivative_is_that_of_the_program(function, at):
    """Each has a factor too many, which is the user's."""
    source = gradcli.derive(function, at=at)

    for derived, eager in zip(source.function(*at), gradcli.grad(function, (0, 1))(*at), strict=True):
        np.testing.assert_allclose(derived, eager)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (squared, {"lang": "c"}),
        (squared, {"mode": "forward"}),
        (squared, {"straight": True}),
        (lambda x, y: by_tangents(x) * y, {"lang": "c"}),
        (lambda x, y: by_tangents(x) * y, {"mode": "forward"}),
        (lambda x, y: of_a_list([x, y]), {}),
        (lambda x, y: np.dot(*twice(x)) * y, {}),
        (lambda x, y: sine(x) * y, {}),
    ],
)
def test_what_cannot_be_called_is_refused_by_name(function, options):
    with pytest.raises(UnsupportedError, match="the derivative of"):
        gradcli.derive(function, at=(1.0, 2.0), **options)
