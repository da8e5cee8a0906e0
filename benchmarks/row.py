"""A row of the benchmark: what is measured, and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType

from benchmarks.bounds import Bound, Budget
from benchmarks.neighbours import OURS
from benchmarks.timing import Call


@dataclass(frozen=True)
class Effort:
    """The effort for a measurement; `scale` shrinks programs and processes for a trial run."""

    adapters: Mapping[str, ModuleType]
    repeats: int = 9
    slice_s: float = 0.1
    scale: float = 1.0

    @property
    def processes(self) -> int:
        """The number of processes for a median, which varies more than that of calls."""
        return 3 * self.repeats

    def sized(self, number: int) -> int:
        """A size at this scale."""
        return max(2, round(number * self.scale))


@dataclass(frozen=True)
class Row:
    """A measurement; `measure` returns the amount of each contender, gradcli's under `ours`."""

    name: str
    work: str
    measure: Callable[[Effort], dict[str, float]]
    budget: Budget | None = None
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    ours: str = OURS
    why_not: Callable[[], str | None] = lambda: None  # the reason why it cannot be measured here


def merged(calls: list[dict[str, Call]]) -> dict[str, Call]:
    """The calls of all adapters, gradcli's first."""
    return {name: call for each in calls for name, call in each.items()}
