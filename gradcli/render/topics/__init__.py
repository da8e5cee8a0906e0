"""The pages of `gradcli help`, by the word that asks for them."""

from __future__ import annotations

from gradcli.findings.catalogue import CATALOGUE
from gradcli.render.topics import catalogue, conventions, texts
from gradcli.render.topics.catalogue import operations
from gradcli.render.topics.page import Page, view

__all__ = ["PAGES", "Page", "codes", "operations", "page", "view"]

PAGES: dict[str, Page] = {
    "targets": texts.TARGETS,
    "points": texts.POINTS,
    "expressions": texts.EXPRESSIONS,
    "columns": texts.COLUMNS,
    "sensitivities": texts.SENSITIVITIES,
    "verdicts": texts.VERDICTS,
    "conventions": conventions.PAGE,
    "findings": catalogue.findings(),
    "derived": texts.DERIVED,
    "devices": texts.DEVICES,
    "output": texts.OUTPUT,
    "exit-codes": texts.EXIT_CODES,
}


def page(word: str) -> Page | None:
    """The page of a topic or of a finding's code, however it is capitalised; None where there is none."""
    if entry := CATALOGUE.get(word.upper()):
        return catalogue.entry_page(entry)
    return PAGES.get(word.lower())


def codes() -> list[str]:
    """The codes that have a page."""
    return list(CATALOGUE)
