"""SciPy's filters of signals and images, in all their modes: held to SciPy's own values and to differences."""

import numpy as np
import pytest
import scipy
from scipy import ndimage, signal

from gradcli import grad
from tests.mathematics.rules.agreement import agree_nearby, of_families
from tests.mathematics.rules.sample_arrays import complexes, numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

ROW, IMAGE, SMALL, CUBE = numbers((6,)), numbers((4, 5), seed=1), numbers((2, 3), seed=2), numbers((2, 3, 4), seed=3)
FEW, B, A = numbers((3,), seed=4), np.array([0.2, 0.3, 0.1]), np.array([1.3, 0.4, -0.2])
LONG = np.cos(np.arange(30.0))
ONE = np.array([[0, 0, 0, 1, 0, 0]])
SECTIONS = np.array([[0.2, 0.3, 0.1, 1.0, 0.4, 0.1], [0.5, 0.1, 0.2, 1.0, -0.3, 0.2]])

# SciPy 1.16 gives the signal another shape in place here, which is refused.
IN_PLACE = [
    (
        lambda s, x: np.concatenate(signal.sosfilt(np.where(ONE, 1.0, s), x, zi=IMAGE[:2, :2]), axis=None),
        SECTIONS,
        ROW,
    ),
] * (np.lib.NumpyVersion(scipy.__version__) >= "1.17.0")

EXTENTS = ("same", "full", "valid")
SIGNALS = {
    "correlate": [
        *((lambda x, k, m=m: signal.correlate(x, k, m, "direct"), IMAGE, SMALL) for m in EXTENTS),
        (lambda x, k: signal.correlate(k, x, "full", "direct"), IMAGE, SMALL),
        (lambda x: signal.convolve(x, x[:1, :2], "same", "direct"), CUBE)],
    "convolve2d": [*((lambda x, k, m=m: signal.convolve2d(x, k, m), IMAGE, SMALL) for m in EXTENTS),
        *((lambda x, k, b=b: signal.convolve2d(x, k, "same", b), IMAGE, SMALL) for b in ("wrap", "symm", "fill")),
        (lambda x, k: signal.convolve2d(x, k, fillvalue=0.7), IMAGE, SMALL)],
    "correlate2d": [(lambda x, k, m=m: signal.correlate2d(x, k, m), IMAGE, SMALL) for m in EXTENTS],
    "lfilter": [(lambda b, a, x: signal.lfilter(b, a, x), B, A, ROW),
        (lambda b, a, x: signal.lfilter(b, a, x), B[:1], A, IMAGE),
        (lambda b, a, x: signal.lfilter(b, a, x, axis=0), B, A[:2], IMAGE),
        (lambda b, x: signal.lfilter(b, 1.0, x), B, ROW),
        (lambda b, a, x, z: np.concatenate(signal.lfilter(b, a, x, zi=z)), B, A, ROW, FEW[:2]),
        (lambda b, a, x, z: np.concatenate(signal.lfilter(b, a, x, zi=z)), B, A, ROW[:1], FEW[:2]),
        (lambda b, a, x: np.concatenate(signal.lfilter(b, a, x, zi=IMAGE[:2, :5], axis=0)), B, A, IMAGE)],
    "made of lfilter": [(lambda x: signal.filtfilt(B, A, x), LONG),
        (lambda s, x: signal.sosfilt(np.where(ONE, 1.0, s), x), SECTIONS, ROW), *IN_PLACE,
        (lambda x: signal.sosfiltfilt(SECTIONS, x), LONG), (lambda x: signal.decimate(x, 2), LONG),
        (lambda x: signal.savgol_filter(x, 5, 2), ROW)],
}  # fmt: skip
CROSS = [[0, 1, 0], [1, 1, 1]]
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
IMAGES = {
    "correlate": [*((lambda x, k, m=m: ndimage.correlate(x, k, mode=m, cval=0.7), IMAGE, SMALL / 5) for m in MODES),
        *((lambda x, k, m=m: ndimage.convolve(x, k, mode=m, origin=(0, 1)), IMAGE, SMALL / 5) for m in MODES),
        (lambda x, k: ndimage.correlate(x, k, origin=-1), ROW, B)],
    "correlate1d": [*((lambda x, k, m=m: ndimage.correlate1d(x, k, mode=m, cval=0.7), IMAGE, B) for m in MODES),
        *((lambda x, k, a=a: ndimage.convolve1d(x, k, axis=a, origin=-1), CUBE, FEW) for a in (0, 1, -1)),
        (lambda x, k: ndimage.correlate1d(x, k), IMAGE, A[:2])],
    "gaussian": [(lambda x: ndimage.gaussian_filter(x, 1.0), IMAGE),
        (lambda x: ndimage.gaussian_filter(x, (0.7, 1.2), mode="wrap"), IMAGE),
        (lambda x: ndimage.gaussian_filter1d(x, 0.8), ROW),
        (lambda x, s: ndimage.gaussian_filter(x, s[0]), IMAGE, FEW)],
    "slopes": [(lambda x: ndimage.sobel(x) + ndimage.prewitt(x, axis=0) + ndimage.laplace(x), IMAGE)],
    "windows": [(lambda x: ndimage.uniform_filter(x, 3) + ndimage.uniform_filter1d(x, 2, axis=0), IMAGE),
        (lambda x: ndimage.maximum_filter1d(x, 3) * ndimage.minimum_filter1d(x, 2, axis=0), IMAGE),
        (lambda x: ndimage.minimum_filter(x, footprint=CROSS) * ndimage.maximum_filter(x, footprint=CROSS), IMAGE)],
    "ranks": [(lambda x: ndimage.median_filter(x, (2, 3), mode="wrap", origin=(0, 1)), IMAGE),
        (lambda x: ndimage.rank_filter(x, 2, footprint=CROSS, mode="constant", cval=0.2), IMAGE),
        (lambda x: ndimage.median_filter(x, 3) + ndimage.percentile_filter(x, 30, 4, mode="nearest"), ROW),
        (lambda x: signal.medfilt(x, 3), IMAGE)],
}  # fmt: skip


@pytest.mark.sampled(24, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(SIGNALS))
def test_signals(family, f, arrays):
    agree_nearby(f, *arrays, rtol=1e-9)


@pytest.mark.sampled(24, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(IMAGES))
def test_images(family, f, arrays):
    agree_nearby(f, *arrays, rtol=1e-9)


def test_complex_signals():
    """A filter of complex numbers, and a correlation, which conjugates its second argument."""
    z, w = complexes((4, 3)), complexes((2, 2))
    agree_nearby(lambda z: signal.lfilter(B, A, z), z)
    agree_nearby(lambda z: signal.correlate(z, w, method="direct"), z)
    agree_nearby(lambda w: signal.correlate(z, w, method="direct"), w)


def test_a_structure_is_added():
    """Each number goes where it is the largest with what is added, as SciPy's value says."""
    row, structure = np.array([1.0, 5.0, 2.0, 2.5]), [0.0, 0.0, 1.0]
    f = lambda x: np.sum(np.arange(1.0, 5.0) * ndimage.grey_dilation(x, structure=structure))
    step = 1e-3
    moved = [(f(row + step * unit) - f(row - step * unit)) / (2 * step) for unit in np.eye(4)]
    np.testing.assert_allclose(grad(f)(row), moved, atol=1e-9)
