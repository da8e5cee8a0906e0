"""Texts with shapes: what they give, computed, is what they stand for."""

import itertools

import numpy as np
import pytest

from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.shaped_terms import ONE, Term, exact_shape, mask_condition, masked, restored_axes, summed
from gradcli.mathematics.language.formula_text import ATOM

SCOPE = {name: getattr(np, name) for name in ("sum", "where", "arange", "ones", "broadcast_to", "isin", "array")}
SHAPES = [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (4, 2, 3), (4, 1, 3)]
FULL = [(3,), (2, 3), (4, 2, 3)]


def given(term: Term, x: object) -> np.ndarray:
    """What a text gives; it has the shape that it says."""
    found = np.asarray(eval(term.text[0], {**SCOPE, "x": x}))
    assert found.shape == term.shape
    return found


def fits(shape: tuple[int, ...], full: tuple[int, ...]) -> bool:
    return len(shape) <= len(full) and np.broadcast_shapes(shape, full) == full


@pytest.mark.parametrize("full", FULL)
def test_sums_over_what_was_broadcast(full: tuple[int, ...]) -> None:
    """Of every text that stands for an array, to every shape that broadcasts to it; of axes that the text lacks too."""
    for own, wanted in itertools.product(filter(lambda s: fits(s, full), SHAPES), repeat=2):
        x = np.arange(1.0, 1.0 + np.prod(own)).reshape(own)
        array = np.broadcast_to(x, full)
        lost = tuple(range(len(full) - len(wanted)))
        summed_up = array.sum(axis=lost)
        kept = tuple(axis for axis, n in enumerate(wanted) if n == 1)
        expected = summed_up.sum(axis=kept, keepdims=True)

        np.testing.assert_allclose(
            np.broadcast_to(given(summed(Writer(), Term(("x", ATOM), own), full, wanted), x), wanted), expected
        )


@pytest.mark.parametrize(
    ("expected", "full", "wanted"), [("3", (3,), ()), ("2", (2, 3), (3,)), ("1", (3,), (3,)), ("6", (2, 3), (1, 1))]
)
def test_ones_are_counted(expected: str, full: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    assert summed(Writer(), Term(ONE), full, wanted).text[0] == expected


@pytest.mark.parametrize(
    ("expected", "reduced", "shape"),
    [
        ("x[:, None]", (1,), (2,)),
        ("x", (0,), (3,)),
        ("x[:, None, None]", (1, 2), (4,)),
        ("x[:, None, :]", (1,), (4, 3)),
    ],
)
def test_axes_put_back(expected: str, reduced: tuple[int, ...], shape: tuple[int, ...]) -> None:
    ndim = len(shape) + len(reduced)

    assert restored_axes(Term(("x", ATOM), shape), reduced, ndim).text[0] == expected


MASKS = [
    np.arange(6) == 2, np.arange(6) >= 3, np.arange(6) < 2, np.arange(7) % 2 == 1, np.arange(6) % 2 == 0,
    np.isin(np.arange(9), [0, 1, 5]), (np.arange(9) % 3 == 1) & (np.arange(9) > 2), np.eye(2, dtype=bool),
    np.outer([True, False, True], [False, True, True, False]), np.outer([False, True], np.ones(3)) > 0,
]  # fmt: skip


@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_conditions(mask: np.ndarray) -> None:
    np.testing.assert_array_equal(mask, np.broadcast_to(given(mask_condition(Writer(), mask), None), mask.shape))


def test_without_some_places() -> None:
    kept, term = np.arange(4) != 1, Term(("x", ATOM), (4,))

    np.testing.assert_array_equal([1, 0, 1, 1], given(masked(Writer(), term, kept), np.ones(4)))
    assert term == masked(Writer(), term, np.ones(4, bool))
    assert masked(Writer(), term, np.zeros(4, bool)) is None


def test_an_array_of_just_this_shape() -> None:
    assert ["ones((2, 3))", "broadcast_to(x, (2, 3))", "x"] == [
        exact_shape(Writer(), term, (2, 3))[0]
        for term in (Term(ONE), Term(("x", ATOM), (3,)), Term(("x", ATOM), (2, 3)))
    ]
