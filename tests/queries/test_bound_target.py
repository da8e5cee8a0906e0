"""Where the user's code runs: its exceptions, and the memory that they hold."""

import math
import weakref

import numpy as np
import pytest

from gradcli.errors import UserCodeError
from gradcli.queries.bound_target import user_code

HELD = []


def exhausting():
    array = np.ones(3)
    HELD[:] = [weakref.ref(array)]
    raise MemoryError


def test_what_a_function_held_when_memory_ran_out_is_freed():
    """The error is told with the memory that is freed."""
    with pytest.raises(UserCodeError, match="MemoryError in f") as caught, user_code("in f"):
        exhausting()

    assert HELD[0]() is None
    assert caught.value.frames[-1][2] == "exhausting"


def test_a_result_beyond_float64_has_advice():
    """An overflow of `math` names the limit and what has none."""
    with pytest.raises(UserCodeError, match="math range error") as caught, user_code("in f"):
        math.exp(800)

    assert "numpy.exp gives inf" in caught.value.hint
