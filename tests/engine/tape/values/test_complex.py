"""Recorded Python complex numbers: they behave as Python's, and their sensitivity is df/dRe + i df/dIm."""

import operator

import numpy as np
import pytest

from gradcli import grad, hvp, jacobian, jvp, trace, value_and_grad, vjp
from gradcli.errors import ResultError
from gradcli.methods.numerics import differences

Z = 0.6 - 1.3j

PROGRAMS = {
    "size": abs,
    "parts": lambda z: z.real**2 * z.imag,
    "conjugate": lambda z: (z.conjugate() * z**3).imag,
    "arithmetic": lambda z: ((1 + z) * 2j / (z - 3) - (2 - z) ** 2 + 1 / z).real,
    "negative": lambda z: (-z * +z).imag,
    "powers": lambda z: abs(z**2 + 2**z + z**-1.5 + z**z),
    "with real parts": lambda z: abs(z * z.real + z.imag * 1j),
    "a list": lambda z: sum([z, z * z, 3.0]).imag,
    "numpy": lambda z: np.abs(np.exp(z) * np.array([1.0, 2j]))[1],
    "arrays": lambda z: np.sum(np.real(z * np.array([1.0, 2.0]) / np.array([1j, 2.0]))),
    "numpy's numbers": lambda z: (np.float64(2) * z + z / np.complex128(1j)).real,
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_sensitivity(f):
    """It is that of differences along the real and the imaginary axis; so is the tangent."""
    slopes = [differences.slope(lambda t, d=d: float(f(Z + t * d)), 0.0, 2.2e-16).value for d in (1, 1j)]
    value, gradient = value_and_grad(f)(Z)
    assert f(Z) == pytest.approx(value, rel=1e-15)
    assert complex is type(gradient)
    assert complex(*slopes) == pytest.approx(gradient, rel=1e-8)
    assert 0.6 * slopes[0] + 0.8 * slopes[1] == pytest.approx(jvp(f, (Z,), (0.6 + 0.8j,))[1], rel=1e-8)
    second = hvp(f, Z, 0.6 + 0.8j)
    along = (grad(f)(Z + 1e-6 * (0.6 + 0.8j)) - grad(f)(Z - 1e-6 * (0.6 + 0.8j))) / 2e-6
    assert along == pytest.approx(second, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: abs((x + 2j) ** 2), 2 * 1.5),
        (lambda x: (1j * x * x).imag, 2 * 1.5),
        (lambda x: (2j - x).real, -1),
        (lambda x: (1 / (1j + x)).real, (1 - 1.5**2) / (1 + 1.5**2) ** 2),
        (lambda x: ((-x) ** 0.5).imag, 0.5 / 1.5**0.5),
        (lambda x: ((-8) ** x).real, np.real(np.log(-8 + 0j) * (-8) ** 1.5)),
        (lambda x: (x ** np.complex128(2)).real, 2 * 1.5),
    ],
)
def test_real_inputs(f, slope):
    """A recorded float that meets a complex number, or becomes one, has a real gradient."""
    gradient = grad(f)(1.5)
    assert float is type(gradient)
    assert slope == pytest.approx(gradient)
    assert np.shape(grad(grad(f))(1.5)) == ()


def test_second_derivative():
    assert pytest.approx(grad(grad(lambda x: ((1 + 1j) * (x * 1j) ** 4).real))(1.5)) == 12 * 1.5**2


@pytest.mark.parametrize("compute", [operator.lt, operator.floordiv, divmod, operator.mod])
def test_what_complex_numbers_have_not(compute):
    with pytest.raises(TypeError):
        grad(lambda z: abs(compute(z, 1.0)))(Z)
    with pytest.raises(TypeError, match="complex"):
        grad(float)(Z)


def test_errors_of_the_arithmetic():
    """A division by zero raises as on plain numbers."""
    with pytest.raises(ZeroDivisionError):
        grad(lambda z: abs(1 / (z - z)))(Z)


