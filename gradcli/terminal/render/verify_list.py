"""`gradcli verify --list`: one row per case, with its origin and its point."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.message_wording import clean
from gradcli.shared.records.verification import GradientCase
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import DOUBT, NAME, QUIET
from gradcli.terminal.render.layout.wrapped_text import Sentence


def view(cases: Sequence[GradientCase], look: Look) -> Stack:
    """The view of the cases."""
    if not cases:
        hint = "List them in [[tool.gradcli.check]], or mark them with @gradcli.gradient_of; `gradcli help verify`."
        return Stack(line("no cases"), Sentence(line((hint, QUIET))))
    doubts = [DOUBT if case.missing or case.fault else "" for case in cases]
    sheet = Sheet(
        [
            Column("case", [clean(case.name).replace("\n", " ") for case in cases], NAME),
            Column("by", [case.origin for case in cases]),
            Column("of", [case.of for case in cases], rank=1),
            Column("point", [clean(point(case)) for case in cases], doubts),
        ]
    )
    unready = sum(case.missing is not None for case in cases)
    more = f", {unready} without a point" if unready else ""
    faults = [line((case.fault, DOUBT)) for case in cases if case.fault]
    return Stack(sheet, line(), *faults, line(f"{len(cases)} case{'s' if len(cases) != 1 else ''}{more}"))


def point(case: GradientCase) -> str:
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
