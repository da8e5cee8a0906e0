"""grad, value_and_grad, jacobian, trace and stop_gradient: nesting, structures, and answers to bad input."""

import inspect
import math
from collections import namedtuple

import numpy as np
import pytest

from gradcli import grad, hessian, hvp, jacobian, jvp, stop_gradient, trace, value_and_grad, vjp
from gradcli.errors import PointError, ResultError
from gradcli.shared.pytree import leaves

Point = namedtuple("Point", "x y")


# Nesting


def three_levels(x):
    """d/dz of x y z² at z = y is 2 x y²; times x y is 2 x² y³, by y 6 x² y²; at y = x and times x is 6 x⁵."""
    return x * grad(lambda y: x * y * grad(lambda z: x * y * z * z)(y))(x)


def four_levels(a):
    """d/dd of a b c d² at d = c is 2abc²; d/dc at c = b: 4ab²·b; d/db at b = a: 8a²."""
    return grad(lambda b: grad(lambda c: grad(lambda d: a * b * c * d * d)(c))(b))(a)


STOPPED = {
    "a number": (lambda x: x * stop_gradient(x), 3.0, 3.0),
    "a structure": (lambda x: x * stop_gradient({"a": [x, 1]})["a"][0], 3.0, 3.0),
    "an array": (lambda v: (v * stop_gradient(v)).sum(), np.array([1.0, 2.0]), [1.0, 2.0]),
    "every level": (lambda x: grad(lambda y: stop_gradient(x * y) * y)(2.0), 3.0, 0.0),
}
NESTED = {
    "d/dx of x · d/dy (x + y), the classic of perturbation confusion": (
        lambda x: x * grad(lambda y: x + y)(1.0), 1.0, 1.0
    ),
    "d/dx of x · d/dy (x y) = x²": (lambda x: x * grad(lambda y: x * y)(2.0), 3.0, 6.0),
    "d/dx of x · d/dy (x y²) at y = x": (lambda x: x * grad(lambda y: x * y * y)(x), 3.0, 54.0),
    "three levels with shared variables": (three_levels, 1.5, 30 * 1.5**4),
    "four levels": (four_levels, 1.5, 16 * 1.5),
    "a constant of the inner one": (lambda x: grad(lambda y: x * x)(3.0) * x, 2.0, 0.0),
    "a Jacobian inside": (lambda x: jacobian(lambda y: [x * y, y * y * x])(3.0)[1], 2.0, 6.0),
    "a value inside": (lambda x: value_and_grad(lambda y: x * y * y)(3.0)[0] * x, 2.0, 36.0),
    "value and gradient inside": (lambda x: sum(value_and_grad(lambda y: x * y * y)(x)), 2.0, 20.0),
    "a trace inside, a run of its own": (lambda x: x * trace(lambda y: y * 3, 2.0).value, 1.0, 6.0),
    "arrays": (lambda v: grad(lambda v: (v**3).sum() * v[0])(v).sum(), np.array([2.0, 3.0]), [75.0, 63.0]),
    "a view": (
        lambda x: np.sum(grad(lambda y: np.sum(y**3))(x[1:])), np.array([1.0, 2.0, 3.0]), [0.0, 12.0, 18.0]
    ),
    **STOPPED,
}  # fmt: skip


@pytest.mark.parametrize(("f", "at", "expected"), NESTED.values(), ids=NESTED)
def test_a_gradient_of_a_gradient(f, at, expected):
    np.testing.assert_allclose(grad(f)(at), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (jacobian(grad(lambda v: v[0] ** 2 * v[1])), [2.0, 3.0], [[6.0, 4.0], [4.0, 0.0]]),
        (jacobian(jacobian(lambda v: v[0] * v[0] * v[1])), [2.0, 3.0], [[6.0, 4.0], [4.0, 0.0]]),
        (jacobian(grad(lambda v: (v**3).sum() * v[0])), np.array([2.0, 3.0]), [[48.0, 27.0], [27.0, 36.0]]),
    ],
)
def test_a_jacobian_of_a_gradient(f, at, expected):
    np.testing.assert_allclose(f(at), expected)


def test_stop_gradient_of_plain_values():
    assert stop_gradient((3.0, "a", None)) == (3.0, "a", None)


def written_original(x):
    y = 2 * x
    held = stop_gradient(y)
    y[0] = 7.0
    return np.sum(y * held)


