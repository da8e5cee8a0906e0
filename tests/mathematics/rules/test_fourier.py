"""Discrete Fourier transforms: NumPy's in all their options, held to differences and to their forward sweep."""

import re

import numpy as np
import pytest
import scipy.fft
import scipy.signal

from gradcli import grad, jacobian
from gradcli.errors import UnsupportedError
from gradcli.methods.numerics import differences
from tests.mathematics.rules.agreement import EPS, agree_nearby
from tests.mathematics.rules.sample_arrays import complexes, numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

FFT = np.fft
ROW, MATRIX, CUBE = numbers((5,)), numbers((2, 4)), numbers((2, 3, 4))
WAVE, FIELD = complexes((5,)), complexes((3, 4))

LINES = {
    "whole": lambda transform: transform,
    "cut off": lambda transform: lambda x: transform(x, 3),
    "filled up": lambda transform: lambda x: transform(x, 8),
    "odd": lambda transform: lambda x: transform(x, n=7, norm="forward"),
    "along an axis": lambda transform: lambda x: transform(x[:4].reshape(4, 1) * np.ones(2), axis=0, norm="ortho"),
}


@pytest.mark.parametrize("form", LINES.values(), ids=LINES)
@pytest.mark.parametrize("transform", [FFT.fft, FFT.ifft, FFT.irfft, FFT.hfft])
def test_of_complex_numbers(transform, form):
    """Along one axis, of every length and with every factor."""
    agree_nearby(form(transform), WAVE)


@pytest.mark.parametrize("form", LINES.values(), ids=LINES)
@pytest.mark.parametrize("transform", [FFT.fft, FFT.ifft, FFT.rfft, FFT.irfft, FFT.hfft, FFT.ihfft])
def test_of_real_numbers(transform, form):
    agree_nearby(form(transform), ROW)


@pytest.mark.parametrize(
    "f",
    [
        FFT.fft2,
        FFT.ifft2,
        FFT.fftn,
        FFT.ifftn,
        FFT.irfft2,
        FFT.irfftn,
        lambda z: FFT.fftn(z, (2, 5), (0, -1), norm="ortho"),
        lambda z: FFT.fft2(z, s=(4, 3), axes=(1, 0)),
        lambda z: FFT.ifftn(z, axes=[1], norm="forward"),
        lambda z: FFT.irfftn(z, (2, 5), (0, 1)),
        lambda z: FFT.irfft2(z, norm="forward"),
        lambda z: FFT.fftshift(z) * FFT.ifftshift(z, 1),
    ],
)
def test_over_several_axes(f):
    agree_nearby(f, FIELD)


@pytest.mark.parametrize(
    "f",
    [
        FFT.rfft2,
        FFT.rfftn,
        lambda x: FFT.rfftn(x, (3, 6), (2, 1), norm="ortho"),
        lambda x: FFT.rfftn(x, axes=(1,)),
        lambda x: FFT.fftn(x, (2, 2), (0, 1)),
        lambda x: FFT.irfftn(FFT.rfftn(x) * 2j),
        lambda x: FFT.fftshift(x, axes=(0, 2)),
    ],
)
def test_over_several_axes_of_real_numbers(f):
    agree_nearby(f, CUBE)


def test_power_spectrum():
    """By Parseval's theorem the gradient of the whole power is 2 n x; half a spectrum counts its inside twice."""
    np.testing.assert_allclose(2 * 5 * ROW, grad(lambda x: np.sum(np.abs(FFT.fft(x)) ** 2))(ROW), rtol=1e-14)
    weight = np.array([1, 2, 2])
    np.testing.assert_allclose(2 * 5 * ROW, grad(lambda x: np.sum(weight * np.abs(FFT.rfft(x)) ** 2))(ROW), rtol=1e-14)


