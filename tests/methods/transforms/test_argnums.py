"""Which arguments are differentiated by: positions, names, keyword arguments passed through."""

import functools

import numpy as np
import pytest

from gradcli import elementwise_grad, grad, hessian, jacobian, value_and_grad
from gradcli.errors import PointError, UsageError


def f(x, y=2.0, *, w=1.0, flag="plain"):
    assert flag in ("plain", "other")
    return x * y**2 * w**3 if flag == "plain" else x


@pytest.mark.parametrize(
    ("argnums", "arguments", "options", "expected"),
    [
        (0, (3.0,), {}, 4.0),
        (0, (3.0, 5.0), {"w": 2.0}, 25 * 8.0),
        (-1, (3.0, 5.0), {}, 30.0),
        ((0, -1), (3.0, 5.0), {}, (25.0, 30.0)),
        ([1, 0], (3.0, 5.0), {}, (30.0, 25.0)),
        ("w", (3.0, 5.0), {"w": 2.0}, 3 * 75 * 4.0),
        ("w", (3.0,), {"w": 2.0, "flag": "other"}, 0.0),
        ("x", (), {"x": 3.0}, 4.0),
        ("x", (3.0,), {"w": 2.0}, 4 * 8.0),
        ("y", (3.0, 5.0), {}, 30.0),
        (("w", 0, "y"), (3.0,), {"y": 5.0, "w": 1.0}, (225.0, 25.0, 30.0)),
        (("w",), (3.0,), {"w": 1.0}, (36.0,)),
        ((0, 0), (3.0,), {}, (4.0, 4.0)),
    ],
)
def test_argnums(argnums, arguments, options, expected):
    """By position, from the end, by name, in any order; the rest is passed on."""
    assert grad(f, argnums)(*arguments, **options) == expected
    assert jacobian(f, argnums)(*arguments, **options) == expected
    assert (f(*arguments, **options), expected) == value_and_grad(f, argnums)(*arguments, **options)


def test_second_derivatives_by_name():
    assert hessian(f, "w")(3.0, w=2.0) == 6 * 12.0 * 2
    assert elementwise_grad(f, "w")(np.array([2 / 3, 1 / 3]), w=np.array([1.0, 2.0])).tolist() == [8.0, 16.0]


def test_methods_and_partial_applications():

    class Model:
        """It holds a factor."""

        factor = 3.0

        def loss(self, x, w):
            return self.factor * x * w

    assert grad(Model().loss, "w")(2.0, 5.0) == 6.0
    assert grad(functools.partial(Model().loss, 2.0), "w")(w=5.0) == 6.0


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian])
@pytest.mark.parametrize("argnums", [1.5, None, (0, None), {}, [[0]]])
def test_what_no_argnums_is(transform, argnums):
    with pytest.raises(UsageError, match=r"argnums is .*int, the name of an argument"):
        transform(f, argnums)


@pytest.mark.parametrize(
    ("argnums", "words"),
    [
        (1, "argument 1, but f was called with 1 positional"),
        (-2, "argument -2"),
        ("w", "argument 'w', but f was called without it(.|\n)*w=...; f takes x, y, w, flag"),
        ("y", "argument 'y', but f was called without it"),
        ("nothing", "argument 'nothing'"),
    ],
)
def test_arguments_that_were_not_passed(argnums, words):
    for transform in (grad, jacobian):
        with pytest.raises(PointError, match=words):
            transform(f, argnums)(3.0)


def with_aux(x):
    return x**2, {"double": 2 * x, "text": "kept", "array": np.array([x, 1.0])}


def is_plain(aux):
    return float is type(aux["double"]) and np.ndarray is type(aux["array"]) and aux["text"] == "kept"


def test_aux():
    gradient, aux = grad(with_aux, has_aux=True)(3.0)
    assert (gradient, aux["double"], aux["array"].tolist()) == (6.0, 6.0, [3.0, 1.0])
    assert is_plain(aux)

    (value, aux), gradient = value_and_grad(with_aux, has_aux=True)(3.0)
    assert (value, aux["double"], gradient) == (9.0, 6.0, 6.0)
    assert is_plain(aux)

    derivative, aux = jacobian(with_aux, has_aux=True)(3.0)
    assert derivative == 6.0
    assert is_plain(aux)

    (value, aux), derivative = jacobian(with_aux, has_aux=True, with_value=True)(3.0)
    assert (value, derivative) == (9.0, 6.0)
    assert is_plain(aux)


def test_aux_inside_another_transform():

    def both(x):
        gradient, aux = grad(with_aux, has_aux=True)(x)
        return gradient + aux["double"]

    assert grad(both)(3.0) == 2.0 + 2.0


@pytest.mark.parametrize("result", [1.0, (1.0,), (1.0, 2, 3), [1.0, 2]])
def test_no_aux(result):
    with pytest.raises(TypeError, match=r"has_aux=True(.|\n)*Return \(result, aux\)"):
        grad(lambda x: result, has_aux=True)(1.0)
