"""Gradients of sums of arrays, which need no arrays of equal numbers."""

from typing import Any

import numpy as np
import pytest

import gradcli
from tests.answers.derivation.array_programs import (
    norm,
    of_sums,
    perceptron,
    shifted,
    sines,
    softplus,
    sum_of_squares,
    table,
    variance,
)

VECTOR = np.array([1.0, 2.0, 4.0])
MATRIX = np.array([[1.0, 0.5], [0.2, -1.0], [1.5, 2.0]])


def body(function: Any, point: Any) -> str:
    """The statements of a gradient, without its assertions and comments."""
    text = str(gradcli.derive(function, at=point)).rpartition('"""\n')[2]
    lines = [each.removeprefix("    ") for each in text.splitlines()]
    return "\n".join(each for each in lines if not each.startswith(("assert ", "#")))


WRITTEN = {
    sum_of_squares: "return 2 * x",
    sines: "s_x = np.sin(x)\ns_x = s_x + np.cos(x) * x\nreturn s_x",
    softplus: "t_2 = np.exp(-x)\nreturn -(t_2 / (1 + t_2))",
    norm: "result = np.sqrt(np.sum(x * x))\nreturn x / result",
    shifted: "return np.full_like(x, 1.0)",
    variance: ("t_2 = x - np.mean(x)\ns_2 = 2 * t_2 / np.size(t_2)\nreturn s_2 + np.sum(-s_2) / np.size(x)"),
}


@pytest.mark.parametrize("function", WRITTEN, ids=lambda f: f.__name__)
def test_a_sum_of_an_elementwise_expression(function):
    """The number multiplies an array of the right shape, or fills one like the operand."""
    assert body(function, VECTOR) == WRITTEN[function]


def test_a_sum_of_a_sum_along_an_axis():
    """The sensitivity of the inner sum is broadcast once."""
    expected = "return np.broadcast_to(2 * np.sum(x, axis=0, keepdims=True), np.shape(x))"

    assert body(of_sums, MATRIX) == expected


def lengths_of_columns(x):
    return np.sum(np.sqrt(np.sum(x**2, axis=0)))


def lengths_of_rows(x):
    return np.sum(np.sqrt(np.sum(x**2, axis=1, keepdims=True)))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lengths_of_columns, "2 * x * np.expand_dims(0.5 / np.sqrt(np.sum(x**2, axis=0)), 0)"),
        (lengths_of_rows, "x / np.sqrt(np.sum(x**2, axis=1, keepdims=True))"),
    ],
)
def test_a_sum_along_an_axis_of_a_product(function, expected):
    """The product broadcasts the sensitivity, so that no array is kept for its shape alone."""
    assert body(function, MATRIX) == f"return {expected}"


def test_a_broadcast_product():
    """Neither factor has the shape of the product, so that the sensitivity keeps its array."""
    expected = (
        "t_1 = a[:, None]\n"
        "s_a = np.zeros_like(a)\n"
        "s_2 = np.full_like(t_1 * b, 1.0)\n"
        "s_a[:, None] += sum_to(b * s_2, np.shape(t_1))\n"
        "return s_a, np.sum(t_1 * s_2, axis=0)"
    )

    assert body(table, (VECTOR, VECTOR[:2])) == expected


def test_a_perceptron():
    expected = (
        "t_1 = x @ w\n"
        "h = np.tanh(t_1)\n"
        "t_2 = h @ v\n"
        "e = t_2 - LABELS\n"
        "s_w = np.broadcast_to(2 * np.sum(w, axis=1, keepdims=True), np.shape(w))\n"
        "s_e = e / np.size(e)\n"
        "s_2 = sum_to(s_e, np.shape(t_2))\n"
        "s_h = np.outer(s_2, v)\n"
        "s_1 = (1 / np.cosh(t_1)) ** 2 * s_h\n"
        "s_w = s_w + x.T @ s_1\n"
        "return s_w, h.T @ s_2, s_1 @ w.T"
    )

    assert body(perceptron, (MATRIX[:2], VECTOR[:2], MATRIX)) == expected


def test_the_sum_of_a_term_in_c_is_computed_once():
    """A quotient of numbers that is added to an array."""
    text = str(gradcli.derive(variance, at=VECTOR, lang="c"))

    assert text.count("+= -s_2[i];") == 1
