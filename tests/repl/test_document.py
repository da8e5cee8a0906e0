"""docs/prompt.md is true: its session goes as shown, in one piece, and the line below the prompt says what it says.

`python -m tests.repl.test_document --write` puts in what is answered now; read the difference before you keep it.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.cli.program import program
from gradcli.cli.repl_commands import Shell
from gradcli.render import Look
from gradcli.repl.preview import preview
from gradcli.repl.session import Session
from gradcli.repl.text_output import shown
from tests.test_readme import FENCE, ROOT, seen

DOCUMENT = ROOT / "docs" / "prompt.md"
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """A new one in a folder of its own that has the examples."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("examples").symlink_to(ROOT / "examples")
        yield Session(Shell(program))


def answered(block: str, running: Session) -> str:
    """A block as the session answers its lines now, on a terminal of 80 columns."""
    look = Look(width=80, terminal=True)
    lines = [line for line in block.splitlines() if line.startswith("> ")]
    answers = [shown(running.run(line[2:]), running.shell.error, look)[0] for line in lines]
    return "".join(f"{line}\n{''.join(map(''.join, texts))}" for line, texts in zip(lines, answers, strict=True))


def now(text: str) -> str:
    """The document with what is answered now."""
    with session() as running:

        def fenced(match: re.Match[str]) -> str:
            block = match[2]
            if match[1] == "session":
                block = answered(block, running)
            elif match[1] == "screen":
                block = seen(block)
            return f"```{match[1]}\n{block}```"

        return FENCE.sub(fenced, text)


def test_the_session_goes_as_shown() -> None:
    """Every line of it, and the screen."""
    text = DOCUMENT.read_text(encoding="utf-8")

    assert text == now(text)


@pytest.mark.parametrize(("typed", "below"), ROW.findall(DOCUMENT.read_text(encoding="utf-8")))
def test_the_line_below_the_prompt(typed: str, below: str) -> None:
    """With the names of the session."""
    with session() as running:
        for line in ("at x=3,y=2", "def norm(v): return np.sqrt(np.sum(v * v))"):
            running.run(line)

        assert below == preview(typed, running)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    DOCUMENT.write_text(now(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
