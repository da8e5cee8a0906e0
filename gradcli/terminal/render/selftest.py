"""`gradcli check --selftest`: the wrong rules that were not caught; with `--device`, the cases that differ or miss."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from gradcli.errors import Exit
from gradcli.shared.records.checks import DeviceAnswer, DeviceTest, Mutant, SelfTest
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, GOOD, NAME, QUIET
from gradcli.terminal.render.layout.wrapped_text import prose

MEANING = "partials that are the same wherever the rule is defined"
HEADINGS = {"agrees": "agree", "differs": "differ", "absent": "not on the device"}


def view(record: SelfTest | DeviceTest, look: Look) -> Stack:
    """The view of a self-test, of the rules or of a device."""
    return of_device(record, look) if isinstance(record, DeviceTest) else of_rules(record, look)


def end(record: SelfTest | DeviceTest, tally: str) -> Row:
    """The last line: the verdict, the counts, the time and the exit code."""
    verdict = ("pass", GOOD) if record.exit is Exit.PASS else ("fail", BAD)
    return line(verdict, f" {DOT} {tally} {DOT} {record.seconds:.0f} s {DOT} exit {int(record.exit)}")


def of_rules(record: SelfTest, look: Look) -> Stack:
    """The view of the test of the rules."""
    counts = Counter(mutant.outcome for mutant in record.mutants)
    rules = len({mutant.rule for mutant in record.mutants})
    counted = f"{len(record.mutants)} wrong rules made of {rules}, each checked where it differs from the right one"
    shown = [mutant for mutant in record.mutants if mutant.outcome != "caught"]
    aside = f"not exercised: {', '.join(record.unexercised)}"
    tally = f"{counts['caught']} caught, {counts['equivalent']} equivalent, {counts['missed']} missed"
    return Stack(
        line(counted),
        line(),
        *([sheet(shown)] if shown else []),
        *([line()] if shown else []),
        *(prose(f"equivalent: {MEANING}", look.width, QUIET) if counts["equivalent"] else []),
        *(prose(aside, look.width, QUIET) if record.unexercised else []),
        end(record, tally),
    )


def sheet(mutants: Iterable[Mutant]) -> Sheet:
    """The mutants that were not caught, missed ones first."""
    rows = sorted(mutants, key=lambda mutant: mutant.outcome, reverse=True)
    return Sheet(
        [
            Column("outcome", [row.outcome for row in rows], [BAD if row.outcome == "missed" else "" for row in rows]),
            Column("rule", [row.rule for row in rows], NAME),
            Column("by", [row.argument or "all" for row in rows]),
            Column("mutation", [row.mutation for row in rows]),
            Column("wrong partial", [row.text for row in rows], rank=1),
            Column("point", [row.point or "" for row in rows], rank=2),
        ]
    )


def of_device(record: DeviceTest, look: Look) -> Stack:
    """The view of the test of a device: counts for each group of cases, and each case that differs or is missing."""
    if record.unavailable is not None:
        return Stack(line(("unchecked", BAD), f" {DOT} {record.unavailable} {DOT} exit {int(record.exit)}"))
    counts: Counter[str] = Counter(answer.outcome for answer in record.answers)
    differing = [answer for answer in record.answers if answer.outcome == "differs"]
    return Stack(
        line(f"{record.device}: {record.card}"),
        line(),
        _groups(record.answers),
        line(),
        *([_differing(differing)] if differing else []),
        *([line()] if differing else []),
        *_absent(record.answers, look),
        end(record, f" {DOT} ".join(f"{counts[outcome]} {heading}" for outcome, heading in HEADINGS.items())),
    )


def _groups(answers: Iterable[DeviceAnswer]) -> Sheet:
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        groups[answer.group][answer.outcome] += 1
    counted = groups.values()
    return Sheet(
        [
            Column("group", list(groups), NAME),
            Column("tried", [str(counts.total()) for counts in counted]),
            *(Column(heading, [str(c[outcome]) for c in counted]) for outcome, heading in HEADINGS.items()),
        ]
    )


def _differing(answers: list[DeviceAnswer]) -> Sheet:
    return Sheet(
        [
            Column("differs", [answer.name for answer in answers], BAD),
            Column("how", [answer.reason for answer in answers]),
        ]
    )


def _absent(answers: Iterable[DeviceAnswer], look: Look) -> list[Drawing]:
    """Why cases are not on the device: each reason once, with the number of cases."""
    reasons = Counter(answer.reason for answer in answers if answer.outcome == "absent")
    if not reasons:
        return []
    text = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    return [*prose(f"not on the device: {text}", look.width, QUIET), line()]