@pytest.mark.parametrize("kind", [complex, object])
def test_isinstance(kind):
    assert grad(lambda z: 2 * z.real if isinstance(z, kind) and not isinstance(z, float) else z.real)(Z) == 2


def test_facts():
    """Equality and truth are outcomes; text is that of a complex number."""

    def f(z):
        assert str(z) == "(0.6-1.3j)"
        return z.real * 3 if z == Z and z != 1 and z else z.imag

    assert grad(f)(Z) == 3


def test_structures():
    """A gradient has the structure and the types of its point."""
    got = grad(lambda p: abs(p["a"]) ** 2 + p["b"][0] * p["a"].real + np.sum(np.abs(p["c"]) ** 2))(
        {"a": 1 + 2j, "b": [3.0], "c": np.array([1j], dtype=np.complex64)}
    )
    assert got["a"] == pytest.approx(5 + 4j)
    assert (got["b"], got["c"].tolist()) == ([1.0], [2j])
    assert got["c"].dtype == np.complex64


def test_no_part():
    """An input that the result does not depend on has the gradient zero, in its type."""
    assert grad(lambda z, x: x, (0, 1))(Z, 2.0) == (0j, 1.0)
    assert grad(lambda z: 1.0)(np.array([Z])).dtype == np.complex128


@pytest.mark.parametrize("f", [lambda z: z * z, lambda z: np.exp(np.complex64(z))])
def test_a_complex_result(f):
    with pytest.raises(ResultError, match=r"returned a complex(64|128)?; .*(.|\n)*np.real\(z\)"):
        grad(f)(Z)


def test_jacobian():
    """Of complex results of real inputs, of real results of complex inputs; not of both."""
    assert jacobian(lambda x: 1j * x * x)(np.array([0.5, 1.0])).diagonal().tolist() == [1j, 2j]
    assert [jacobian(lambda x: x * 2j * Z)(1.0)] == [2j * Z]
    np.testing.assert_allclose([[2 * Z, 0], [0, 2]], jacobian(lambda z: np.abs(z) ** 2)(np.array([Z, 1])), atol=1e-15)
    with pytest.raises(ResultError, match=r"complex numbers for complex arguments(.|\n)*np.real"):
        jacobian(lambda z: z * z)(Z)


def test_vjp_and_jvp():
    """The pullback is the adjoint of the pushforward: Re(conj(ct) t) pairs them."""

    def f(z):
        return z * np.conj(z) ** 2

    z, t, ct = np.array([Z, 2j]), np.array([1 + 1j, 0.3]), np.array([0.5j, 2 - 1j])
    tangent = jvp(f, (z,), (t,))[1]
    (back,) = vjp(f, z)[1](ct)
    assert np.vdot(ct, tangent).real == pytest.approx(np.vdot(back, t).real)


def test_the_tape():
    tape = trace(lambda z: abs(z) ** 2, 3 + 4j)
    assert pytest.approx(tape.sensitivities()[0]) == 6 + 8j
    again = tape.replay(1 + 2j)
    assert pytest.approx(again.value) == 5.0
    assert pytest.approx(again.sensitivities()[0]) == 2 + 4j


def test_views():
    """What is written to the parts of a complex array is written through, as by NumPy."""

    def f(x):
        z = np.zeros(2, dtype=complex)
        z.real[:] = x
        z.imag[0] = x[0] * x[1]
        z[1] *= 2j
        return np.sum(np.abs(z) ** 2)

    x = np.array([2.0, 3.0])
    assert pytest.approx(grad(f)(x).tolist()) == [2 * 2 + 2 * 2 * 9, 8 * 3 + 2 * 3 * 4]
    with pytest.raises(TypeError, match="Cannot cast ufunc 'multiply' output"):
        grad(lambda x: np.sum(np.multiply(x, 1j, out=x)))(x)
