"""A project of forty cases, and one run over it that the tests share."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gradcli.verification.worker_process import WorkerProcess

ROOT = Path(__file__).parents[2]
PROJECT = Path(__file__).parent / "project"
FORMATS = {"junit": "xml", "sarif": "sarif", "gitlab": "json", "json": "json", "markdown": "md", "html": "html"}


def environment(**more: str) -> dict[str, str]:
    """The environment of a non-interactive terminal outside of a build server."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("GITHUB_ACTIONS", "COLUMNS", "FORCE_COLOR")
    }
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def gradcli(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradcli", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment(**more), capture_output=True, text=True, check=False, timeout=120
    )


class Finished(NamedTuple):
    """A finished run.

    Args:
        folder: the folder of the project, an empty repository.
        code, out, err: the exit code and the output of the run.
    """

    folder: Path
    code: int
    out: str
    err: str

    def report(self, form: str) -> Path:
        return self.folder / f"reports/{form}.{FORMATS[form]}"

    def data(self, form: str) -> Any:
        return json.loads(self.report(form).read_text(encoding="utf-8"))

    def lines(self) -> dict[str, str]:
        """The outcome of each case by name, from the printed lines."""
        names = sorted((case["name"] for case in self.data("json")["cases"]), key=len, reverse=True)
        found = {}
        for line in self.out.split("\n\n")[0].splitlines():
            outcome, _, rest = line.partition(" ")
            found[next(name for name in names if rest.strip().startswith(name))] = outcome
        return found

    def block(self, name: str) -> str:
        return next(part for part in self.out.split("\n\n") if re.match(rf"[A-Z]+ {re.escape(name)}\n", part))


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, in a repository of its own."""
    folder = tmp_path_factory.mktemp("verify") / "project"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".git").mkdir()
    (folder / "reports").mkdir()
    return folder


@pytest.fixture(scope="session")
def finished(project: Path) -> Finished:
    """One run over the whole project, with two workers and every report."""
    reports = [f"--report={form}=reports/{form}.{ending}" for form, ending in FORMATS.items()]
    done = gradcli("verify", "-n", "2", *reports, cwd=project)
    return Finished(project, done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def worker() -> Iterator[WorkerProcess]:
    """A worker, which takes long to start, for all tests that do not ask how it ends."""
    process = WorkerProcess()
    yield process
    process.end()
