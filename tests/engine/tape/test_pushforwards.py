"""The tangents of rows: numbers, arrays and mixtures of them, where a partial is infinite or Python raises."""

import math

import numpy as np
import pytest

from gradcli import jvp, trace

inf = math.inf


def tangent(f, primals, tangents):
    """The tangent of the result as a number or list."""
    return np.asarray(jvp(f, primals, tangents)[1]).tolist()


def written(x):
    """An array of which one place is written over."""
    roots = np.sqrt(x)
    roots[0] = x[1] * x[1]
    return roots


NUMBERS = [
    (lambda x, y: math.sqrt(x) + y, (0.0, 2.0), (0.0, 1.0), 1.0),
    (lambda x, y: math.sqrt(x) + y, (0.0, 2.0), (1.0, 1.0), inf),
    (lambda x, y: x**0.5 * y, (0.0, 2.0), (0.0, 1.0), 0.0),
    (lambda x, y: math.sqrt(x * 1.0) * 0.0 + x * y, (4.0, 2.0), (1.0, 1.0), 6.0),
    (np.maximum, (3.0, 2.0), (1.0, 5.0), 1.0),
    (np.maximum, (2.0, 3.0), (1.0, 5.0), 5.0),
    (lambda x, y: np.where(x > 0, y, math.sqrt(x)), (0.0, 2.0), (1.0, 1.0), inf),
    (lambda x, y: np.where(x < 1, y, math.sqrt(x)), (0.0, 2.0), (1.0, 1.0), 1.0),
]


@pytest.mark.parametrize(("f", "primals", "tangents", "expected"), NUMBERS)
def test_of_numbers(f, primals, tangents, expected):
    """A zero tangent and an argument that was not selected contribute nothing, whatever the partial."""
    assert tangent(f, primals, tangents) == expected


ARRAYS = [
    (np.sqrt, [0.0, 4.0], [0.0, 1.0], [0.0, 0.25]),
    (np.sqrt, [0.0, 4.0], [1.0, 1.0], [inf, 0.25]),
    (lambda x: np.sqrt(x).sum(), [0.0, 4.0], [0.0, 1.0], 0.25),
    (lambda x: np.sqrt(x)[1], [0.0, 4.0], [1.0, 1.0], 0.25),
    (lambda x: np.where(x > 0, np.sqrt(x), x), [0.0, 4.0], [1.0, 1.0], [1.0, 0.25]),
    (lambda x: np.where(x > 0, np.sqrt(x), x), [0.0, 4.0], [0.0, 1.0], [0.0, 0.25]),
    (lambda x: np.maximum(x, 1.0), [0.0, 4.0], [1.0, 1.0], [0.0, 1.0]),
    (written, [0.0, 4.0], [1.0, 1.0], [8.0, 0.25]),
    (lambda x: x + x[:, None], [1.0, 2.0], [3.0, 4.0], [[6.0, 7.0], [7.0, 8.0]]),
    (lambda x: x[0].item() * x, [2.0, 3.0], [1.0, 0.0], [4.0, 3.0]),
    (lambda x: x / x[0].item(), [2.0, 3.0], [0.0, 1.0], [0.0, 0.5]),
    (lambda x: (x - x)[0].item() ** 0.5 + x, [2.0, 3.0], [0.0, 1.0], [0.0, 1.0]),
    (lambda x: np.cumprod(x), [0.0, 3.0], [1.0, 0.0], [1.0, 3.0]),
    (lambda x: np.abs(x + 1j * x), [3.0, 0.5], [0.0, 0.0], [0.0, 0.0]),
    (lambda x: np.real((x + 2j) * (x - 1j)), [3.0, 0.5], [1.0, 1.0], [6.0, 1.0]),
]


@pytest.mark.parametrize(("f", "x", "along", "expected"), ARRAYS)
def test_of_arrays(f, x, along, expected):
    assert tangent(f, (np.array(x),), (np.array(along),)) == expected


def test_each_node_has_a_masked_tangent():
    """Also a node that the result does not read, which a sweep for the result alone leaves as nan."""
    run = trace(lambda x: np.sqrt(x)[1:].sum(), np.array([0.0, 4.0]))

    assert [[0.0, 1.0], [0.0, 0.25], [0.25], 0.25] == [
        np.asarray(moved).tolist() for moved in run.tangents({0: np.array([0.0, 1.0])})
    ]


def test_the_tangent_of_a_float_is_a_float():
    """Numbers stay numbers, and a sum of zeros has no sign."""
    moved = trace(lambda x: -x * 2.0, 3.0).tangents({0: 0.0})

    assert moved == [0.0, 0.0, 0.0]
    assert {float} == set(map(type, moved))
    assert [math.copysign(1.0, each) for each in moved] == [1.0, 1.0, 1.0]
