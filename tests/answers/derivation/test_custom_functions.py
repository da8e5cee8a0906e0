"""Functions with a derivative of their own in derived programs: they are called, or refused by name."""

import math

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


@gradcli.custom_jvp
def by_tangents(x):
    return x * x


by_tangents.defjvps(lambda t, v, x: 2.0 * x * t)


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


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (squared, {"lang": "c"}),
        (squared, {"mode": "forward"}),
        (squared, {"straight": True}),
        (lambda x, y: by_tangents(x) * y, {}),
        (lambda x, y: sine(x) * y, {}),
    ],
)
def test_what_cannot_be_called_is_refused_by_name(function, options):
    with pytest.raises(UnsupportedError, match="the derivative of"):
        gradcli.derive(function, at=(1.0, 2.0), **options)
