"""The block in which each variable of a C function is declared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from gradcli.answers.derivation.intermediate.liveness import NameBlocks
from gradcli.answers.derivation.passes.bound_and_free_names import read_first
from gradcli.answers.derivation.passes.cleanup import block_lists
from gradcli.answers.derivation.syntax_trees import names_in, written_into

Block = list[ast.stmt]


class Declarations:
    """Finds the smallest block that contains all uses of a variable and needs no value from outside.

    Args:
        body: the body of the function.
        names: the variables to declare.

    Attributes:
        counters: the variables bound by loops only, and read only inside them.
        stores: the number of times each variable is bound.
        written: the variables into which something is written.
    """

    def __init__(self, body: Block, names: Iterable[str]) -> None:
        nodes = [n for top in body for n in ast.walk(top)]
        self.stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        self.stores.update(
            n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
        )
        self.written = {written_into(n) for n in nodes} - {""}
        bound = [n for n in nodes if isinstance(n, ast.For)]
        targets = Counter(name for n in bound for name in names_in(n.target))
        outside = _outside_loops(body, frozenset())
        self.counters = {n for n, count in targets.items() if count == self.stores[n] and n not in outside}
        self._names = set(names) - self.counters
        # To one block each: where a block needs the shape alone of what it binds, C would warn of an unused variable.
        self._homes = NameBlocks(body, _own_names, block_lists, read_first, to_one=True)

    def of(self, block: Block) -> list[str]:
        """The variables to declare in a block."""
        return sorted(self._names.intersection(self._homes.at(block)))


def _own_names(statement: ast.stmt) -> set[str]:
    """The names in a statement itself, without its blocks."""
    if isinstance(statement, ast.For):
        return names_in(statement.target) | names_in(statement.iter)
    return names_in(statement.test) if isinstance(statement, (ast.If, ast.While)) else names_in(statement)


def _outside_loops(block: Block, bound: frozenset[str]) -> set[str]:
    """The names used where no enclosing loop binds them."""
    names: set[str] = set()
    for statement in block:
        if isinstance(statement, ast.For):
            names |= names_in(statement.iter) - bound
            names |= _outside_loops(statement.body, bound | names_in(statement.target))
        elif isinstance(statement, (ast.If, ast.While)):
            names |= names_in(statement.test) - bound
            names |= _outside_loops(statement.body, bound) | _outside_loops(statement.orelse, bound)
        else:
            names |= names_in(statement) - bound
    return names
