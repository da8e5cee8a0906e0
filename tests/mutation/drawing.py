"""Changed copies of gradcli's modules: one small change each, at a line drawn by a seed."""

from __future__ import annotations

import ast
import difflib
import functools
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

PACKAGES = ("engine/tape", "mathematics/rules", "answers/checks", "answers/derivation")
WITH_ARGUMENTS = ("VariableReplacer", "VariableInserter")  # these ask for names to exchange


class Change(NamedTuple):
    """The text of a module with one change, and its line."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        before, after = self.path.read_text().splitlines(), self.text.splitlines()
        lines = list(difflib.unified_diff(before, after, n=0, lineterm=""))[3:]
        return "\n".join([f"{self.path}:{self.line}", *lines])


def drawn(root: Path, number: int, seed: int) -> list[Change]:
    """Draw this many lines that some operator of Cosmic Ray changes, and one of its changes for each."""
    modules = sorted(path for package in PACKAGES for path in (root / "gradcli" / package).rglob("*.py"))
    lines = [(path, line + 1) for path in modules for line in range(len(path.read_text().splitlines()))]
    choice = random.Random(seed)
    choice.shuffle(lines)
    return list(itertools.islice(_changes(lines, choice), number))


def _changes(lines: list[tuple[Path, int]], choice: random.Random) -> Iterator[Change]:
    for path, line in lines:
        text = path.read_text()
        if operators := _operators_by_line(text).get(line):
            operator, occurrence = choice.choice(operators[choice.choice(sorted(operators))])
            changed = mutate_code(text, operator, occurrence)
            assert changed is not None
            yield Change(path, line, changed)


@functools.cache
def _operators_by_line(text: str) -> dict[int, dict[str, list[tuple[Any, int]]]]:
    """The operators that change a line, by name, each with the places in the module (counted) at which it does."""
    by_line: dict[int, dict[str, list[tuple[Any, int]]]] = {}
    nodes = list(ast_nodes(get_ast(text)))
    in_types = set(_lines_of_types(text))
    for name in OperatorProvider():
        if name in WITH_ARGUMENTS:
            continue
        operator = OperatorProvider()[name]()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, ((line, _), _) in enumerate(places):
            if line not in in_types:
                by_line.setdefault(line, {}).setdefault(name, []).append((operator, occurrence))
    return by_line


def _lines_of_types(text: str) -> Iterator[int]:
    """The lines that hold annotations or aliases of types, which do not run."""
    for node in ast.walk(ast.parse(text)):
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for annotation in annotations:
            if annotation is not None:
                yield from range(annotation.lineno, annotation.end_lineno + 1)
