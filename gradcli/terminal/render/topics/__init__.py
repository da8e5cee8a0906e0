"""The pages of `gradcli help`, by topic."""

from __future__ import annotations

from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.terminal.render.topics import finding_pages, topic_texts
from gradcli.terminal.render.topics.finding_pages import operations
from gradcli.terminal.render.topics.page_parts import Page, view

__all__ = ["PAGES", "Page", "codes", "operations", "page", "view"]

PAGES: dict[str, Page] = {
    "targets": topic_texts.TARGETS,
    "points": topic_texts.POINTS,
    "expressions": topic_texts.EXPRESSIONS,
    "columns": topic_texts.COLUMNS,
    "sensitivities": topic_texts.SENSITIVITIES,
    "verdicts": topic_texts.VERDICTS,
    "conventions": topic_texts.PAGE,
    "findings": finding_pages.findings(),
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
        return finding_pages.entry_page(entry)
    return PAGES.get(word.lower())


def codes() -> list[str]:
    """All finding codes."""
    return list(CATALOGUE)
