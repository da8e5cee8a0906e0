"""The report as Markdown, for job summaries."""

from __future__ import annotations

import re

from gradcli.shared.message_wording import clean
from gradcli.shared.records.verification import CaseResult, Verification
from gradcli.verification.reports import failure_text

SIGNS = {"pass": "⚠️", "inconclusive": "❔", "unchecked": "⬜", "skipped": "⬜"}
WRONG = "❌"
END = "<!-- Written by gradcli -->\n\n"

# What begins links, images, mentions, emphasis, code, formulas, tags and cells: as entities, none of it is markup.
_ENTITIES = {sign: f"&#{ord(sign)};" for sign in "\\`*_[]#|~$@<>&"} | {"://": "&#58;//", "www.": "www&#46;"}
_MEANINGFUL = re.compile("|".join(map(re.escape, _ENTITIES)))


def text(report: Verification) -> str:
    """A table of the cases that did not pass or are wrong beside the point, and the details of each."""
    counts = ", ".join(f"{number} {outcome}" for outcome, number in reversed(report.counts.items()))
    lines = [
        f"## gradcli verify: {report.verdict}",
        "",
        f"{len(report.cases)} case{'s' * (len(report.cases) != 1)}: {counts or 'none'}, {report.seconds:.1f} s",
    ]
    if unsuccessful := [case for case in report.cases if case.outcome != "pass" or case.is_reported]:
        lines += ["", "| | case | outcome | why |", "| --- | --- | --- | --- |", *map(_row, unsuccessful)]
    for result in report.reported:
        lines += [
            "",
            f"<details><summary>{_shown(result.case.name)}</summary>",
            "",
            *_fenced(failure_text(result)),
            "",
            "</details>",
        ]
    return "\n".join([*lines, "", END])


def _row(result: CaseResult) -> str:
    sign = SIGNS.get(result.outcome, WRONG) if result.is_failure or result.outcome in SIGNS else "⬜"
    outcome = result.outcome + (f" ({result.accepted})" if result.accepted else "")
    return f"| {sign} | {_shown(result.case.name)} | {outcome} | {_shown(result.message)} |"


def _shown(text: str) -> str:
    """A text in one line, of which nothing is markup."""
    return _MEANINGFUL.sub(lambda match: _ENTITIES[match[0]], clean(" ".join(text.split())))


def _fenced(text: str) -> list[str]:
    """A text in a fence longer than any fence in it."""
    text, fence = clean(text), "```"
    while fence in text:
        fence += "`"
    return [f"{fence}text", text, fence]
