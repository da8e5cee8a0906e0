"""Recorded Python complex numbers as operands of NumPy: complex128 numbers, whose imaginary part is never lost."""

import numpy as np
import pytest
from numpy.exceptions import ComplexWarning

from gradcli import grad, value_and_grad
from gradcli.errors import GradcliError
from gradcli.methods.numerics import differences

pytestmark = pytest.mark.sampled(4)  # many like cases

AT = (0.7, 1.3)

# Functions of a complex number; how the result depends on both of its parts is compared.
OF_A_NUMBER = {
    name: lambda z, name=name: getattr(np, name)(z)
    for name in (
        "abs angle array asarray atleast_1d conj copy exp imag nan_to_num ravel real real_if_close reciprocal sign "
        "sinc square transpose"
    ).split()
} | {
    "append": lambda z: np.append(np.ones(2), z),
    "broadcast_to": lambda z: np.broadcast_to(z, 3),
    "choose": lambda z: np.choose(1, [0, z]),
    "clip": lambda z: np.clip(z, 0, 10),
    "complex128": lambda z: np.complex128(z),
    "dot": lambda z: np.dot(z, 2.0),
    "emath.log": lambda z: np.emath.log(z),
    "emath.power": lambda z: np.emath.power(z, 2),
    "emath.sqrt": lambda z: np.emath.sqrt(z),
    "float_power": lambda z: np.float_power(z, 2),
    "full": lambda z: np.full(3, z),
    "full_like": lambda z: np.full_like(np.ones(3, complex), z),
    "geomspace": lambda z: np.geomspace(1, z, 3),
    "hstack": lambda z: np.hstack([z, [1.0]]),
    "insert": lambda z: np.insert(np.ones(2) * 1j, 1, z),
    "interp": lambda z: np.interp(0.3, [0, 1], [z, 1]),
    "linspace": lambda z: np.linspace(0, z, 3),
    "logspace": lambda z: np.logspace(0, z, 3),
    "multiply": lambda z: np.ones(2) * z,
    "pad": lambda z: np.pad([2j, 1], 1, constant_values=z),
    "polyval": lambda z: np.polyval([1, 2, 3], z),
    "polyval, newer": lambda z: np.polynomial.polynomial.polyval(z, [1, 2, 3]),
    "r_": lambda z: np.r_[1.0, z],
    "repeat": lambda z: np.repeat(z, 3),
    "reshape": lambda z: np.reshape(z, (1, 1)),
    "select": lambda z: np.select([z.real > 0], [z], 0),
    "stack": lambda z: np.stack([z, 1.0]),
    "tile": lambda z: np.tile(z, 3),
    "vectorize": lambda z: np.vectorize(lambda t: t * z)([1.0, 2.0]),
    "where": lambda z: np.where(z.real > 0, z, 0),
}

# Functions of a list in which it stands beside plain numbers.
OF_A_LIST = {
    name: lambda a, name=name: getattr(np, name)(a)
    for name in (
        "array asarray cumprod cumsum diag diff flip gradient mean nanmean nanprod nansum poly polyder prod roots sort "
        "std sum trapezoid vander var"
    ).split()
} | {
    "add": lambda a: np.add(a, [1, 2j, 3]),
    "add.reduce": lambda a: np.add.reduce(a),
    "array, its items": lambda a: np.array(a)[0].item(),
    "average": lambda a: np.average(a, weights=[1, 2, 3]),
    "column_stack": lambda a: np.column_stack([a, [1, 2, 3]]),
    "compress": lambda a: np.compress([True, False, True], a),
    "concatenate": lambda a: np.concatenate([[1.0], a]),
    "convolve": lambda a: np.convolve(a, a),
    "cross": lambda a: np.cross(a, [1, a[0], 0]),
    "delete": lambda a: np.delete(a, 1),
    "dot": lambda a: np.dot(a, [1j, 2, 3]),
    "einsum": lambda a: np.einsum("i,i", a, [1j, 2, 3]),
    "fft": lambda a: np.fft.fft(a),
    "fromiter": lambda a: np.fromiter(a, complex),
    "inner": lambda a: np.inner([1.0, 2, 3], a),
    "kron": lambda a: np.kron(a, [1, 2j]),
    "norm": lambda a: np.linalg.norm(a),
    "outer": lambda a: np.outer(a, [1, a[0]]),
    "polymul": lambda a: np.polymul(a, a),
    "polyval": lambda a: np.polyval(a, 2.0),
    "roll": lambda a: np.roll(a, 1),
    "sum in a type": lambda a: np.sum(a, dtype=complex),
    "take": lambda a: np.take(a, 0),
    "vdot": lambda a: np.vdot(a, [1j, 2, 3]),
    "vstack": lambda a: np.vstack([a, [1.0, 2, 3]]),
}

