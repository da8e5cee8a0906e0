"""The values of the names that the texts of an explanation use."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import record_value
from gradcli.shared.records.result_and_finding import Structure


class NamedValues(Mapping[str, Structure]):
    """The value of every name in the texts of some records.

    A name is known once a text with it is written. To find all names, or one that is not known, the texts of all
    records are written.
    """

    def __init__(self, explanation: ReverseExplanation, records: Sequence[Frozen]) -> None:
        self._explanation, self._records = explanation, records
        self._written = ChainMap[str, Any](explanation.writer.constants, explanation.operands)

    def __getitem__(self, name: str) -> Structure:
        return record_value((self._written if name in self._written else self._all(name))[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self, name: str = "%") -> Mapping[str, Any]:
        """The values of all names, unless it is clear that `name`, such as that of a function, is none of them."""
        trace, writer = self._explanation.trace, self._explanation.writer
        if not name.isidentifier() or name in writer.taken or name in trace.numbers:
            for record in self._records:
                for part in (record, *getattr(record, "additions", ())):
                    part.items()  # reads its texts
            self._records = ()
        return self._written
