"""NumPy's functions on recorded arrays: each in all its forms, and what has no rule refused by name."""

from collections import Counter

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS, nearest, unsupported
from tests.mathematics.rules.agreement import agree, agree_on_the_host
from tests.mathematics.rules.cases import cumulative, moving, others, products, ramps, reading, statistics, writing
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(16)  # many like cases

A, B, CUBE = numbers((2, 3)), numbers((2, 3), seed=1), numbers((2, 3, 4))
FEW = numbers((3,), seed=2)
MASK = A > 1.2

CASES = {
    "reshape": [(lambda x: np.reshape(x, 6), A), (lambda x: np.reshape(x, [3, -1], order="F"), A),
        (lambda x: x.reshape(3, 2), A), (lambda x: x.reshape((3, 2), order="F"), A),
        (lambda x: np.reshape(x.T, (2, 3), order="A"), A), (lambda x: np.reshape(x, (3, 2), copy=True), A)],
    "ravel": [(np.ravel, A), (lambda x: np.ravel(x, order="F"), A), (lambda x: x.ravel("F"), A),
        (lambda x: np.ravel(x.T, order="A"), A), (lambda x: np.ravel(x.transpose(1, 2, 0), order="K"), CUBE)],
    "expand_dims": [(lambda x: np.expand_dims(x, 1), A), (lambda x: np.expand_dims(x, (0, -1)), A)],
    "squeeze": [(np.squeeze, A[:1]), (lambda x: np.squeeze(x, 0), A[:1]), (lambda x: x[:, :1].squeeze(-1), A)],
    "atleast_1d": [(np.atleast_1d, numbers(())), (np.atleast_1d, A)],
    "atleast_2d": [(np.atleast_2d, FEW), (lambda x, y: np.atleast_2d(x, y)[0] * y, FEW, A)],
    "atleast_3d": [(np.atleast_3d, A)],
    "transpose": [(np.transpose, A), (lambda x: np.transpose(x, (1, 2, 0)), CUBE), (lambda x: x.T, A),
        (lambda x: x.transpose(2, 0, 1), CUBE), (lambda x: x.transpose((2, 0, 1)), CUBE),
        (lambda x: x.transpose(), CUBE)],
    "matrix_transpose": [(np.matrix_transpose, CUBE)],
    "swapaxes": [(lambda x: np.swapaxes(x, 0, -1), CUBE), (lambda x: x.swapaxes(1, 2), CUBE)],
    "moveaxis": [(lambda x: np.moveaxis(x, 0, -1), CUBE), (lambda x: np.moveaxis(x, -1, 0), CUBE),
        (lambda x: np.moveaxis(x, [0, 1], [-1, -2]), CUBE), (lambda x: np.moveaxis(x, (2, 0), (0, 1)), CUBE)],
    "flip": [(np.flip, CUBE), (np.flip, numbers(())), (lambda x: np.flip(x, 1), CUBE),
        (lambda x: np.flip(x, (0, -1)), CUBE)],
    "broadcast_to": [(lambda x: np.broadcast_to(x, (4, 2, 3)), A), (lambda x: np.broadcast_to(x, 3), numbers(()))],
    "broadcast_arrays": [(lambda x, y: np.broadcast_arrays(x, y)[1] * x, A, FEW)],
    "concatenate": [(lambda x, y: np.concatenate((x, y), 1), A, B), (lambda x: np.concatenate([x, A]), B)]
    + [(lambda x: np.concat([x, [1, 2, 3]], axis=None, dtype=np.float64), A)],
    "stack": [(lambda x, y: np.stack([x, y], axis=1), A, B), (np.stack, A)],
    "vstack": [(lambda x, y: np.vstack([x, y]), A, FEW), (np.vstack, A)],
    "hstack": [(lambda x, y: np.hstack([x, y]), A, B), (lambda x, y: np.hstack([x, y]), FEW, numbers(()))],
    "column_stack": [(lambda x, y: np.column_stack([x, y, y]), A.T, numbers((3,)))],
    "append": [(lambda x, y: np.append(x, y), A, FEW), (lambda x: np.append(x, [[1.0, 2.0, 3.0]], axis=0), A)],
    "dot": [(np.dot, A, CUBE), (lambda x: x.dot(A.T), A), (lambda x: np.dot([1.0, 2.0], x), A)],
    "inner": [(np.inner, A, B), (np.inner, CUBE[0], CUBE), (np.inner, FEW[0], A), (np.inner, A, FEW[0])],
    "outer": [(np.outer, A, FEW), (lambda x: np.outer([1.0, 2.0], x), FEW)],
    "vdot": [(np.vdot, A, B)],
    "sinc": [(np.sinc, A)],
    "real": [(np.real, A), (lambda x: x.real, A)],
    "imag": [(lambda x: np.imag(x) + x.imag * x + x, A)],
    "angle": [(lambda x: np.angle(x) + x, A)],
    "copy": [(np.copy, A), (lambda x: x.copy(), A)],
    "astype": [(lambda x: np.astype(x, np.float64) ** 2, A)],
    "full_like": [(lambda x: np.full_like(x, 2.0) * x, A), (lambda x: np.full_like(A, x[0, 1]), A),
        (lambda x: np.full_like(x, x[0]), A), (lambda x: np.full_like(x, x[1, 2], shape=(4,)), A)],
}  # fmt: skip
FAMILIES = [
    CASES,
    *(family.CASES for family in (cumulative, moving, others, products, ramps, reading, statistics, writing)),
]
TABLES = {name for family in FAMILIES for name in family}
ELSEWHERE = {name for name in FUNCTIONS if name.startswith(("linalg.", "fft.", "scipy."))} - TABLES | {
    "polyfit",
    "roots",
    "sort_complex",
}
HOST = {"quantile-17", "quantile-18", "histogram_bin_edges-1"}  # weights, and a rule that chooses the bins
SAME = {"amax": "max", "amin": "min", "real_if_close": "real", "ascontiguousarray": "copy"}


