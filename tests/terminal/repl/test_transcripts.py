"""Every command of the session answers as its transcript shows, whole and at 80 columns.

`python -m tests.write` inserts the current answers; review the difference before you keep it.
"""

import contextlib
import tempfile
from pathlib import Path

import pytest

from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.render import Look
from gradcli.terminal.repl.command_descriptions import OWN
from gradcli.terminal.repl.session import Session
from gradcli.terminal.repl.text_output import shown
from tests.last_digits import with_shown_digits

ROOT = Path(__file__).parents[3]
TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))

PROMPT = "gradcli> "  # with `> ` alone, `run` echoes the lines of a script


def replayed(text: str) -> str:
    """A transcript as a session, in a folder of its own that has the examples, answers its lines now.

    The last digits of numbers stay as shown.
    """
    session, look = Session(Shell(program)), Look(width=80, terminal=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("examples").symlink_to(ROOT / "examples")
        lines = [line for line in text.splitlines() if line.startswith(PROMPT)]
        answered = "".join(
            f"{line}\n{''.join(map(''.join, shown(session.run(line), session.shell.error, look)[0]))}" for line in lines
        )
    return with_shown_digits(answered, text)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_command_answers_as_its_transcript(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert text == replayed(text)


def test_every_command_has_one() -> None:
    """A new command of the session gets a transcript."""
    assert {path.stem for path in TRANSCRIPTS} == set(OWN)
