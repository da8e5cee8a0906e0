"""The catalogue of findings: every entry by its code, in order."""

from __future__ import annotations

from gradcli.shared.findings import (
    devices,
    execution,
    finite_differences,
    nonfinite,
    nonsmooth,
    number_types,
    precision,
    recording,
    symbolic,
)
from gradcli.shared.findings.entry import Entry

FAMILIES = (
    nonfinite,
    nonsmooth,
    finite_differences,
    recording,
    number_types,
    precision,
    devices,
    symbolic,
    execution,
)

CATALOGUE: dict[str, Entry] = {entry.code: entry for family in FAMILIES for entry in family.ENTRIES}
