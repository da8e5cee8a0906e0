"""The location of a result in the repository: the derivative's definition, or the place that declares the case."""

from __future__ import annotations

from gradcli.shared.records.verification import CaseResult, CodeLocation
from gradcli.verification.reports import relative


def located(result: CaseResult, root: str) -> tuple[str, CodeLocation]:
    """The path below the root and the lines of the first known location below the root."""
    asked = CodeLocation(result.case.file, result.case.line or 1, result.case.line or 1) if result.case.file else None
    for place in (result.derivative, result.function, asked):
        if place is not None and (path := relative(place.file, root)) is not None:
            return path, place
    known = result.place or asked or CodeLocation(result.case.folder, 1, 1)
    return (known.file if result.place else "pyproject.toml").replace("\\", "/"), known
