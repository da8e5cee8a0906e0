"""List displays, and comprehensions as loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.derivation.intermediate.expressions import ExpressionLowering
from gradcli.derivation.intermediate.operation_derivatives import ActiveOperation, ListDisplay
from gradcli.derivation.intermediate.templates import name


class ListLowering(ExpressionLowering):
    """Lowers lists to statements."""

    def _list(self, node: ast.List | ast.Tuple) -> tuple[ast.expr, ActiveOperation]:
        atoms = tuple(self.atom(each) for each in node.elts)
        made = type(node)(list(atoms), ast.Load())
        kinds = tuple(self.kind(each) for each in node.elts)
        return made, ListDisplay(atoms, kinds, self.kind(node))

    _tuple = _list

    def _listcomp(self, node: ast.ListComp) -> tuple[ast.expr, ActiveOperation]:
        made = self.made_name("items")
        kind = self.kinds[made] = self.kind(node)
        self.bind(made, ast.List([], ast.Load()), None)
        self.dependence.names.add(made)
        self.written.add(made)
        append = ast.Expr(ast.Call(ast.Attribute(name(made), "append", ast.Load()), [node.elt], []))
        self._generated(node.generators, append)
        return self.known(name(made), kind), self.move(name(made), kind)

    def _generated(self, generators: Sequence[ast.comprehension], inner: ast.stmt) -> None:
        """The loops of a comprehension around a statement."""
        statement = inner
        for each in reversed(generators):
            for test in reversed(each.ifs):
                statement = ast.If(test, [statement], [])
            statement = ast.For(each.target, each.iter, [statement], [])
        for part in ast.walk(statement):
            if isinstance(part, ast.stmt):
                part.lineno = self.line
        self.out += self.block([statement])
