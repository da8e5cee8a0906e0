"""Functions that return their value and its derivative together, as SciPy's `jac=True` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.pytree import leaves
from gradcli.targets import Target


def parted(
    target: Target, against: Target | None, point: Mapping[str, Any], returned: Any, *, is_result: bool = False
) -> tuple[Target, Target] | None:
    """The function of the value alone, and the candidate, of a function that returns both; None of any other.

    Args:
        target: the function.
        against: a candidate of its own, which is judged in place of what comes with the value; None for that.
        point: the point.
        returned: what the function returns there.
        is_result: whether two numbers may be a result as well, as those of a function whose Jacobian is judged.
    """
    if not _is_pair(returned, point) or (is_result and np.ndim(returned[1]) == 0):
        return None
    function = target.function
    value = target.changed(function=lambda *inputs: function(*inputs)[0])
    if against is not None and (against.file, against.line, against.name) != (target.file, target.line, target.name):
        return value, against
    return value, target.changed(function=lambda *inputs: function(*inputs)[1])


def _is_pair(returned: Any, point: Mapping[str, Any]) -> bool:
    """Whether a result has as many numbers in its second part as the derivative of its first has."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        return False
    count, derivatives, inputs = (_count(part) for part in (*returned, list(point.values())))
    return derivatives == count * inputs


def _count(structure: Any) -> int:
    """How many numbers a structure has."""
    return sum(int(np.prod(getattr(leaf, "shape", ()), dtype=int)) for leaf in leaves(structure))
