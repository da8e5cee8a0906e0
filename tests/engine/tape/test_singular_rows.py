"""Rows at kinks and at equal eigenvalues."""

import numpy as np
import pytest

import gradcli
from gradcli.engine.tape.singular_rows import degenerate_rows, singular_rows


def tape_of(f, at):
    return gradcli.trace(f, at).tape


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: abs(x) + 1, 0.0, [1]),
        (lambda x: abs(x) + 1, 1.0, []),
        (lambda x: np.sum(np.abs(x)), np.array([1.0, 0.0]), [1]),
        (lambda x: np.max(x), np.ones(2), [1]),
        (lambda x: np.max(x), np.array([1.0, 2.0]), []),
    ],
)
def test_rows_at_kinks(f, at, expected):
    tape = tape_of(f, at)

    assert [*singular_rows(tape, 0, len(tape) - 1)] == expected


def decomposed(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w), v[0, 0]


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda a: decomposed(a)[0], np.eye(2), 0),
        (lambda a: decomposed(a)[1], np.eye(2), 1),
        (lambda a: decomposed(a)[1], np.diag([1.0, 2.0]), 0),
        (lambda a: np.linalg.svd(a)[0][0, 0], np.diag([1.0, 0.0]), 1),
        (lambda a: np.sum(np.linalg.svd(a)[1]), np.diag([1.0, 0.0]), 0),
    ],
)
def test_decompositions_whose_vectors_are_used(f, at, expected):
    run = gradcli.trace(f, at)

    assert len(degenerate_rows(run.tape, [run.result])) == expected
