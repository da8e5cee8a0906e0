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
