"""What must hold: a ratio to a neighbour, which holds on every machine, or a budget, which need not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Faster:
    """At least so many times as fast as a neighbour; 0 where the figure is only shown."""

    limit: float = 0.0

    def ratio(self, ours: float, theirs: float) -> float:
        """How many times as fast."""
        return theirs / ours

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether it is fast enough."""
        return self.ratio(ours, theirs) >= self.limit

    def shown(self, ours: float, theirs: float) -> str:
        """The ratio in words."""
        return f"{self.ratio(ours, theirs):.3g}x as fast"

    def __str__(self) -> str:
        return f"at least {self.limit:g}x" if self.limit else ""


@dataclass(frozen=True)
class AsLong:
    """At most so many times as long as a baseline."""

    limit: float

    def ratio(self, ours: float, theirs: float) -> float:
        """How many times as long."""
        return ours / theirs

    def holds(self, ours: float, theirs: float) -> bool:
        """Whether it is short enough."""
        return self.ratio(ours, theirs) <= self.limit

    def shown(self, ours: float, theirs: float) -> str:
        """The ratio in words."""
        return f"{self.ratio(ours, theirs):.3g}x as long"

    def __str__(self) -> str:
        return f"at most {self.limit:g}x"


@dataclass(frozen=True)
class Budget:
    """An amount that ours must stay under; `everywhere` where it does not depend on the machine, as bytes do not."""

    limit: float
    unit: str = "s"
    everywhere: bool = False

    def __str__(self) -> str:
        return f"under {amount(self.limit, self.unit)}"


Bound = Faster | AsLong


def amount(number: float, unit: str) -> str:
    """Seconds with a prefix that leaves one to three digits before the point, or bytes."""
    if unit != "s":
        return f"{number:.0f} {unit}"
    for factor, prefix in ((1.0, "s"), (1e3, "ms")):
        if number * factor >= 1.0:
            return f"{number * factor:.3g} {prefix}"
    return f"{number * 1e6:.3g} µs"
