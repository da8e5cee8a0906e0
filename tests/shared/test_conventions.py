"""Every row of the table of conventions is what its program gives, at numbers and at arrays."""

import warnings

import numpy as np
import pytest

from gradcli import FindingWarning, grad
from gradcli.mathematics.rules import RULES
from gradcli.shared.conventions import KINKS, OTHERS
from gradcli.terminal.render.topics import codes

pytestmark = pytest.mark.sampled(4)  # many like cases

ROWS = (*KINKS, *OTHERS)


def function(row):
    names = "x, y"[: 3 * len(row.point) - 2]
    return eval(f"lambda {names}: {row.program}", {"np": np, "relu": RULES["relu"]})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_rows(row):
    point = [np.array(x) if isinstance(x, list) else x for x in row.point]
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        gradient = grad(function(row), tuple(range(len(point))))(*point)

    for claimed, found in zip(row.gradient, gradient, strict=True):
        np.testing.assert_allclose(found, claimed, rtol=1e-15)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_rows_at_arrays(row):
    if "max(x, y)" == row.program or not isinstance(row.point[0], float):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gradient = grad(function(row), tuple(range(len(row.point))))(*map(np.float64, row.point))

    assert [np.float64] * len(row.point) == list(map(type, gradient))
    np.testing.assert_array_equal(gradient, row.gradient)


def test_the_words():
    """One number for all where they are the same, and the finding that says so."""
    shown = {row.title: row.ours for row in ROWS}

    assert shown["clip(x, 0, 1), x = 0 or 1"] == "0.5"
    assert shown["prod of [0, 2, 3]"] == "6, 0, 0"
    assert shown["where(x < 1, x, sqrt(x)), x = 0"] == "1 (G103)"
    assert shown["real(z**2), z = 1 + 2j"] == "2-4j"
    assert {row.finding for row in ROWS if row.finding} <= set(codes())
