"""The page on derived programs is true: its commands print what it shows, and its Python runs.

`PYTHONPATH=. python tests/derivation/test_docs.py --write` puts in what the commands print now.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.test_readme import FENCE, ROOT, commands, replayed, run

DOCUMENT = ROOT / "docs" / "derive.md"


def blocks(kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    return [text for label, text in FENCE.findall(DOCUMENT.read_text(encoding="utf-8")) if label == kind]


@pytest.mark.skipif(importlib.util.find_spec("numba") is not None, reason="Numba takes its time")
@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: commands(block)[0])
def test_a_command_prints_what_is_shown(block: str) -> None:
    """The whole output is compared."""
    assert block == replayed(block)


@pytest.mark.parametrize("block", blocks("python"))
def test_python_runs_as_shown(block: str) -> None:
    """The example stands on its own."""
    test = doctest.DocTestParser().get_doctest(block, {}, "derive.md", str(DOCUMENT), 0)

    assert test.examples
    assert 0 == doctest.DocTestRunner(verbose=False).run(test).failed


def test_the_file_is_checked(tmp_path: Path) -> None:
    """The lines that write it and hold it to the function."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for line in blocks("sh")[0].splitlines():
        with contextlib.chdir(tmp_path):
            printed, code = run(
                line.replace("examples/", f"{tmp_path}/examples/").replace("grad_f4.py", f"{tmp_path}/grad_f4.py")
            )

        assert 0 == code, printed


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(
        re.sub(
            r"(?<=^```console\n).*?(?=^```$)", lambda found: replayed(found[0]), text, flags=re.DOTALL | re.MULTILINE
        ),
        encoding="utf-8",
    )
