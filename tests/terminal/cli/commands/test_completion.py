"""Completion on the shell's command line: what is offered, how soon, and by which script.

`python -m tests.write` writes the table of commands and options anew.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gradcli.terminal.cli import shell_completion
from gradcli.terminal.cli.commands.completion import SCRIPTS
from gradcli.terminal.cli.commands.help import known_topics
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.cli.shell_completion import candidates, split
from gradcli.terminal.render.topics import codes
from tests.terminal.cli.conftest import Call

ROOT = Path(__file__).parents[4]
TABLE = Path(shell_completion.__file__).with_suffix(".tsv")


def written() -> str:
    """The table as the commands have it now."""
    context = click.Context(program)
    commands = {word: program.get_command(context, word) for word in program.list_commands(context)}
    meanings = {word: command.get_short_help_str(200) for word, command in commands.items()}
    owners: dict[tuple[str, str, str], list[str]] = {}
    for word, command in {"": program, **commands}.items():
        for row in rows(command):
            owners.setdefault(row, []).append(word)
    shown = [(*row, " ".join(words)) for row, words in sorted(owners.items(), key=lambda each: each[0][0])]
    sections = [meanings.items(), shown, [(" ".join((*commands, *known_topics(), *codes(), "all")),)]]
    return "\n\n".join("\n".join(map("\t".join, section)) for section in sections) + "\n"


def write_table() -> None:
    """Write the table as the commands have it now."""
    TABLE.write_text(written(), encoding="utf-8")


def rows(command: click.Command) -> Iterator[tuple[str, str, str]]:
    """The options of a command, each with its help and its values, and its argument if it is one of a list."""
    for each in command.params:
        choices = " ".join(getattr(each.type, "choices", ()))
        if isinstance(each, click.Option):
            values = choices or ("cpu gpu" if each.name == "device" else "")
            yield max(each.opts, key=len), each.help or "", "-" if each.is_flag else values
        elif choices:
            yield "", "", choices


def offered(line: str) -> list[str]:
    """The words that are offered at the end of a line."""
    return [word for word, _ in candidates(split(line)[1:])]


def test_the_table_is_that_of_the_commands() -> None:
    """A new command or option is completed, or this fails."""
    assert written() == TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        (["grad"], "gradcli gr"),
        (["--version"], "gradcli --v"),
        (["examples/hyperbox.py:"], "gradcli grad examples/hyp"),
        (["examples/"], "gradcli check exam"),
        (["examples/hyperbox.py:f3", "examples/hyperbox.py:f4"], "gradcli grad examples/hyperbox.py:f"),
        (["examples/rosenbrock.py:grad_rosen"], "gradcli check f --against examples/rosenbrock.py:grad"),
        (["a=", "b=", "c="], "gradcli grad examples/hyperbox.py:f3 --at "),
        (["a=1,b=", "a=1,c="], "gradcli grad examples/hyperbox.py:f3 --at a=1,"),
        (["a,b", "a,c"], "gradcli grad examples/hyperbox.py:f3 --wrt a,"),
        (["cpu"], "gradcli grad x --device c"),
        (["svg", "html", "png", "md", "csv", "dot", "mermaid", "text", "json"], "gradcli tape x --format "),
        (["md", "latex", "html", "text", "json"], "gradcli explain x --format "),
        (["--width", "--workers", "--wrt"], "gradcli grad 'x * y' --w"),
        (["G402"], "gradcli help G402"),
        (["points"], "gradcli help poi"),
        (["bash"], "gradcli completion b"),
        ([], "gradcli grad x --width "),
        ([], "gradcli grad no/such/fi"),
        ([], "gradcli nonsense "),
    ],
)  # fmt: skip
def test_what_is_offered(expected: list[str], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands, options and their values, files, functions of a file, and inputs."""
    monkeypatch.chdir(ROOT)

    assert offered(line) == expected


def test_a_file_is_read_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("raise SystemExit(1)\ndef f(x, /, y): ...\ndef _g(): ...\n")
    (tmp_path / "bad.py").write_text("def f(:")

    assert [f"{tmp_path}/f.py:f"] == offered(f"gradcli grad {tmp_path}/f.py:")
    assert offered(f"gradcli grad {tmp_path}/bad.py:") == []


