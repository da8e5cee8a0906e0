"""The documents are true: their commands print what they show.

`python -m tests.test_documents --write` puts in what the commands print now; read the difference before you keep it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_readme import FENCE, ROOT, commands, replayed

DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))


def shown() -> Iterator[tuple[Path, str]]:
    """The blocks in which a document shows commands."""
    for path in DOCUMENTS:
        for kind, block in FENCE.findall(path.read_text(encoding="utf-8")):
            if kind == "console":
                yield path, block


@pytest.mark.parametrize(
    ("path", "block"), [*shown()], ids=lambda each: getattr(each, "stem", None) or commands(each)[0]
)
def test_a_command_prints_what_is_shown(path: Path, block: str) -> None:
    """The whole output is compared, at 80 columns."""
    assert block == replayed(block)


def write(path: Path) -> None:
    """Put what the commands print now into a document."""
    text = path.read_text(encoding="utf-8")
    for kind, block in FENCE.findall(text):
        if kind == "console":
            text = text.replace(f"```console\n{block}```", f"```console\n{replayed(block)}```", 1)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    for each in DOCUMENTS:
        write(each)
