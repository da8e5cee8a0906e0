"""Reading and writing places of arrays."""

import numpy as np
import pytest

from gradcli import grad, jvp, queries, trace
from tests.mathematics.rules.agreement import agree
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

X = numbers((3, 4))
MASK = X > 1.2

KEYS = {
    "integer": 1,
    "negative integer": -1,
    "numpy integer": np.int64(2),
    "pair": (1, -2),
    "slice": slice(1, None),
    "steps": slice(None, None, 2),
    "backwards": slice(None, None, -1),
    "slices": (slice(None), slice(3, 0, -2)),
    "empty slice": slice(2, 2),
    "ellipsis": (Ellipsis, 1),
    "everything": Ellipsis,
    "nothing": (),
    "new axis": (None, 1, slice(None), None),
    "list": [0, 2],
    "empty list": [],
    "repeated": [1, 1, 0, 1],
    "repeated array": np.array([[0, -3], [0, 1]]),
    "array and slice": (np.array([0, 0]), slice(1, 3)),
    "slice and list": (slice(None), [3, 0, 3]),
    "two lists": ([0, 1, 0], [2, 2, 2]),
    "two arrays that broadcast": (np.array([[0], [2]]), np.array([1, 1, 3])),
    "integer and list": (1, [3, 3]),
    "mask": MASK,
    "mask of rows": np.array([True, False, True]),
    "mask of columns": (slice(None), np.array([True, False, True, True])),
    "mask and list": (np.array([True, False, True]), [0, 0]),
    "list of booleans": [True, False, True],
    "no mask": np.zeros((3, 4), dtype=bool),
    "true": True,
    "false": False,
}
every_key = pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)


@every_key
def test_read(key):
    agree(lambda x: x[key], X)


@every_key
@pytest.mark.parametrize("order", ["F", "strided"])
def test_read_of_layouts(key, order):
    agree(lambda x: x[key], numbers((3, 4), order=order))


def written(x, y, key):
    """`x` with `y` written into a part of a copy of it."""
    copy = x.copy()
    copy[key] = y
    return copy


@every_key
def test_write(key):
    agree(lambda x, y: written(x, y, key), X, numbers(X[key].shape, seed=1))


@pytest.mark.parametrize("shape", [(), (1,), (4,), (1, 1), (2, 1), (1, 1, 4)])
def test_write_what_broadcasts(shape):
    agree(lambda x, y: written(x, y, slice(1, None)), X, numbers(shape, seed=1))


def test_the_last_write_counts():
    f = lambda y: written(np.zeros(3) * y[0], y, [0, 2, 0, 0])[0]
    assert grad(f)(numbers((4,))).tolist() == [0.0, 0.0, 0.0, 1.0]


@every_key
def test_plain_written_into_recorded(key):
    agree(lambda x: written(x, 2.0, key), X)


@pytest.mark.parametrize("key", [slice(0, 0), [], np.zeros(0, dtype=bool)])
def test_empty(key):
    agree(lambda x: x[key], np.zeros(0))


def test_an_index_out_of_bounds():
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        trace(lambda x: x[5], np.zeros(3))


def test_an_index_that_changes_later():
    """The index is what it was when it was used."""

    def f(x):
        index = np.arange(2)
        first = x[index]
        index += 1
        return np.sum(first * x[index])

    assert grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [2.0, 4.0, 2.0]


def test_single_precision():
    x = X.astype(np.float32)
    assert grad(lambda x: np.sum(x[[0, 0]] ** 2))(x).dtype == np.float32
    assert trace(lambda x: written(x, np.ones(4), 1), x, names=False).value.dtype == np.float32


def test_the_last_of_many_values_written_to_one_place_stays_in_half_precision():
    """Half precision cannot count beyond 2,048."""
    first = np.zeros(4096, dtype=int)

    def last(y):
        x = np.zeros_like(y[:3])
        x[first] = y
        return x[0]

    slopes = grad(last)(np.ones(4096, np.float16))

    assert (slopes.dtype, np.flatnonzero(slopes).tolist(), slopes[-1]) == (np.float16, [4095], 1.0)


def turned(x):
    """A complex number of real origin, written into."""
    z = x + 0j
    z[1] = 1j * x[0]
    return z.real.sum() + 2 * z.imag.sum()


def turned_in_place(x):
    z = x + 0j
    z[1:] *= 1j
    return np.abs(z).sum() + z.imag.prod()


