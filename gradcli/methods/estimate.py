"""What a method says of a gradient: numbers with error bounds, or why it withdrew."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """One number and one absolute error bound for each component; None where the method says nothing.

    Attributes:
        values: the derivatives, in the units of the result by those of the component.
        errors: bounds of their errors, in the same units.
        withdrawn: why the method says nothing at all, or None.
        notes: what a reader has to know about how the numbers came about.
        exact: the derivatives as text with 20 digits, where the method has them.
        slopes: the one-sided derivatives (left, right), where the method has them.
    """

    values: tuple[float | None, ...]
    errors: tuple[float | None, ...] = ()
    withdrawn: str | None = None
    notes: tuple[str, ...] = ()
    exact: tuple[str | None, ...] = ()
    slopes: tuple[tuple[float, float] | None, ...] = field(default=())


def withdrawn(count: int, reason: str) -> Estimate:
    """The estimate of a method that is not valid here."""
    return Estimate((None,) * count, (None,) * count, withdrawn=reason)
