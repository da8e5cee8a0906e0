"""Products with derivatives and second derivatives, against SymPy, Jacobians and each other."""

import dataclasses
import math
import threading
from collections import OrderedDict

import numpy as np
import pytest
import sympy

from gradcli import elementwise_grad, grad, hessian, hvp, jacobian, jvp, vjp
from gradcli.errors import ForeignTapeError, PointError, ResultError

POINT = np.array([1.1, -0.7, 2.3])


def rosen(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def curve(x):
    return np.stack([x[0] * x[1], np.sin(x[2]), x[1] ** 3, np.exp(x[0]) / x[2]])


def exact_hessian():
    """SymPy's second derivatives of Rosenbrock's function at POINT."""
    symbols = sympy.symbols("a b c", real=True)
    a, b, c = symbols
    value = 100 * (b - a**2) ** 2 + (1 - a) ** 2 + 100 * (c - b**2) ** 2 + (1 - b) ** 2
    at = dict(zip(symbols, map(sympy.Float, POINT), strict=True))
    return np.array(sympy.hessian(value, symbols).subs(at).tolist(), dtype=float)


def test_vjp_is_the_transposed_jacobian():
    """The pullback multiplies by the Jacobian from the left."""
    ct = np.array([0.3, -1.0, 2.0, 0.5])
    value, pullback = vjp(curve, POINT)
    np.testing.assert_array_equal(curve(POINT), value)
    np.testing.assert_allclose(ct @ jacobian(curve)(POINT), pullback(ct)[0], rtol=1e-14)


@dataclasses.dataclass
class Weights:
    """Two numbers by name."""

    b: float
    a: float


@pytest.mark.parametrize("one_of_a", [{"b": 0.0, "a": 1.0}, OrderedDict(b=0.0, a=1.0), Weights(0.0, 1.0)])
def test_dicts_are_matched_by_their_keys(one_of_a):
    """A cotangent, a tangent and a direction may have another order than the point."""
    point = {"a": 2.0, "b": 3.0}
    weighed = lambda p: p["a"] ** 2 + 10 * p["b"] ** 2
    assert vjp(lambda x: {"a": x, "b": 10 * x}, 2.0)[1](one_of_a) == (1.0,)
    assert jvp(weighed, (point,), (one_of_a,))[1] == 4.0
    assert hvp(weighed, point, one_of_a) == {"a": 2.0, "b": 0.0}
    assert grad(lambda t: jvp(weighed, ({"a": t, "b": 1.0},), (one_of_a,))[1])(2.0) == 2.0


def test_pullback_may_be_called_again():
    """A tape can be swept any number of times."""
    _, pullback = vjp(curve, POINT)
    first = pullback(np.array([1.0, 0.0, 0.0, 0.0]))[0]
    pullback(np.ones(4))
    np.testing.assert_array_equal(first, pullback(np.array([1.0, 0.0, 0.0, 0.0]))[0])


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: jvp(lambda y: y**3, (x,), (1.0,))[1], 2.0, 12.0),
        (lambda x: jvp(lambda y: [1.0, y * x, 3.0 * x], (x,), (1.0,))[1][1], 2.0, 1.0),
        (lambda x: jvp(lambda y: math.sin(y) / y, (x,), (2.0,))[1], 1.0, 2 * (math.sin(1.0) - 2 * math.cos(1.0))),
        (lambda t: jvp(lambda y: y * y, (3.0,), (t,))[1], 0.0, 6.0),
        (lambda x: jvp(lambda y: jvp(lambda z: z**4, (y,), (1.0,))[1], (x,), (1.0,))[1], 1.0, 24.0),
        (lambda x: jvp(grad(lambda y: y**4), (x,), (1.0,))[1], 1.0, 24.0),
        (lambda x: jvp(lambda y: abs(y) * y, (x,), (1.0,))[1], -2.0, 2.0 * -1.0),
        (lambda x: jvp(lambda y: y * y if y > 1 else y, (x,), (1.0,))[1], 3.0, 2.0),
    ],
)
def test_the_slope_of_a_tangent_over_numbers(f, at, expected):
    assert math.isclose(grad(f)(at), expected, rel_tol=1e-14)
    assert math.isclose(jvp(f, (at,), (1.0,))[1], expected, rel_tol=1e-14)


def test_a_tangent_over_numbers_takes_one_run_inside_another_transform():
    calls = []

    def cube(y):
        calls.append(y)
        return y**3

    assert grad(lambda x: jvp(cube, (x,), (1.0,))[1])(2.0) == 12.0
    assert len(calls) == 1


def test_jvp_is_the_jacobian_times_the_tangent():
    v = np.array([0.5, 2.0, -1.0])
    value, tangent = jvp(curve, (POINT,), (v,))
    np.testing.assert_array_equal(curve(POINT), value)
    np.testing.assert_allclose(jacobian(curve)(POINT) @ v, tangent, rtol=1e-14)


def test_jvp_of_numbers():
    value, tangent = jvp(lambda x, y: math.sin(x) * y, (0.7, 2.0), (1.0, 0.0))
    assert (math.sin(0.7) * 2.0, math.cos(0.7) * 2.0) == (value, tangent)
    assert float is type(tangent)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: jvp(lambda x: 3.0, (1.0,), (1.0,)), (3.0, 0.0)),
        (lambda: grad(lambda x: jvp(lambda y: y**3 * x, (x,), (1.0,))[1])(2.0), 36.0),  # d/dx of 3x³
        (lambda: jvp(grad(lambda x: x**3), (2.0,), (1.0,)), (12.0, 12.0)),  # the tangent of 3x² is 6x
        (lambda: hessian(lambda x: x**3)(2.0), 12.0),
        (lambda: hvp(lambda d: d["a"] ** 2 * d["b"], {"a": 2.0, "b": 3.0}, {"a": 1.0, "b": 0.0}), {"a": 6.0, "b": 4.0}),
        (lambda: vjp(lambda d, s: {"sum": d["a"] + s, "product": [d["a"] * s]}, {"a": 2.0}, 5.0)[1](
            {"sum": 1.0, "product": [1.0]}), ({"a": 6.0}, 3.0)),
    ],
)  # fmt: skip
def test_numbers_and_structures(found, expected):
    assert found() == expected