PARTS = {
    "fft": lambda x: np.real(FFT.fft(x))[..., 1:3],
    "one frequency": lambda x: np.real(FFT.fft(x))[..., 2],
    "ifftn": lambda x: np.real(FFT.ifftn(x))[0, 1:3],
    "filled up": lambda x: np.imag(FFT.fft(x, 8))[..., ::2],
    "rfft": lambda x: np.abs(FFT.rfft(x)[..., 1:]),
    "irfft": lambda x: FFT.irfft(x, 6)[..., 2:4],
    "irfftn": lambda x: FFT.irfftn(x)[1:, 1:3],
    "dct": lambda x: scipy.fft.dct(x, 2, norm="ortho")[..., 1:3],
    "dst": lambda x: scipy.fft.dst(x, 1)[..., ::2],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_the_spectrum(name):
    """Every number has a part in every frequency, though the factors of several frequencies may cancel."""
    agree_nearby(lambda x: PARTS[name](np.sin(x)), numbers((2, 4)))


def test_what_a_shorter_transform_leaves_out():
    with np.errstate(divide="ignore"):
        found = grad(lambda x: np.sum(np.real(FFT.fft(np.sqrt(x), 2))[:1]))(np.array([4.0, 1.0, 0.0]))
    assert found.tolist() == [0.25, 0.5, 0.0]


def test_a_loss_of_a_filtered_signal():
    """Real numbers to a spectrum and back; the frequencies are plain."""

    def loss(x):
        spectrum = FFT.rfft(x) * np.exp(-(FFT.rfftfreq(5) ** 2))
        return np.sum(FFT.irfft(spectrum, 5) ** 3)

    slope = differences.slope(lambda t: float(loss(ROW + t)), 0.0, EPS)
    assert slope.value == pytest.approx(np.sum(grad(loss)(ROW)), rel=1e-9)


def test_the_matrix_of_the_transform():
    """The Jacobian by real numbers is the matrix itself."""
    np.testing.assert_allclose(FFT.fft(np.eye(5)).T, jacobian(FFT.fft)(ROW), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_single_precision(dtype):
    assert dtype == grad(lambda x: np.sum(np.abs(FFT.rfft(x)) ** 2))(ROW.astype(dtype)).dtype
    assert grad(lambda z: np.sum(FFT.irfft(z)))(WAVE.astype(np.complex64)).dtype == np.complex64


@pytest.mark.parametrize(
    "f",
    [
        lambda x: FFT.fft(x, norm="none"),
        lambda x: FFT.rfft(x * 1j),
        lambda x: FFT.fft(x, 0),
        lambda x: FFT.fftn(x, (2, 3), (0,)),
        lambda x: FFT.fft(x, axis=3),
        lambda x: FFT.irfft2(x),
    ],
)
def test_what_numpy_refuses(f):
    """The error is that of the plain call, with its message."""
    with pytest.raises((ValueError, TypeError, IndexError)) as plain:
        f(ROW)
    with pytest.raises(plain.type, match=f"^{re.escape(str(plain.value))}$") as recorded:
        grad(lambda x: np.sum(np.abs(f(x))))(ROW)

    assert recorded.type is plain.type


SCIPYS = {
    "fft": lambda x: np.real(scipy.fft.fft(x, 8, norm="ortho") * (1 - 1j)),
    "ifft": lambda x: np.real(scipy.fft.ifft(x, axis=0)),
    "rfft": lambda x: np.real(scipy.fft.rfft(x, workers=1) * (1 - 1j)),
    "irfft": lambda x: scipy.fft.irfft(scipy.fft.rfft(x), 6),
    "fft2": lambda x: np.real(scipy.fft.ifft2(scipy.fft.fft2(x) * (1 - 1j))),
    "fftn": lambda x: np.real(scipy.fft.fftn(x, s=(2, 4), axes=(0, 1)) * (1 - 1j)),
    "rfftn": lambda x: scipy.fft.irfftn(scipy.fft.rfftn(x) * 2, x.shape),
    "fftshift": lambda x: scipy.fft.ifftshift(scipy.fft.fftshift(x) ** 2),
    "fftconvolve": lambda x: scipy.signal.fftconvolve(x[0], x[1]),
}


@pytest.mark.parametrize("name", SCIPYS)
def test_scipys_transforms(name):
    agree_nearby(SCIPYS[name], numbers((2, 6)))


def test_scipy_is_refused_by_line():
    with pytest.raises(UnsupportedError, match=r"scipy\.fft\.fht has no derivative rule") as caught:
        grad(lambda x: np.sum(scipy.fft.fht(x, 0.1, 0.5)))(np.ones(3))
    assert __file__ == caught.value.file
