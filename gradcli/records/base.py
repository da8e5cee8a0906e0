"""What every record is made of: structures of numbers, and findings.

A *structure* is a number or a nested list of numbers; `by name` means a dictionary from the name of an input to its
structure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from gradcli.errors import Exit
from gradcli.record_base import Frozen

Structure = Any
ByName = Mapping[str, Structure]


class Finding(Frozen):
    """Something worth knowing, under a stable code of the catalogue."""

    code: str
    severity: Literal["note", "warning", "error"]
    message: str
    file: str | None = None
    line: int | None = None
    node: int | None = None
    numbers: Mapping[str, float] = MappingProxyType({})


class Result(Frozen):
    """The answer of a command, which is named in its JSON form; `mirrored` are the fields that have there, at so many
    depths, the structure of the point.
    """

    command: ClassVar[str]
    mirrored: ClassVar[Mapping[str, int]] = MappingProxyType({})

    @property
    def exit(self) -> Exit:
        """The exit code that the answer stands for."""
        return Exit.PASS


def if_finite(*structures: Structure) -> Exit:
    """The exit code of an answer that holds these numbers."""
    return Exit.PASS if all(map(is_finite, structures)) else Exit.NOT_FINITE


def is_finite(structure: Structure) -> bool:
    """Whether every number in a structure is finite."""
    if isinstance(structure, Mapping):
        return all(map(is_finite, structure.values()))
    if isinstance(structure, (list, tuple)):
        return all(map(is_finite, structure))
    return not isinstance(structure, float) or math.isfinite(structure)