def test_arrays():
    """Second derivatives of Rosenbrock's function are those of SymPy; nested ones are of simple powers."""
    v, ones = np.array([0.5, 2.0, -1.0]), np.ones(2)
    np.testing.assert_allclose(hessian(rosen)(POINT), exact_hessian(), rtol=1e-13)
    np.testing.assert_allclose(hvp(rosen, POINT, v), exact_hessian() @ v, rtol=1e-13)
    np.testing.assert_allclose(elementwise_grad(np.tanh)(POINT), 1 / np.cosh(POINT) ** 2, rtol=1e-15)
    np.testing.assert_allclose(elementwise_grad(elementwise_grad(lambda x: x**3))(POINT), 6 * POINT, rtol=1e-14)
    nested = jvp(lambda x: hvp(lambda y: np.sum(y**4), x, ones), (np.array([1.0, 2.0]),), (ones,))
    np.testing.assert_array_equal(nested, [[12.0, 48.0], [24.0, 48.0]])


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: jvp(rosen, 2.0, 1.0), PointError, "jvp takes a tuple or list of arguments, not a float"),
        (lambda: jvp(rosen, (2.0,), 1.0), PointError, "jvp takes a tuple or list of arguments, not a float"),
        (lambda: jvp(rosen, (np.ones(2),), (np.ones(3),)), PointError,
            r"the tangent has the shape \(3,\); the argument has \(2,\)"),
        (lambda: vjp(curve, POINT)[1](np.ones(3)), PointError, r"\(3,\).*\(4,\)"),
        (lambda: vjp(lambda x: None, 1.0), ResultError, "returned None"),
    ],
)  # fmt: skip
def test_refusals(call, error, said):
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.linalg.slogdet(x)[1], np.array([[2.0, 0.5], [-0.3, 1.5]])),
        (lambda x: np.sum(x, dtype=np.float32), np.array([2.0, 0.5], dtype=np.float32)),
        (lambda z: z * z * z, 0.4 - 0.7j),
        (lambda z: np.conj(z) * np.exp(z), 0.4 - 0.7j),
        (np.real_if_close, 0.4 - 0.7j),
    ],
)
def test_a_forward_sweep_inside_a_reverse_one(f, x):
    """The reverse sweep of a tangent by its direction is that of the value, whatever kind of number it is."""
    direction = np.full_like(x, 0.3)[()]
    weight = (0.5 - 2j if np.iscomplexobj(f(x)) else 0.5) * np.ones_like(f(x))[()]
    tangent, pullback = vjp(lambda v: jvp(f, (x,), (v,))[1], direction)
    np.testing.assert_allclose(jvp(f, (x,), (direction,))[1], tangent, rtol=1e-6)
    np.testing.assert_allclose(vjp(f, x)[1](weight)[0], pullback(weight)[0], rtol=1e-6)


def test_a_recorded_cotangent_of_another_kind():
    """It is brought into the type of the value, as a plain one is; a complex one of a real value is refused."""
    pulled = lambda ct: np.sum(vjp(lambda x: np.sum(x) ** 2, POINT)[1](ct)[0])
    assert math.isclose(6.0 * np.sum(POINT), grad(pulled)(1.0), rel_tol=1e-14)
    with pytest.raises(PointError, match="has dtype complex128; it must be real"):
        grad(lambda ct: np.real(pulled(ct)))(1j)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_real_number_beside_a_complex_one_in_a_nested_pullback(sign):
    """The real one has the real part of the cotangent, whether or not the cotangent is recorded."""
    f = lambda x: sum([*x.values()][::sign])
    pulled = lambda ct: vjp(f, {"real": 0.6, "complex": 0.6 + 0.3j})[1](ct)[0]
    assert {"real": 1.0, "complex": 1 + 2j} == pulled(1 + 2j) == vjp(pulled, 1 + 2j)[0]
    assert vjp(pulled, 1 + 2j)[1]({"real": 2.0, "complex": 1 + 6j}) == (3 + 6j,)


@pytest.mark.parametrize(
    "transform",
    [lambda f: jvp(f, (1.0,), (1.0,)), lambda f: vjp(f, 1.0)[1](1.0), lambda f: jacobian(lambda x: [f(x)] * 4)(1.0)],
    ids=["jvp", "vjp", "jacobian"],
)
def test_a_recorded_value_of_another_thread_is_refused(transform):
    """A value of another run that is not over is not taken for a row of this one."""
    refused = []

    def f(x):
        def inner():
            try:
                transform(lambda y: x)
            except ForeignTapeError as error:
                refused.append(error.message)

        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
        return x * x

    assert grad(f)(3.0) == 6.0
    assert ["met a recorded value of another" in message for message in refused] == [True]


@pytest.mark.parametrize("power", [2.5, 3.5])
def test_a_product_where_a_power_begins(power):
    """Beside the point the power is complex on one side."""
    assert hvp(lambda x: x**power, 0.0, 1.0) == 0.0
    assert hvp(lambda x: x[0] ** power + x[1] ** 2, [0.0, 1.0], [1.0, 2.0]) == [0.0, 4.0]
