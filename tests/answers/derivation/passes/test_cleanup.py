"""Copies of sensitivities, which stand where another name reads, or writes into, the same array later."""

import numpy as np
import pytest

import gradcli


def moved(u, c):
    v = u.copy()
    for k in range(3):
        w = np.zeros(len(v))
        w[1:] = c * v[:-1]
        w[0] = v[k]
        v = w
    return np.sum(v * v)


def read_again(u, c):
    v = u.copy()
    v[0] = v[0] * c
    w = v.copy()
    w[1] = w[1] * v[0]
    return np.sum(w * w) + np.sum(v) + w[0] * v[1]


def swapped(u, c):
    a, b = u * c, u + c
    for k in range(3):
        a[k % 2] = a[k % 2] * b[0]
        b[0] = a[1] * c
        a, b = b, a
    return np.sum(a * b) + a[0]


@pytest.mark.parametrize("function", [moved, read_again, swapped])
@pytest.mark.parametrize("lang", ["python", "c"])
def test_names_of_which_one_takes_the_array_of_another(function, lang):
    source = gradcli.derive(function, at=(np.array([0.5, 1.5, -0.7]), 0.3), lang=lang)

    assert source.verified.by_tape


def test_a_sensitivity_that_nothing_reads_again_is_moved():
    text = str(gradcli.derive(moved, at=(np.array([0.5, 1.5, -0.7]), 0.3)))

    assert ".copy()" not in text.partition("return np.sum")[2].replace("s_w[1:].copy()", "").replace("u.copy()", "")
