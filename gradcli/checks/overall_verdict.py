"""The overall verdict of a check."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradcli.records import Component, Overall, Structure, Verdict, is_finite

DOUBTFUL = frozenset({Verdict.JUMP, Verdict.ROUNDOFF, Verdict.DISPUTED, Verdict.NOISY, Verdict.VACUOUS})
STRICTLY_DOUBTFUL = DOUBTFUL | {Verdict.KINK, Verdict.CUT}


def overall_verdict(rows: Sequence[Component], value: Structure, strict: bool) -> Overall:
    """The overall verdict: the first that applies of fail, nonfinite, unchecked, inconclusive and pass."""
    verdicts = {row.verdict for row in rows}
    if Verdict.FAIL in verdicts or (is_finite(value) and any(map(_only_candidate_not_finite, rows))):
        return "fail"
    if Verdict.NONFINITE in verdicts:
        return "nonfinite"
    if not verdicts - {Verdict.SKIPPED}:
        return "unchecked"
    return "inconclusive" if verdicts & (STRICTLY_DOUBTFUL if strict else DOUBTFUL) else "pass"


def _only_candidate_not_finite(row: Component) -> bool:
    finite = row.reference is not None and math.isfinite(row.reference)
    return row.verdict is Verdict.NONFINITE and finite and not math.isfinite(row.candidate or 0.0)
