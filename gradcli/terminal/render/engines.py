"""`gradcli compare --engines`: a row for each engine, with its value, gradient and times."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.message_wording import clean
from gradcli.shared.records.function_comparisons import ComparedNumber, EngineComparison, EngineRun
from gradcli.terminal.render.gradient_cost import duration
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.numbers import aligned, exact, rough
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import DOT, NAME, NOTHING, RESULT
from gradcli.terminal.render.layout.wrapped_text import Sentence
from gradcli.terminal.render.two_functions import STYLES, title

VERDICTS = {
    "equal": "the engines agree within rounding",
    "differ": "the engines differ",
    "inconclusive": "the difference may be rounding, or a convention at a kink",
}
SHOWN = 10  # numbers that are shown unless all are asked for


def view(record: EngineComparison, look: Look, *, every: bool = False) -> Stack:
    """A row for each engine, and one for each of its numbers if there are few or `every` is set."""
    notes = [Sentence(line(clean(f"{run.engine}: {run.note}"))) for run in record.engines if run.note]
    runs, meaning = [run for run in record.engines if run.numbers], VERDICTS[record.verdict]
    numbers: list[Drawing] = [_numbers(runs, every), line()] if runs else []
    return Stack(
        *heading(record.target, None, record.point, look),
        line(),
        _times(record.engines),
        line(),
        *numbers,
        *notes,
        Sentence(line((record.verdict, STYLES[record.verdict]), f" {DOT} {meaning} {DOT} exit {int(record.exit)}")),
    )


def _times(runs: Sequence[EngineRun]) -> Sheet:
    worst = [max((row.ulps or 0.0 for row in run.numbers), default=None) for run in runs]
    return Sheet(
        Column("engine", [f"{run.engine} {run.version}".rstrip() for run in runs], NAME),
        Column("first call", [_time(run.first_call) for run in runs], right=True),
        Column("later calls", [_time(run.later_calls) for run in runs], right=True),
        Column("most ulps apart", [rough(ulps) for ulps in worst], right=True),
    )


def _numbers(runs: Sequence[EngineRun], every: bool) -> Sheet:
    """The numbers of each engine side by side, those that are furthest apart first if there are many."""
    rows = list(zip(*(run.numbers for run in runs), strict=True))
    furthest = [rows[0], *sorted(rows[1:], key=lambda row: -max(number.ulps or 0.0 for number in row))]
    shown = rows if every or len(rows) <= SHOWN else furthest[:SHOWN]
    names = Column("number", [clean(title(row[0].name)) for row in shown], NAME)
    columns = [_column(run.engine, [row[n] for row in shown]) for n, run in enumerate(runs)]
    return Sheet(names, *columns, brief_as="numbers to six digits")


def _column(engine: str, rows: Sequence[ComparedNumber]) -> Column:
    styles = [RESULT if row.verdict == "equal" else STYLES[row.verdict] for row in rows]
    brief = aligned([rough(row.second, 6) for row in rows])
    return Column(engine, aligned([exact(row.second) for row in rows]), styles, brief=brief)


def _time(seconds: float | None) -> str:
    return NOTHING if seconds is None else duration(seconds)
