"""Targets: a ratio to another library, which holds on every machine, or a budget, which may not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Faster:
    """At least a number of times as fast as another library; 0 if the figure is only shown."""

    limit: float = 0.0

    def ratio(self, ours: float, theirs: float) -> float:
        """The speed relative to the other library."""
        return theirs / ours

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether gradcli is fast enough."""
        return self.ratio(ours, theirs) >= self.limit

    def shown(self, ours: float, theirs: float) -> str:
        """The ratio as text."""
        return f"{self.ratio(ours, theirs):.3g}x as fast"

    def __str__(self) -> str:
        return f"at least {self.limit:g}x" if self.limit else ""


@dataclass(frozen=True)
class AsLong:
    """At most a number of times as long as a baseline."""

    limit: float

    def ratio(self, ours: float, theirs: float) -> float:
        """The time relative to the baseline."""
        return ours / theirs

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether the time is short enough."""
        return self.ratio(ours, theirs) <= self.limit

    def shown(self, ours: float, theirs: float) -> str:
        """The ratio as text."""
        return f"{self.ratio(ours, theirs):.3g}x as long"

    def __str__(self) -> str:
        return f"at most {self.limit:g}x"


@dataclass(frozen=True)
class Budget:
    """A limit on gradcli's own amount; `everywhere` if it does not depend on the machine, as for bytes."""

    limit: float
    unit: str = "s"
    everywhere: bool = False

    def __str__(self) -> str:
        return f"under {amount(self.limit, self.unit)}"


Bound = Faster | AsLong


def amount(number: float, unit: str) -> str:
    """Seconds with an SI prefix, or bytes."""
    if unit != "s":
        return f"{number:.0f} {unit}"
    for factor, prefix in ((1.0, "s"), (1e3, "ms")):
        if number * factor >= 1.0:
            return f"{number * factor:.3g} {prefix}"
    return f"{number * 1e6:.3g} µs"