def written_constant(x):
    y = 2 * x
    held = stop_gradient(y)
    held[0] = 7.0
    return np.sum(y * held)


def written_input(x):
    held = stop_gradient(x)
    x[0] = 7.0
    return np.sum(x * held)


@pytest.mark.parametrize(
    ("f", "value", "gradient"),
    [
        (written_original, 14.0 + 16.0 + 36.0, [0.0, 8.0, 12.0]),
        (written_constant, 14.0 + 16.0 + 36.0, [14.0, 8.0, 12.0]),
        (written_input, 7.0 + 4.0 + 9.0, [0.0, 2.0, 3.0]),
    ],
)
def test_a_stopped_array_is_a_copy(f, value, gradient):
    assert f(np.array([1.0, 2.0, 3.0])) == value
    recorded, slopes = value_and_grad(f)(np.array([1.0, 2.0, 3.0]))
    assert recorded == value
    np.testing.assert_array_equal(slopes, gradient)


def test_an_inner_value_used_outside():
    """It is a function of the outer variable like any other."""

    def f(x):
        inner = []
        slope = grad(lambda y: (inner.append(y * y), y * x)[1])(x)
        return slope * inner[0]  # x · x²

    assert grad(f)(3.0) == 27.0


@pytest.mark.parametrize(("order", "expected"), [(1, 80.0), (2, 160.0), (3, 240.0), (4, 240.0), (5, 120.0), (6, 0.0)])
def test_derivatives_of_any_order(order, expected):
    """Of x⁵ at 2."""
    f = lambda x: x**5
    for _ in range(order):
        f = grad(f)
    assert f(2.0) == expected


# Arguments


def product(x, y):
    """The product."""
    return x * y


def test_missing_arguments():
    """Python's own error, of the user's function."""
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        grad(product)(1.0)


def test_the_gradient_introduces_itself_as_the_function():
    """Name, text and signature."""
    assert (grad(product).__name__, grad(product).__doc__) == ("product", "The product.")
    assert inspect.signature(product) == inspect.signature(grad(product))


# Structures, types and zeros


@pytest.mark.parametrize(
    ("f", "point", "expected"),
    [
        (lambda p: p[0] * p[1], [2.0, 3.0], [3.0, 2.0]),
        (lambda p: p[0] * p[1], (2.0, 3.0), (3.0, 2.0)),
        (lambda p: p["a"] * p["b"], {"a": 2.0, "b": 3.0}, {"a": 3.0, "b": 2.0}),
        (lambda p: p.x * p.y, Point(2.0, 3.0), Point(3.0, 2.0)),
        (lambda p: p["a"][0] * p["b"][1][0], {"a": [2.0], "b": (1.0, [3.0])}, {"a": [3.0], "b": (0.0, [2.0])}),
        (lambda p: 1.0, [], []),
        (lambda p: p[0], [2.0, []], [1.0, []]),
    ],
)
def test_the_gradient_mirrors_the_argument(f, point, expected):
    """Lists, tuples, dictionaries and named tuples, in each other."""
    found = grad(f)(point)

    assert (expected, type(expected)) == (found, type(found))


@pytest.mark.parametrize(
    ("point", "kind", "dtype"),
    [
        (2, float, None),
        (True, float, None),
        (2.0, float, None),
        (np.float64(2), np.float64, float),
        (np.float32(2), np.float32, np.float32),
        (np.float16(2), np.float16, np.float16),
        (np.longdouble(2), np.longdouble, np.longdouble),
        (np.int32(2), np.float64, float),
        (np.array(2.0), np.ndarray, float),
        (np.array([2.0, 3.0]), np.ndarray, float),
        (np.array([2, 3]), np.ndarray, float),
        (np.array([True, False]), np.ndarray, float),
        (np.array([2.0], np.float32), np.ndarray, np.float32),
    ],
)
@pytest.mark.filterwarnings("ignore:G501")
def test_the_type_of_the_gradient(point, kind, dtype):
    """Integers and booleans become float64, single precision stays."""
    found = grad(lambda x: np.sum(x * x) if isinstance(x, np.ndarray) else x * x)(point)

    assert kind is type(found)
    assert dtype is None or found.dtype == dtype
    np.testing.assert_array_equal(2.0 * np.asarray(point), found)


def test_an_input_without_a_part():
    """Zeros of its shape and type."""
    found = grad(lambda x, y, z: x, (1, 2))(1.0, np.ones((2, 2), np.float32), [1.0])

    assert (found[0].dtype, found[0].shape, found[1]) == (np.float32, (2, 2), [0.0])
    assert not found[0].any()


