"""The pages under docs/reference/, as Markdown: topics of `gradcli help`, the catalogue of findings, signatures."""

import re
from collections.abc import Iterator

from gradcli import queries
from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.findings.entry import Entry
from gradcli.terminal.render import topics
from gradcli.terminal.render.topics.page_parts import Examples, Grid, Page, Part, Terms
from tests.documents.library_reference import library

# Topics with a page of their own, which is longer.
TOLD_ELSEWHERE = ("findings", "verdicts")


def page(shown: Page) -> str:
    return "\n\n".join((f"# {literal(shown.title)}", *map(part, shown.parts))) + "\n"


def part(shown: Part) -> str:
    """One part of a page: prose, lines to type, or a table."""
    match shown:
        case Examples():
            return "\n".join(("```text", *shown.lines, "```"))
        case Terms():
            return table(("", ""), ((code(term), literal(meaning)) for term, meaning in shown.rows))
        case Grid():
            return table(shown.titles, (map(literal, row) for row in shown.rows))
        case _:
            return literal(shown)


def table(titles, rows) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  ", "| ") for cells in lines)


def code(term: str) -> str:
    return f"`{term}`".replace("|", "\\|")


def literal(text: str) -> str:
    """Prose with Markdown's special characters escaped, except for backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_\[\]<>|])", r"\\\1", piece) for piece in pieces)


def findings() -> str:
    """The whole catalogue: every code with its severity, its cause, an example and what to do."""
    opening = (
        "A finding says what is worth knowing of a run. `gradcli help G201` prints one of them in the terminal. "
        "Its code never changes."
    )
    return "\n\n".join(("# Findings", opening, *map(entry, CATALOGUE.values()))) + "\n"


def entry(each: Entry) -> str:
    """One kind of finding."""
    return "\n\n".join(
        (
            f"## {each.code} {each.title}",
            f"*{each.severity}*",
            literal(each.cause),
            f"```text\n{each.example}\n```",
            literal(each.fix),
        )
    )


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page: its name below docs/, and its text."""
    for word, shown in topics.PAGES.items():
        if word not in TOLD_ELSEWHERE:
            yield f"reference/{word}.md", page(shown)
    yield "reference/operations.md", page(topics.operations(queries.operations()))
    yield "reference/findings.md", findings()
    yield "reference/library.md", library()


PAGES = dict(pages())
