"""`gradcli check --selftest --device gpu`: counts for each group of cases, and each case that differs or is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from gradcli.errors import Exit
from gradcli.shared.records.checks import DeviceAnswer, DeviceTest
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, GOOD, NAME, QUIET
from gradcli.terminal.render.layout.wrapped_text import prose

HEADINGS = {"agrees": "agree", "differs": "differ", "absent": "not on the device"}


def view(record: DeviceTest, look: Look) -> Stack:
    """The view of the test of a device."""
    if record.unavailable is not None:
        return Stack(line(("unchecked", BAD), f" {DOT} {record.unavailable} {DOT} exit {int(record.exit)}"))
    counts: Counter[str] = Counter(answer.outcome for answer in record.answers)
    differing = [answer for answer in record.answers if answer.outcome == "differs"]
    verdict, style = ("pass", GOOD) if record.exit is Exit.PASS else ("fail", BAD)
    tally = f" {DOT} ".join(f"{counts[outcome]} {heading}" for outcome, heading in HEADINGS.items())
    return Stack(
        line(f"{record.device}: {record.card}"),
        line(),
        _groups(record.answers),
        line(),
        *([_differing(differing)] if differing else []),
        *([line()] if differing else []),
        *_absent(record.answers, look),
        line((verdict, style), f" {DOT} {tally} {DOT} {record.seconds:.0f} s {DOT} exit {int(record.exit)}"),
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
