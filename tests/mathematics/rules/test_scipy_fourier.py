"""SciPy's transforms into cosines and sines, and its Hermitian ones over several axes, held to differences."""

import itertools

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special
from scipy.fft import dct

from gradcli import grad
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import complexes, numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

ROW, MATRIX = numbers((5,)), numbers((3, 4))
TYPES = (1, 2, 3, 4)
LINES = [
    {},
    {"norm": "ortho"},
    {"norm": "forward", "n": 7},
    {"norm": "ortho", "orthogonalize": False},
    {"orthogonalize": True, "n": 3},
]


ALL_LINES = [*itertools.product(["dct", "idct", "dst", "idst"], TYPES, LINES)]


@pytest.mark.sampled(36)
@pytest.mark.parametrize(("name", "of_type", "options"), ALL_LINES, ids=str)
def test_cosines_and_sines(name, of_type, options):
    """Every type with every factor, of the length of the array or of another one."""
    transform = getattr(scipy.fft, name)
    agree_nearby(lambda x: transform(x, of_type, **options), ROW)


OVER_AXES = [*itertools.product(["dctn", "idctn", "dstn", "idstn"], TYPES)]


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("name", "of_type"), OVER_AXES)
def test_over_several_axes(name, of_type):
    transform = getattr(scipy.fft, name)
    agree_nearby(lambda x: transform(x, of_type) + transform(x, of_type, axes=[0], norm="ortho"), MATRIX)
    agree_nearby(lambda x: transform(x, of_type, s=(4, 2)), MATRIX)


def test_along_an_axis_that_is_not_the_last():
    agree_nearby(lambda x: scipy.fft.dct(x, axis=0) * scipy.fft.dst(x, axis=-2), MATRIX)
    agree_nearby(scipy.fft.dct, MATRIX.T)


def test_of_complex_numbers():
    agree_nearby(lambda z: scipy.fft.dct(z, 1), complexes((4,)))


def test_the_type_of_the_numbers_stays():
    assert grad(lambda x: np.sum(dct(x) ** 2))(ROW.astype(np.float32)).dtype == np.float32


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", ["hfftn", "ihfftn", "hfft2", "ihfft2"])
def test_hermitian_transforms(name):
    transform = getattr(scipy.fft, name)
    agree_nearby(lambda x: np.real(transform(x)) + np.imag(transform(x, norm="ortho")), MATRIX)
    agree_nearby(lambda x: np.real(transform(x, (2, 6), axes=(1, 0), norm="forward")), MATRIX)


@pytest.mark.parametrize(
    ("function", "option"),
    [
        (scipy.fft.hfft2, "nonsense"),
        (scipy.fft.fft, "nonsense"),
        (scipy.fft.dct, "axes"),
        (scipy.fft.fftshift, "overwrite_x"),
        (scipy.fft.ifftshift, "workers"),
        (scipy.linalg.expm, "nonsense"),
        (scipy.special.logsumexp, "nonsense"),
        (scipy.linalg.solve, "nonsense"),
    ],
)
def test_an_option_that_scipy_does_not_have(function, option):
    arguments = [ROW] if function is scipy.linalg.solve else []
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        grad(lambda x: np.sum(np.abs(function(x, *arguments, **{option: 1}))))(numbers((5, 5)))


def test_a_type_that_does_not_exist():
    with pytest.raises(ValueError, match="type"):
        grad(lambda x: np.sum(dct(x, 5)))(ROW)