@pytest.mark.filterwarnings("ignore:G205")
@pytest.mark.parametrize(
    ("f", "value", "gradient"),
    [
        (lambda x: 3.0, 3.0, 0.0),
        (lambda x: 3, 3, 0.0),
        (lambda x: np.float64(3.0), 3.0, 0.0),
        (lambda x: np.array(3.0), 3.0, 0.0),
        (lambda x: int(x + 0.5), 2, 0.0),
        (lambda x: x, 2.0, 1.0),
        (lambda x: np.array(x), 2.0, 1.0),
        (lambda x: np.float32(x) * 2, 4.0, 2.0),
        (lambda x: np.array([x, 1.0])[0], 2.0, 1.0),
    ],
)
def test_results(f, value, gradient):
    """Constants, the input itself, and NumPy numbers."""
    assert (value, gradient) == value_and_grad(f)(2.0)


@pytest.mark.parametrize(
    ("f", "at", "gradient"),
    [(math.sqrt, 0.0, math.inf), (lambda x: x * math.nan, 1.0, math.nan), (lambda x: math.sqrt(x) * x, 0.0, math.nan)],
)
def test_what_is_not_finite(f, at, gradient):
    """The gradient is nan or infinite without an error."""
    assert grad(f)(at) == pytest.approx(gradient, nan_ok=True)


def test_an_input_that_acts_through_outcomes_only():
    """Its derivative is zero; that is no error here."""
    assert grad(lambda x, y: y * 5.0 if x > 1 else y, (0, 1))(2.0, 1.0) == (0.0, 5.0)


def test_the_gradient_is_the_callers():
    """An array of his own, which later calls do not change."""
    f = grad(lambda v: (v * v).sum())
    first = f(np.array([1.0, 2.0]))
    first[0] = 100.0

    np.testing.assert_array_equal([2.0, 4.0], f(np.array([1.0, 2.0])))


# The Jacobian


@pytest.mark.parametrize(
    ("f", "point", "expected"),
    [
        (lambda x: x * x, 3.0, 6.0),
        (lambda x: [x * x, 1.0, (2 * x,)], 3.0, [6.0, 0.0, (2.0,)]),
        (lambda x: {"a": x}, 3.0, {"a": 1.0}),
        (lambda p: p[0] * p[1], [2.0, 3.0], [3.0, 2.0]),
        (lambda p: [p[0] * p[1], p[0]], [2.0, 3.0], [[3.0, 2.0], [1.0, 0.0]]),
        (lambda p: {"a": p["x"] * 2}, {"x": 1.0, "y": 1.0}, {"a": {"x": 2.0, "y": 0.0}}),
        (lambda x: 5.0, 3.0, 0.0),
    ],
)
def test_the_structure_of_a_jacobian(f, point, expected):
    """That of the result, and in place of each number that of the argument."""
    assert jacobian(f)(point) == expected


@pytest.mark.parametrize(
    ("f", "point", "expected"),
    [
        (lambda v: v * v, np.array([2.0, 3.0]), np.diag([4.0, 6.0])),
        (lambda v: v.sum(), np.ones(3), np.ones(3)),
        (lambda x: np.array([x, x * x]), 3.0, np.array([1.0, 6.0])),
        (lambda v: np.ones(3), np.ones(2), np.zeros((3, 2))),
        (lambda m: m.T, np.ones((2, 3)), np.eye(6).reshape(2, 3, 2, 3).transpose(1, 0, 2, 3)),
        (lambda v: v * 2, np.ones(0), np.zeros((0, 0))),
        (lambda v: v * 2, np.ones(2, np.float32), 2 * np.eye(2, dtype=np.float32)),
    ],
)
def test_the_shape_of_a_jacobian(f, point, expected):
    """Results first, then arguments; single precision stays."""
    found = jacobian(f)(point)

    np.testing.assert_array_equal(expected, found)
    assert (np.shape(found), found.dtype) == (expected.shape, expected.dtype)


def test_a_jacobian_with_its_value():
    """From one run."""
    assert jacobian(lambda x: [3 * x, x], with_value=True)(2.0) == ([6.0, 2.0], [3.0, 1.0])


