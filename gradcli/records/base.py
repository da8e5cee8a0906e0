"""What every record is made of: structures of numbers, and findings.

A *structure* is a number or a nested list of numbers; `by name` means a dictionary from the name of an input to its
structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from gradcli.frozen import Frozen

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
