"""How a sensitivity of one shape is summed to another, by the shapes that were seen."""

from __future__ import annotations

from collections.abc import Sequence


def fit_of(shapes: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> str:
    """How to sum from each first shape to the second beside it.

    An axis that was 1 long in every run could be another's by accident: there the sum is left to the run.
    """
    if all(not part and whole for whole, part in shapes) and shapes:
        return "all"
    if all(whole == part for whole, part in shapes) and _varies([part for _, part in shapes]):
        return ""
    if all(whole[1:] == part and part for whole, part in shapes) and _varies([part for _, part in shapes]):
        return "first"
    return "to"


def _varies(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether every axis was longer than 1 at some time."""
    return all(any(length != 1 for length in axis) for axis in zip(*shapes, strict=True)) if shapes else True
