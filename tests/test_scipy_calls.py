"""A sample of SciPy's functions: `python -m tests.scipy_calls` calls 300 of them."""

import os

import numpy as np
import pytest

from tests import scipy_calls


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each function is called in a fork")
def test_no_function_crashes_on_recorded_arguments() -> None:
    assert scipy_calls.crashed(3) == []


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each function is called in a fork")
def test_a_crash_is_noticed() -> None:
    scipy_calls.call(np.hypot)

    assert scipy_calls.ended(lambda x: os.abort()) == 6
