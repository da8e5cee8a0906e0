"""Derived programs of array functions: their indices, diagonals, factors, and sums that keep their axes."""

import numpy as np
import pytest
from scipy import linalg

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(3)  # many like cases

RECTANGLES = [np.arange(6.0).reshape(2, 3) - 1.5, np.arange(6.0).reshape(3, 2) - 1.5, np.eye(3) * 0.5 + 0.2]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x[:, [0]] * 2.0),
        lambda x: np.sum(x[:, [0, 1]] ** 2),
        lambda x: np.sum(x[[0, 1], :] * 3.0),
        lambda x: np.sum(x[..., [0]] * x[..., [1]]),
        lambda x: np.sum(x[1:, [1, 0]] ** 2),
        lambda x: np.sum(x[:, [1, 1]] ** 3),
        lambda x: np.sum(x[[0, 0, 1]] ** 3),
    ],
)
@pytest.mark.parametrize("mode", ["gradient", "hessian"])
def test_an_index_of_slices_and_lists(function, mode):
    x = np.array([[0.3, 0.4], [0.5, 0.6]])
    expected = gradcli.hessian(function)(x) if mode == "hessian" else gradcli.grad(function)(x)

    np.testing.assert_allclose(gradcli.derive(function, at=x, mode=mode).function(x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.diag(x) ** 2),
        lambda x: np.prod(np.diag(x * x)),
        lambda x: np.sum(np.diag(x[0]) @ x[0]),
        lambda x: np.sum(np.sin(np.diag(x @ x.T))),
    ],
)
@pytest.mark.parametrize("x", RECTANGLES, ids=["wide", "high", "square"])
def test_a_diagonal_of_a_rectangle(function, x):
    found = gradcli.derive(function, at=x).function(x)

    np.testing.assert_allclose(found, gradcli.grad(function)(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.concatenate((x, x * x), 1)[0]) + np.sum(np.stack([x, x * x], 2)[:, :, 1]),
        lambda x: np.sum(np.array([x[0], x[1] * 3], np.float32).astype(float) ** 2),
    ],
)
def test_further_arguments_by_their_place(function):
    x = np.array([[0.5, 0.25], [2.0, 1.0]])

    np.testing.assert_allclose(gradcli.derive(function, at=x).function(x), gradcli.grad(function)(x), rtol=1e-6)


def test_more_axes_for_a_list_are_refused():
    with pytest.raises(UnsupportedError, match="ndmin for a list"):
        gradcli.derive(lambda x: np.sum(np.array([x, x * x], ndmin=3)[0, 1]), at=np.ones(2))


def of_rows(x):
    rows = []
    for k in range(3):
        rows.append(x * x[k])
    joined = np.sum(np.column_stack(rows) ** 2 @ x) + np.sum(np.vstack(rows) @ x)
    return joined + np.sum(np.hstack(rows) ** 3) + np.sum(np.stack(rows) * x)


@pytest.mark.parametrize("mode", ["gradient", "jacobian"])
def test_a_list_of_vectors_is_joined(mode):
    x = np.array([0.5, -1.0, 2.0])

    found = gradcli.derive(of_rows, at=x, mode=mode).function(x)

    np.testing.assert_allclose(found, gradcli.grad(of_rows)(x), rtol=1e-12)


@pytest.mark.parametrize(
    "factor",
    [np.linalg.cholesky, linalg.cholesky, lambda s: linalg.cholesky(s, lower=True), lambda s: np.linalg.cholesky(s).T],
)
@pytest.mark.parametrize("mode", ["gradient", "forward"])
def test_a_cholesky_factor_reads_the_lower_triangle_alone(factor, mode):
    def weighed(x):
        return np.sum(factor(x @ x.T + np.eye(2)) ** 3) + np.linalg.cholesky(x)[1, 0]

    x = np.array([[1.5, 0.2], [0.3, 2.0]])

    assert gradcli.derive(weighed, at=x, mode=mode).verified.by_tape


@pytest.mark.parametrize(
    "reduced",
    [lambda x: x.max(axis=-1, keepdims=True), lambda x: np.mean(x, keepdims=True), lambda x: x.sum(0, keepdims=True)],
)
@pytest.mark.parametrize("x", [*RECTANGLES, np.array([[0.5, 2.0]]), np.array([[0.5], [2.0]])])
def test_an_array_and_what_it_was_reduced_to_with_its_axes_kept(reduced, x):
    def function(x):
        lowest = reduced(x)
        return np.sum((x - lowest) ** 3)

    np.testing.assert_allclose(
        gradcli.derive(function, at=x).function(x), gradcli.grad(function)(x), rtol=1e-12, atol=1e-12
    )


