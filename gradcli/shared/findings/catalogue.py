"""The catalogue of findings: every entry by its code, in order."""

from __future__ import annotations

from gradcli.shared.findings import execution, finite_differences, nonfinite, nonsmooth, precision, recording
from gradcli.shared.findings.entry import Entry

FAMILIES = (nonfinite, nonsmooth, finite_differences, recording, precision, execution)

CATALOGUE: dict[str, Entry] = {entry.code: entry for family in FAMILIES for entry in family.ENTRIES}
