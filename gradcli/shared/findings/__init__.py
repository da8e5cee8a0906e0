"""Findings: observations about a run, each under a stable code of the catalogue that `gradcli help` explains."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.shared.records.result_and_finding import Finding


def finding(
    code: str,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    node: int | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Finding:
    """A finding with a code of the catalogue and the severity of its entry."""
    from gradcli.shared.findings.catalogue import CATALOGUE

    return Finding(code, CATALOGUE[code].severity, message, file, line, node, dict(numbers or {}))


def finding_at(code: str, message: str, place: tuple[str, int] | None) -> Finding:
    """A finding that quotes a line of the user, if there is one."""
    from linecache import getline

    file, line = place or (None, None)
    source = getline(file, line).strip() if file and line else ""
    return finding(code, f"{message}; `{source}`" if source else message, file=file, line=line)
