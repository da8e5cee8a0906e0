"""The catalogue of findings: every entry by its code, in order."""

from __future__ import annotations

from gradcli.findings import (
    devices,
    execution,
    finite_differences,
    inputs_writes_and_state,
    nonfinite,
    nonsmooth,
    number_types,
    precision,
    symbolic,
)
from gradcli.findings.entry import Entry

FAMILIES = (
    nonfinite,
    nonsmooth,
    finite_differences,
    inputs_writes_and_state,
    number_types,
    precision,
    devices,
    symbolic,
    execution,
)

CATALOGUE: dict[str, Entry] = {entry.code: entry for family in FAMILIES for entry in family.ENTRIES}
