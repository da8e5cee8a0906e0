"""`gradcli verify`: one line per case, the failures in full, a summary, and the table of `--list`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gradcli.shared.message_wording import clean
from gradcli.shared.records.checks import OUTCOME_EXITS
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.verification import CaseResult, GradientCase, Verification
from gradcli.terminal.render.check import OVERALL, VERDICTS, more, reasons
from gradcli.terminal.render.layout.heading import at as point_line
from gradcli.terminal.render.layout.numbers import aligned, exact
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, DOUBT, NAME, QUIET, RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import Sentence, prose

MOST_ROWS = 8  # components shown per failure
MOST_OUTPUT = 10  # lines shown of a case's output

STYLES = OVERALL | dict.fromkeys(("error", "raised", "crashed", "timeout"), BAD) | {"skipped": QUIET}
WIDEST = max(map(len, STYLES))


def case_line(result: CaseResult, look: Look) -> Stack:
    """The line of a case: its outcome, name, message and duration."""
    style = QUIET if result.accepted else STYLES[result.outcome]
    message = clean(_from_here(result.message)).replace("\n", " ")
    accepted = f" (accepted by the {result.accepted})" if result.accepted == "baseline" else ""
    accepted = " (allowed)" if result.accepted == "allow" else accepted
    end = f"  {result.seconds:.2f} s" if result.seconds >= 0.005 else ""
    text = f"  {message}{accepted}" if result.outcome != "pass" or result.is_reported or accepted else ""
    name, room = clean(result.case.name), (look.width or 0) - WIDEST - 1
    if look.width and len(name) + len(text) + len(end) > room:
        keep = room - len(name) - len(end) - 1
        text = f"{text[:keep]}…" if keep > 12 else ""
    return Stack(line((f"{result.outcome:<{WIDEST}}", style), " ", (name, NAME), text, (end, QUIET)))


def view(report: Verification, look: Look) -> Stack:
    """The failures in full, and the summary."""
    return Stack(*(part for shown in report.reported for part in failure(shown, look)), line(), summary(report))


def failure(result: CaseResult, look: Look) -> list[Row | Sheet]:
    """The details of a failure."""
    case = result.case
    title = [line(), line((result.outcome.upper(), STYLES[result.outcome]), " ", (clean(case.name), TITLE))]
    message = [] if result.comparison else prose(_from_here(result.message), look.width)
    details: list[Row | Sheet] = [*message, *details_rows(result, look)]
    if result.output and result.outcome in ("raised", "crashed", "timeout"):
        printed = result.output.rstrip().split("\n")[-MOST_OUTPUT:]
        details += [line(("printed:", QUIET)), *(line(f"  {text}") for text in printed if text.strip())]
    return [*title, *_where(result), *details, line(("reproduce ", QUIET), _command(result))]


def failure_view(result: CaseResult, look: Look) -> Stack:
    """The details of a failure as a separate drawing."""
    return Stack(*failure(result, look)[1:])


def details(result: CaseResult, look: Look) -> Stack:
    """The components and notes of a case that did not fail."""
    return Stack(*details_rows(result, look))


def details_rows(result: CaseResult, look: Look) -> list[Row | Sheet]:
    """The point, components, notes and findings of a case, or the lines of an exception."""
    comparison = result.comparison
    if comparison is None:
        return [line(f"  {_from_here(text)}") for text in result.details]
    rows = result.worst[:MOST_ROWS] or comparison.components[:MOST_ROWS]
    sheet = Sheet(
        Column("verdict", [row.verdict.value for row in rows], [VERDICTS[row.verdict] for row in rows]),
        Column("component", [clean(row.name) for row in rows], NAME),
        Column("candidate", aligned([exact(row.candidate) for row in rows]), RESULT),
        Column("reference", aligned([exact(row.reference) for row in rows])),
        Column("reason", [clean(row.reason) for row in rows], QUIET, rank=1),
    )
    blocks = more(comparison.components, len(rows), look, "") if len(result.worst) > MOST_ROWS else []
    notes = [row for note in comparison.remarks for row in prose(note, look.width, QUIET)]
    prose_rows = [row for item in comparison.troubles for row in prose(finding_line(item), look.width)]
    why = [] if look.width is None or sheet.fits(look.width) else reasons(rows, look)[1:]
    return [point_line(comparison.point, look), sheet, *why, *blocks, *notes, *prose_rows]


def finding_line(finding: Finding) -> str:
    """A finding with its file and line."""
    place = f"{shown(finding.file)}:{finding.line}: " if finding.file and finding.line else ""
    return f"{place}{finding.message} [{finding.code}]"


def shown(path: str) -> str:
    """A path relative to the current folder, if it is inside."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def _from_here(text: str) -> str:
    """A text with paths relative to the current folder."""
    return text.replace(os.path.join(os.getcwd(), ""), "")


