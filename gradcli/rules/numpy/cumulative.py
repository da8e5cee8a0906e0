"""NumPy's cumulative functions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.rules.cumulative import CUMPROD, CUMSUM
from gradcli.rules.function_registry import numeric, serves


def _cumulated(rule: Any, a: Any, axis: Any, dtype: Any) -> Any:
    a = np.ravel(numeric(a, dtype)) if axis is None or np.ndim(a) == 0 else numeric(a, dtype)
    return rule(a, axis=0 if axis is None else operator.index(axis))


@serves("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumsum`."""
    return _cumulated(CUMSUM, a, axis, dtype)


@serves("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumprod`."""
    return _cumulated(CUMPROD, a, axis, dtype)
