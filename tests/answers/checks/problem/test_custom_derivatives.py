"""Checks of programs that call functions with a derivative of their own."""

import math

import numpy as np
import pytest

import gradcli

pytestmark = pytest.mark.sampled(3)  # many like cases

PAIR = np.array([1.0, 2.0])


def scaled_sine(factor):
    """The function sin(x) y, whose vector-Jacobian product by x has this factor too many."""

    @gradcli.custom_vjp
    def scaled(x, y):
        return math.sin(x) * y

    def backward(kept, g):
        x, y = kept
        return factor * np.cos(x) * y * g, np.sin(x) * g

    scaled.defvjp(lambda x, y: (scaled(x, y), (x, y)), backward)
    return scaled


def tangent_of(factor):
    scaled = gradcli.custom_jvp(lambda x, y: math.sin(x) * y)
    scaled.defjvps(lambda t, v, x, y: factor * np.cos(x) * y * t, lambda t, v, x, y: np.sin(x) * t)
    return scaled


@pytest.mark.parametrize("of", ["gradient", "jacobian", "hessian", "hvp"])
@pytest.mark.parametrize("made", [scaled_sine, tangent_of])
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (2.0, "fail")])
def test_gradclis_own_derivative_is_judged_with_the_users(made, factor, verdict, of):
    scaled = made(factor)

    comparison = gradcli.check(lambda v: scaled(v[0], v[1]) ** 2 + v[0], at=PAIR, of=of)

    assert comparison.verdict == verdict
    assert any(finding.code == "G313" for finding in comparison.findings) == (verdict == "fail")


def test_a_wrong_derivative_that_the_result_does_not_see_is_named():
    scaled = scaled_sine(2.0)

    comparison = gradcli.check(lambda x: 0.0 * scaled(x, 2.0) + x * x, at=1.0)

    assert comparison.verdict == "pass"
    assert [finding.code for finding in comparison.findings] == ["G313"]


def test_the_references_do_not_use_the_users_derivative():
    scaled = scaled_sine(2.0)

    def right(x):
        return 2.0 * math.cos(x)

    assert gradcli.check(lambda x: scaled(x, 2.0), at=1.0, against=right).verdict == "pass"


def test_a_function_with_a_derivative_is_a_target_itself():
    assert gradcli.check(scaled_sine(1.0), at=(1.0, 2.0)).verdict == "pass"
    assert gradcli.check(scaled_sine(2.0), at=(1.0, 2.0)).verdict == "fail"


def test_a_rule_that_gives_another_value_is_named():
    @gradcli.custom_vjp
    def clipped(x):
        return np.minimum(x, 1.0)

    clipped.defvjp(lambda x: (clipped(x) + 5, x), lambda x, g: (g * (x < 1),))

    comparison = gradcli.check(lambda x: clipped(x).sum(), at=np.array([0.3, 2.0]))

    (wrong,) = comparison.findings
    assert (wrong.code, comparison.verdict) == ("G313", "pass")
    assert wrong.message.endswith("its value is [5.3, 6.0], where the function gives [0.3, 1.0]")


def test_a_rule_that_is_not_linear_in_its_cotangents_is_named():
    square = gradcli.custom_vjp(lambda x: x * x)
    square.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * x * np.abs(g),))

    comparison = gradcli.check(lambda x: np.sum(square(x)), at=PAIR)

    (wrong,) = comparison.findings
    assert (wrong.code, comparison.verdict) == ("G313", "pass")
    assert wrong.message.endswith("is wrong: it is not linear in its cotangents")
