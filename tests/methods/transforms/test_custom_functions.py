"""Functions of arrays with a derivative of their own."""

import functools
import math
import pickle

import numpy as np
import pytest

import gradcli
from gradcli import errors

PAIR = np.array([1.0, 2.0])


def product(factor):
    """The function sin(x) y, whose vector-Jacobian product by x has this factor too many."""

    @gradcli.custom_vjp
    def scaled_sine(x, y):
        return np.sin(x) * y

    def forward(x, y):
        return scaled_sine(x, y), (x, y)

    def backward(kept, g):
        x, y = kept
        return factor * np.cos(x) * y * g, np.sin(x) * g

    scaled_sine.defvjp(forward, backward)
    return scaled_sine


@gradcli.custom_jvp
def softplus(x):
    return np.log(1.0 + np.exp(x))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return softplus(x), (1.0 - 1.0 / (1.0 + np.exp(x))) * t


def by_argument(x, y):
    return np.sin(x) * y


by_argument = gradcli.custom_jvp(by_argument)
by_argument.defjvps(lambda t, v, x, y: np.cos(x) * y * t, lambda t, v, x, y: np.sin(x) * t)


by_one = gradcli.custom_jvp(lambda x, y=1.0: x * y)
by_one.defjvps(lambda t, v, x, y: t * y)


misplaced = gradcli.custom_vjp(lambda x: x, nondiff_argnums=(1,))
misplaced.defvjp(lambda x: (x, None), lambda n, kept, g: (g,))


def squared(forward, backward):
    square = gradcli.custom_vjp(lambda x: x * x)
    square.defvjp(forward, backward)
    return square


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (product(1.0), (1.0, 2.0), (2.0 * math.cos(1.0), math.sin(1.0))),
        (product(3.0), (1.0, 2.0), (6.0 * math.cos(1.0), math.sin(1.0))),
        (by_argument, (1.0, 2.0), (2.0 * math.cos(1.0), math.sin(1.0))),
        (lambda x, y: np.sum(product(1.0)(x, y)), (PAIR, PAIR), (PAIR * np.cos(PAIR), np.sin(PAIR))),
        (lambda x, y: product(1.0)(y=y, x=x) ** 2, (0.0, 2.0), (0.0, 0.0)),
        (lambda x, y: softplus(x) * y, (1000.0, 1.0), (1.0, math.inf)),
    ],
)
def test_a_gradient_uses_the_derivative_of_the_user(function, at, expected):
    with np.errstate(over="ignore"):
        slopes = gradcli.grad(function, (0, 1))(*at)

    assert all(map(np.allclose, slopes, expected))


@pytest.mark.parametrize("function", [product(1.0), by_argument])
def test_forward_mode_and_second_derivatives_follow_from_either_product(function):
    _, tangent = gradcli.jvp(function, (1.0, 2.0), (0.5, 0.25))
    second = gradcli.hessian(lambda v: function(v[0], v[1]))(PAIR)

    assert tangent == pytest.approx(math.cos(1.0) + 0.25 * math.sin(1.0))
    assert np.allclose(second, [[-2.0 * math.sin(1.0), math.cos(1.0)], [math.cos(1.0), 0.0]])


def test_arguments_and_results_are_structures():
    @gradcli.custom_vjp
    def parts(point, power):
        return {"power": point["x"] ** power, "others": (point["y"] * 2, math.exp(point["x"]))}

    def backward(kept, ct):
        point, power = kept
        by_x = ct["power"] * power * point["x"] ** (power - 1) + ct["others"][1] * np.exp(point["x"])
        return {"x": by_x, "y": 2 * ct["others"][0]}, None

    parts.defvjp(lambda point, power: (parts(point, power), (point, power)), backward)

    def total(x, y):
        made = parts({"x": x, "y": y}, 3)
        return made["power"] + np.sum(made["others"][0] ** 2) + made["others"][1]

    by_x, by_y = gradcli.grad(total, (0, 1))(1.5, PAIR)

    assert by_x == pytest.approx(3 * 1.5**2 + math.exp(1.5))
    assert by_y.tolist() == [8.0, 16.0]


@gradcli.custom_vjp
def split(x):
    return (x[:-1], x[-1:]) if x[0] > 0 else (x[:1], x[1:])


split.defvjp(lambda x: (split(x), None), lambda kept, g: (np.concatenate([g[0], 10.0 * g[1]]),))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: sum(map(np.sum, (*split(x), *split(-x)))), [0.0, -9.0, 0.0]),
        (lambda x: sum(map(np.sum, (*split(x), *split(x[1:])))), [1.0, 2.0, 20.0]),
    ],
)
def test_calls_of_one_function_have_results_of_different_shapes(function, expected):
    assert gradcli.grad(function)(np.array([1.0, 2.0, 3.0])).tolist() == expected


