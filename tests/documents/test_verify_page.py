"""The documented set-up works as it stands: the entry, the jobs' shell lines, the hook."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gradcli.shared.records.checks import OUTCOME_EXITS
from gradcli.terminal.cli.root_command import program
from tests.documents.shown import DOCS, ROOT, blocks
from tests.verification.conftest import environment

PAGE = DOCS / "verify.md"
DOCUMENT = PAGE.read_text(encoding="utf-8")
MODELS = "def loss(x, y):\n    return x**2 * y\n\n\ndef loss_grad(x, y):\n    return 2 * x * y, {}\n"


def shell_lines() -> list[str]:
    """The lines of the jobs that run gradcli."""
    return [
        match[1]
        for block in blocks("yaml", PAGE)
        for match in re.finditer(r"- (?:run: )?(gradcli verify .*)", block.text)
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the documented entry."""
    (tmp_path / "pyproject.toml").write_text(blocks("toml", PAGE)[0].text)
    (tmp_path / "models.py").write_text(MODELS.format("x**2"))
    programs = tmp_path / "bin"
    programs.mkdir()
    script = programs / "gradcli"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gradcli "$@"\n')
    script.chmod(0o755)
    return tmp_path


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", shell_lines())
def test_the_lines_of_a_job(line: str, project: Path) -> None:
    """They pass with a right gradient and fail with a wrong one; the files that the job keeps are there."""
    summary = project / "summary.md"
    own = environment(GITHUB_STEP_SUMMARY=str(summary), PATH=f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def code() -> int:
        return subprocess.run(["bash", "-ec", line], cwd=project, env=own, capture_output=True, check=False).returncode

    assert code() == 0
    (project / "models.py").write_text(MODELS.format("x"))
    assert code() == 1
    named = [match[1] for match in re.finditer(r"=(gradients\.\w+)", line)]
    assert named
    assert all((project / name).is_file() for name in named)
    if "GITHUB_STEP_SUMMARY" in line:
        assert summary.read_text().count("## gradcli verify: ") == 2


def test_gradcli_is_installed_from_its_home() -> None:
    """No index has it: the address is that of the project."""
    home = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]

    assert [home] * 2 == re.findall(r"pip install git\+(\S+) -e \.", DOCUMENT)
    assert [home] == re.findall(r"- repo: (\S+)", DOCUMENT)


def test_there_are_two_jobs() -> None:
    assert len(shell_lines()) == 2


def test_the_example_of_the_fixture_runs() -> None:
    import gradcli

    names: dict[str, object] = {}
    exec(blocks("python", PAGE)[0].text, names)
    names["test_the_gradient"](gradcli.assert_grad)  # type: ignore[operator]


@pytest.mark.long
@pytest.mark.parametrize("by", ["an entry", "a comment"])
def test_the_example_of_a_box_runs(by: str, tmp_path: Path) -> None:
    """As an entry without the comment, and as a comment without the entry: right, and wrong."""
    (source,) = (block.text for block in blocks("python", PAGE) if "--box" in block.text)
    (entry,) = (block.text for block in blocks("toml", PAGE) if "box" in block.text)
    if by == "an entry":
        source = re.sub("# gradcli: .*\n", "", source)
        (tmp_path / "pyproject.toml").write_text(entry)

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gradcli", "verify", "--verbose"]
        return subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)

    (tmp_path / "divergence.py").write_text(source)
    right = run()
    (tmp_path / "divergence.py").write_text(source.replace("-p / q", "p / q"))
    wrong = run()

    assert (right.returncode, wrong.returncode) == (0, 1), right.stderr
    assert "at p=0.7615, q=0.6589\n" in right.stdout
    assert "20 more points (seed 0): 20 pass\n" in right.stdout


def test_all_outcomes_are_documented() -> None:
    rows = re.findall(r"^\| ([a-z, ]+) \| .* \| (\d+) \|$", DOCUMENT, re.MULTILINE)
    told = {outcome: int(code) for names, code in rows for outcome in names.split(", ")}

    assert {**{name: int(code) for name, code in OUTCOME_EXITS.items()}, "unchecked": 0, "skipped": 0} == {
        "pass": 0, **told
    }  # fmt: skip


def test_the_hook_is_a_command() -> None:
    import click

    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    words = shlex.split(re.search(r"entry: (.*)", text)[1])  # type: ignore[index]
    command = program.get_command(click.Context(program), words[1])

    assert command is not None
    assert set(words[2:]) <= {name for each in command.params for name in each.opts}
    assert f"- id: {re.search(r'- id: (.*)', text)[1]}" in DOCUMENT  # type: ignore[index]
