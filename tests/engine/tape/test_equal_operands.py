"""Outcomes that asked about equal numbers."""

import numpy as np
import pytest

import gradcli
from gradcli.engine.tape.equal_operands import ordered_ties


@pytest.mark.parametrize(("numbers", "expected"), [
    ([1.0, 3.0, 2.0], False), ([1.0, 2.0, 1.0], True), ([np.nan, 2.0, np.nan], False), ([np.inf, 2.0, np.inf], False),
    ([np.nan, 2.0, 2.0], True),
])  # fmt: skip
def test_equal_numbers_in_order(numbers, expected):
    """Missing numbers and infinities are not equal: no order beside them is another one."""
    trace = gradcli.trace(lambda x: np.sum(x[np.argsort(x)][:1]), np.array(numbers))

    assert ordered_ties(trace.tape) is expected
