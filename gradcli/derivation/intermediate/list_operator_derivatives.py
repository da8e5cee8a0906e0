"""Operators on lists: concatenation and repetition."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gradcli.derivation.intermediate.operation_derivatives import ActiveOperation, ByTemplate
from gradcli.derivation.intermediate.templates import expression
from gradcli.derivation.reading.value_kind import NUMBER, ValueKind


class ListConcatenation(ActiveOperation, eq=False):
    """`x + y` for two lists."""

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        text = "_ct[len(_x):]" if place else "_ct[: len(_x)]"
        return expression(text, _ct=ct, _x=self.operands[0])

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        parts = [tangents.get(n, expression("[0.0] * len(_x)", _x=operand)) for n, operand in enumerate(self.operands)]
        return ast.BinOp(parts[0], ast.Add(), parts[1])


def of_two_lists(
    operator: ast.operator, atoms: tuple[ast.expr, ast.expr], kinds: tuple[ValueKind, ValueKind], kind: ValueKind
) -> ActiveOperation | None:
    """The derivatives of an operator on lists of numbers; None if it has no source form here."""
    if kind.item != NUMBER:
        return None
    if isinstance(operator, ast.Add):
        return ListConcatenation(atoms, kinds, kind)
    if not isinstance(operator, ast.Mult):
        return None
    n = 0 if kinds[0].name == "list" else 1
    pulls, pushes = ("[sum(ct[k :: len(x)]) for k in range(len(x))]",), ("t * n",)
    return ByTemplate((atoms[n],), (kinds[n],), kind, pulls, pushes, {"n": atoms[1 - n]})
