"""What the source of a module shows of its arrays and calls: shapes of module-level arrays, and arguments of calls."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

Shape = tuple[int, ...] | None  # None is unknown
OF_LISTS = frozenset(("array", "asarray"))
OF_A_SHAPE = frozenset(("zeros", "ones", "standard_normal"))


def module_shapes(module: ast.Module) -> dict[str, Shape]:
    """The shapes of the names that a module binds at its top level, as far as their source shows them."""
    shapes: dict[str, Shape] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            shapes |= dict.fromkeys((name.id for name in names), _shape(node.value))
        elif isinstance(node, ast.ImportFrom):
            shapes |= dict.fromkeys(alias.asname or alias.name for alias in node.names)
    return shapes


def _shape(node: ast.expr) -> Shape:
    """The shape of `np.array([1, 2])`, `np.zeros(2)`, `rng.normal(size=(2, 3))`, and of a literal."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = [keyword.value for keyword in node.keywords if keyword.arg == "size"]
        size = literal(given[0] if given else node.args[0]) if given or node.func.attr in OF_A_SHAPE else None
        if size is not None:
            return (size,) if isinstance(size, int) else tuple(size)
    value, sizes = literal(node), []
    while isinstance(value, (list, tuple)) and value:
        sizes.append(len(value))
        value = value[0]
    return None if value is None else (*sizes,)


def literal(node: ast.expr) -> Any:
    """A number or nested lists of numbers, also as an array; None for all else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OF_LISTS and node.args:
        return literal(node.args[0])
    with suppress(ValueError, TypeError):
        value = ast.literal_eval(node)
        return value if isinstance(value, (int, float, list, tuple)) else None
    return None


def called_with(module: ast.Module, names: Collection[str | None]) -> list[Any] | None:
    """The arguments of the first call of a function with literals, in a module or its docstrings; None without one."""
    for tree in (module, *_examples(module)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                values = [literal(argument) for argument in node.args]
                if values and None not in values and not node.keywords:
                    return values
    return None


def _examples(module: ast.Module) -> Iterator[ast.Module]:
    for node in module.body:
        text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        for example in doctest.DocTestParser().get_examples(text) if text and ">>>" in text else ():
            with suppress(SyntaxError):
                yield ast.parse(example.source)