# Functions of a square matrix that is written as nested lists.
OF_A_MATRIX = {
    "block": lambda m: np.block(m),
    "det": lambda m: np.linalg.det(m),
    "eigvals": lambda m: np.prod(np.linalg.eigvals(m)),
    "impedances": lambda m: np.linalg.solve(np.array(m), np.array([1.0, 0.0])),
    "inv": lambda m: np.linalg.inv(m),
    "matmul": lambda m: np.matmul(m, [1, 2j]),
    "matrix_power": lambda m: np.linalg.matrix_power(m, 2),
    "norm": lambda m: np.linalg.norm(m),
    "pinv": lambda m: np.linalg.pinv(m),
    "solve": lambda m: np.linalg.solve(m, [1, 2j]),
    "trace": lambda m: np.trace(m),
    "triu": lambda m: np.triu(m),
}

PROGRAMS = {
    **{f"{name} of a number": lambda x, y, f=f: f(x + 1j * y) for name, f in OF_A_NUMBER.items()},
    **{f"{name} of a list": lambda x, y, f=f: f([x + 1j * y, 1j, 2]) for name, f in OF_A_LIST.items()},
    **{
        f"{name} of a matrix": lambda x, y, f=f: f([[x + 1j * y, 2 / (1j * y)], [1.0, x]])
        for name, f in OF_A_MATRIX.items()
    },
}


def weighed(result):
    """A real number that depends on both parts of every number of a result."""
    weights = 1 + np.arange(np.size(result)).reshape(np.shape(result))
    return np.sum(weights * (np.real(result) + 2 * np.imag(result) ** 2))


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_values_and_derivatives(f):
    """The value is that of the plain run, the gradient that of differences."""

    def total(x, y):
        return weighed(f(x, y))

    value, gradient = value_and_grad(total, (0, 1))(*AT)
    assert total(*AT) == pytest.approx(value, rel=1e-12)
    slopes = [differences.slope(lambda t, n=n: float(total(*moved(n, t))), 0.0, 2.2e-16).value for n in (0, 1)]
    assert slopes == pytest.approx(gradient, rel=1e-7, abs=1e-7)


def moved(n, t):
    """The point after a step along one axis."""
    return [x + t * (k == n) for k, x in enumerate(AT)]


def test_points_that_are_lists():
    """Complex numbers of a list at the point become a complex matrix."""
    value, gradient = value_and_grad(lambda z: np.linalg.det(np.array([[z[0], z[1]], [1, 2]])).imag)([3 + 4j, 1j])
    assert pytest.approx(value) == 7
    assert pytest.approx(gradient) == [2j, -1j]


def test_second_derivatives():
    """Sweeps that are recorded themselves take the real part of what reaches a real number."""

    def f(x):
        return np.linalg.norm([x + 1j * x * x, 2])

    slope = differences.slope(lambda x: float(grad(f)(x)), 3.0, 2.2e-16).value
    assert slope == pytest.approx(grad(grad(f))(3.0), rel=1e-7)


@pytest.mark.parametrize(
    "f",
    [
        lambda z: np.float64(z),
        lambda z: float(np.array(z)),
        lambda z: np.array([z], dtype=float).sum(),
        lambda z: z.real * np.array([z], dtype=int).sum(),
        lambda z: np.full_like(np.ones(2), z).sum(),
        lambda z: np.sum([z], dtype=float),
    ],
)
def test_casts_to_real_numbers(f):
    with pytest.raises(GradcliError, match="imaginary part"):
        grad(f)(3 + 4j)


def test_what_asks_for_the_real_part():
    """`astype` takes it, in the type that it names, with NumPy's warning, at the line that asks."""
    with pytest.warns(ComplexWarning) as told:
        assert grad(lambda z: np.array([z]).astype(np.float32).sum())(3 + 4j) == 1
    assert {__file__} == {each.filename for each in told}


@pytest.mark.parametrize("recorded", [False, True])
def test_complex_numbers_written_among_real_ones(recorded):
    """The real part is, with NumPy's warning, at the line that writes."""

    def f(x):
        array = x * 0 if recorded else np.zeros(2)
        array[:] = x * (2 + 3j)
        return np.sum(array)

    with pytest.warns(ComplexWarning) as told:
        np.testing.assert_array_equal([2.0, 2.0], grad(f)(np.ones(2)))
    assert {__file__} == {each.filename for each in told}
