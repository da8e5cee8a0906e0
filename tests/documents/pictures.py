"""The pictures of the pages: each is what the command above it writes.

Where boxes lie depends on the version of the layout; what a picture says does not, and that is compared.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.documents.page_samples import PAGES
from tests.documents.shown import DOCS, folder, run

PICTURE = re.compile(
    r"```console\n\$ (gradcli [^\n]*) -o ([\w.-]+)\n"  # the command, the file that it writes
    r"wrote [^\n]*\n(?:[^`\n][^\n]*\n)*```\n\n"
    r"!?\[[^\]]+\]\(([^)]+)\)"  # the picture below, or a link to the page
)
ASSETS = DOCS / "assets"
TIME = re.compile(r"\d+\.\d+ s\b")
FLOAT = re.compile(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?")
TICK = re.compile("10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
SVG = "{http://www.w3.org/2000/svg}"


class Picture(NamedTuple):
    """A picture in a page.

    Args:
        page: the page that shows it.
        command: what writes it, up to `-o`.
        written: the file that the command writes.
        file: the picture that is kept.
    """

    page: Path
    command: str
    written: str
    file: Path

    @property
    def name(self) -> str:
        return self.file.name

    def draw(self) -> Path:
        told, code = run(f"{self.command} -o {self.written}")
        assert (0, f"wrote {self.written}\n") == (code, told.splitlines(keepends=True)[0])
        return folder() / self.written


def pictures() -> list[Picture]:
    return list(_found())


def _found() -> Iterator[Picture]:
    for page in sorted(DOCS.rglob("*.md")):
        for command, written, file in PICTURE.findall(page.read_text(encoding="utf-8")):
            yield Picture(page, command, written, (page.parent / file).resolve())


def said(file: Path) -> Counter[tuple[str, str]]:
    """What a picture says, or that of a page, without its places: its texts, and the classes and ends of its parts.

    The groups `within`, labels that lie over a cluster, are left out: which ones do follows from the places.
    The powers along a logarithmic axis are left out: each release of matplotlib chooses others. The words of a page
    are compared without times, and with numbers of few digits.
    """
    page = file.read_text(encoding="utf-8")
    found = _said_in_words(page) if page.lower().startswith("<!doctype html") else Counter()
    if "<svg" not in page:
        return found
    root = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + len("</svg>")])
    for each in root.iter():
        if not isinstance(each.tag, str):
            continue
        tag = each.tag.removeprefix(SVG)
        if tag == "text" and not TICK.fullmatch(text := "".join(each.itertext()).strip()):
            found[tag, text] += 1
        elif tag == "g" and each.get("class") not in (None, "within"):
            found[tag, f"{each.get('class')} {each.get('data-from', '')}>{each.get('data-to', '')}"] += 1
    return found


class _Words(HTMLParser):
    """The words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = False
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        self.found += [] if self.hidden else data.split()


def _said_in_words(page: str) -> Counter[tuple[str, str]]:
    parser = _Words()
    parser.feed(TIME.sub("", page))
    return Counter(("text", FLOAT.sub(_rounded, word)) for word in parser.found)


def _rounded(found: re.Match[str]) -> str:
    """A number without the digits that differ from machine to machine; what is only rounding has none."""
    return f"{float(found[0]):.4g}" if abs(float(found[0])) > 1e-6 else "tiny"


def written_anew() -> Iterator[str]:
    """Draw every picture again where it says something else; the names of those."""
    for picture in pictures():
        drawn = picture.draw()
        if not picture.file.exists() or said(drawn) != said(picture.file):
            picture.file.write_bytes(drawn.read_bytes())
            yield picture.name
    for name, write in PAGES.items():
        drawn = folder() / name
        drawn.write_text(write(), encoding="utf-8")
        if not (ASSETS / name).exists() or said(drawn) != said(ASSETS / name):
            (ASSETS / name).write_bytes(drawn.read_bytes())
            yield name