def test_what_several_terms_of_a_statement_need_is_computed_once():
    source = gradcli.derive(lambda m, x: np.sum(np.linalg.solve(m, x)), at=(np.eye(2) + 0.5, np.array([1.0, 2.0])))

    assert str(source).count("np.linalg.solve(m.T") == 1


def _turns(angles):
    c, s = np.cos(angles), np.sin(angles)
    return np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)


STACK = np.arange(12.0).reshape(3, 2, 2) / 7 - 0.6
OF_STACKS = {
    "two stacks": (lambda a, b: np.sum(np.sin(a @ b) ** 2), (STACK, STACK[::-1])),
    "a stack and a matrix": (lambda a, b: np.sum((a @ b) ** 2), (STACK, STACK[0])),
    "a matrix and a stack": (lambda a, b: np.sum((a @ b) ** 2), (STACK[0], STACK)),
    "a stack and a vector": (lambda a, b: np.sum(np.sin(a @ b) ** 2), (STACK, STACK[0, 0])),
    "a vector and a stack": (lambda a, b: np.sum(np.sin(a @ b) ** 2), (STACK[0, 0], STACK)),
    "a stack of one": (lambda a, b: np.sum((a @ b) ** 3), (STACK, STACK[:1])),
    "more axes": (lambda a, b: np.sum((a[None] @ b[:, None]) ** 2), (STACK, STACK)),
    "matmul": (lambda a, b: np.sum(np.matmul(a, b) ** 3), (STACK, STACK)),
    "matmul of matrices": (lambda a, b: np.sum(np.matmul(a, b) ** 3), (STACK[0], STACK[1])),
    "axes exchanged": (lambda a, b: np.sum((a @ np.swapaxes(b, 1, 2))[:, 0] ** 2), (STACK, STACK)),
    "axes in another order": (lambda a, b: np.sum((a @ b.transpose(0, -1, 1))[:, 0] ** 2), (STACK, STACK)),
    "axes as a list": (lambda a, b: np.sum((a @ np.transpose(b, axes=[0, 2, 1]))[:, 0] ** 3), (STACK, STACK)),
    "an axis moved": (lambda a, b: np.sum((a @ np.moveaxis(b, 0, -1)) ** 2), (STACK[:2], STACK[1:])),
    "matrices of vectors": (lambda a, b: np.sum((a @ _turns(b)) ** 2), (STACK, STACK[:, 0, 0])),
    "stacked along the last axis": (
        lambda a, b: np.sum(np.stack([a, b], -1)[..., 0] ** 3) * b[0, 0],
        (STACK[0], STACK[1]),
    ),
    "stacked along axis 1": (lambda a, b: np.sum(np.stack((a, b, a), axis=1)[:, 0] * b), (STACK[0], STACK[1])),
    "joined along the last axis": (
        lambda a, b: np.sum((np.concatenate([a, b], axis=-1) @ a.ravel()) ** 2),
        (STACK[0], STACK[1]),
    ),
    "vectors crossed": (
        lambda a, b: np.sum(np.cross(a, b) * np.arange(3.0) * a),
        (STACK.ravel()[:3], STACK.ravel()[4:7]),
    ),
    "rows crossed": (lambda a, b: np.sum(np.cross(a, b)[0] ** 2), (STACK.reshape(4, 3)[:2], STACK.reshape(4, 3)[2:])),
    "in steps": (lambda a, b: np.sum((a @ b @ np.swapaxes(a, -1, -2)) ** 2), (STACK, STACK)),
}


@pytest.mark.parametrize("name", OF_STACKS)
@pytest.mark.parametrize("lang", ["python", "c"])
def test_products_of_stacks(name, lang):
    function, point = OF_STACKS[name]
    if lang == "c":
        gradcli.derive(function, at=point, lang=lang)  # which compares the C program before it returns
    found = gradcli.derive(function, at=point).function(*point)

    for one, expected in zip(found, gradcli.grad(function, (0, 1))(*point), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", OF_STACKS)
def test_the_hessian_of_products_of_stacks(name):
    function, point = OF_STACKS[name]
    found = gradcli.derive(function, at=point, mode="hessian", wrt=["a"]).function(*point)

    np.testing.assert_allclose(found, gradcli.hessian(function)(*point), rtol=1e-12, atol=1e-12)


def test_arrays_that_are_made_flat_are_refused():
    with pytest.raises(UnsupportedError, match="of arrays that it makes flat"):
        gradcli.derive(lambda a, b: np.sum(np.concatenate([a, b], axis=None) ** 2), at=(STACK, STACK))


def test_a_product_of_two_vectors_in_each_place_is_no_product_of_stacks():
    """`np.dot` sums over the last axis of one array and the last but one of the other."""
    with pytest.raises(UnsupportedError, match="dot"):
        gradcli.derive(lambda a, b: np.sum(np.dot(a, b) ** 2), at=(STACK, STACK))
