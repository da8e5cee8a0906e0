"""The pictures of the pages are what the commands above them write now."""

import re
from pathlib import Path

import pytest

from tests.documents.page_samples import PAGES
from tests.documents.pictures import ASSETS, Picture, pictures, said
from tests.documents.screenshots import digest, digest_of
from tests.documents.shown import DOCS, README

pytestmark = pytest.mark.sampled(6)  # many like cases

LARGEST = 80_000  # bytes


@pytest.mark.parametrize("picture", pictures(), ids=lambda picture: picture.name)
def test_a_picture_says_what_the_command_draws(picture: Picture) -> None:
    pytest.importorskip("grandalf")
    pytest.importorskip("matplotlib")

    assert said(picture.draw()) == said(picture.file)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_is_drawn(name: str, tmp_path: Path) -> None:
    pytest.importorskip("grandalf")
    (tmp_path / name).write_text(PAGES[name](), encoding="utf-8")

    assert said(tmp_path / name) == said(ASSETS / name)


@pytest.mark.parametrize("page", sorted(ASSETS.glob("*.html")), ids=lambda page: page.name)
def test_a_screenshot_is_of_the_page_as_it_is(page: Path) -> None:
    """`python -m tests.write` takes it anew where Chromium is installed."""
    pytest.importorskip("PIL")

    assert digest(page) == digest_of(page.with_suffix(".png"))


def test_every_picture_has_its_source() -> None:
    """A command, or what writes it; none is left of a page that is gone, and none is large."""
    drawn = {picture.file for picture in pictures()} | {ASSETS / name for name in PAGES}
    drawn |= {file.with_suffix(".png") for file in drawn if file.suffix == ".html"}
    kept = {path for path in ASSETS.iterdir() if path.stem != "architecture"}

    assert drawn == kept
    assert [path.name for path in kept if path.stat().st_size > LARGEST] == []


def test_every_picture_is_shown() -> None:
    shown = {
        name
        for page in (README, *DOCS.rglob("*.md"))
        for name in re.findall(r"assets/([\w.-]+)\)", page.read_text("utf-8"))
    }

    assert {path.name for path in ASSETS.iterdir()} == shown
