"""The block in which each variable of a C function is declared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence

from gradcli.answers.derivation.intermediate.liveness import common_path
from gradcli.answers.derivation.intermediate.templates import names_in
from gradcli.answers.derivation.passes.bound_and_free_names import read_first
from gradcli.answers.derivation.passes.reverse import StatementMark

Block = Sequence[ast.stmt]


class Declarations:
    """Finds the smallest block that contains all uses of a variable and needs no value from outside.

    Args:
        body: the body of the function.
        names: the variables to declare.

    Attributes:
        counters: the variables bound by loops only, and read only inside them.
        stores: the number of times each variable is bound.
    """

    def __init__(self, body: Block, names: Iterable[str]) -> None:
        nodes = [n for top in body for n in ast.walk(top)]
        self.stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        self.stores.update(
            n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
        )
        self._blocks: dict[tuple[int, ...], Block] = {(): body}
        self._loops: set[int] = set()
        self._paths: dict[str, tuple[int, ...]] = {}
        bound = [n for n in nodes if isinstance(n, ast.For)]
        targets = Counter(name for n in bound for name in names_in(n.target))
        outside = _outside_loops(body, frozenset())
        self.counters = {n for n, count in targets.items() if count == self.stores[n] and n not in outside}
        self._visit(body, ())
        self._homes = {
            n: self._settled(n, self._paths[n]) for n in sorted(names) if n in self._paths and n not in self.counters
        }

    def of(self, block: Block, *, outermost: bool = False) -> list[str]:
        """The variables to declare in a block."""
        return [n for n, path in self._homes.items() if (path[-1] == id(block) if path else outermost)]

    def _visit(self, block: Block, path: tuple[int, ...]) -> None:
        for statement in block:
            if isinstance(statement, StatementMark):
                continue
            inner = [
                nested for nested in (getattr(statement, "body", None), getattr(statement, "orelse", None)) if nested
            ]
            for name in _own_names(statement):
                self._paths[name] = common_path(self._paths.get(name, path), path)
            for nested in inner:
                place = (*path, id(nested))
                self._blocks[place] = nested
                if isinstance(statement, (ast.For, ast.While)):
                    self._loops.add(id(nested))
                self._visit(nested, place)

    def _settled(self, name: str, path: tuple[int, ...]) -> tuple[int, ...]:
        for depth in range(1, len(path) + 1):
            if path[depth - 1] in self._loops and name in read_first(list(self._blocks[path[:depth]])):
                return path[: depth - 1]
        return path


def _own_names(statement: ast.stmt) -> set[str]:
    """The names in a statement itself, without its blocks."""
    if isinstance(statement, ast.For):
        return names_in(statement.target) | names_in(statement.iter)
    return names_in(statement.test) if isinstance(statement, (ast.If, ast.While)) else names_in(statement)


def _outside_loops(block: Block, bound: frozenset[str]) -> set[str]:
    """The names used where no enclosing loop binds them."""
    names: set[str] = set()
    for statement in block:
        if isinstance(statement, StatementMark):
            continue
        if isinstance(statement, ast.For):
            names |= names_in(statement.iter) - bound
            names |= _outside_loops(statement.body, bound | names_in(statement.target))
        elif isinstance(statement, (ast.If, ast.While)):
            names |= names_in(statement.test) - bound
            names |= _outside_loops(statement.body, bound) | _outside_loops(statement.orelse, bound)
        else:
            names |= names_in(statement) - bound
    return names
