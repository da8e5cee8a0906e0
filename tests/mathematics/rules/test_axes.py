"""An axis that an array does not have is refused as NumPy refuses it, and never counted round."""

import numpy as np
import pytest

import gradcli

pytestmark = pytest.mark.sampled(8)  # many like cases

FUNCTIONS = {
    "sum": lambda x, axis: np.sum(x, axis),
    "max": lambda x, axis: np.max(x, axis),
    "cumsum": lambda x, axis: np.cumsum(x, axis),
    "sort": lambda x, axis: np.sort(x, axis),
    "partition": lambda x, axis: np.partition(x, 1, axis),
    "median": lambda x, axis: np.median(x, axis),
    "flip": lambda x, axis: np.flip(x, axis),
    "flip of two": lambda x, axis: np.flip(x, (0, axis)),
    "roll": lambda x, axis: np.roll(x, 1, axis),
    "take": lambda x, axis: np.take(x, [0], axis),
    "take of the array": lambda x, axis: x.take([0], axis),
    "take_along_axis": lambda x, axis: np.take_along_axis(x, np.zeros((1, 1), int), axis),
    "compress": lambda x, axis: np.compress([True], x, axis),
    "delete": lambda x, axis: np.delete(x, 0, axis),
    "insert": lambda x, axis: np.insert(x, 0, 1.0, axis),
    "swapaxes": lambda x, axis: np.swapaxes(x, 0, axis),
    "moveaxis": lambda x, axis: np.moveaxis(x, 0, axis),
    "rollaxis": lambda x, axis: np.rollaxis(x, axis),
    "expand_dims": lambda x, axis: np.expand_dims(x, 2 * axis),
    "stack": lambda x, axis: np.stack([x, x], 2 * axis),
    "concatenate": lambda x, axis: np.concatenate([x, x], axis),
    "cross": lambda x, axis: np.cross(x, x, axis=axis),
    "apply_along_axis": lambda x, axis: np.apply_along_axis(np.sum, axis, x),
    "norm": lambda x, axis: np.linalg.norm(x, axis=axis),
}


@pytest.mark.parametrize("axis", [2, -3])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_axes_that_are_not_there(f, axis):
    x = np.arange(1.0, 7.0).reshape(2, 3)
    for run in (f, gradcli.grad(lambda x, axis: np.sum(f(x, axis)))):
        with pytest.raises(np.exceptions.AxisError, match="out of bounds for array of dimension"):
            run(x, axis)


def test_axes_that_are_named_twice():
    x = np.ones((2, 3))
    for f in (lambda x: np.flip(x, (0, 0)), lambda x: np.moveaxis(x, (0, 1), (0,))):
        with pytest.raises(ValueError, match=r"repeated axis|same number of elements"):
            gradcli.grad(lambda x: np.sum(f(x)))(x)


def test_of_a_number():
    """It has no axis, and `take` counts it as an array of one."""
    assert gradcli.grad(lambda x: np.sum(np.take(x, [0, 0], axis=0)))(np.float64(3.0)) == 2.0
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 1"):
        gradcli.grad(lambda x: np.sum(np.take(x, [1], axis=0)))(np.float64(3.0))
    with pytest.raises(np.exceptions.AxisError):
        gradcli.grad(lambda x: np.sum(np.sort(x)))(np.float64(3.0))
