"""A changed copy of gradcli under the everyday tests that execute the changed line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from coverage import CoverageData

from tests.mutation.drawing import PACKAGES, Change

LONGEST = 1800  # seconds of the tests; a change that makes them hang is noticed
TOGETHER = 2000  # tests in a run: the names of all of them are longer than a command may be
LEFT_OUT = "tests/test_layers.py"  # it counts statements, which says nothing of what they do
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-n", "2")


class ChangedCopy:
    """A copy of the checkout, and the tests that execute each of its lines.

    Args:
        root: the folder of the checkout.
        copy: the folder of the copy.
    """

    def __init__(self, root: Path, copy: Path) -> None:
        self.root, self.copy = root, copy
        measured = [f"--cov=gradcli/{package}" for package in PACKAGES]
        self._pytest("-q", "-n", "2", f"--ignore={LEFT_OUT}", *measured, "--cov-context=test", "--cov-report=")
        self.data = CoverageData(str(copy / ".coverage"))
        self.data.read()

    def noticed_by(self, change: Change) -> str | None:
        """Name the first test that fails on the change; None if none does."""
        path = self.copy / change.path.relative_to(self.root)
        before = path.read_text()
        path.write_text(change.text)
        try:
            return next(filter(None, map(self._failure, self._tests(path, change.line))), None)
        finally:
            path.write_text(before)

    def _tests(self, path: Path, line: int) -> Iterator[list[str]]:
        """The tests that execute the line (the module, if it runs at import), those of the same folder first."""
        contexts = self.data.contexts_by_lineno(str(path))
        names = _named(contexts.get(line, ())) or _named(name for names in contexts.values() for name in names)
        folder = f"tests/{path.parent.relative_to(self.copy / 'gradcli')}/"
        yield [name for name in names if name.startswith(folder)]
        others = [name for name in names if not name.startswith(folder)]
        yield from (others[at : at + TOGETHER] for at in range(0, len(others), TOGETHER))

    def _failure(self, tests: list[str]) -> str | None:
        """The line in which pytest names the first failure; what ended it otherwise."""
        if not tests:
            return None
        try:
            run = self._pytest(*OPTIONS, *tests)
        except subprocess.TimeoutExpired:
            return f"not ended within {LONGEST} s"
        failures = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return next(iter(failures), f"exit code {run.returncode}" if run.returncode else None)

    def _pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.copy), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, cwd=self.copy, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )


def _named(contexts: Iterable[str]) -> list[str]:
    """The tests of contexts, without the phase in which they ran; what ran at import has none."""
    return sorted({context.rpartition("|")[0] for context in contexts} - {""})


@contextmanager
def changed_copy(root: Path) -> Iterator[ChangedCopy]:
    """Copy the checkout to a folder of its own for a while."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache"))
        yield ChangedCopy(root, copy)
