"""NumPy's set functions. Which elements are equal is an outcome; the first of each is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.numpy.indexing import take
from gradcli.mathematics.rules.numpy.sorting import plain_outcome


def _of_unique(x: Any, number: int, axis: int | None, equal_nan: bool) -> Any:
    return np.unique(x, True, True, True, axis, equal_nan=equal_nan)[number]


@serves("unique")
def unique(  # noqa: PLR0913 - NumPy's signature
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """`numpy.unique`."""
    ar = numeric(ar)

    def part(number: int) -> Any:
        """The indices of first occurrence, the inverse or the counts."""
        return plain_outcome("unique", call_of(_of_unique, number, axis, equal_nan), ar)

    asked = enumerate((return_index, return_inverse, return_counts), 1)
    results = take(ar, part(1), axis), *(part(number) for number, wanted in asked if wanted)
    return results if len(results) > 1 else results[0]


def _found(name: str, function: Callable[..., Any], *sets: Any) -> Any:
    """The elements that a set function finds among some sets, each read at its first occurrence."""
    flat = [np.ravel(numeric(x)) for x in sets]

    return take(np.concatenate(flat), plain_outcome(name, call_of(_places, function), *flat))


def _places(*given: Any) -> Any:
    *sets, function = given
    pool = np.concatenate(sets)
    order = np.argsort(pool, kind="stable")
    return order[np.searchsorted(pool[order], function(*sets))]


@serves("setdiff1d")
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """`numpy.setdiff1d`; for a plain `ar1`, the result is plain."""
    if not hasattr(ar1, "apply_rule"):
        return plain_outcome("setdiff1d", call_of(np.setdiff1d, assume_unique), ar1, ar2)
    difference = _found("setdiff1d", call_of(np.setdiff1d, assume_unique), ar1, ar2)
    return difference.astype(numeric(ar1).dtype)
