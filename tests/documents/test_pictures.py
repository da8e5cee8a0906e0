"""The pictures of the pages are what the commands above them write now."""

from __future__ import annotations

import pytest

from tests.documents.pictures import Picture, pictures, said
from tests.documents.shown import DOCS

LARGEST = 80_000  # bytes


@pytest.mark.parametrize("picture", pictures(), ids=lambda picture: picture.name)
def test_a_picture_says_what_the_command_draws(picture: Picture) -> None:
    """`python -m tests.write` draws it anew."""
    pytest.importorskip("grandalf")
    pytest.importorskip("matplotlib")

    assert said(picture.draw()) == said(picture.file)


def test_every_picture_has_its_command() -> None:
    """None is left of a page that is gone, and none is large."""
    drawn = {picture.file for picture in pictures()}
    kept = {path for path in (DOCS / "assets").iterdir() if path.stem != "architecture"}

    assert drawn == kept
    assert [] == [path.name for path in kept if path.stat().st_size > LARGEST]