def test_every_function_is_tested():
    """The tables of cases cover the functions that are served; `numpy.linalg` has tests of its own."""
    tested = Counter(name for family in (*FAMILIES, SAME, ELSEWHERE) for name in family)
    assert set(tested) == set(FUNCTIONS)
    assert sorted(set(tested.values())) == [1]


@pytest.mark.sampled(48, each="name")
@pytest.mark.parametrize(("name", "n", "f", "arrays"), [
    pytest.param(name, n, f, arrays, id=f"{name}-{n}")
    for family in FAMILIES for name, cases in family.items() for n, (f, *arrays) in enumerate(cases)
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:G213")  # second derivatives on a device, where equal numbers meet
def test_functions(name, n, f, arrays):
    (agree_on_the_host if f"{name}-{n}" in HOST else agree)(f, *arrays)


@pytest.mark.parametrize(
    "f",
    [
        np.sum,
        np.mean,
        np.max,
        np.ravel,
        lambda x: np.dot(x, 2.0),
        lambda x: np.maximum(x, 2.0),
        lambda x: np.where(True, x, 2.0),
        lambda x: np.clip(x, 0.0, 2.0),
        lambda x: np.clip(x, 0.0, None),
        lambda x: np.stack([x, 2.0]),
        np.sinc,
        np.linalg.norm,
        np.expm1,
    ],
)
def test_python_floats_become_numbers_of_numpy(f):
    plain, recorded = f(0.5), trace(f, 0.5, names=False).value
    np.testing.assert_array_equal(recorded, plain)
    assert float is not type(recorded)


def test_no_error_of_pythons():
    """NumPy divides by zero without an error, recorded or not."""
    with np.errstate(all="ignore"):
        assert trace(lambda x: np.divide(1.0, x), 0.0, names=False).value == np.inf
        assert trace(lambda x: np.power(x, -1.0), 0.0, names=False).value == np.inf


def test_lists_of_recorded_numbers():
    """A list that holds recorded floats is an array."""
    f = lambda x, y: np.sum(np.multiply([x, y], [y, 2.0])) + np.dot(np.stack([x, y]), [3.0, 4.0])
    assert grad(f, (0, 1))(1.0, 2.0) == (5.0, 7.0)


# The length of a vector


def test_the_length_at_zero():
    assert grad(np.linalg.norm)(np.zeros(2)).tolist() == [0.0, 0.0]
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    found = grad(lambda x: np.linalg.norm(x, axis=1).sum())(rows)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-15)
    with np.errstate(all="ignore"):
        assert np.isnan(grad(lambda x: np.sqrt(np.sum(x**2)))(np.zeros(2))).all()


# Where an outcome decides what is read


ZEROS = np.array([0.0, 0.0, 1.5, 0.0, 2.5, 0.0])
TWICE = np.array([3.0, 1.0, 2.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("f", "x", "read"),
    [
        (np.trim_zeros, ZEROS, [2, 3, 4]),
        (lambda x: np.trim_zeros(x, "f"), ZEROS, [2, 3, 4, 5]),
        (lambda x: np.trim_zeros(x, trim="B"), ZEROS, [0, 1, 2, 3, 4]),
        (np.trim_zeros, np.zeros(3), []),
        (np.unique, TWICE, [1, 2, 0]),
        (lambda x: np.unique(x, return_counts=True, return_inverse=True)[0], TWICE, [1, 2, 0]),
        (lambda x: np.unique(x.reshape(1, 5), axis=1)[0], TWICE, [1, 2, 0]),
        (np.sort, TWICE, [1, 3, 2, 0, 4]),
    ],
)
def test_what_is_read(f, x, read):
    """Of equal numbers the first is read; a number that is left out has no part."""
    recording = trace(f, x, names=False)
    np.testing.assert_array_equal(recording.value, f(x))
    weight = np.arange(1.0, len(read) + 1)
    wanted = np.zeros(len(x))
    wanted[read] = weight
    assert wanted.tolist() == grad(lambda x: np.sum(weight * f(x)))(x).tolist()


def test_equal_numbers_keep_their_order_in_a_long_sort():
    """NumPy's default sort of more than 16 numbers is not stable."""
    x, weight = np.resize([2.0, 1.0, 3.0], 60), np.arange(60.0)

    assert grad(lambda x: np.sum(weight * np.sort(x)))(x).tolist() == np.argsort(np.argsort(x, kind="stable")).tolist()


def test_indices_and_counts_of_unique():
    found = []
    trace(lambda x: found.extend(np.unique(x, return_index=True, return_counts=True)[1:]), TWICE, names=False)
    assert [x.tolist() for x in found] == [[1, 2, 0], [2, 1, 2]]


@pytest.mark.parametrize("axis", [0, 1])
def test_the_sums_of_weights_have_the_shape_of_the_averages(axis):
    f = lambda x: np.average(x, axis=axis, weights=np.arange(1.0, A.shape[axis] + 1), returned=True)
    for found, expected in zip(trace(f, A).value, f(A), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15, strict=True)


def test_trimming_in_two_axes():
    """Zeros around a table are left out on all sides."""
    table = np.pad(A, ((1, 2), (0, 1)))
    np.testing.assert_array_equal(trace(np.trim_zeros, table, names=False).value, A)


# Refusals


REFUSED = [
    (lambda x: np.sum(x, dtype=int), "a NumPy function with dtype=int64"),
    (lambda x: np.clip(x, 0.0, 1.0, where=MASK), "numpy.clip with where="),
    (lambda x: np.clip(x, 0.0, 1.0, casting="unsafe"), "numpy.clip with casting="),
    (lambda x: np.pad(x, 1, lambda *_: None), "numpy.pad with a function as mode="),
    (lambda x: np.sort(x, order="f"), "numpy.sort with order="),
]


@pytest.mark.parametrize(("f", "what"), REFUSED, ids=[what for _, what in REFUSED])
def test_what_has_no_rule_is_refused_by_name(f, what):
    """A function or an option without a rule is never silently left out."""
    with pytest.raises(UnsupportedError) as caught:
        trace(f, A, names=False)
    assert f"{what} has no derivative rule" == caught.value.message
    assert "gradcli help G404" in caught.value.hint


def test_the_nearest_spelling_is_named():
    """The refusal of a misspelt or unserved function names the nearest one."""
    assert "numpy.moveaxis" in unsupported("numpy.moveaxes").hint


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("scipy.signal.fftconvolve", "numpy.convolve"),
        ("scipy.linalg.eigvals", "numpy.linalg.eigvals"),
        ("scipy.sparse.linalg.expm", "scipy.linalg.expm"),
        ("numpy.frompyfunc", "numpy.vectorize"),
        ("numpy.hanning", None),
        ("numpy.unwrap", None),
        ("mylib.inv2", None),
        ("inv2", None),
        ("mylib.inv", "numpy.linalg.inv"),
    ],
)
def test_nearest(name, near):
    """The same in another library, what is used in its place, or nothing where nothing is near."""
    assert near == nearest(name)


def test_no_inner_name_is_the_nearest():
    assert "scipy.ndimage._nd_image.spline_filter1d" in FUNCTIONS
    assert "._" not in (nearest("scipy.ndimage.spline_filter2d") or "")
