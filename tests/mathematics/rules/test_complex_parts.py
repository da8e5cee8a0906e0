"""Rules on complex numbers: holomorphic rows as they stand, the others by the rule that takes their place."""

import numpy as np
import pytest

from gradcli import grad
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules import RULES, Elementwise
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.mathematics.rules.rule_types import ITSELF
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import complexes

pytestmark = pytest.mark.sampled(8)  # many like cases

Z, W = complexes((2, 3)), complexes((2, 3), seed=1)
X = np.array([[0.3, 0.7, 1.1], [-0.4, 1.5, -2.0]])
SQUARE, ROW = complexes((3, 3), seed=2), complexes((3,), seed=3)

ROWS = [rule for rule in RULES.values() if isinstance(rule, Elementwise) and rule.complex]


@pytest.mark.parametrize("rule", ROWS, ids=lambda rule: rule.name)
def test_rows(rule):
    """Every row that takes complex numbers, in every argument, beside real ones."""
    if rule.name == "clip":
        return agree_nearby(lambda z: np.clip(z, -0.5 - 1j, 0.5 + 1j), Z)
    smooth = [n for n, partial in enumerate(rule.partials) if partial is not None]
    fixed = [1.0 + 0.3 * n + (Z.real > 0) if rule.special else Z > 0 for n in range(4)]  # orders, or a condition
    every = [fixed[n] if n not in smooth else (Z, W)[n % 2] for n in range(len(rule.parameters))]
    agree_nearby(lambda *z: rule(*put(every, smooth, z)), *(every[n] for n in smooth))
    if len(smooth) == 2:
        agree_nearby(lambda x, z: rule(*put(every, smooth, (x, z))), X, W)
        agree_nearby(lambda z, x: rule(*put(every, smooth, (z, x))), Z, X)
    return None


def put(every, places, values):
    """A list with other items at some places."""
    return [values[places.index(n)] if n in places else x for n, x in enumerate(every)]


REFUSED = sorted({rule.name for rule in RULES.values() if isinstance(rule, Elementwise) and not rule.complex})


@pytest.mark.parametrize("name", REFUSED)
def test_rows_of_real_numbers_only(name):
    rule = RULES[name]
    count = sum(partial is not None for partial in rule.partials)
    with pytest.raises((UnsupportedError, TypeError)):
        grad(lambda z: np.sum(np.real(rule(*[1.0] * (len(rule.parameters) - count), *[z] * count))))(Z)


def test_a_row_stands_for_itself_or_for_another():
    for rule in ROWS:
        assert rule.on_complex is not None
        assert rule.complex == ITSELF or rule.on_complex.on_complex is rule.on_complex


