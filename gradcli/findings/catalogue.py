"""The catalogue: every entry by its code, in the order of the codes."""

from __future__ import annotations

from gradcli.findings import differences, nonfinite, nonsmooth, precision, running, structure, symbolic
from gradcli.findings.entry import Entry

FAMILIES = (nonfinite, nonsmooth, differences, structure, precision, symbolic, running)

CATALOGUE: dict[str, Entry] = {entry.code: entry for family in FAMILIES for entry in family.ENTRIES}
