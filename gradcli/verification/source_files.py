"""The Python files of a project, without files that are hidden, ignored by git or part of an environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch

NOT_SEARCHED = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages", "build", "dist"})
TEST_FOLDERS = frozenset({"tests", "test", "testing"})


def python_files(folder: str, exclude: Sequence[str] = (), root: str | None = None) -> list[str]:
    """The sorted paths of the Python files in a folder; `exclude` holds patterns of paths relative to `root`.

    Those of pipes, devices and links without an end are among them.
    """
    root = root or folder
    paths = _of_git(folder)
    paths = list(_walked(folder)) if paths is None else [path for path in paths if not _is_passed_over(path, folder)]
    return sorted(path for path in paths if not is_excluded(os.path.relpath(path, root), exclude))


def is_excluded(path: str, exclude: Sequence[str]) -> bool:
    """Whether a path, or a folder that contains it, matches one of the patterns."""
    parts = path.replace(os.sep, "/").split("/")
    above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(fnmatch(each, pattern.rstrip("/")) for each in above for pattern in exclude)


def is_test(path: str) -> bool:
    """Whether a path, relative to the searched folder, is a test file."""
    *folders, file = path.replace(os.sep, "/").split("/")
    stem = file.removesuffix(".py")
    named = stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"
    return named or not TEST_FOLDERS.isdisjoint(folders)


def _walked(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = [folder for folder in folders if not _is_left_out(os.path.join(here, folder))]
        yield from (os.path.join(here, file) for file in files if file.endswith(".py") and not file.startswith("."))


def _is_left_out(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith(".") or name in NOT_SEARCHED or os.path.exists(os.path.join(path, "pyvenv.cfg"))


def _is_passed_over(path: str, folder: str) -> bool:
    """Whether a file known to git is hidden or in a folder that is not searched."""
    *folders, file = os.path.relpath(path, folder).split(os.sep)
    return file.startswith(".") or any(folder.startswith(".") or folder in NOT_SEARCHED for folder in folders)


def _of_git(folder: str) -> list[str] | None:
    """The Python files not ignored by git; None without git, or if the folder itself is ignored."""
    asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.py"]
    try:
        if (
            subprocess.run(
                ["git", "-C", folder, "check-ignore", "-q", "."], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return None
        done = subprocess.run(["git", "-C", folder, *asked], capture_output=True, check=False)
    except OSError:
        return None
    if done.returncode:
        return None
    paths = (os.path.join(folder, os.fsdecode(name)) for name in done.stdout.split(b"\0") if name)
    return [path for path in paths if os.path.lexists(path)] or None
