"""Lowering of writes: stores by index, appends, and calls for their side effects only."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.derivation.intermediate.loops import LoopLowering
from gradcli.derivation.intermediate.operation_derivatives import Identity
from gradcli.derivation.intermediate.statements import Append, PassiveStatement, Store
from gradcli.derivation.intermediate.templates import expression
from gradcli.derivation.reading.function_source import is_users
from gradcli.derivation.refusals import refusal_at


class WriteLowering(LoopLowering):
    """Lowers writes to statements."""

    def _expression(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Constant):
            return
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            owner = call.func.value
            if ast.unparse(call.func).endswith("add.at") and isinstance(call.args[0], ast.Name):
                self._add_at(call, call.args[0])
                return
            if call.func.attr == "append" and isinstance(owner, ast.Name):
                self._append(owner, call)
                return
            if self.dependence.of(owner):
                raise refusal_at(
                    self.user.file, node, f"the method {call.func.attr}, which changes its object in place"
                )
        callees = self.observation.of(call).callees
        if callees and (getattr(callees[0], "__name__", "") == "print" or is_users(callees[0])):
            self._passive_call(node, callees)
            return
        raise refusal_at(self.user.file, node, "a statement that only has an effect")

    def _append(self, owner: ast.Name, call: ast.Call) -> None:
        if owner.id in self.user.parameters:
            raise refusal_at(
                self.user.file, call, f"append to the parameter {owner.id}", "Append to a list made inside."
            )
        value = call.args[0]
        if self.dependence.of(value):
            atom = self.atom(value)
            operation = self.move(atom, self.kind(value))
            self.out.append(Append(owner.id, atom, operation, self.line))
        else:
            self.out.append(Append(owner.id, self.static(value), None, self.line))
        self.written.add(owner.id)

    def _passive_call(self, node: ast.Expr, callees: list[Any]) -> None:
        """Keep a call of a user function because it may raise; drop calls that only print.

        Raises:
            UnsupportedError: the call may write into an argument.
        """
        if not is_users(callees[0]):
            return
        call = node.value
        assert isinstance(call, ast.Call)
        user = self.observation.functions[callees[0]]
        inner = (each for part in ast.walk(user.tree) for each in self.observation.of(part).callees)
        if len(callees) > 1 or user.changed & set(user.parameters) or any(map(is_users, inner)):
            raise refusal_at(
                self.user.file, node, f"{ast.unparse(call)} for its effect", "Let it return what it changes."
            )
        self.out.append(PassiveStatement(node, self.line))

    def _add_at(self, call: ast.Call, owner: ast.Name) -> None:
        """Lower `np.add.at(y, places, x)`, which adds to a place as often as it is named."""
        place = ast.Subscript(owner, call.args[1], ast.Load())
        written, _ = self.place(place)
        value = call.args[2]
        self.written.add(owner.id)
        is_active = self.dependence.of(value) and owner.id in self.dependence.names
        atom = self.atom(value) if is_active else self.static(value)
        kind = self.store_kind(place, value)
        fit = self.stored_fit(value, kind, True)
        operation = Identity((atom,), (self.kind(value),), kind, fit) if is_active else None
        self.out.append(Store(owner.id, written, atom, 1, kind, operation, self.line, scatters=True))

    def _store(self, target: ast.Subscript, value: ast.expr, augmented: bool) -> None:
        place, owner = self.place(target)
        if owner not in self.kinds or (owner in self.user.namespace and owner not in self.user.names):
            raise refusal_at(
                self.user.file, target, f"a write into {owner}, which is not made inside", "Copy it first."
            )
        self._check_indices(target)
        self.written.add(owner)
        is_active = owner in self.dependence.names
        adds, seen = 0, self.observation.of(value)
        is_broadcast = seen.is_broadcast
        if augmented and isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            adds = 1 if isinstance(value.op, ast.Add) else -1
            value = value.right
            is_broadcast |= any(shape != parts[1] for shape, parts in seen.shapes)
        if not self.dependence.of(value):
            self.out.append(
                Store(owner, place, self.static(value), adds, self.store_kind(target, value), None, self.line)
            )
            return
        atom = self.atom(value)
        kind = self.store_kind(target, value)
        operation = Identity((atom,), (self.kind(value),), kind, self.stored_fit(value, kind, is_broadcast))
        self.out.append(Store(owner, place, atom, adds, kind, operation if is_active else None, self.line))

    def _check_indices(self, target: ast.Subscript) -> None:
        """Require that the indices in a list or array differ; refuse index arrays on several axes."""
        root: ast.expr = target
        while isinstance(root, ast.Subscript):
            for each in root.slice.elts if isinstance(root.slice, ast.Tuple) else [root.slice]:
                seen = self.observation.of(each)
                if not (self.kind(each).name == "list" or seen.is_of_places):
                    continue
                if root is not target or isinstance(root.slice, ast.Tuple) or seen.repeats:
                    what = f"a write at the places {ast.unparse(each)}"
                    raise refusal_at(self.user.file, target, what, "Write each place by its own index, or in a loop.")
                test = expression("len(np.unique(_i)) == len(_i)", _i=self.static(each))
                self.out.append(
                    PassiveStatement(ast.Assert(test, ast.Constant("one place is written twice")), self.line)
                )
            root = root.value
