"""Copies that lie in memory as the originals do."""

import numpy as np
import pytest

from gradcli import trace
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

CUBE = numbers((4, 6, 4))


@pytest.mark.parametrize(
    "x",
    [
        CUBE,
        CUBE.T,
        CUBE.transpose(1, 2, 0),
        CUBE[::2, 1:5:3, ::-1],
        CUBE[:, :2],
        CUBE[..., 1],
        CUBE[::-1].transpose(2, 0, 1),
        CUBE[:0, ::2],
        CUBE[:1, ::2],
        np.asfortranarray(CUBE)[1:3],
        CUBE.astype(np.float32)[:, ::2],
        np.broadcast_to(CUBE[0], (2, 6, 4)),
    ],
)
def test_copied(x):
    """The numbers are the same, the memory is another, and NumPy finds views in the same places."""
    copy = copy_with_layout(x)
    np.testing.assert_array_equal(copy, x)
    assert (x.dtype, False) == (copy.dtype, np.shares_memory(x, copy))
    if 0 not in x.strides:
        shapes = [(-1,), (2, -1), (x.shape[0], -1), (-1, x.shape[-1]), (*x.shape[:1], 2, -1), (*x.shape[:-1], 2, -1)]
        for order in "CF":
            assert [is_view(x, shape, order) for shape in shapes] == [is_view(copy, shape, order) for shape in shapes]


def is_view(x, shape, order):
    """Whether `x` in another shape is a view; None where it has no such shape."""
    try:
        return np.shares_memory(x, x.reshape(shape, order=order))
    except ValueError:
        return None


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.gradient(x, axis=0),
        lambda x: np.gradient(x, axis=-1),
        lambda x: np.insert(x, 1, 5.0, axis=1),
        *(lambda x, mode=mode: np.pad(x, 1, mode=mode) for mode in ("constant", "edge", "wrap", "mean", "linear_ramp")),
        lambda x: np.take(x, [0, 1], axis=1),
        lambda x: np.take(x, [1, 0], axis=0),
        lambda x: np.select([x > 0], [x], 0.0),
        np.ascontiguousarray,
    ],
)
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_results_lie_as_numpys(f, axes):
    x = np.transpose(numbers((2, 3, 4)), axes)
    assert f(x).strides == trace(f, x, names=False).value.strides
