"""The sweep of the tape against the exact derivatives of the same program."""

import math

import numpy as np
import pytest

from gradcli.shared.pytree import leaves
from tests.methods.numerics.programs import KNOWN, derivatives, recorded

pytestmark = pytest.mark.sampled(4)  # many like cases

GOOD = [case for case in KNOWN if case[0] != "cancellation"]


@pytest.mark.parametrize(("f", "at", "twin"), [case[1:] for case in GOOD], ids=[case[0] for case in GOOD])
def test_the_sweep_is_exact_but_for_rounding(f, at, twin):
    """Twelve digits of every component, where the program does not cancel."""
    tape, _, _ = recorded(f, at)
    sensitivities = tape.sensitivities()
    swept = [float(x) for row in leaves(tape.inputs) for x in np.ravel(sensitivities[row])]
    expected = [float(x) for x in derivatives(twin, at)]

    assert [True] * len(expected) == [
        math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300) for a, b in zip(expected, swept, strict=True)
    ]
