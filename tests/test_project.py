"""What stands beside the package says the same in each of its places."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name):
    """What a file says."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_hosted_build_runs_the_same():
    """From the oldest Python that is allowed."""
    workflow = text(".github/workflows/ci.yml")

    assert "- run: .ci/run" in workflow
    assert PROJECT["requires-python"].removeprefix(">=") in workflow


def test_contributors_are_told_what_the_build_runs():
    """The same commands."""
    build = text(".ci/run")
    told = re.search(r"piece by piece:\n\n```console\n(.*?)```", text("CONTRIBUTING.md"), re.DOTALL)

    assert told is not None
    assert all(line in build for line in told.group(1).splitlines())
