"""The summary of a run at many points."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.checks import OUTCOME_EXITS
from gradcli.shared.records.result_and_finding import Finding, Result

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
EXITS: dict[str, Exit] = {**OUTCOME_EXITS, "ok": Exit.PASS}
"""The exit code of each verdict on a point, worst first."""


class ColumnSummary(Frozen):
    """The finite numbers of a column: least, quantiles, greatest; None if there are none."""

    name: str
    least: float | None
    quantiles: tuple[float, ...]
    greatest: float | None


class WorstPoint(Frozen):
    """A point with the worst verdict, or the largest derivative; `size` is None where there is none."""

    index: int
    verdict: str
    findings: tuple[str, ...]
    size: float | None


class PointRun(Result):
    """The result of a run at many points.

    Args:
        asked: the command: `grad`, `jacobian`, `hessian` or `check`.
        target: the target.
        out: the file of rows.
        count: the number of points.
        verdicts: the number of points with each verdict, worst first.
        quantiles: a summary of each column; the quantiles are those of `sampled` rows, evenly spaced in the file.
        worst: the worst points; of equal verdicts, those with the largest derivative or error.
        histogram: for equal intervals of the first column of the sampled rows, their ends and the numbers of rows.
    """

    command = "points"

    asked: str
    target: str
    out: str
    count: int
    verdicts: Mapping[str, int]
    quantiles: tuple[ColumnSummary, ...]
    sampled: int
    worst: tuple[WorstPoint, ...]
    histogram: tuple[tuple[float, float, int], ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """The exit code of the worst verdict."""
        return next((code for verdict, code in EXITS.items() if self.verdicts.get(verdict)), Exit.PASS)
