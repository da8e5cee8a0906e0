"""The README says what a newcomer needs, its two commands work on a fresh machine, and it stays short."""

import os
import re
import shutil
import subprocess
import tomllib

import pytest

from gradcli.terminal.render.topics.topic_texts import TESTED_DEVICES
from tests.documents.shown import README, ROOT, blocks, run

NOT_IN_A_CLONE = (".git", ".venv", ".hypothesis", ".*_cache", "__pycache__")


def first_commands() -> list[list[str]]:
    """The commands for a fresh machine, each split at its `&&`."""
    return [[part.strip() for part in line.split("&&")] for line in blocks("sh", README)[0].text.splitlines()]


def test_the_first_command_runs_the_main_job():
    *_, last = first_commands()[0]
    printed, exit_code = run(last.removeprefix(".venv/bin/"))

    assert exit_code == 0
    assert all(number in printed for number in ("100", "52", "38", "28", "22"))


def test_the_second_command_runs_the_tests_that_the_build_runs():
    """The extra that it installs exists, and `.ci/run` runs the same line."""
    _, install, tests = first_commands()[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert re.search(r"\.\[(\w+)\]", install)[1] in project["optional-dependencies"]
    assert tests.removeprefix(".venv/bin/") in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_first_command_works_as_written(tmp_path):
    """In a copy of the project, in an environment that has only what it installs; the build runs the second one."""
    copy = tmp_path / "gradcli"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_IN_A_CLONE))
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VIRTUAL_ENV"))}
    own["PIP_NO_COMPILE"] = "1"  # little of what is installed runs

    subprocess.run(["bash", "-c", blocks("sh", README)[0].text.splitlines()[0]], check=True, cwd=copy, env=own)


def test_the_environment_is_active_when_the_next_command_runs():
    """The block after the first commands activates the environment that they create."""
    text = README.read_text(encoding="utf-8")
    environment = re.match(r"python3 -m venv (\S+)", first_commands()[0][0])[1]
    activation = f". {environment}/bin/activate"

    assert [activation] == blocks("sh", README)[1].text.splitlines()
    assert text.index(activation) < text.index("$ gradcli")


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_it_says_where_gpus_were_tested():
    words = " ".join(README.read_text(encoding="utf-8").split())

    assert TESTED_DEVICES in words
