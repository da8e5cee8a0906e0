"""The catalogue of findings: every entry by its code, in order."""

from __future__ import annotations

from gradcli.findings import (
    closed_forms,
    execution,
    finite_differences,
    nonfinite,
    nonsmooth,
    precision,
    program_structure,
)
from gradcli.findings.entry import Entry

FAMILIES = (nonfinite, nonsmooth, finite_differences, program_structure, precision, closed_forms, execution)

CATALOGUE: dict[str, Entry] = {entry.code: entry for family in FAMILIES for entry in family.ENTRIES}
