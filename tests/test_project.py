"""What stands beside the package says the same in each of its places."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_hosted_build_runs_the_same():
    workflow = text(".github/workflows/ci.yml")

    assert "- run: .ci/run" in workflow
    assert PROJECT["requires-python"].removeprefix(">=") in workflow


def test_contributors_are_told_what_the_build_runs():
    build = text(".ci/run")
    told = re.search(r"The single steps are:\n\n```console\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)

    assert told is not None
    assert all(line in build for line in told.group(1).splitlines())


def test_the_oldest_dependencies_are_the_lower_bounds():
    asked = dict(line.split(">=") for line in [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]])
    pinned = dict(line.split("==") for line in text(".ci/oldest.txt").splitlines() if "==" in line)

    assert set(asked) == set(pinned)
    assert [name for name, bound in asked.items() if not f"{pinned[name]}.".startswith(f"{bound}.")] == []
    assert "pip install -c .ci/oldest.txt '.[test]'" in text(".github/workflows/ci.yml")
