"""One run of an observed function, in which conditions may be forced, and what it has done so far."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gradcli.answers.derivation.reading.value_kind import KnownLists, Shapes


class ForcedRun(NamedTuple):
    """One run of an observed function, in which conditions may be forced.

    Attributes:
        arguments: its arguments.
        once: the outcomes that are forced on conditions, by number, when they are first reached.
        throughout: those that are forced whenever they are reached.
    """

    arguments: list[Any]
    once: Mapping[int, bool] = MappingProxyType({})
    throughout: Mapping[int, bool] = MappingProxyType({})

    @property
    def is_forced(self) -> bool:
        """Whether conditions are forced."""
        return bool(self.once or self.throughout)


class RunProgress:
    """What a run has done so far.

    Attributes:
        values, items: the numbers of values and of items of lists that it has read.
        lists: the lists whose kinds are known; they are those of this run alone.
        shapes: the shapes of values and of their operands, by the number of the node.
        examples: by the number of a node, the calls that are kept of it, and how many there were before.
        unforced: the outcomes still to be forced once.
    """

    def __init__(self, run: ForcedRun) -> None:
        self.run = run
        self.values = self.items = 0
        self.lists: KnownLists = {}
        self.shapes: dict[int, set[Shapes]] = {}
        self.examples: dict[int, tuple[dict[Any, Any], int]] = {}
        self.unforced = dict(run.once)

    def forget_examples(self) -> None:
        """Forget the calls that this run has kept."""
        for kept, count in self.examples.values():
            while len(kept) > count:
                kept.popitem()