@pytest.mark.parametrize(
    ("result", "came"),
    [
        (None, "None"),
        ("a", "a str"),
        ([None], "a list of 1"),
        ({"a": "b"}, "a str inside"),
        ([], "a list of 0"),
        (object(), "an object"),
        (True, "a bool"),
        (np.array(["a"]), "a"),
        (iter([1.0]), "a list_iterator"),
    ],
)
def test_a_result_without_a_jacobian(result, came):
    """What came, and where."""
    with pytest.raises(ResultError, match=f"returned {came}"):
        jacobian(lambda x: result)(1.0)


@pytest.mark.parametrize(
    "point", [[np.zeros((2, 3)), np.zeros(4)], [np.zeros(2), np.zeros(2)], [0.0, np.zeros(2)], [[np.zeros(2)], 0.0]]
)
def test_the_gradient_by_a_list_of_arrays(point):
    """They need not have one shape, and nothing is computed of them together, which might overflow."""
    found = grad(lambda x: sum(np.sum(1e308 * part) for part in leaves(x)))(point)
    assert [np.shape(part) for part in leaves(point)] == [np.shape(part) for part in leaves(found)]
    assert all(np.all(part == 1e308) for part in leaves(found))


# trace


def test_trace():
    """Every argument is an input; the value is plain."""
    tape = trace(lambda x, v: (x * v).sum(), 2, np.array([1.0, 2.0]))

    assert (tape.value, list(tape.input_indices())) == (6.0, [(0), (1)])
    assert tape.sensitivities()[0] == 3.0
    np.testing.assert_array_equal([2.0, 2.0], tape.sensitivities()[1])


# None, which stands for nothing


LAYER = {"w": np.array([1.0, 2.0]), "b": None, "rest": [None, 3.0]}


def energy(layer):
    """A function of what is there."""
    assert layer["b"] is layer["rest"][0] is None
    return np.sum(layer["w"] ** 2) * layer["rest"][1] ** 2


def test_none_in_an_argument():
    """It stays where it is, in the gradient and in every other derivative."""
    found = grad(energy)(LAYER)
    assert (found["b"], found["rest"]) == (None, [None, 30.0])
    np.testing.assert_array_equal([18.0, 36.0], found["w"])
    assert grad(lambda x: x[1][0] ** 2)([None, (3.0, None)]) == [None, (6.0, None)]
    assert jacobian(lambda p: (p["w"] * 2, None))({"w": 3.0, "b": None}) == ({"w": 2.0, "b": None}, None)
    assert hessian(lambda p: p["w"] ** 2)({"w": 3.0, "b": None}) == {"w": {"w": 2.0, "b": None}, "b": None}


def test_none_along_a_direction():
    """A tangent and a cotangent have None in the same places."""
    point, along = {"w": 3.0, "b": None}, {"w": 0.5, "b": None}
    square = lambda p: [p["w"] ** 2, None]
    assert jvp(square, (point,), (along,)) == ([9.0, None], [3.0, None])
    value, pullback = vjp(square, point)
    assert (value, pullback([2.0, None])) == ([9.0, None], ({"w": 12.0, "b": None},))
    assert hvp(lambda p: p["w"] ** 2, point, along) == {"w": 1.0, "b": None}
    with pytest.raises(PointError, match="tangent has the shape"):
        jvp(square, (point,), ({"w": 0.5, "b": 1.0},))


def test_something_beside_the_result():
    """It comes back, None too, and goes on in a transform around it."""
    assert grad(lambda x: (x**2, {"state": None}), has_aux=True)(3.0) == (6.0, {"state": None})
    assert value_and_grad(lambda x: (x**2, None), has_aux=True)(3.0) == ((9.0, None), 6.0)
    both = lambda x: (x**2, {"twice": 2 * x})
    assert jvp(both, (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, {"twice": 6.0})

    def tangent_and_more(x):
        _, tangent, aux = jvp(both, (x,), (x,), has_aux=True)
        return tangent + aux["twice"]

    assert grad(tangent_and_more)(3.0) == 14.0
    with pytest.raises(ResultError, match="must return a pair"):
        jvp(lambda x: x, (3.0,), (1.0,), has_aux=True)


@pytest.mark.parametrize("transform", [jacobian, lambda f: lambda x: vjp(f, x), lambda f: lambda x: jvp(f, (x,), (x,))])
def test_none_as_the_result(transform):
    """There is nothing to differentiate."""
    with pytest.raises(ResultError, match="returned None"):
        transform(lambda x: None)(1.0)
