"""`gradcli check`: one row per component, worst first, and the overall verdict in words."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Any

from gradcli.errors import EXIT_MEANINGS, Exit
from gradcli.shared.message_wording import clean
from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.component_blocks import Judged, blocks, tally, top_rows
from gradcli.terminal.render.layout.heading import after_a_line, heading, value
from gradcli.terminal.render.layout.numbers import aligned, exact, rough, rounded, share, within_error
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, DOUBT, ELLIPSIS, GOOD, NAME, PLAIN, QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import Sentence, prose

MOST_REASONS = 5  # rows whose reasons follow one by one; of more, the first of each kind
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")
BRIEF = 10  # digits of a number in a narrow table: a gradient that fails differs in the first eight

OVERALL = {"pass": GOOD, "fail": BAD, "nonfinite": BAD, "unchecked": DOUBT, "inconclusive": DOUBT}
VERDICTS = {verdict: OVERALL[verdict.counts_as] for verdict in Verdict} | {Verdict.SKIPPED: QUIET}
RIGHT = "the gradient is right"
AT_SOLUTION = " at the solution that the solver found"
BESIDE = " at this point, but wrong beside it"
STRICTLY = ", which neither a strict check nor one of a box accepts"
NOT_FINITE = "the gradient is wrong: not finite where the derivative is"
UNDECIDED = "no reference could decide"
NOT_STRICT = "a strict check does not accept {}"
ONE_OF_SEVERAL = "the gradient is one of the valid choices"
DERIVATIVES = {
    "gradient": "gradient",
    "jacobian": "Jacobian",
    "hessian": "Hessian",
    "hvp": "Hessian-vector product",
}


def view(record: Comparison, look: Look, *, every: bool = False) -> Stack:
    """The view of a comparison: a row for each component if there are few or `every` is set, otherwise blocks too."""
    shown = record.components if every else top_rows(record.components)
    rows = sheet(record, shown)
    return Stack(
        *heading(record.target, record.reading, record.point, look, record.against),
        *value(record.value, look),
        *([rows] if shown else []),
        *more(record.components, len(shown), look),
        *([] if look.width is None or rows.fits(look.width) else reasons(shown, look)),
        *after_a_line([text for note in record.notes for text in prose(note, look.width, QUIET)]),
        line(),
        Sentence(overall(record)),
    )


def sheet(record: Comparison, rows: Sequence[Component]) -> Sheet:
    """One row per component. Without `--against`, the candidate is the tape's own gradient and has no column."""
    differences = [within_error(row.differences, row.differences_error) for row in rows]
    has_exact = any(row.symbolic is not None for row in rows)  # otherwise the differences are the reference
    return Sheet(
        Column("verdict", [row.verdict.value for row in rows], [VERDICTS[row.verdict] for row in rows]),
        Column("component", [clean(row.name) for row in rows], NAME),
        *([_numbers("candidate", [row.candidate for row in rows], RESULT)] if record.against else []),
        _numbers("reverse", [row.reverse for row in rows], rank=3 if record.against else 0),
        _numbers("symbolic", [row.symbolic for row in rows], rank=0 if has_exact else 7),
        Column("differences", aligned(differences), rank=2 if has_exact else 0),
        Column("used", [used(row) for row in rows], right=True, rank=4),
        Column("tolerance", [rough(row.tolerance) for row in rows], right=True, rank=5),
        Column("reason", [clean(row.reason) for row in rows], QUIET, rank=6),
        brief_as=f"numbers to {BRIEF} digits",
        brief_first=False,
    )


def _numbers(title: str, numbers: Sequence[float | None], style: str = PLAIN, rank: int = 0) -> Column:
    """A column of exact numbers, which are rounded if the table would be too wide."""
    brief = [rounded(number, BRIEF) for number in numbers]
    return Column(title, aligned(list(map(exact, numbers))), style, rank=rank, brief=aligned(brief))


def used(row: Component) -> str:
    """The distance of the candidate from the reference, as a fraction of the tolerance."""
    return share(
        None if row.reference is None or row.candidate is None else abs(row.candidate - row.reference), row.tolerance
    )


def more(
    components: Judged,
    shown: int,
    look: Look,
    hint: str = " (--all shows them)",
    order: Sequence[Any] = tuple(Verdict),
) -> list[Row]:
    """The count of the rows not shown, and the blocks of all components; `order` holds the verdicts, worst first."""
    hidden = components[shown:]
    if not hidden:
        return []
    counted = line((f"{ELLIPSIS} {len(hidden)} more: {tally(hidden, order)}{hint}", QUIET))
    return [counted, line(), *(row for text in blocks(components, order) for row in prose(text, look.width))]


def reasons(rows: Sequence[Component], look: Look) -> list[Row]:
    """The reason for each row that does not pass, used if the column does not fit; of many, the first of each kind."""
    troubled = [row for row in rows if row.verdict is not Verdict.PASS and row.reason]
    if len(troubled) > MOST_REASONS:
        troubled = list({NUMBER.sub("", row.reason): row for row in reversed(troubled)}.values())[::-1]
    return after_a_line([text for row in troubled for text in prose(f"{row.name}: {row.reason}", look.width)])


def overall(record: Comparison) -> Row:
    """The last line: the verdict, its meaning, the counts and the exit code."""
    verdicts = {row.verdict for row in record.components}
    meaning = in_words(record.exit, verdicts)
    if verdicts == {Verdict.PASS}:
        if any(finding.code == "G211" for finding in record.findings):
            meaning += AT_SOLUTION
        if record.is_wrong_beside:
            meaning += BESIDE
        if record.is_wrong_beside and record.exit is Exit.INCONCLUSIVE:
            meaning += STRICTLY
    elif meaning == RIGHT and Verdict.SKIPPED in verdicts:
        meaning += " in the components that were checked"
    meaning = meaning.replace("the gradient", f"the {DERIVATIVES[record.of]}")
    checked = sum(row.verdict is not Verdict.SKIPPED for row in record.components)
    counts = f"{checked} checked" + (f": {tally(record.components)}" if record.components else "")
    text = f" {DOT} {meaning} {DOT} {counts} {DOT} exit {int(record.exit)}"
    return line((record.verdict, OVERALL[record.verdict]), text)


def in_words(code: Exit, verdicts: Set[Verdict]) -> str:
    """The meaning of the overall verdict, given the verdicts on the components."""
    if code is Exit.PASS:
        return ONE_OF_SEVERAL if Verdict.KINK in verdicts else RIGHT
    if code is Exit.INCONCLUSIVE:
        if any(verdict.counts_as == "inconclusive" for verdict in verdicts):
            return UNDECIDED
        unaccepted = [verdict.leniency for verdict in Verdict if verdict in verdicts and verdict.leniency]
        return NOT_STRICT.format(" and ".join(unaccepted)) if unaccepted else RIGHT
    return NOT_FINITE if code is Exit.FAIL and Verdict.FAIL not in verdicts else EXIT_MEANINGS[code]