@pytest.mark.parametrize("f", [turned, turned_in_place])
def test_a_complex_number_written_beside_real_ones(f):
    x, along = np.array([0.3, 1.2]), np.array([1.0, 0.5])

    assert pytest.approx(grad(f)(x) @ along) == jvp(f, (x,), (along,))[1]


OPERANDS = {
    "an int": 0,
    "a float": 0.5,
    "a bool": True,
    "an array": np.arange(3.0),
    "integers": np.arange(3),
    "float32": np.arange(3, dtype=np.float32),
    "a NumPy float32": np.float32(1),
    "a NumPy integer": np.int64(2),
    "a list": [1, 2, 3],
    "no dimension": np.array(2),
}


@pytest.mark.parametrize("at", [3.0, np.float32(3), np.array([1.0, 2.0, 3.0])], ids=["float", "float32", "array"])
@pytest.mark.parametrize("condition", [True, False, np.bool_(True), np.array([True, False, True])], ids=str)
@pytest.mark.parametrize("other", OPERANDS.values(), ids=OPERANDS)
def test_where_is_that_of_numpy(other, condition, at):
    """The result has NumPy's shape and dtype, whichever operand is taken; a single condition takes a whole one."""
    for choose in (lambda x: np.where(condition, x, other), lambda x: np.where(condition, other, x)):
        plain, recorded = choose(at), trace(choose, at).value

        assert (plain.shape, plain.dtype) == (np.shape(recorded), np.asarray(recorded).dtype)
        np.testing.assert_array_equal(plain, recorded)


def test_a_number_that_a_condition_takes_for_each_element():
    """The number is in the result once for each element of the other operand."""
    program = lambda s, w: np.sum(np.where(s > 0, s, w)) + np.sum(np.where(s < 0, s, w**2))
    formula = "sum(where(s > 0, s, w)) + sum(where(s < 0, s, w^2))"

    slopes = grad(program, (0, 1))(2.0, np.ones(3))
    assert (slopes[0], slopes[1].tolist()) == (3.0, [2.0, 2.0, 2.0])
    found = queries.gradient(formula, "s=2,w=[1,1,1]")
    assert (found.value, found.gradient) == (9.0, {"s": 3.0, "w": [2.0, 2.0, 2.0]})


@pytest.mark.parametrize("indices", [True, [True, False, True], np.array([False, True]), np.array([1, 0]), []], ids=str)
def test_take_has_no_masks(indices):
    """NumPy takes booleans as the indices 0 and 1."""
    take = lambda x: np.take(x, indices)

    np.testing.assert_array_equal(take(X), trace(take, X).value)
    counts = np.bincount(np.ravel(indices).astype(int), minlength=X.size)
    np.testing.assert_array_equal(counts, grad(lambda x: np.sum(take(x)))(X).ravel())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_clip_has_the_dtype_of_the_array(dtype):
    """Recorded Python numbers as bounds do not widen it."""
    clip = lambda x, low, high: np.clip(x, low, high)
    x = np.arange(4, dtype=dtype)

    assert dtype == trace(clip, x, 0.5, 2.5).value.dtype
    slopes = grad(lambda x, low, high: np.sum(clip(x, low, high)), (0, 1, 2))(x, 0.5, 2.5)
    assert (slopes[0].tolist(), *slopes[1:]) == ([0.0, 1.0, 1.0, 0.0], 1.0, 1.0)


LARGE = numbers((90, 50))
REPEATED = {
    "rows and columns": (np.arange(90)[:, None], np.arange(50)[::-1] // 2),
    "of a line": np.arange(90) // 3,
    "columns": (slice(None), np.arange(50) - 50),
    "columns after a slice": (slice(3, None, 2), [4, 4, -1] * 9),
    "an array beside a number": (np.arange(90) // 2, 3),
    "a table of columns": (..., np.arange(200).reshape(4, 50) % 50),
    "few": ([0, 0, 1], [2, 2, 3]),
}


@pytest.mark.parametrize("name", REPEATED)
@pytest.mark.parametrize("order", ["C", "F"])
def test_places_of_a_large_array_that_are_read_again_add_up(name, order):
    """As by NumPy's own addition at places."""
    key, x = REPEATED[name], np.array(LARGE, order=order)
    weights, expected = np.cos(np.arange(x[key].size)).reshape(x[key].shape), np.zeros_like(x)
    np.add.at(expected, key, weights)

    np.testing.assert_allclose(grad(lambda x: np.sum(weights * x[key]))(x), expected, rtol=1e-13, atol=1e-13)
