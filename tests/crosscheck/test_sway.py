"""How far a derivative moves with the last digits of what it is computed from."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from examples import rosenbrock
from gradcli.crosscheck.case import opened
from gradcli.crosscheck.sway import sway
from gradcli.targets.functions import function_target
from tests.corpus.scales import exp_series


def sway_of(f, x):
    """That of every part."""
    return sway(opened(function_target("f", "f", f), {"x": x}, ["x"], lambda doing: nullcontext()))


@pytest.mark.parametrize(
    ("f", "x", "least", "most"),
    [
        (lambda x: 3 * x, 2.0, 0.0, 0.0),
        (lambda x: 0.1 * x, 2.0, 1e-16, 1e-15),
        (lambda x: x * x, 2.0, 1e-15, 1e-13),
        (exp_series, -30.0, 0.0, 1e-24),
        (rosenbrock.rosen, np.full(3, 1 + 1e-15), 1e-14, 1e-10),
    ],
    ids=["short constants", "a rounded constant", "a square", "a series of huge terms", "a valley's floor"],
)
def test_the_sway(f, x, least, most):
    """Of a right order of magnitude."""
    assert all(least <= found <= most for found in sway_of(f, x))
