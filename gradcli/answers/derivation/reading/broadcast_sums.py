"""The sums that reduce a sensitivity of one shape to another, determined from the observed shapes."""

from __future__ import annotations

from collections.abc import Sequence


def fit_of(shapes: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], *, is_alone: bool = False) -> str:
    """The sum that reduces each first shape to the second.

    An axis of length 1 in every run could be so by accident; the sum is then determined at run time. Nothing broadcasts
    an array that is alone among numbers.
    """
    if all(not part and whole for whole, part in shapes) and shapes:
        return "all"
    if all(whole == part for whole, part in shapes) and (is_alone or _varies([part for _, part in shapes])):
        return ""
    if all(whole[1:] == part and part for whole, part in shapes) and _varies([part for _, part in shapes]):
        return "first"
    return "to"


def fit_of_run(whole: tuple[int, ...], part: tuple[int, ...]) -> str:
    """The same for the shapes of the one run that a program holds for."""
    return "" if whole == part else "to" if part else "all"


def _varies(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether every axis was longer than 1 in some run."""
    return all(any(length != 1 for length in axis) for axis in zip(*shapes, strict=True)) if shapes else True
