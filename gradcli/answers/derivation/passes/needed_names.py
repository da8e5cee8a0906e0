"""The names whose values, or whose shapes alone, a part of a program needs; those of shapes have a # in front."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

SHAPES = frozenset(("len", "np.shape", "np.size", "np.zeros_like", "np.full_like"))


def wanted(names: set[str], needed: set[str]) -> list[str]:
    """The names whose value or shape is needed, sorted."""
    return sorted(name for name in names if name in needed or f"#{name}" in needed)


def without(needed: set[str], names: set[str]) -> set[str]:
    """The needed names without some names and their shapes."""
    return needed - names - {f"#{name}" for name in names}


def needs(node: ast.AST | list[ast.stmt]) -> set[str]:
    """The names whose values a part of the reverse pass reads; with # if it reads their shape only."""
    return {variable for part in (node if isinstance(node, list) else [node]) for variable in _read(part)}


def _read(node: ast.AST) -> Iterator[str]:
    of_shape: Sequence[ast.AST] = []
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in SHAPES:
        of_shape, parts = node.args[:1], node.args[1:]
    elif isinstance(node, ast.Attribute) and node.attr == "shape":
        of_shape, parts = [node.value], []
    elif isinstance(node, ast.Name):
        yield node.id
    for inner in of_shape:
        yield from [f"#{inner.id}"] if isinstance(inner, ast.Name) else _read(inner)
    for inner in parts:
        yield from _read(inner)