def test_a_replay_in_which_the_result_has_another_structure_is_refused():
    parts = gradcli.opaque(lambda x: (x, x) if x > 1.0 else (x,))

    with pytest.raises(errors.UnsupportedError, match="another structure"):
        gradcli.trace(lambda x: parts(x)[0], 2.0).replay(0.5)


def power(x, n=3):
    return x**n


power = gradcli.custom_vjp(power, 1)
power.defvjp(lambda x, n: (x**n, x), lambda n, x, g: (n * x ** (n - 1) * g,))


@pytest.mark.parametrize(
    ("function", "expected"), [(power, 12.0), (lambda x: power(x, 4), 32.0), (lambda x: power(n=5, x=x), 80.0)]
)
def test_defaults_are_arguments(function, expected):
    assert gradcli.grad(function)(2.0) == expected


@pytest.mark.parametrize("function", [lambda x, *, s=2.0: s * x, lambda x, **options: options["s"] * x])
def test_an_argument_without_a_position_is_refused(function):
    """It would not reach the function."""
    with pytest.raises(errors.UsageError, match="the argument s has no position"):
        gradcli.custom_vjp(function)(1.0, s=3.0)


taken = gradcli.custom_vjp(lambda x, places: x[places])


def taken_backward(kept, g):
    x, places = kept
    by_x = np.zeros_like(x)
    np.add.at(by_x, places, g)
    return by_x, None


taken.defvjp(lambda x, places: (x[places], (x, places)), taken_backward)


def test_arrays_without_derivative_may_change_between_the_calls():
    places = np.array([0, 1])

    def twice(x):
        places[:] = [0, 1]
        first = taken(x, places)
        places[:] = 2
        return np.sum(first) + np.sum(taken(x, places)) + np.sum(taken(x, np.array([0, 1])))

    value, gradient = gradcli.value_and_grad(twice)(np.array([1.0, 2.0, 4.0]))

    assert (value, gradient.tolist()) == (14.0, [2.0, 2.0, 2.0])


def test_calls_with_ever_other_arguments_are_forgotten():
    for n in range(200):
        gradcli.grad(lambda x, n=n: power(x, n))(2.0)

    assert len(power._steps) < 100


def test_arguments_without_derivative_come_first():
    @gradcli.custom_vjp
    def applied(function, x):
        return function(x)

    applied = gradcli.custom_vjp(applied.function, nondiff_argnums=(0,))
    applied.defvjp(lambda f, x: (f(x), x), lambda f, x, g: (g * gradcli.grad(f)(x),))

    assert gradcli.grad(lambda x: 2.0 * applied(np.sin, x))(1.0) == pytest.approx(2.0 * math.cos(1.0))


class Scaling:
    """An object with a method that has a derivative of its own."""

    def __init__(self, factor):
        self.factor = factor

    @functools.partial(gradcli.custom_vjp, nondiff_argnums=(0,))
    def squared(self, x):
        return self.factor * x * x


Scaling.squared.defvjp(lambda self, x: (self.squared(x), x), lambda self, x, g: (5.0 * self.factor * x * g,))


def test_a_method_has_a_derivative_of_its_own():
    assert gradcli.grad(Scaling(3.0).squared)(2.0) == 30.0


def test_a_function_of_a_module_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(softplus)) is softplus


def test_fwd_runs_once_for_a_gradient():
    calls = []
    square = squared(lambda x: (calls.append(x) or x * x, x), lambda kept, g: (2.0 * kept * g,))

    assert gradcli.grad(lambda x: square(x) + square(2.0 * x))(3.0) == 30.0
    assert calls == [3.0, 6.0]


def test_a_replay_computes_what_bwd_needs_anew():
    square = squared(lambda x: (x * x, x), lambda kept, g: (2.0 * kept * g,))
    run = gradcli.trace(lambda x: square(x) * 3.0, 2.0).replay(5.0)

    assert (run.value, run.sensitivities()[0]) == (75.0, 30.0)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (gradcli.custom_vjp(lambda x: x), errors.RuleError, "has no derivative"),
        (gradcli.custom_jvp(lambda x: x), errors.RuleError, "Call its defjvp"),
        (squared(lambda x: x * x, lambda kept, g: (g,)), errors.ResultError, "returned no pair"),
        (squared(lambda x: (x * x, x), lambda kept, g: g), errors.ResultError, "did not return a tuple of 1"),
        (squared(lambda x: (x * x, x), lambda kept, g: (g * PAIR,)), errors.ResultError, "has the shape"),
        (squared(lambda x: (x * x, x), lambda kept, g: ([g],)), errors.ResultError, "structure"),
        (squared(lambda x: (x * x, x), lambda kept, g: (1j * g,)), errors.ResultError, "no real numbers"),
        (squared(lambda x: (x * x, x), lambda kept, g: ("g",)), errors.ResultError, "no real numbers"),
        (misplaced, errors.UsageError, "nondiff_argnums has 1, but <lambda> was called with one argument"),
        (by_one, errors.RuleError, "defjvps of <lambda> has one function for 2 arguments"),
    ],
)
def test_a_derivative_that_does_not_fit_is_refused(function, error, message):
    with pytest.raises(error, match=message):
        gradcli.grad(function)(2.0)