def test_points_in_files(tmp_path: Path) -> None:
    """After an at sign come the files that hold points."""
    for name in ("a.json", "b.npy", "c.txt"):
        (tmp_path / name).touch()

    assert [f"@{tmp_path}/a.json", f"@{tmp_path}/b.npy"] == offered(f"gradcli grad x --at @{tmp_path}/")


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        (["gradcli", "grad", ""], "gradcli grad "),
        (["gradcli", "grad", "x + y", "--at"], "gradcli grad 'x + y' --at"),
        (["gradcli", "grad", "x + "], 'gradcli grad "x + '),
    ],
)
def test_a_line_is_taken_apart(expected: list[str], line: str) -> None:
    assert split(line) == expected


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts(shell: str, call: Call) -> None:
    answer = call("completion", shell)

    assert answer == (0, SCRIPTS[shell], "")
    assert f"gradcli __complete {shell}" in answer.out
    assert json.loads(call("completion", shell, "--json").out)["script"] == SCRIPTS[shell]


def completed_by_bash(line: str, tmp_path: Path) -> list[str]:
    """What bash has to choose from after a press of the tabulator."""
    (tmp_path / "gradcli").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gradcli "$@"\n')
    (tmp_path / "gradcli").chmod(0o755)
    asked = f"COMP_LINE={line!r} COMP_POINT={len(line)}; _gradcli 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    script = f"COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\n{SCRIPTS['bash']}\n{asked}"
    run = subprocess.run(["bash", "-c", script], cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.mark.parametrize(
    ("expected", "line"),
    [(["hessian"], "gradcli hes"), (["f3", "f4"], "gradcli grad examples/hyperbox.py:f"), ([], "gradcli zzz ")],
)  # fmt: skip
def test_bash_gets_what_it_replaces(expected: list[str], line: str, tmp_path: Path) -> None:
    """Bash takes a word apart at colons and equal signs."""
    assert completed_by_bash(line, tmp_path) == expected


SHELLS = {
    "fish": "source script; complete -C {line!r} | string split -f 1 \\t",
    # Zsh completes at its line editor only: what would come from it stands before, and what goes to it is printed.
    "zsh": """
        compdef() {{ }}
        compadd() {{ [[ $1 == -a ]] && print -l -- ${{(P)2}} || print -l -- ${{(P)4}} }}
        source ./script; words=({line}); [[ {line!r} == *" " ]] && words+=(""); CURRENT=${{#words}}; _gradcli
    """,
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"hessian"}, "gradcli hes"),
        ({"examples/"}, "gradcli grad exam"),
        ({"examples/hyperbox.py:f3", "examples/hyperbox.py:f4"}, "gradcli grad examples/hyperbox.py:f"),
        ({"a=1,b=", "a=1,c="}, "gradcli grad examples/hyperbox.py:f3 --at a=1,"),
        ({"md", "csv"}, "gradcli tape 'x * y' --format "),
    ],
)  # fmt: skip
def test_other_shells_run_their_script(expected: set[str], line: str, shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "gradcli").write_text(f'#!/bin/sh\ncd "{ROOT}"\nexec "{sys.executable}" -m gradcli "$@"\n')
    (tmp_path / "gradcli").chmod(0o755)
    (tmp_path / "script").write_text(SCRIPTS[shell])
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    command = [shell, *(["-f"] if shell == "zsh" else ["--no-config"]), "-c", SHELLS[shell].format(line=line)]
    run = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    assert (set(run.stdout.split()), run.stderr) == (expected, "")


def test_it_starts_at_once() -> None:
    """Hardly later than Python itself, under 60 ms on a machine at rest; neither click nor any library is imported."""
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "gradcli",
        "__complete",
        "fish",
        "gradcli",
        "grad",
        "examples/h",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in run.stderr.splitlines()}

    assert run.stdout == "examples/hyperbox.py:\t\n"
    assert loaded & {"click", "rich", "numpy", "sympy", "prompt_toolkit"} == set()
