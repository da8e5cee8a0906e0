"""The sparsity pattern of a run: every derivative that is not 0 has an entry."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from gradcli.engine.traces import element_dependence
from gradcli.errors import UnsupportedError

pytest.importorskip("scipy")

X = np.array([0.3, 0.8, 0.5, 0.9])


def pattern(f) -> list[list[int]]:
    return gradcli.trace(f, X).pattern().toarray().astype(int).tolist()


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x * x[0], [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]),
        (lambda x: x[:2] * 0.0, [[1, 0, 0, 0], [0, 1, 0, 0]]),
        (lambda x: x[1] * x[3], [[0, 1, 0, 1]]),
        (lambda x: [x[1], 2.0, x[3:]], [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]),
        (lambda x: np.max(x.reshape(2, 2), axis=1), [[0, 1, 0, 0], [0, 0, 0, 1]]),
        (lambda x: np.sort(x)[:2], [[1, 0, 0, 0], [0, 0, 1, 0]]),
        (lambda x: np.abs(np.fft.rfft(x))[:1], [[1, 1, 1, 1]]),
        (lambda x: gradcli.stop_gradient(x[:2]) * x[2], [[0, 0, 1, 0], [0, 0, 1, 0]]),
        (lambda x: np.linalg.solve(np.diag(x), np.ones(4))[:1], [[1, 0, 0, 0]]),
    ],
)
def test_an_element_depends_on_those_that_it_is_computed_from(f, expected):
    assert pattern(f) == expected


def test_stencils_of_terms_that_cancel_are_seen():
    weights = np.array([1.0, -2.0, 1.0])
    assert pattern(lambda x: np.convolve(x, weights, "valid")) == [[1, 1, 1, 0], [0, 1, 1, 1]]


@pytest.mark.parametrize("f", [lambda x: np.convolve(x, [1.0, -2.0, 1.0], "same"), lambda x: np.gradient(x)])
def test_stencils_of_thousands_have_few_entries(f):
    pattern = gradcli.trace(f, np.ones(3000)).pattern()
    assert pattern.nnz <= 3 * 3000


def test_a_pattern_that_is_too_large_is_refused_for_what_it_is(monkeypatch):
    monkeypatch.setattr(element_dependence, "MOST_COMPUTED", 15)
    monkeypatch.setattr(element_dependence, "MOST_ENTRIES", 15)
    with pytest.raises(UnsupportedError, match="pattern of cumsum is nearly full, or too large") as error:
        pattern(np.cumsum)
    assert error.value.hint == "Leave out sparse=True, or --pattern."


def test_each_input_has_its_columns():
    trace = gradcli.trace(lambda a, b: a * b[0], 2.0, X[:2])
    assert trace.pattern().toarray().astype(int).tolist() == [[1, 1, 0]]


def test_a_random_program_of_arrays_has_every_entry():
    random = np.random.default_rng(5)
    operations = [
        lambda x: x[::-1] * x,
        lambda x: np.cumsum(x) - x[2],
        lambda x: np.where(x > 0.4, x, np.roll(x, 1)),
        lambda x: np.sin(x) @ np.diag([1.0, 2.0, 0.0, 1.0]),
        lambda x: np.concatenate([x[2:], x[:2] ** 2]),
        lambda x: x + np.mean(x.reshape(2, 2), axis=0).repeat(2),
    ]
    for _ in range(30):
        chosen = random.permutation(len(operations))[:3]

        def f(x, chosen=chosen):
            for n in chosen:
                x = operations[n](x)
            return x

        missing = (gradcli.jacobian(f)(X) != 0) & ~np.array(pattern(f), bool)
        assert not missing.any()


def square(x):
    return x.reshape(2, 2)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: square(x) @ square(x), [1.0, 0.0, 0.0, 2.0]),
        (lambda x: np.dot(x[:2], x[2:]), [0.0, 0.0, 3.0, 4.0]),
        (np.prod, [0.0, 0.0, 3.0, 4.0]),
        (lambda x: np.outer(x[:2], x[2:]), [0.0, 1.0, 0.0, 2.0]),
        (lambda x: np.einsum("i,i->", x, x), [0.0, 1.0, 2.0, 3.0]),
        (lambda x: np.var(square(x), axis=1), [1.0, 1.0, 2.0, 3.0]),
        (lambda x: np.linalg.det(square(x)), [0.0, 1.0, 0.0, 2.0]),
        (lambda x: np.linalg.norm(square(x), axis=0), [0.0, 1.0, 0.0, 2.0]),
        (lambda x: np.cumprod(x), [1.0, 0.0, 2.0, 0.0]),
        (lambda x: np.linalg.inv(square(x)), [1.0, 0.0, 0.0, 2.0]),
    ],
)
def test_a_factor_that_is_zero_at_the_point_leaves_out_no_entry(f, at):
    there, elsewhere = (gradcli.trace(f, np.array(x)).pattern().toarray() for x in (at, [0.3, 0.8, 0.5, 0.9]))

    np.testing.assert_array_equal(there, elsewhere)
