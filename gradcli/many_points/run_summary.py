"""Summaries of rows: counted as chunks are finished, and quantiles from the file of rows at the end."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.errors import UsageError
from gradcli.many_points.row_evaluation import OK, ChunkRows
from gradcli.many_points.row_files import read_columns
from gradcli.shared.records.plots import Plot, Series
from gradcli.shared.records.point_runs import EXITS, QUANTILES, ColumnSummary, PointRun, WorstPoint

WORST = 5
SAMPLED = 50_000  # rows
DRAWN = 2_000  # points of a plot
BINS = 16  # at most
_VERDICTS = [*EXITS]  # worst first

Tally = Mapping[str, Any]
"""What is counted of rows, as JSON: the number of rows with each of the `verdicts`; the `least` and the `greatest`
finite number of each column, infinite where there are none; and the rank of the verdict, negative size, index and codes
of the `worst` rows."""


def tally(rows: ChunkRows, names: Sequence[str]) -> Tally:
    """What is counted of the rows of a chunk."""
    finite, sizes = np.isfinite(rows.numbers), _sizes(rows.numbers, names)
    ranks = np.full(len(sizes), _VERDICTS.index(OK))
    for place, remark in rows.remarks.items():
        ranks[place] = _VERDICTS.index(remark.verdict)
    counts = np.bincount(ranks, minlength=len(_VERDICTS)).tolist()
    return {
        "verdicts": {verdict: count for verdict, count in zip(_VERDICTS, counts, strict=True) if count},
        "least": np.where(finite, rows.numbers, np.inf).min(axis=0).tolist(),
        "greatest": np.where(finite, rows.numbers, -np.inf).max(axis=0).tolist(),
        "worst": [
            [int(ranks[n]), -float(sizes[n]), rows.first + n, [*rows.remarks[n].codes] if n in rows.remarks else []]
            for n in np.lexsort((-sizes, ranks))[:WORST].tolist()
        ],
    }


def _sizes(numbers: Any, names: Sequence[str]) -> Any:
    """The largest derivative of each row, or the largest error of a check; -1 where there is none."""
    kinds = np.array([name.split(".")[0] for name in names])
    candidate, reference = (numbers[:, kinds == kind] for kind in ("candidate", "reference"))
    with np.errstate(invalid="ignore"):
        parts = candidate - reference if candidate.size else numbers[:, 1:]
        return np.fmax.reduce(np.abs(parts), axis=1, initial=-1.0)


def summary(target: str, asked: str, out: str, names: Sequence[str], tallies: Sequence[Tally]) -> PointRun:
    """The summary of a complete file of rows."""
    verdicts = sum((Counter(tally["verdicts"]) for tally in tallies), Counter[str]())
    counts = {verdict: verdicts[verdict] for verdict in _VERDICTS if verdict in verdicts}
    least, greatest = (np.array([tally[end] for tally in tallies]) for end in ("least", "greatest"))
    rows = heapq.nsmallest(WORST, (row for tally in tallies for row in tally["worst"]))
    worst = tuple(
        WorstPoint(index, _VERDICTS[rank], tuple(codes), None if size > 0 else -size)
        for rank, size, index, codes in rows
    )
    columns = read_columns(out, names, step=-(-verdicts.total() // SAMPLED))
    finite = {name: column[np.isfinite(column)] for name, column in columns.items()}
    quantiles = tuple(
        ColumnSummary(name, low, tuple(np.quantile(finite[name], QUANTILES).tolist()), high)
        if len(finite[name])
        else ColumnSummary(name, None, (), None)
        for name, low, high in zip(names, least.min(axis=0).tolist(), greatest.max(axis=0).tolist(), strict=True)
    )
    sampled, histogram = len(columns[names[0]]), _histogram(finite[names[0]])
    return PointRun(asked, target, out, verdicts.total(), counts, quantiles, sampled, worst, histogram)


def _histogram(numbers: Any) -> tuple[tuple[float, float, int], ...]:
    if not len(numbers):
        return ()
    counts, edges = np.histogram(numbers, min(BINS, int(len(numbers) ** 0.5)))
    return tuple(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True))


def plot_columns(file: str, columns: str) -> Plot:
    """A plot of a column of a file of rows against another, `X,Y`; of many rows, some evenly spaced ones.

    Raises:
        UsageError: the file cannot be read, or has no such columns.
    """
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        raise UsageError(f"--columns {columns} names no two columns.", hint="Type --columns value,gradient.x")
    if not {"verdict", "findings"}.isdisjoint(names):
        raise UsageError("A column of texts cannot be drawn.", hint="Name columns of numbers.")
    x, y = read_columns(file, names).values()
    step = -(-max(len(x), 1) // DRAWN)
    points = Series(names[1], tuple(map(float, x[::step])), tuple(map(float, y[::step])))
    return Plot(file, {}, names[0], (points,), None, scattered=True)