def by_tangents(jvp):
    square = gradcli.custom_jvp(lambda x: x * x)
    square.defjvp(lambda primals, tangents: (primals[0] ** 2, jvp(primals[0], tangents[0])))
    return square


def by_each_tangent(jvp):
    square = gradcli.custom_jvp(lambda x: x * x)
    square.defjvps(lambda t, value, x: jvp(x, t))
    return square


def by_cotangents(product):
    return squared(lambda x: (x * x, x), lambda x, g: (product(x, g),))


NOT_LINEAR = [
    lambda x, t: t * t,
    lambda x, t: 2.0 * x * np.abs(t),
    lambda x, t: 2.0 * x * np.maximum(t, 0.0),
    lambda x, t: 2.0 * x * t + 1.0,
    lambda x, t: x + 0.0 * t,
    lambda x, t: np.clip(2.0 * x * t, -0.1, 0.1),
]


@pytest.mark.parametrize("product", NOT_LINEAR)
@pytest.mark.parametrize("at", [1.5, PAIR, PAIR.astype(np.float32)])
def test_a_product_that_is_not_linear_is_refused_where_its_transpose_or_its_tangent_is_needed(product, at):
    for square in (by_tangents(product), by_each_tangent(product)):
        for derivative in (gradcli.grad(lambda x: np.sum(square(x))), lambda x: gradcli.jvp(square, (x,), (x,))):
            with pytest.raises(errors.RuleError, match="<lambda> is not linear in its tangents"):
                derivative(at)
    with pytest.raises(errors.RuleError, match="<lambda> is not linear in its cotangents"):
        gradcli.jvp(by_cotangents(product), (at,), (at,))


def test_a_gradient_may_be_clipped_by_a_rule():
    clipped = by_cotangents(lambda x, g: np.clip(2.0 * x * g, -0.1, 0.1))

    assert gradcli.grad(lambda x: 3.0 * clipped(x))(2.0) == 0.1


@pytest.mark.parametrize(
    "product",
    [
        lambda x, t: 2.0 * x * t,
        lambda x, t: ((x + 1e-6 * t) ** 2 - x * x) / 1e-6,
        lambda x, t: np.where(np.abs(x) > 1e9, 0.0, 2.0 * x) * t,
        lambda x, t: 0.0 * t,
        lambda x, t: x and 3.0 * t,
        lambda x, t: math.nan * t,
    ],
)
def test_a_linear_product_is_used(product):
    assert gradcli.grad(by_tangents(product))(1.5) == pytest.approx(product(1.5, 1.0), nan_ok=True)


class ByWord:
    """A method with a derivative of its own, and an argument that is a word."""

    @gradcli.custom_jvp
    def scaled(self, x, kind, n):
        return x**n if kind == "power" else n * x

    scaled.defjvp(
        lambda primals, tangents: (primals[0].scaled(*primals[1:]), 2.0 * primals[3] * primals[1] * tangents[1])
    )


def test_arguments_that_are_no_numbers_are_left_as_they_are():
    scaled = ByWord().scaled

    for f in (lambda x: scaled(x, "power", 2), lambda x: np.sum(scaled(np.array([x]), "power", 2))):
        assert gradcli.grad(f)(1.5) == 6.0
        assert gradcli.jvp(f, (1.5,), (1.0,))[1] == 6.0


def test_a_number_that_is_no_argument_is_refused():
    def enclosing(x):
        times = gradcli.custom_vjp(lambda y: x * y)
        times.defvjp(lambda y: (x * y, y), lambda kept, g: (x * g,))
        return times(x)

    with pytest.raises(errors.UnsupportedError, match="not among its arguments"):
        gradcli.grad(enclosing)(2.0)


def test_a_tangent_of_another_shape_is_refused():
    doubled = gradcli.custom_jvp(lambda x: 2.0 * x)
    doubled.defjvp(lambda primals, tangents: (2.0 * primals[0], PAIR * tangents[0]))

    with pytest.raises(errors.ResultError, match=r"a tangent of <lambda> has the shape \(2,\)"):
        gradcli.jvp(doubled, (1.0,), (1.0,))
