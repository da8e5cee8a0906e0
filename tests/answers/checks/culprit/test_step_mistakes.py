"""Slips of signs, indices and variables in gradients that are written as one formula."""

import math

import numpy as np
import pytest

import gradcli

X = np.array([[0.5, -1.2, 0.3], [1.1, 0.4, -0.7], [-0.2, 0.9, 1.3], [0.8, -0.5, 0.6]])
Y = np.array([0.3, -0.4, 1.2, 0.7])


def wave(x):
    return np.exp(-(x[0] ** 2) * x[1]) * np.log(1 + x[2] ** 2)


def of_wave(x, inner=lambda x: 1 + x[2] ** 2):
    e, scale = np.exp(-(x[0] ** 2) * x[1]), np.log(1 + x[2] ** 2)
    return np.array([-2 * x[0] * x[1] * e * scale, -(x[0] ** 2) * e * scale, e * 2 * x[2] / inner(x)])


def squares(w):
    return np.mean((X @ w - Y) ** 2)


def valley(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100 * (x[i + 1] - x[i] ** 2) ** 2
    return total


def of_valley(x, j=0):
    found = np.zeros(len(x))
    for i in range(len(x) - 1):
        found[i] += -400 * x[i + j] * (x[i + 1] - x[i] ** 2)
        found[i + 1] += 200 * (x[i + 1] - x[i] ** 2)
    return found


def ratio(x, y, z):
    return math.sin(x * y) / (y - z)


def of_ratio(x, y, z, a=0.0, b=0.0, sign=-1):
    d = y - z
    c = math.cos((x + a) * (y + b))
    return (y * c / d, x * c / d - math.sin(x * y) / d**2, math.sin(x * y) / (y + sign * z) ** 2)


POINT, FOUR, NUMBERS = np.array([0.7, 1.3, 0.4]), np.array([0.7, 1.3, 0.4, -0.2]), (0.7, 1.3, 0.4)
SLIPS = [
    (wave, POINT, lambda x: of_wave(x, inner=lambda x: 1 - x[2] ** 2),
     "the term x[2] ** 2 of 1 + x[2] ** 2 has the wrong sign"),
    (squares, POINT, lambda w: 2 * X.T @ (X @ w + Y) / len(Y), "the term Y of X @ w - Y has the wrong sign"),
    (valley, FOUR, lambda x: of_valley(x, 1), "the derivative of x[0] ** 2 has x[1] in place of x[0], and likewise"),
    (ratio, NUMBERS, lambda x, y, z: of_ratio(x, y, z, sign=1), "the term z of y - z has the wrong sign"),
    (ratio, NUMBERS, lambda x, y, z: of_ratio(x, y, z, a=z - x), "has z in place of x in x * y"),
    (ratio, NUMBERS, lambda x, y, z: of_ratio(x, y, z, b=x - y), "has x in place of y in x * y"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "at", "against", "said"), SLIPS)
def test_the_sign_or_the_variable_in_a_partial(f, at, against, said):
    findings = gradcli.check(f, at=at, against=against).findings

    assert said in next(finding.message for finding in findings if finding.code == "G312")


@pytest.mark.parametrize(
    ("f", "at", "right"), [(wave, POINT, of_wave), (valley, FOUR, of_valley), (ratio, NUMBERS, of_ratio)]
)
def test_a_right_gradient_has_no_slip(f, at, right):
    assert gradcli.check(f, at=at, against=right).verdict == "pass"


def test_a_wrong_gradient_of_no_kind_is_not_explained():
    findings = gradcli.check(wave, at=POINT, against=lambda x: of_wave(x) * np.array([1, 1, 1 + x[0] ** 3])).findings

    assert [finding.code for finding in findings if finding.code in ("G312", "G317")] == ["G317"]
