"""The results of a row, as text and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.bounds import Bound, Budget, Faster, amount
from benchmarks.row import Row


@dataclass(frozen=True)
class Entry:
    """The amount of one contender; `ok` is None without a target, and `counts` if a miss fails `--check`."""

    who: str
    number: float
    unit: str
    ratio: float | None
    shown: str
    bound: str
    ok: bool | None
    counts: bool


@dataclass(frozen=True)
class Result:
    """A row and the amounts of its contenders, gradcli first."""

    name: str
    work: str
    entries: tuple[Entry, ...]

    @property
    def missed(self) -> bool:
        """Whether a machine-independent target was missed."""
        return any(entry.counts and entry.ok is False for entry in self.entries)

    def as_json(self) -> dict[str, Any]:
        """The result as JSON data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The title, and a line per contender."""
        return [f"{self.name}: {self.work}", *(line(entry) for entry in self.entries), ""]


def judged(row: Row, amounts: Mapping[str, float]) -> Result:
    """The amounts of a row, compared with the targets."""
    own = amounts[row.ours]
    others = [against(who, own, number, row.bounds.get(who)) for who, number in amounts.items() if who != row.ours]
    return Result(row.name, row.work, (alone(row.ours, own, row.budget), *others))


def alone(who: str, number: float, budget: Budget | None) -> Entry:
    """The amount of gradcli alone, with its budget if there is one."""
    if budget is None:
        return Entry(who, number, "s", None, "", "", None, counts=False)
    return Entry(who, number, budget.unit, None, "", str(budget), number < budget.limit, budget.everywhere)


def against(who: str, own: float, number: float, bound: Bound | None) -> Entry:
    """The seconds of another contender, compared with gradcli's."""
    scale = bound or Faster()
    ratio, shown = scale.ratio(own, number), scale.shown(own, number)
    ok = scale.holds(own, number) if bound else None
    return Entry(who, number, "s", ratio, shown, str(scale), ok, counts=bound is not None)


def line(entry: Entry) -> str:
    """The name, the amount, the ratio, the target, and whether it is met."""
    verdict = {None: "", True: "ok", False: "MISSED"}[entry.ok]
    number = amount(entry.number, entry.unit)
    return f"    {entry.who:26}{number:>10}  {entry.shown:>16}  {entry.bound:14}  {verdict}".rstrip()