FUNCTIONS = {
    "sum": lambda z: np.sum(z, axis=0),
    "mean": lambda z: np.mean(z, axis=1, keepdims=True),
    "prod": lambda z: np.prod(z, axis=1),
    "max": lambda z: np.max(z, axis=0),
    "min": np.min,
    "real": lambda z: z.real * np.real(z),
    "imag": lambda z: z.imag * np.imag(z),
    "conj": lambda z: np.conj(z) * z.conj() + z.conjugate() * z,
    "angle": np.angle,
    "angle in degrees": lambda z: np.angle(z, deg=True),
    "abs": lambda z: np.abs(z) * abs(z),
    "real_if_close": lambda z: np.real_if_close(z * np.conj(z)),
    "not real_if_close": np.real_if_close,
    "norm": lambda z: np.linalg.norm(z, axis=1),
    "norm of a matrix": np.linalg.norm,
    "norm, order 1": lambda z: np.linalg.norm(z, 1, axis=0),
    "norm, order 3": lambda z: np.linalg.norm(z, 3, axis=1, keepdims=True),
    "norm, largest": lambda z: np.linalg.norm(z, np.inf, axis=1),
    "norm, smallest": lambda z: np.linalg.norm(z, -np.inf, axis=0),
    "norm of columns": lambda z: np.linalg.norm(z, 1),
    "norm of rows": lambda z: np.linalg.norm(z, np.inf),
    "norm, Frobenius": lambda z: np.linalg.norm(z, "fro", keepdims=True),
    "norm, spectral": lambda z: np.linalg.norm(z, 2),
    "norm, nuclear": lambda z: np.linalg.norm(z, "nuc"),
    "vector_norm": lambda z: np.linalg.vector_norm(z, axis=(0, 1), ord=2.5),
    "matrix_norm": np.linalg.matrix_norm,
    "var": np.var,
    "var of columns": lambda z: np.var(z, axis=0, ddof=1, keepdims=True),
    "var of some": lambda z: np.var(z, where=X > 0),
    "var about a mean": lambda z: np.var(z, axis=1, mean=z[:, :1]),
    "std": lambda z: z.std(1),
    "nanvar": lambda z: np.nanvar(np.where(X > 1.2, np.nan, z), axis=1),
    "nanstd": np.nanstd,
    "nanmean": lambda z: np.nanmean(np.where(X > 1.2, np.nan, z), axis=0),
    "nanprod": lambda z: np.nanprod(np.where(X > 1.2, np.nan, z), axis=1),
    "cov": np.cov,
    "cov of columns": lambda z: np.cov(z, rowvar=False, aweights=[1.0, 2.0]),
    "cov of two": lambda z: np.cov(z[0], z[1], bias=True),
    "corrcoef": lambda z: np.corrcoef(np.concatenate([z, W], axis=1)),
    "average": lambda z: np.average(z, axis=1, weights=[1.0, 2j, 0.5]),
    "cumsum": lambda z: np.cumsum(z, axis=1),
    "cumprod": lambda z: np.cumprod(z, axis=0),
    "diff": lambda z: np.diff(z, axis=1),
    "gradient": lambda z: np.gradient(z, axis=1),
    "trapezoid": np.trapezoid,
    "convolve": lambda z: np.convolve(z[0], z[1]),
    "correlate": lambda z: np.correlate(z[0], z[1], "full"),
    "kron": lambda z: np.kron(z, z[0]),
    "einsum": lambda z: np.einsum("ij,kj->ik", z, np.conj(z)),
    "vecdot": lambda z: np.vecdot(z, W),
    "polyval": lambda z: np.polyval(z[0], z[1]),
    "interp": lambda z: np.interp([0.3, 1.7], [0.0, 1.0, 2.0], z[0]),
    "sort": lambda z: np.sort(z, axis=1),
    "sinc": np.sinc,
    "index": lambda z: z[1, [0, 0, 2]],
    "reshape": lambda z: z.reshape(3, 2).T,
    "stack": lambda z: np.stack([z, 2j * z]),
    "concatenate": lambda z: np.concatenate([z, np.ones((1, 3))]),
    "broadcast": lambda z: z[0] * z + z[:, :1],
    "where": lambda z: np.where(z.real > 0, z, 1j),
    "power": lambda z: z**2 + z**-1.5 + 2**z,
    "matmul": lambda z: z @ z.T,
    "matmul with reals": lambda z: z @ X.T,
    "dot": lambda z: np.dot(z, ROW),
    "inner": lambda z: np.inner(z, z),
    "outer": lambda z: np.outer(z, z),
    "vdot": lambda z: np.vdot(z, W * z),
    "put": lambda z: written(z),
    "cast": lambda z: z.astype(np.complex128) * z,
    "polynomial": lambda z: 1 + z * (2j + z),
}


def written(z):
    """A copy with writes to a place, to its real and to its imaginary parts."""
    copy = z.copy()
    copy[0] = z[1] * copy[0]
    copy.real[1] = z[0].imag
    copy.imag = copy.imag**2
    return copy * z


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(f):
    agree_nearby(f, Z)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.exp(1j * x),
        lambda x: np.abs(np.cumsum([1j, 2, 3]) @ x.T + 1j),
        lambda x: (x + 2j) ** 2 / (x - 1j),
        lambda x: np.sqrt(x * (1 + 0j)),
        lambda x: np.angle(x + 1j * x**2),
        lambda x: np.real(np.conj(x) * x),
        lambda x: x.imag + x.real * np.imag(x) + x.conj(),
    ],
)
def test_real_arguments(f):
    """Complex numbers may arise of real arguments, whose gradients are real."""
    agree_nearby(f, X)


def test_zero():
    """The size has slope 0 at 0, the direction too."""
    assert grad(lambda z: np.sum(np.abs(z)))(np.array([0j, 3 + 4j])).tolist() == [0, 0.6 + 0.8j]
    assert grad(lambda z: np.sum(np.real(np.sign(z))))(np.array([0j]))[0] == 0


def test_single_precision():
    z = Z.astype(np.complex64)
    assert grad(lambda z: np.sum(np.abs(np.exp(z) * 1j) ** 2))(z).dtype == np.complex64
    assert grad(lambda x: np.sum(np.abs(x * np.complex64(1j))))(X.astype(np.float32)).dtype == np.float32


def test_conjugated():
    """Numbers and arrays; what is real is not touched."""
    assert conjugated(1 + 2j) == 1 - 2j
    assert conjugated(np.array([1 + 2j])).tolist() == [1 - 2j]
    assert conjugated(X) is X
    assert conjugated(1.0) == 1.0


@pytest.mark.parametrize(
    "f",
    [
        np.emath.sqrt,
        np.emath.log,
        np.emath.log2,
        np.emath.log10,
        lambda x: np.emath.logn(3.0, x),
        lambda x: np.emath.power(x, 1.5),
        np.emath.arccos,
        np.emath.arcsin,
        np.emath.arctanh,
    ],
    ids=lambda f: f.__name__,
)
def test_real_numbers_out_of_the_domain(f):
    """The functions of `numpy.emath` go over to complex numbers, and their derivatives with them."""
    agree_nearby(f, X)
