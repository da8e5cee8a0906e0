"""Births on the way forward and in the reverse sweep, each by itself."""

import numpy as np
import pytest

from gradcli.methods.diagnose.nonfinite_backward import first_nonfinite_findings
from gradcli.methods.transforms.gradients import trace


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x * x, 1.0, []),
        (lambda x: np.log(x) * 2, -1.0, ["G101"]),
        (lambda x: np.sqrt(x) ** 2, 0.0, ["G102"]),
        (lambda x: 1 / (1 + np.exp(x)), 1000.0, ["G108", "G102"]),
        (lambda z: np.real(np.sqrt(z)), 0j, ["G104"]),
        (lambda z: np.real(np.log(z)), np.array(0j), ["G106"]),
        (lambda z: np.real(1 / np.reciprocal(z)), np.zeros(2, complex)[0], ["G101"]),
        (lambda z: np.real(np.exp(z)), 1000 + 1j, ["G108"]),
        (lambda z: np.real(z**z), 0j, ["G104"]),
    ],
    ids=[
        "none",
        "forward only",
        "backward only",
        "an infinity inside",
        "a complex root",
        "a complex logarithm",
        "a complex quotient",
        "a complex exponential",
        "a complex power",
    ],
)
def test_births(f, at, expected):
    """The way back is to blame only where the result is finite."""
    with np.errstate(all="ignore"):
        assert [found.code for found in first_nonfinite_findings(trace(f, at))] == expected
