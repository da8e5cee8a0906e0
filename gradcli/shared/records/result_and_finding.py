"""The parts of every record: structures of numbers, and findings.

A *structure* is a number or a nested list of numbers. *By name* means a dictionary from the name of an input to its
structure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal, get_args

from gradcli.errors import Exit, place
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.notebook_display import NotebookDisplay

Structure = Any
ByName = Mapping[str, Structure]

Kind = Literal["gradient", "jacobian", "hessian", "hvp"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of derivative that a check compares."""


class Finding(Frozen):
    """An observation about a run, under a stable code of the catalogue."""

    code: str
    severity: Literal["note", "warning", "error"]
    message: str
    file: str | None = None
    line: int | None = None
    node: int | None = None
    numbers: Mapping[str, float] = MappingProxyType({})

    @property
    def text(self) -> str:
        """The place, the message and the code."""
        where = f"{place(self.file, self.line)}: " if self.file and self.line else ""
        return f"{where}{self.message} [{self.code}]"


class Result(NotebookDisplay, Frozen):
    """The base class of results of commands.

    `command` is the name of the command in the JSON form. `mirrored` maps the name of each field that mirrors the
    structure of the point in JSON to the depth at which it does. `finite` names the fields that must be finite.
    """

    command: ClassVar[str]
    finite: ClassVar[tuple[str, ...]] = ()
    mirrored: ClassVar[Mapping[str, int]] = MappingProxyType({})

    @property
    def exit(self) -> Exit:
        """The exit code for the result."""
        return if_finite(*(getattr(self, name) for name in self.finite))


def if_finite(*structures: Structure) -> Exit:
    """The exit code of a result that contains these numbers."""
    return Exit.PASS if all(map(is_finite, structures)) else Exit.NOT_FINITE


def is_finite(structure: Structure) -> bool:
    """Whether every number in a structure is finite."""
    if isinstance(structure, Mapping):
        return all(map(is_finite, structure.values()))
    if isinstance(structure, (list, tuple)):
        return all(map(is_finite, structure))
    return not isinstance(structure, float) or math.isfinite(structure)
