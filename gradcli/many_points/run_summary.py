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
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.plots import Plot, Series
from gradcli.shared.records.point_runs import EXITS, QUANTILES, ColumnSummary, PointRun, WorstPoint

WORST = 5
SAMPLED = 50_000  # rows
DRAWN = 2_000  # points of a plot
BINS = 16  # at most
_RANK = {verdict: rank for rank, verdict in enumerate(EXITS)}


class Tally(Frozen):
    """What is counted of rows.

    Args:
        verdicts: the number of rows with each verdict.
        least, greatest: those of the finite numbers of each column; infinite where there are none.
        worst: rank, negative size, index, verdict and codes of the worst rows.
    """

    verdicts: Mapping[str, int] = {}
    least: Sequence[float] = ()
    greatest: Sequence[float] = ()
    worst: Sequence[Sequence[Any]] = ()

    def __add__(self, other: Tally) -> Tally:
        if not self.verdicts:
            return other
        return Tally(
            dict(Counter(self.verdicts) + Counter(other.verdicts)),
            [*map(min, self.least, other.least)],
            [*map(max, self.greatest, other.greatest)],
            heapq.nsmallest(WORST, [*self.worst, *other.worst], key=lambda row: tuple(row[:3])),
        )


def tally(rows: ChunkRows, names: Sequence[str]) -> Tally:
    """What is counted of the rows of a chunk."""
    numbers = rows.numbers
    finite = np.isfinite(numbers)
    sizes, ranks = _sizes(numbers, names), np.full(len(numbers), _RANK[OK])
    verdicts = Counter({OK: len(numbers) - len(rows.remarks)})
    for place, remark in rows.remarks.items():
        ranks[place] = _RANK[remark.verdict]
        verdicts[remark.verdict] += 1
    worst = [
        [int(ranks[n]), -float(sizes[n]), rows.first + int(n), *map(_plain, rows.verdict(n))]
        for n in np.lexsort((-sizes, ranks))[:WORST].tolist()
    ]
    return Tally(
        dict(+verdicts),
        np.where(finite, numbers, np.inf).min(axis=0).tolist(),
        np.where(finite, numbers, -np.inf).max(axis=0).tolist(),
        worst,
    )


def _plain(part: str | Sequence[str]) -> str | list[str]:
    return part if isinstance(part, str) else [*part]


def _sizes(numbers: Any, names: Sequence[str]) -> Any:
    """The largest derivative of each row, or the largest error of a check; -1 where there is none."""
    of = {
        kind: numbers[:, [n for n, name in enumerate(names) if name.startswith(f"{kind}.")]]
        for kind in ("candidate", "reference")
    }
    with np.errstate(invalid="ignore"):
        parts = of["candidate"] - of["reference"] if of["candidate"].size else numbers[:, 1:]
        return np.fmax.reduce(np.abs(parts), axis=1, initial=-1.0)


def summary(target: str, asked: str, out: str, names: Sequence[str], counted: Tally) -> PointRun:
    """The summary of a complete file of rows."""
    count = sum(counted.verdicts.values())
    blocks = [*read_columns(out, names, step=-(-count // SAMPLED))]
    columns = {name: np.concatenate([block[name] for block in blocks]) for name in names}
    finite = {name: column[np.isfinite(column)] for name, column in columns.items()}
    quantiles = tuple(
        ColumnSummary(name, least, tuple(np.quantile(finite[name], QUANTILES).tolist()), greatest)
        if len(finite[name])
        else ColumnSummary(name, None, (), None)
        for name, least, greatest in zip(names, counted.least, counted.greatest, strict=True)
    )
    return PointRun(
        asked,
        target,
        out,
        count,
        {verdict: counted.verdicts[verdict] for verdict in EXITS if verdict in counted.verdicts},
        quantiles,
        len(columns[names[0]]),
        tuple(
            WorstPoint(index, verdict, tuple(codes), None if size > 0 else -size)
            for _, size, index, verdict, codes in counted.worst
        ),
        _histogram(finite[names[0]]),
    )


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
    blocks = [*read_columns(file, names)]
    x, y = (np.concatenate([block[name] for block in blocks]) if blocks else np.empty(0) for name in names)
    if x.dtype.kind not in "if" or y.dtype.kind not in "if":
        raise UsageError("A column of texts cannot be drawn.", hint="Name columns of numbers.")
    step = -(-max(len(x), 1) // DRAWN)
    points = Series(names[1], tuple(map(float, x[::step])), tuple(map(float, y[::step])))
    return Plot(file, {}, names[0], (points,), None, scattered=True)
