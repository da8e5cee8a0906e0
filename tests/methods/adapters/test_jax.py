"""Functions of JAX's with a rule of their own."""

import numpy as np
import pytest

import gradcli

jax = pytest.importorskip("jax")


def with_rule(sign):
    """The product sin(x) y, whose rule has this sign in its second derivative."""

    @jax.custom_vjp
    def product(x, y):
        return jax.numpy.sin(x) * y

    def forward(x, y):
        return product(x, y), (x, y)

    def backward(kept, g):
        x, y = kept
        return jax.numpy.cos(x) * y * g, sign * jax.numpy.sin(x) * g

    product.defvjp(forward, backward)
    return product


def with_tangents(factor):
    @jax.custom_jvp
    def softplus(x):
        return jax.numpy.log(1.0 + jax.numpy.exp(x))

    @softplus.defjvp
    def tangent(primals, tangents):
        return softplus(*primals), factor * (1 - 1 / (1 + jax.numpy.exp(primals[0]))) * tangents[0]

    return softplus


@pytest.mark.parametrize(("sign", "verdict"), [(1.0, "pass"), (-1.0, "fail")])
@pytest.mark.parametrize("at", [(0.5, 2.0), (np.array([0.5, 1.5]), np.array([2.0, -1.0]))])
def test_a_rule_of_cotangents_is_judged(sign, verdict, at):
    precision = jax.numpy.sin(1.0).dtype
    assert gradcli.check(with_rule(sign), at=at).verdict == verdict
    assert jax.numpy.sin(1.0).dtype == precision


@pytest.mark.parametrize(("sign", "verdict"), [(1.0, "pass"), (-1.0, "fail")])
def test_the_derivative_of_a_rule_is_judged_in_double_precision(sign, verdict):
    comparison = gradcli.check(with_rule(sign), at=(np.array([0.5, 1.5]), np.array([2.0, -1.0])), of="hessian")
    assert comparison.verdict == verdict
    assert all(row.tolerance < 1e-5 for row in comparison.components if row.tolerance)


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (2.0, "fail")])
@pytest.mark.parametrize("at", [0.5, np.float32(0.5)])
def test_a_rule_of_tangents_is_judged(factor, verdict, at):
    assert gradcli.check(with_tangents(factor), at=at).verdict == verdict


def squares(x: jax.Array):
    return jax.numpy.sum(x**2)


def test_a_function_whose_parameters_are_annotated_as_jaxs_arrays_is_judged():
    assert gradcli.check(squares, at=np.array([0.5, 2.0])).verdict == "pass"
