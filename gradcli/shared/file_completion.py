"""Completion of paths, and of functions in Python files, from their syntax; nothing is run or imported for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

LONGEST_FILE = 1_000_000  # bytes; functions in longer files are not completed


def paths(typed: str, *endings: str) -> Iterator[str]:
    """The files with one of the endings, and the folders, that complete a path; hidden ones only after a dot."""
    folder, name = os.path.split(typed)
    try:
        entries = sorted(os.scandir(os.path.expanduser(folder) or "."), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in entries:
        if not entry.name.startswith(name) or (entry.name.startswith(".") and not name) or entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield os.path.join(folder, entry.name) + "/"
        elif entry.name.endswith(endings):
            yield os.path.join(folder, entry.name)


def functions_in(path: str) -> Mapping[str, list[str]]:
    """The public functions of a Python file with the names of their parameters; empty on errors."""
    import ast

    from gradcli.shared.regular_files import read_file

    path = os.path.expanduser(path)
    try:
        body = ast.parse(read_file(path)).body if os.stat(path).st_size <= LONGEST_FILE else []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return {}
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return {node.name: [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)] for node in functions}
