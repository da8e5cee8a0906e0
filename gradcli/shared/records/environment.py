"""The environment in which gradcli runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from gradcli.shared.records.result_and_finding import Finding, Result


class Environment(Result):
    """The result of `gradcli env`: library versions (None if not installed), devices, terminal capabilities, files."""

    command = "env"

    python: str
    executable: str
    system: str
    versions: Mapping[str, str | None]
    devices: tuple[str, ...]
    terminal: Mapping[str, Any] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()
