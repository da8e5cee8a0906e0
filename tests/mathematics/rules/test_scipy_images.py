"""SciPy's images between their numbers: every mode and order, by the image, the coordinates and the map."""

import itertools

import numpy as np
import pytest
from scipy import ndimage

from gradcli import grad
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

MODES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant")
IMAGE, ROW = numbers((4, 5)), numbers((6,), seed=1)
INSIDE = np.array([[0.4, 1.4, 2.4], [0.4, 3.4, 1.4]])
FAR = np.array([[-9.3, -2.6, -0.3, 3.2, 5.7, 11.4], [0.4, 13.7, -6.2, 4.3, 4.6, -0.1]])
TURN = np.array([[0.9, 0.1], [-0.2, 0.8]])


NEAR = numbers((2, 3), seed=2)  # moves of a part of these pass no bend


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("mode", "order"), [*itertools.product(MODES, [0, 1, 3])])
def test_modes(mode, order):
    agree_nearby(lambda x: ndimage.map_coordinates(x, FAR, order=order, mode=mode, cval=0.3), IMAGE, rtol=1e-9)
    read = lambda x, at: ndimage.map_coordinates(x, INSIDE + at / 30, order=order, mode=mode, cval=0.3)
    agree_nearby(read, IMAGE, NEAR, rtol=1e-8)


@pytest.mark.parametrize("order", [2, 4, 5])
def test_orders(order):
    agree_nearby(
        lambda x, at: ndimage.map_coordinates(x, FAR[:, :3] + at / 100, order=order, mode="mirror"), IMAGE, NEAR
    )


def test_beyond_an_end():
    """A mirror turns the derivative by a coordinate round, the constant beyond an end has none."""
    slope = lambda at, mode: grad(lambda at: ndimage.map_coordinates(ROW, [[at]], order=1, mode=mode)[0])(at)
    step = ROW[1] - ROW[0]
    np.testing.assert_allclose([step, -step], [slope(0.3, "mirror"), slope(-0.3, "mirror")], rtol=1e-12)
    assert [slope(-0.3, mode) for mode in ("constant", "nearest", "reflect")] == [0.0, 0.0, 0.0]


PROGRAMS = {
    "a map": (lambda x, m: ndimage.affine_transform(x, TURN + m / 100, offset=0.3, mode="mirror"), IMAGE, TURN),
    "a map with its offset": (
        lambda x, m: ndimage.affine_transform(x, np.c_[TURN + m / 100, [0.3, 0.2]], order=1, mode="nearest"),
        IMAGE, TURN,
    ),
    "scales": (lambda x, m: ndimage.affine_transform(x, [0.9, 0.8] + m[0] / 100, mode="mirror"), IMAGE, TURN),
    "a shift": (lambda x, s: ndimage.shift(x, 0.4 + s[:2] / 100, mode="grid-wrap"), IMAGE, ROW),
    "a function": (
        lambda x, s: ndimage.geometric_transform(x, lambda at: (at[0] + s[0] / 100, at[1] / 2 + s[1] / 100)),
        IMAGE, ROW,
    ),
    "other sizes": (lambda x: ndimage.zoom(x, (2, 0.6), order=2, mode="reflect", grid_mode=True), IMAGE),
    "a turn": (lambda x, s: ndimage.rotate(x, 20 + s[0], reshape=False, mode="mirror"), IMAGE, ROW),
    "one number": (lambda x: ndimage.shift(x, 0.4, mode="mirror"), ROW[:1]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    """Value, gradient, forward sweep and second derivative against differences."""
    f, *arrays = PROGRAMS[name]
    agree_nearby(f, *arrays, rtol=1e-8)


def test_precision():
    image = IMAGE.astype(np.float32)
    assert grad(lambda x: np.sum(ndimage.zoom(x, 2)))(image).dtype == np.float32
    slope = grad(lambda z: np.sum(np.imag(ndimage.shift(z, 0.5, order=1, mode="nearest"))))(IMAGE + 1j)
    real = grad(lambda x: np.sum(ndimage.shift(x, 0.5, order=1, mode="nearest")))(IMAGE)
    np.testing.assert_allclose(1j * real, slope)
