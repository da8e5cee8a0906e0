"""The pages of `gradcli help`, by topic, and those made from the catalogue of findings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.findings.entry import Entry
from gradcli.terminal.render.topics import topic_texts
from gradcli.terminal.render.topics.page_parts import Examples, Page, Terms, view

__all__ = ["PAGES", "Page", "codes", "operations", "page", "severity", "view"]


def findings() -> Page:
    """Every code with its severity, its title and the first sentence of its cause."""
    return Page(
        "Findings",
        Terms(*[(f"{entry.code} {entry.severity}", summary(entry)) for entry in CATALOGUE.values()]),
        "`gradcli help G201` explains one finding: its cause, an example, and what to do.",
    )


def summary(entry: Entry) -> str:
    """The title and the first sentence of the cause."""
    first = re.split(r"(?<=[.:]) ", entry.cause, maxsplit=1)[0]
    return f"{entry.title}: {first.rstrip('.:')}."


def operations(families: Sequence[tuple[str, Sequence[str]]]) -> Page:
    """Every operation that has a derivative rule, by family."""
    parts = (part for title, names in families for part in (f"{title}:", ", ".join(names)))
    return Page(
        "Operations with a derivative rule",
        *parts,
        "Any other function of NumPy or SciPy is refused by name and line, never silently ignored (G404).",
    )


PAGES: dict[str, Page] = {
    "targets": topic_texts.TARGETS,
    "points": topic_texts.POINTS,
    "expressions": topic_texts.EXPRESSIONS,
    "columns": topic_texts.COLUMNS,
    "sensitivities": topic_texts.SENSITIVITIES,
    "verdicts": topic_texts.VERDICTS,
    "conventions": topic_texts.PAGE,
    "findings": findings(),
    "derived": topic_texts.DERIVED,
    "devices": topic_texts.DEVICES,
    "output": topic_texts.OUTPUT,
    "exit-codes": topic_texts.EXIT_CODES,
}


def page(word: str) -> Page | None:
    """The page of a topic, or of a finding by code or title, in any capitalisation; None if there is no such page."""
    if entry := next(
        (entry for entry in CATALOGUE.values() if word.lower() in (entry.code.lower(), entry.title)), None
    ):
        return Page(f"{entry.code} {entry.title}", entry.cause, Examples(*entry.example.split("\n")), entry.fix)
    return PAGES.get(word.lower())


def codes() -> list[str]:
    """All finding codes."""
    return list(CATALOGUE)
