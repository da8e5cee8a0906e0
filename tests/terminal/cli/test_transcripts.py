"""Every command of the shell prints what its transcript shows, whole and at 80 columns.

`python -m tests.write` inserts the current output; review the difference before you keep it.
"""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from gradcli.terminal.cli import main
from gradcli.terminal.cli.command_names import COMMANDS
from gradcli.terminal.cli.shell_completion import options
from tests.documents.shown import blocks, commands
from tests.last_digits import with_shown_digits
from tests.terminal.cli.conftest import Stream

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "transcripts"
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))

# A command that needs keys, a save or this machine is compared as a whole in a test of its own.
ELSEWHERE = {
    "step": ("tests/documents/test_shown.py", "test_a_screen_is_as_shown"),
    "watch": ("tests/terminal/cli/commands/test_watch.py", "test_a_session_with_an_editor"),
    "verify": ("tests/verification/test_run.py", "test_a_failure_in_full"),
    "env": ("tests/terminal/cli/commands/test_env.py", "test_everything"),
}
# Of an option of these, what is printed differs from machine to machine, or goes into a file.
NOT_SHOWN = {"--help", "--out", "--max-seconds", "--selftest", "--workers", "--scheduler", "--points-file", "--columns"}
NOT_SHOWN |= {"--cost", "--engines"}  # they print times


def replayed(text: str) -> str:
    """A transcript as its commands print it now, at a terminal of 80 columns without colours.

    The folder of the repository is left out of paths, and the last digits of numbers stay as shown.
    """
    lines, exit_code = [], 0
    for command in commands(text):
        if command == "echo $?":
            printed = f"{exit_code}\n"
        else:
            printed, exit_code = run(command)
        lines.append(f"$ {command}\n{printed}")
    printed_now = re.sub(r" +$", "", "".join(lines), flags=re.MULTILINE).replace(f"{ROOT}/", "")
    return with_shown_digits(printed_now, text)


def run(command: str) -> tuple[str, int]:
    """What a command prints at a terminal, then what it says aside, and its exit code.

    Aside stands no terminal: how far a check has come would be shown there for as long as it takes.
    """
    command, _, source = command.partition(" < ")
    screen, aside = Stream(terminal=True), Stream()
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(ROOT):
        patch.setenv("COLUMNS", "80")
        patch.setenv("NO_COLOR", "1")
        patch.setattr(sys, "stdout", screen)
        patch.setattr(sys, "stderr", aside)
        if source:
            patch.setattr(sys, "stdin", io.StringIO(Path(source).read_text(encoding="utf-8")))
        exit_code = main(shlex.split(command)[1:])
    return screen.text() + aside.text(), exit_code


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_command_prints_its_transcript(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert without_library_lines(text) == without_library_lines(replayed(text))


def without_library_lines(text: str) -> str:
    """A transcript without the line numbers of SciPy's files, which differ from release to release."""
    return re.sub(r"(_zeros_py\.py):\d+", r"\1", text)


def test_every_command_has_one() -> None:
    """A new command gets a transcript, or a test that says why it has none."""
    assert {path.stem for path in TRANSCRIPTS} | set(ELSEWHERE) == set(COMMANDS)
    assert all(f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") for file, name in ELSEWHERE.values())
    assert any(block.text.startswith("$ gradcli step ") for block in blocks("screen"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_option_is_typed_in_it(path: Path) -> None:
    typed = {
        word for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("$ ") for word in line.split()
    }

    assert set(options(path.stem)) - NOT_SHOWN - typed == set()
