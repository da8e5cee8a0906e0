"""Sparse Jacobians and Hessians: equal to the dense ones, with few entries, from few sweeps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradcli
from benchmarks.sparse import heat
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms import sparse_jacobians

pytest.importorskip("scipy")


def at(size: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(0.2, 1.0, size)


def written_in_a_loop(x):
    out = np.zeros(len(x))
    out[1:] = x[:-1]
    for i in range(1, len(x) - 1):
        out[i] = x[i - 1] * x[i] - x[i + 1] ** 2
    return out


def bundle(p):
    """Residuals of 12 points seen by 3 cameras, each with a rotation vector, a place and a focal length."""
    cameras, points = p[:21].reshape(3, 7), p[21:].reshape(12, 3)
    camera, point = np.divmod(np.arange(36), 12)
    turns, seen = cameras[camera, :3], points[point] - cameras[camera, 3:6]
    angle = np.sqrt(np.sum(turns**2, axis=1))[:, None]
    axis = turns / angle
    dot = np.sum(axis * seen, axis=1)[:, None] * (1 - np.cos(angle))
    turned = seen * np.cos(angle) + np.cross(axis, seen) * np.sin(angle) + axis * dot
    return (cameras[camera, 6:] * turned[:, :2] / (turned[:, 2:] + 5.0)).ravel()


def chained_valley(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


# The function of eight numbers, the entries of its Jacobian, and the fewest colours of its columns or rows.
JACOBIANS = {
    "differences": (np.diff, 14, 2),
    "second differences": (lambda x: np.diff(x, 2), 18, 3),
    "convolution": (lambda x: np.convolve(x, [1.0, -2.0, 1.0], "same"), 22, 3),
    "roll": (lambda x: np.roll(x, 1) * x, 16, 2),
    "gradient": (np.gradient, 16, 2),
    "running sum": (np.cumsum, 36, 8),
    "constant matrix": (lambda x: (np.eye(8) + np.diag(np.ones(7), 1)) @ x, 15, 2),
    "norms of rows": (lambda x: np.linalg.norm(x.reshape(-1, 2), axis=1), 8, 1),
    "sorted": (np.sort, 8, 1),
    "places": (lambda x: x[np.array([0, 0, 3, 2])] * x[1], 8, 2),
    "products of rows": (lambda x: np.einsum("ij,ij->i", x.reshape(-1, 2), x.reshape(-1, 2)), 8, 1),
    "outer product": (lambda x: np.outer(x[:3], x[3:5]), 12, 2),
    "mean": (lambda x: x - x.mean(), 64, 8),
    "where": (lambda x: np.where(x > 0.5, x, x[::-1] ** 2), 16, 2),
    "one sum": (np.sum, 8, 1),
    "written in a loop": (written_in_a_loop, 19, 3),
    "a list of numbers": (lambda x: [x[0] * x[1], x[2] ** 2, 3.0], 3, 2),
    "a model of heat": (heat, 208, 7),
    "a bundle of rays": (bundle, 720, 10),
}
SIZES = {heat: 64, bundle: 57}


def dense(jacobian, columns: int) -> np.ndarray:
    return np.reshape(jacobian, (-1, columns))


@pytest.mark.parametrize("name", JACOBIANS)
def test_a_sparse_jacobian_is_the_dense_one(name):
    f, entries, _ = JACOBIANS[name]
    x = at(SIZES.get(f, 8))
    matrix = gradcli.jacobian(f, sparse=True)(x)
    np.testing.assert_allclose(matrix.toarray(), dense(gradcli.jacobian(f)(x), x.size), 1e-12, 1e-14)
    assert matrix.nnz == entries


@pytest.mark.long
def test_a_sparse_jacobian_of_ten_thousand_unknowns_is_the_dense_one_in_each_block_of_columns():
    u, width = at(10_000), 100
    matrix = gradcli.jacobian(heat, sparse=True)(u).tocsc()
    for start in range(0, len(u), width):
        block = gradcli.jacobian(
            lambda part, start=start: heat(np.concatenate([u[:start], part, u[start + width :]]))
        )(u[start : start + width])  # fmt: skip
        np.testing.assert_allclose(matrix[:, start : start + width].toarray(), block, 1e-12, 1e-14)


@pytest.mark.parametrize("name", JACOBIANS)
def test_it_takes_a_sweep_for_each_colour_and_one_that_confirms_it(name, monkeypatch):
    sweeps = []
    for way in ("along_columns", "along_rows"):
        usual = getattr(sparse_jacobians._Sweeps, way)
        counted = lambda self, vectors, usual=usual: (sweeps.append(len(vectors)), usual(self, vectors))[1]
        monkeypatch.setattr(sparse_jacobians._Sweeps, way, counted)
    f, _, colours = JACOBIANS[name]
    gradcli.jacobian(f, sparse=True)(at(SIZES.get(f, 8)))
    assert sweeps == [colours + 1]


@pytest.mark.parametrize(
    ("f", "entries"),
    [
        (chained_valley, 22),
        (lambda x: sum(x[i] ** 2 * x[i - 1] for i in range(1, len(x))), 22),
        (lambda x: np.sum(np.exp(x) * 2), 8),
        (lambda x: np.sum(x**4) + np.prod(x[:2]), 10),
    ],
)
def test_a_sparse_hessian_is_the_dense_one(f, entries):
    matrix = gradcli.hessian(f, sparse=True)(at(8))
    np.testing.assert_allclose(matrix.toarray(), gradcli.hessian(f)(at(8)), 1e-12)
    assert np.count_nonzero(matrix.toarray()) <= matrix.nnz <= entries


def test_there_is_a_matrix_for_each_argument():
    by_x, by_y = gradcli.jacobian(lambda x, y: x * y, (0, 1), sparse=True)(at(3), 2.0)
    assert by_x.toarray().tolist() == np.diag([2.0] * 3).tolist()
    assert by_y.toarray().tolist() == [[x] for x in at(3)]


def test_the_columns_are_the_elements_of_a_structure_in_order():
    def f(parameters):
        return {"sum": parameters["w"] @ parameters["v"] + parameters["b"], "b": 2 * parameters["b"]}

    point = {"w": np.array([1.0, 2.0]), "v": np.array([3.0, 4.0]), "b": 5.0}
    matrix = gradcli.jacobian(f, sparse=True)(point)
    assert matrix.toarray().tolist() == [[3.0, 4.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0, 2.0]]


@pytest.mark.parametrize("argnums", [(0, 0), (0, 1, 0), (0, -2), ("x", 0)])
@pytest.mark.parametrize("transform", [gradcli.jacobian, gradcli.hessian])
def test_an_argument_that_is_named_twice_has_the_same_matrix_twice(transform, argnums):
    f = lambda x, y: x**3 * y if transform is gradcli.jacobian else np.sum(x**3 * y)
    sparse, whole = (transform(f, argnums, **options)(at(3), at(3)) for options in ({"sparse": True}, {}))
    for ours, theirs in zip(sparse, whole if transform is gradcli.jacobian else zip(*whole, strict=True), strict=True):
        np.testing.assert_allclose(ours.toarray(), np.vstack(theirs), 1e-12)


def test_value_and_aux_come_with_it():
    f = gradcli.jacobian(lambda x: (x**2, "aux"), has_aux=True, with_value=True, sparse=True)
    (value, aux), matrix = f(np.array([1.0, 2.0]))
    assert (value.tolist(), aux, matrix.toarray().tolist()) == ([1.0, 4.0], "aux", [[2.0, 0.0], [0.0, 4.0]])


def test_a_result_that_depends_on_nothing_has_no_entries():
    matrix = gradcli.jacobian(lambda x: np.ones(3), sparse=True)(at(2))
    assert (matrix.shape, matrix.nnz, matrix.dtype) == ((3, 2), 0, float)


@pytest.mark.parametrize(
    ("f", "x", "shape"),
    [
        (lambda x: x[:0] * 2.0, np.ones(6), (0, 6)),
        (lambda x: x * 2.0, np.ones(0), (0, 0)),
        (lambda x: np.sum(x) + np.ones(3), np.ones(0), (3, 0)),
        (lambda x: np.ones(3), {}, (3, 0)),
    ],
)
def test_a_result_or_an_input_without_elements(f, x, shape):
    assert gradcli.jacobian(f, sparse=True)(x).shape == shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "f", [lambda x: x**2, lambda x: np.array([1.0, 2.0, 3.0]) * x[::-1], lambda x: np.sum(x[0] + np.zeros(3))]
)
def test_it_has_the_dtype_of_the_point(f, dtype):
    assert gradcli.jacobian(f, sparse=True)(at(3).astype(dtype)).dtype == dtype


@pytest.mark.parametrize("f", [lambda x: x**2, lambda x: (x * 1j).imag])
def test_half_precision_becomes_the_shortest_that_scipy_has(f):
    x = np.array([1.0, 2.0, 3.0], np.float16)
    matrix = gradcli.jacobian(f, sparse=True)(x)
    assert (matrix.dtype, matrix.toarray().tolist()) == (np.float32, gradcli.jacobian(f)(x).tolist())


def test_float32_takes_no_more_sweeps(monkeypatch):
    monkeypatch.setattr(sparse_jacobians, "from_dense", None)
    x = at(64).astype(np.float32)
    matrix = gradcli.jacobian(heat, sparse=True)(x)
    np.testing.assert_allclose(matrix.toarray(), gradcli.jacobian(heat)(x), 1e-5)


def test_at_a_kink_it_is_the_limit():
    matrix = gradcli.hessian(lambda x: np.sum(np.abs(x) ** 2), sparse=True)(np.array([0.0, 1.0]))
    np.testing.assert_allclose(matrix.toarray(), [[2.0, 0.0], [0.0, 2.0]], 1e-7)


def test_it_warns_as_the_dense_one_does():
    with pytest.warns(gradcli.errors.FindingWarning, match="G102"):
        matrix = gradcli.jacobian(lambda x: np.sqrt(x) * 0.0, sparse=True)(np.array([0.0, 1.0]))
    assert np.isnan(matrix.toarray()[0, 0])


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.fft.irfft(np.fft.rfft(x)), np.arange(1.0, 5.0)),
        (lambda x: np.abs(np.fft.fft(x)), np.arange(1.0, 5.0)),
        (lambda x: (x * 1j).imag, np.arange(1.0, 5.0)),
        (lambda x: x * 1j, np.arange(1.0, 5.0)),
        (lambda z: np.abs(z) ** 2, np.array([1 + 2j, 3 - 1j])),
    ],
)
def test_complex_numbers_have_the_entries_of_the_dense_one(f, x):
    np.testing.assert_allclose(gradcli.jacobian(f, sparse=True)(x).toarray(), gradcli.jacobian(f)(x))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: gradcli.grad(lambda x: gradcli.jacobian(np.sin, sparse=True)(x).sum())(at(4)),
            "has no derivative",
        ),
    ],
)
def test_what_has_no_sparse_jacobian_is_refused(call, words):
    with pytest.raises(UnsupportedError, match=words):
        call()


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.sparse", None)
    with pytest.raises(UnsupportedError, match="SciPy") as error:
        gradcli.jacobian(np.sin, sparse=True)(at(2))
    assert "gradcli[scipy]" in error.value.hint


def test_the_pattern_of_a_program_is_read_once(monkeypatch):
    read = []
    usual = sparse_jacobians.pattern
    monkeypatch.setattr(sparse_jacobians, "pattern", lambda *asked: read.append(1) or usual(*asked))
    jacobian = gradcli.jacobian(heat, sparse=True)
    for size in (16, 16, 25):
        x = at(size)
        np.testing.assert_allclose(jacobian(x).toarray(), gradcli.jacobian(heat)(x), 1e-12)
    assert len(read) == 2


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x**2,
        lambda x: np.sum(x[1:] * x[:-1]),
        lambda x: np.concatenate([x, x[:1]]),
        lambda x: x[:1],
        np.diff,
        np.cumsum,
    ],
)
@pytest.mark.parametrize("sizes", [(5, 3, 5), (1, 4), (4, 1)])
def test_a_pattern_of_points_of_another_size_is_none_of_this(f, sizes):
    jacobian = gradcli.jacobian(f, sparse=True)
    for size in sizes:
        x = at(size)
        np.testing.assert_allclose(jacobian(x).toarray(), np.atleast_2d(gradcli.jacobian(f)(x)), 1e-12)


def test_a_pattern_that_holds_no_more_is_read_again():
    largest = gradcli.jacobian(lambda x: np.max(x.reshape(-1, 2), axis=1), sparse=True)
    assert largest(np.array([1.0, 2.0, 3.0, 4.0])).toarray().tolist() == [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert largest(np.array([2.0, 1.0, 3.0, 4.0])).toarray().tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]


def test_small_elements_of_another_pattern_are_found():
    """The pattern of the first point has the second number of the first pair, that of the second point the first."""
    f = lambda x: x + 1e-9 * np.max(x.reshape(-1, 2), axis=1)[0]
    jacobian = gradcli.jacobian(f, sparse=True)
    for point in ([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 4.0]):
        x = np.array(point)
        np.testing.assert_allclose(jacobian(x).toarray(), gradcli.jacobian(f)(x), 1e-12, 0.0)


SPECTRA = [
    lambda x: np.linalg.eigvalsh(np.diag(x)),
    lambda x: np.linalg.svd(np.diag(x), compute_uv=False),
    lambda x: np.linalg.norm(np.diag(x), 2),
]


@pytest.mark.parametrize("largest", [np.max, np.min, np.amax, np.ptp, np.minimum.reduce, np.median, *SPECTRA])
def test_elements_as_small_as_the_rounding_of_others_are_found_where_sizes_choose_them(largest):
    f = lambda x: x**2 + 1e-13 * largest(x)
    jacobian = gradcli.jacobian(f, sparse=True)
    for point in ([4.0, 1.0, 2.0, 3.0], [1.0, 4.0, 2.0, 0.5], [2.0, 2.0, 2.0, 2.5]):
        x = np.array(point)
        np.testing.assert_allclose(jacobian(x).toarray(), gradcli.jacobian(f)(x), 1e-12, 0.0)


SMALL = np.full((4, 4), 1e-13)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (np.eye(4) + SMALL) @ x,
        lambda x: (np.eye(4) + 100 * SMALL) @ x,
        lambda x: np.einsum("ij,j->i", np.eye(4) + SMALL, x),
        lambda x: np.convolve(x, [1e-13, 1.0, 1e-13], "same"),
        lambda x: np.linalg.solve(np.eye(4) + SMALL, x),
        lambda x: np.linalg.inv(np.diag(x) + SMALL),
        lambda x: gradcli.grad(lambda y: np.sum(np.sin(np.linalg.inv(np.diag(y) + SMALL))))(x),
    ],
)
def test_elements_as_small_as_the_rounding_of_others_in_a_row_of_the_run(f):
    x = np.array([4.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(
        gradcli.jacobian(f, sparse=True)(x).toarray(), dense(gradcli.jacobian(f)(x), 4), 1e-3, 0.0
    )


@pytest.mark.parametrize(("dtype", "small"), [(np.float32, 1e-4), (np.float64, 1e-13)])
def test_small_elements_whose_factors_were_zero_at_the_first_point(dtype, small):
    def f(x):
        return x**2 + dtype(small) * (x.reshape(2, 2) @ x.reshape(2, 2)).ravel()

    sparse = gradcli.jacobian(f, sparse=True)
    sparse(np.array([1.0, 0.0, 0.0, 2.0], dtype))
    x = np.array([1.0, 2.0, 3.0, 4.0], dtype)

    np.testing.assert_allclose(sparse(x).toarray(), gradcli.jacobian(f)(x), rtol=1e-5, atol=0.0)


def test_threads_whose_paths_alternate():
    def f(x):
        return x**2 if x[0] > 0.0 else x**3 + x[::-1]

    sparse = gradcli.jacobian(f, sparse=True)
    points = [np.full(4, (-1.0) ** n * 0.5) for n in range(200)]
    with ThreadPoolExecutor(4) as threads:
        made = [*threads.map(sparse, points)]

    for matrix, x in zip(made, points, strict=True):
        np.testing.assert_allclose(matrix.toarray(), gradcli.jacobian(f)(x))
