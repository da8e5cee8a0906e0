"""Advice on errors: the numbers that arithmetic was given and the lines that made them, and lists used as arrays."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.engine.running.error_advice import list_advice


def logarithm(a, b):
    d = a - b
    return math.log(d)


def root(a, b):
    return math.sqrt(a - b)


def quotient(a, b):
    d = a - b
    d += 2
    return a / d


def loop(a, b):
    total = 0.0
    for i in range(3):
        total += math.log(a - i * b)
    return total


def angle(x):
    return math.acos(x[0]) * x[1]


def hyperbola(a, b):
    return math.atanh(a + b)


def inner(a, b):
    return root(b, b + a)


def first_line(f):
    return f.__code__.co_firstlineno


@pytest.mark.parametrize(
    ("f", "point", "advice"),
    [
        (logarithm, (1.0, 3.0),
         f"In math.log(d), d is -2.0, from `d = a - b` in line {first_line(logarithm) + 1}."),
        (root, (1.0, 3.0), "In math.sqrt(a - b), a is 1.0; b is 3.0."),
        (quotient, (1.0, 3.0), f"In a / d, a is 1.0; d is 0.0, from `d += 2` in line {first_line(quotient) + 2}."),
        (loop, (1.0, 3.0), "In math.log(a - i * b), a is 1.0; i is 1; b is 3.0."),
        (angle, ([2.0, 1.0],), "In math.acos(x[0]), x is [2.0, 1.0]."),
        (angle, (np.array([2.0, 1.0]),), "In math.acos(x[0]), x is [2.0, 1.0]."),
        (hyperbola, (1.0, 3.0), "In math.atanh(a + b), a is 1.0; b is 3.0."),
        (inner, (1.0, 3.0), "In math.sqrt(a - b), a is 3.0; b is 4.0."),
    ],
)  # fmt: skip
def test_the_numbers_outside_a_domain(f, point, advice):
    with pytest.raises((ValueError, ZeroDivisionError)) as caught:
        gradcli.grad(f, tuple(range(len(point))))(*point)

    assert caught.value.__notes__ == [advice]


def mapped(w):
    A = np.ones((3, 4))
    return np.sum(A @ w)


def added(a, b):
    return np.sum(a + b * 2)


def assigned(w):
    g = np.zeros(3)
    g[:] = w
    return np.sum(g)


@pytest.mark.parametrize(
    ("f", "point", "advice"),
    [
        (mapped, (np.ones(2),), "In A @ w, A has the shape (3, 4), from `A = np.ones((3, 4))` in line "
                                f"{first_line(mapped) + 1}; w has the shape (2,)."),
        (added, (np.ones(2), np.ones(5)), "In a + b * 2, a has the shape (2,); b has the shape (5,)."),
        (lambda A, w: np.sum(np.dot(A, w)), (np.ones((3, 4)), np.ones(2)),
         "In np.dot(A, w), A has the shape (3, 4); w has the shape (2,)."),
        (lambda A, w: np.sum(np.concatenate([A, w])), (np.ones((3, 4)), np.ones(2)),
         "In np.concatenate([A, w]), A has the shape (3, 4); w has the shape (2,)."),
        (assigned, (np.ones(2),), "In g[:], g has the shape (3,), from `g = np.zeros(3)` in line "
                                  f"{first_line(assigned) + 1}."),
        (lambda A, w: np.linalg.solve(A, w)[0], (np.eye(3), np.ones(2)),
         "In np.linalg.solve(A, w), A has the shape (3, 3); w has the shape (2,)."),
    ],
    ids=["a matrix", "a sum", "dot", "concatenate", "an assignment", "solve"],
)  # fmt: skip
def test_the_shapes_that_do_not_fit(f, point, advice):
    with pytest.raises(ValueError, match=r"shape|dimension") as caught:
        gradcli.grad(f, tuple(range(len(point))))(*point)

    assert caught.value.__notes__ == [advice]


def test_a_list_of_pieces_has_no_shape():
    """The error is still that of NumPy."""

    def joined(x, y):
        parts = [x, y]
        return np.sum(np.concatenate(parts))

    with pytest.raises(ValueError, match="must have same number of dimensions"):
        gradcli.grad(joined)(np.ones(3), np.ones((3, 2)))


def test_no_numbers_to_name():
    with pytest.raises(ValueError, match="math domain error") as caught:
        gradcli.grad(lambda x: x * math.log(-1.0))(2.0)

    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("failing", [
    lambda: [1.0, 2.0] @ [1.0, 2.0], lambda: (1.0, 2.0) - (1.0, 2.0), lambda: [1.0].sum(), lambda: [1.0] * 2.0,
    lambda: (1.0, 2.0) ** 2,
])  # fmt: skip
def test_a_list_used_as_an_array(failing):
    with pytest.raises((TypeError, AttributeError)) as caught:
        failing()

    assert list_advice(caught.value).startswith("A list or tuple is no array: write np.array([...])")


@pytest.mark.parametrize("error", [TypeError(), TypeError("f() missing 1 required argument"), ValueError("'list'")])
def test_other_errors_are_not_of_lists(error):
    assert list_advice(error) is None
