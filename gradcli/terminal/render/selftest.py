"""`gradcli check --selftest`: the wrong rules that were not caught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gradcli.errors import Exit
from gradcli.shared.records.checks import Mutant, SelfTest
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, GOOD, NAME, QUIET
from gradcli.terminal.render.layout.wrapped_text import prose

MEANING = "partials that are the same wherever the rule is defined"


def view(record: SelfTest, look: Look) -> Stack:
    """The view of a self-test of the rules."""
    counts = Counter(mutant.outcome for mutant in record.mutants)
    rules = len({mutant.rule for mutant in record.mutants})
    counted = f"{len(record.mutants)} wrong rules made of {rules}, each checked where it differs from the right one"
    shown = [mutant for mutant in record.mutants if mutant.outcome != "caught"]
    aside = f"not exercised: {', '.join(record.unexercised)}"
    tally = f"{counts['caught']} caught, {counts['equivalent']} equivalent, {counts['missed']} missed"
    verdict = ("pass", GOOD) if record.exit is Exit.PASS else ("fail", BAD)
    return Stack(
        line(counted),
        line(),
        *([sheet(shown)] if shown else []),
        *([line()] if shown else []),
        *(prose(f"equivalent: {MEANING}", look.width, QUIET) if counts["equivalent"] else []),
        *(prose(aside, look.width, QUIET) if record.unexercised else []),
        line(verdict, f" {DOT} {tally} {DOT} {record.seconds:.0f} s {DOT} exit {int(record.exit)}"),
    )


def sheet(mutants: Iterable[Mutant]) -> Sheet:
    """The mutants that were not caught, missed ones first."""
    rows = sorted(mutants, key=lambda mutant: mutant.outcome, reverse=True)
    return Sheet(
        Column("outcome", [row.outcome for row in rows], [BAD if row.outcome == "missed" else "" for row in rows]),
        Column("rule", [row.rule for row in rows], NAME),
        Column("by", [row.argument or "all" for row in rows]),
        Column("mutation", [row.mutation for row in rows]),
        Column("wrong partial", [row.text for row in rows], rank=1),
        Column("point", [row.point or "" for row in rows], rank=2),
    )