def _where(result: CaseResult) -> list[Row]:
    """The places where the derivative and its function are defined."""
    word = "derivative" if result.case.against else "function"
    places = [(word, result.derivative), ("function", result.function)]
    pieces = [f"{word} at {shown(place.file)}:{place.line}" for word, place in places if place]
    return [line((", ".join(pieces), QUIET))] if pieces else []


def _command(result: CaseResult) -> str:
    """The reproducing command, for use in the current folder."""
    import shlex

    folder = os.path.abspath(result.case.folder)
    return result.command if folder == os.getcwd() else f"(cd {shlex.quote(shown(folder))} && {result.command})"


def summary(report: Verification) -> Row:
    """The last line: the count of each outcome, the duration and the exit code."""
    count = len(report.cases)
    pieces: list[str | tuple[str, str]] = [f"{count} case{'s' if count != 1 else ''}"]
    for outcome in reversed(OUTCOME_EXITS):
        if number := report.counts.get(outcome):
            pieces += [": " if len(pieces) == 1 else ", ", (f"{number} {outcome}", STYLES[outcome])]
    accepted = sum(case.accepted is not None for case in report.cases)
    pieces += [f"; {accepted} accepted"] if accepted else []
    pieces += [f", {report.left_out} not begun"] if report.left_out else []
    pieces += [" (interrupted)"] if report.interrupted else []
    return line(*pieces, f" {DOT} {report.seconds:.1f} s {DOT} exit {int(report.exit)}")


def cases_view(cases: Sequence[GradientCase], look: Look) -> Stack:
    """The view of the cases."""
    if not cases:
        hint = "List them in [[tool.gradcli.check]], or mark them with @gradcli.gradient_of; `gradcli help verify`."
        return Stack(line("no cases"), Sentence(line((hint, QUIET))))
    doubts = [DOUBT if case.missing or case.fault else "" for case in cases]
    sheet = Sheet(
        Column("case", [clean(case.name).replace("\n", " ") for case in cases], NAME),
        Column("by", [case.origin for case in cases]),
        Column("of", [case.of for case in cases], rank=1),
        Column("point", [clean(point_of(case)) for case in cases], doubts),
    )
    unready = sum(case.missing is not None for case in cases)
    more = f", {unready} without a point" if unready else ""
    faults = [line((case.fault, DOUBT)) for case in cases if case.fault]
    return Stack(sheet, line(), *faults, line(f"{len(cases)} case{'s' if len(cases) != 1 else ''}{more}"))


def point_of(case: GradientCase) -> str:
    """The point of a case, or the reason why it has none."""
    if case.fault:
        return "not understood"
    if case.skip:
        return f"skipped: {case.skip}"
    if case.missing:
        return case.missing.removeprefix("paired by name, ").partition(";")[0]
    options = case.options
    at = options.get("at")
    parts = [at if isinstance(at, str) else repr(at)] if at is not None else []
    parts += [f"@{options['points_file']}"] if options.get("points_file") else []
    parts += [", ".join(options["box"])] if isinstance(options.get("box"), (list, tuple)) else []
    parts += [f"{options['points']} points"] if options.get("points") else []
    return " · ".join(parts) or "by its mark"
