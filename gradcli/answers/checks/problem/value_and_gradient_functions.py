"""Functions that return their value and its derivative together, as for SciPy's `jac=True`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.answers.targets import Target
from gradcli.shared.pytree import leaves


def split_value_and_gradient(
    target: Target, against: Target | None, point: Mapping[str, Any], returned: Any, *, is_result: bool = False
) -> tuple[Target, Target] | None:
    """Split a function that returns its value and derivative into two; None for any other function.

    Args:
        target: the function.
        against: another candidate, which replaces the returned derivative; None for the returned one.
        point: the point.
        returned: the result of the function at the point.
        is_result: whether a pair of numbers may itself be the result, as for a function whose Jacobian is checked.
    """
    if not _is_pair(returned, point) or (is_result and np.ndim(returned[1]) == 0):
        return None
    function = target.function
    value = target.changed(function=lambda *inputs: function(*inputs)[0])
    if against is not None and (against.file, against.line, against.name) != (target.file, target.line, target.name):
        return value, against
    return value, target.changed(function=lambda *inputs: function(*inputs)[1])


def _is_pair(returned: Any, point: Mapping[str, Any]) -> bool:
    """Whether the second item of a pair has as many numbers as the derivative of the first."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        return False
    count, derivatives, inputs = (sum(map(np.size, leaves(part))) for part in (*returned, list(point.values())))
    return derivatives == count * inputs
