"""The README is true: its commands print what it shows, its Python runs, its tables are complete.

`python -m tests.test_readme --write` puts in what the commands print now; read the difference before you keep it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli import render
from gradcli.cli import main
from gradcli.cli.program import COMMANDS, program
from gradcli.cli.repl_commands import Shell
from gradcli.errors import EXIT_MEANINGS, Exit
from gradcli.repl.session import Session
from gradcli.repl.text_output import shown

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
NOT_IN_A_CLONE = (".git", ".venv", ".hypothesis", ".*_cache", "__pycache__")
# The build runs them all, by the same line: here, some that need what is installed.
A_FEW_TESTS = (
    "tests/test_public.py tests/test_numpy.py tests/tape/values/test_scalar.py tests/rules/test_scipy_special.py"
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(kind: str) -> list[str]:
    """The fenced blocks of one kind, in order."""
    return [text for label, text in FENCE.findall(README.read_text(encoding="utf-8")) if label == kind]


def commands(block: str) -> list[str]:
    """What a console block shows as typed."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def replayed(block: str) -> str:
    """A console block as the commands in it print it now."""
    lines, exit_code = [], 0
    for command in commands(block):
        if command == "echo $?":
            printed = f"{exit_code}\n"
        else:
            printed, exit_code = run(command)
        lines.append(f"$ {command}\n{printed}")
    return "".join(lines)


def answered(block: str) -> str:
    """A block of lines at the prompt as a session answers them now, on a terminal of 80 columns."""
    session, look = Session(Shell(program)), render.Look(width=80, terminal=True)
    with contextlib.chdir(ROOT):
        lines = [line for line in block.splitlines() if line.startswith("> ")]
        answers = [shown(session.run(line[2:]), session.shell.error, look)[0] for line in lines]
    return "".join(f"{line}\n{''.join(map(''.join, texts))}" for line, texts in zip(lines, answers, strict=True))


def run(command: str) -> tuple[str, int]:
    """What a gradcli command prints at a terminal of 80 columns, and its exit code."""
    command, _, source = command.partition(" < ")
    name, *arguments = shlex.split(command)
    assert "gradcli" == name
    screen = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(screen),
    ):
        patch.setenv("COLUMNS", "80")
        if source:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(source).read_bytes())))
        exit_code = main(arguments)
    assert Exit.INTERNAL != exit_code, screen.getvalue()
    return re.sub(r" +$", "", screen.getvalue(), flags=re.MULTILINE), exit_code


def seen(block: str) -> str:
    """A block with a screen in it as it is seen now: the line that is typed, the keys, and what stands there then."""
    from tests.repl.terminal.screenshot import screen_of

    typed, keys = block.splitlines()[:2]
    with contextlib.chdir(ROOT):
        return f"{typed}\n{keys}\n{screen_of(shlex.split(typed)[3:], keys.removeprefix('keys: ').split())}"


def first_commands() -> list[list[str]]:
    """The commands for a fresh machine, each split at its `&&`."""
    return [[part.strip() for part in line.split("&&")] for line in blocks("sh")[0].splitlines()]


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: commands(block)[0])
def test_a_command_prints_what_is_shown(block):
    """The whole output is compared, at 80 columns."""
    assert block == replayed(block)


@pytest.mark.parametrize("block", blocks("session"), ids=lambda block: block.split("\n", 1)[0])
def test_a_session_goes_as_shown(block):
    """Each line at the prompt is answered so."""
    assert block == answered(block)


@pytest.mark.parametrize("block", blocks("screen"), ids=lambda block: block.splitlines()[0])
def test_a_screen_is_as_shown(block):
    """All lines of the screen are compared, at 80 columns."""
    assert block == seen(block)


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.split("\n", 1)[0])
def test_python_runs_as_shown(block):
    """Every block stands on its own."""
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", str(README), 0)
    said = io.StringIO()

    assert test.examples
    assert 0 == doctest.DocTestRunner(verbose=False).run(test, out=said.write).failed, said.getvalue()


def test_the_first_command_runs_the_main_job():
    """Its last part, without the installation before it, prints the gradient."""
    *_, last = first_commands()[0]
    printed, exit_code = run(last.removeprefix(".venv/bin/"))

    assert 0 == exit_code
    assert all(number in printed for number in ("100", "52", "38", "28", "22"))


def test_the_second_command_runs_the_tests_that_the_build_runs():
    """The extra that it installs exists, and `.ci/run` runs the same line."""
    _, install, tests = first_commands()[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert re.search(r"\.\[(\w+)\]", install)[1] in project["optional-dependencies"]
    assert tests.removeprefix(".venv/bin/") in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("number", [0, 1])
def test_the_first_commands_work_as_written(number, tmp_path):
    """In a copy of the project, in an environment that has only what they install."""
    copy = tmp_path / "gradcli"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_IN_A_CLONE))
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VIRTUAL_ENV"))}
    own["PYTEST_ADDOPTS"] = A_FEW_TESTS

    subprocess.run(["bash", "-c", blocks("sh")[0].splitlines()[number]], check=True, cwd=copy, env=own)


def test_every_command_is_shown():
    """A new command is documented, or the tests fail."""
    text = README.read_text(encoding="utf-8")

    assert [] == [name for name in COMMANDS if f"gradcli {name} " not in text]


def test_every_exit_code_is_explained():
    """The table has a row for each, in the words of the program."""
    rows = [f"| {int(code)} | {meaning} |" for code, meaning in EXIT_MEANINGS.items()]

    assert [] == [row for row in rows if row not in README.read_text(encoding="utf-8")]


def test_every_extra_is_named():
    """What can be installed beside the program is said."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert [] == [name for name in project["optional-dependencies"] if f"`{name}`" not in README.read_text("utf-8")]


def rewritten(text: str) -> Iterator[str]:
    """The README with every console block replayed, every session and every screen."""
    again = {"console": replayed, "session": answered, "screen": seen}
    end = 0
    for match in FENCE.finditer(text):
        yield text[end : match.start(2)]
        yield again[match[1]](match[2]) if match[1] in again else match[2]
        end = match.end(2)
    yield text[end:]


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    README.write_text("".join(rewritten(README.read_text(encoding="utf-8"))), encoding="utf-8")
