"""The output shown in the README and the pages under docs/, computed anew: commands, sessions, screens, Python.

`python -m tests.write` inserts the current output; review the difference before you keep it.
"""

import atexit
import contextlib
import doctest
import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from gradcli.errors import Exit
from gradcli.terminal import render
from gradcli.terminal.cli import main
from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.repl.session import Session
from gradcli.terminal.repl.text_output import shown
from tests.documents.published_libraries import why_not_run
from tests.last_digits import with_shown_digits

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
IN_THE_WILD = DOCS / "in-the-wild.md"
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of a document.

    Args:
        document: the file.
        kind: the word after the fence.
        text: the text between the fences.
    """

    document: Path
    kind: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {self.text.splitlines()[0]}"


def documents() -> list[Path]:
    return [README, *sorted(DOCS.rglob("*.md"))]


def blocks(kind: str, *paths: Path) -> list[Block]:
    """The fenced blocks of one kind in some documents, by default in all, in order."""
    return [
        Block(path, kind, text)
        for path in paths or documents()
        for label, text in FENCE.findall(path.read_text(encoding="utf-8"))
        if label == kind
    ]


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


@cache
def folder() -> Path:
    """A folder with the examples, in which a command may write files."""
    place = Path(tempfile.mkdtemp(prefix="gradcli-documents-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    with_examples(place)
    return place


def with_examples(place: Path) -> None:
    shutil.copytree(ROOT / "examples", place / "examples", ignore=shutil.ignore_patterns("__pycache__"))


def replayed(block: str) -> str:
    """A console block with the current output of its commands; the last digits of numbers stay as shown."""
    lines, exit_code = [], 0
    for command in commands(block):
        if command == "echo $?":
            printed = f"{exit_code}\n"
        else:
            printed, exit_code = run(command)
        lines.append(f"$ {command}\n{printed}")
    return with_shown_digits("".join(lines), block)


@cache
def run(line: str) -> tuple[str, int]:
    """The output of a line at 80 columns, and its exit code; `| head -n 3`, `| tail -n 3` and `< file` work."""
    line, _, filtered = line.partition(" | ")
    line, _, source = line.partition(" < ")
    name, *arguments = shlex.split(line)
    if name == "cat":
        return "".join((folder() / each).read_text(encoding="utf-8") for each in arguments), 0
    assert "gradcli" == name
    if not filtered:
        screen = io.StringIO()
        exit_code = _printed(arguments, source, "80", screen, screen)
        return _stripped(screen), exit_code
    # A pipe takes stdout; `tail` prints it at the end, `head` as it arrives.
    printed, errors = io.StringIO(), io.StringIO()
    exit_code = _printed(arguments, source, "", printed, errors)
    seen_on_screen = [_stripped(errors), _filtered(_stripped(printed), filtered)]
    return "".join(seen_on_screen if filtered.startswith("tail") else reversed(seen_on_screen)), exit_code


def _stripped(screen: io.StringIO) -> str:
    return re.sub(r" +$", "", screen.getvalue(), flags=re.MULTILINE)


def _printed(arguments: list[str], source: str, columns: str, printed: io.StringIO, errors: io.StringIO) -> int:
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(folder()),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(errors),
    ):
        patch.setenv("COLUMNS", columns)
        if source:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(source).read_bytes())))
        exit_code = main(arguments)
    assert Exit.INTERNAL != exit_code, errors.getvalue()
    return exit_code


def _filtered(text: str, command: str) -> str:
    end, count = re.fullmatch(r"(head|tail) -n (\d+)", command).groups()  # type: ignore[union-attr]
    lines = text.splitlines(keepends=True)
    return "".join(lines[: int(count)] if end == "head" else lines[-int(count) :])


@contextlib.contextmanager
def new_session() -> Iterator[Session]:
    """A session in a folder with the examples."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        with_examples(Path(place))
        yield Session(Shell(program))


def answered(block: str, session: Session) -> str:
    """A session block with the current answers, as `replayed` has them, on a terminal of 80 columns."""
    look = render.Look(width=80, terminal=True)
    lines = [line for line in block.splitlines() if line.startswith("> ")]
    answers = [shown(session.run(line[2:]), session.shell.error, look)[0] for line in lines]
    answered_now = "".join(
        f"{line}\n{''.join(map(''.join, texts))}" for line, texts in zip(lines, answers, strict=True)
    )
    return with_shown_digits(answered_now, block)


def seen(block: str) -> str:
    """A screen block as it looks now: the command, the keys, and the resulting screen."""
    from tests.terminal.repl.terminal.screenshot import screen_of

    typed, keys = block.splitlines()[:2]
    with contextlib.chdir(folder()):
        return f"{typed}\n{keys}\n{screen_of(shlex.split(typed)[3:], keys.removeprefix('keys: ').split())}"


def complaints(block: Block) -> str:
    """The differences between a Python block and its current output; empty if there are none."""
    test = doctest.DocTestParser().get_doctest(block.text, {}, block.name, str(block.document), 0)
    said = io.StringIO()
    assert test.examples
    with contextlib.chdir(folder()):
        doctest.DocTestRunner(verbose=False).run(test, out=said.write)
    return said.getvalue()


def rewritten(text: str) -> str:
    """A document with its current output: every command replayed, every screen drawn, its sessions run as one."""
    with new_session() as session:
        again: dict[str, Callable[[str], str]] = {
            "console": replayed,
            "session": lambda block: answered(block, session),
            "screen": seen,
        }

        def now(match: re.Match[str]) -> str:
            runs = match[1] in again and not why_not_run(match[2])
            block = again[match[1]](match[2]) if runs else match[2]
            return text[match.start() : match.start(2)] + block + text[match.end(2) : match.end()]

        return FENCE.sub(now, text)
