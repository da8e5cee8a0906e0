"""`gradcli propagate`: each result with its uncertainty, what the inputs contribute, and how far it bends."""

from __future__ import annotations

import math
from itertools import combinations

from gradcli.shared.message_wording import clean
from gradcli.shared.records.propagation import Propagation, UncertainNumber
from gradcli.terminal.render.gradient import ROWS_ON_A_TERMINAL, rest
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.numbers import aligned, by_component, exact, rounded, within_error
from gradcli.terminal.render.layout.stream_style import DEFAULT_WIDTH, Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, NOTHING, PARTIAL, QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import prose

DIGITS = 5
MOST_CORRELATED = 6  # results of which the correlations are listed


def view(record: Propagation, look: Look) -> Stack:
    """The view of propagated uncertainty."""
    parts: list[Row | Sheet] = [*heading(record.target, record.reading, record.point, look), line()]
    shown = record.results[:ROWS_ON_A_TERMINAL] if look.terminal else record.results
    parts += [results(shown), *rest(len(record.results), look), line()]
    point = dict(by_component(record.point))
    for result in shown:
        parts += [contributions(result, point, look), *rest(len(result.contributions), look), line()]
    return Stack(*parts, *correlations(record), *prose(LEGEND, look.width or DEFAULT_WIDTH, QUIET))


LEGEND = (
    "share: the part of the variance; of two inputs, that of their covariance. bend: the root mean square of the "
    "second-order term for normal inputs, as a part of the linear uncertainty; up to 10 % the latter is enough."
)


def results(shown: tuple[UncertainNumber, ...]) -> Sheet:
    """A row per result: linear, and to second order."""
    second = [NOTHING if number.mean is None else within_error(number.mean, number.second_order) for number in shown]
    return Sheet(
        Column("", [clean(number.name) for number in shown], NAME),
        Column("linear", aligned([within_error(number.value, number.uncertainty) for number in shown]), RESULT),
        Column("to second order", aligned(second)),
        Column("bend", [percent(number.bend) for number in shown], right=True),
    )


def contributions(result: UncertainNumber, point: dict[str, float], look: Look) -> Sheet:
    """A row per input, and per covariance, of the largest share first."""
    ordered = sorted(result.contributions, key=lambda part: -abs(part.share))
    rows = ordered[:ROWS_ON_A_TERMINAL] if look.terminal else ordered
    numbers = [exact(point[row.inputs[0]]) if len(row.inputs) == 1 else "" for row in rows]
    deviations = ["" if row.uncertainty is None else f"{row.uncertainty:.4g}" for row in rows]
    slopes = ["" if row.derivative is None else rounded(row.derivative, DIGITS) for row in rows]
    return Sheet(
        Column("input", [clean(", ".join(row.inputs)) for row in rows], NAME),
        Column("point", aligned(numbers), rank=1),
        Column("deviation", aligned(deviations)),
        Column(f"{PARTIAL}{clean(result.name)}", aligned(slopes), RESULT),
        Column("share", [percent(row.share) for row in rows], right=True),
    )


def percent(part: float | None) -> str:
    """A fraction in percent, with one decimal where it is small; a dash if it is not known."""
    if part is None:
        return NOTHING
    if not math.isfinite(part):
        return exact(part)
    return f"{100 * part:.0f} %" if abs(part) >= 0.0995 or not part else f"{100 * part:.2g} %"


def correlations(record: Propagation) -> list[Row]:
    """The correlation of each two results, if they are few."""
    pairs = combinations(range(len(record.results)), 2) if len(record.results) <= MOST_CORRELATED else ()
    lines: list[Row] = []
    for a, b in pairs:
        first, second = record.results[a], record.results[b]
        if first.uncertainty and second.uncertainty:
            correlation = record.covariance[a][b] / (first.uncertainty * second.uncertainty)
            names = f"{clean(first.name)} and {clean(second.name)}"
            lines.append(line(("correlation of ", QUIET), names, "  ", (f"{correlation:.3f}", RESULT)))
    return [*lines, line()] if lines else []
