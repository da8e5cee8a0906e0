"""The table of all rules by name, and the functions that formulas may call by these names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.lazy_tables import LazyTable


class TableRow(Frozen, eq=False):
    """A row of the table of rules.

    Args:
        name: the name of the operation.
    """

    name: str

    @abstractmethod
    def __call__(self, *arguments: Any, **static: Any) -> Any:
        """Apply the operation: plain values are computed, recorded values are recorded."""

    def function_in(self, functions: Functions) -> Callable[..., Any]:
        """The operation on the numbers of a target: the row itself."""
        return self


RULES: LazyTable[TableRow] = LazyTable("gradcli.mathematics.rules.special_functions")
"""The rules by name. Those of SciPy's functions are added when one is needed."""


class Functions(dict[str, Callable[..., Any]]):
    """The functions of one target by name: its own, and those defined by rows in terms of others, added on demand.

    Args:
        primitives: the target's own functions.
        number: converts a literal to a number of the target.
        constants: the values of constants such as pi among the target's numbers.
        form: the attribute of a rule that holds its function for the target, if SciPy computes it.
    """

    def __init__(
        self,
        primitives: Mapping[str, Callable[..., Any]] | None = None,
        number: Callable[[int | float], Any] | None = None,
        constants: Mapping[str, Any] = CONSTANTS,
        form: str = "",
    ) -> None:
        super().__init__(primitives or {})
        self.number = number
        self.constants = constants
        self.form = form

    def __missing__(self, name: str) -> Callable[..., Any]:
        return RULES[name].function_in(self)
