"""Assembly of derived functions from a forward and a reverse pass: the gradient, and a pair of functions per callee."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.answers.derivation.intermediate.liveness import all_statements, written_names
from gradcli.answers.derivation.intermediate.statements import Routine
from gradcli.answers.derivation.passes.bound_and_free_names import always_bound, read_first
from gradcli.answers.derivation.passes.cleanup import (
    Statements,
    simplified,
    tidied,
    without_spreads,
    written_in_place,
)
from gradcli.answers.derivation.passes.hoisted_conditions import Hoisting
from gradcli.answers.derivation.passes.inlined_temporaries import bound_at_once, inlined, merged_sums, renamed
from gradcli.answers.derivation.passes.later_uses import LaterUses
from gradcli.answers.derivation.passes.parts_read_again import reading_again
from gradcli.answers.derivation.passes.reverse import ReversePass, StatementMark
from gradcli.answers.derivation.passes.saved_values import BlockPasses, RoutinePasses
from gradcli.answers.derivation.passes.unused_statements import pruned
from gradcli.answers.derivation.syntax_trees import assign, copied, filled, name, nodes_in, stored_names, tuple_of

Fresh = Callable[[str], str]
Active = Callable[[str], tuple[str, ...]]


class Assembly:
    """Builds the derived functions of one routine.

    Args:
        routine: the function in the intermediate form.
        fresh: creates an unused name.
        called: the parameters of a routine by its name, with an empty string for those without a derivative.
    """

    def __init__(self, routine: Routine, fresh: Fresh, called: Active) -> None:
        self.routine = routine
        self.spare = set(routine.made) | Hoisting(routine, fresh).made
        self.reverse = ReversePass(routine, fresh, called)
        spare = {*self.spare, *routine.active}
        self.spare |= {self.reverse.s(variable) for variable in spare if variable in self.reverse.active}
        taken = set(self.reverse.symbols.values())
        self.fresh: Fresh = lambda stem: next(made for made in iter(lambda: fresh(stem), "") if made not in taken)
        self.stack = self.fresh("stack")
        self.kept = self.fresh("kept")

    def _passes(self, result: ast.expr | None) -> tuple[Statements, Statements]:
        """The forward statements and the reverse statements, which start by setting the sensitivity of the result."""
        routine, reverse = self.routine, self.reverse
        is_active = routine.result in reverse.active
        ct = reverse.s(routine.result) if is_active else ""
        backward = reverse.statements()
        if is_active and result is not None:
            backward.insert(1, assign(ct, result))
        live = {reverse.s(variable) for variable in routine.active}
        backward = pruned(backward, live, keeps_blocks=True)
        written = {variable for inner in all_statements(routine.body) for variable in written_names(inner)}
        backward = pruned(without_spreads(tidied(backward, live, written)), live, keeps_blocks=True)
        backward = reading_again(routine, backward, self.spare)
        saving = RoutinePasses(routine, self.fresh, self.stack)
        passes: BlockPasses = saving.passes(backward)
        self.spare |= saving.spare | reverse.parts
        opening: Statements = [
            assign(variable, copied(name(variable), routine.kinds[variable].name)) for variable in routine.copied
        ]
        undefined = saving.undefined | (saving.kept & read_first(passes.forward))
        undefined |= routine.reshaped & stored_names(*passes.forward) & read_first([*passes.forward, *passes.backward])
        opening += [assign(parameter, ast.Constant(None)) for parameter in sorted(undefined - set(routine.parameters))]
        if saving.uses_stack:
            opening.append(assign(self.stack, ast.List([], ast.Load())))
        return [*opening, *passes.forward], passes.backward

    def gradient(self, *, with_value: bool = False) -> Statements:
        """The body of the gradient function."""
        forward, backward = self._passes(ast.Constant(1.0))
        gradient = self._sensitivities()
        if with_value:
            gradient = ast.Tuple([name(self._value(forward, backward)), gradient], ast.Load())
        return self._finished([*forward, *backward, ast.Return(gradient)])

    def _sensitivities(self) -> ast.expr:
        return tuple_of([self.reverse.s(variable) for variable in self.routine.active], ast.Load())

    def _value(self, forward: Statements, backward: Statements) -> str:
        """The variable that holds the value; a new one if the reverse pass rebinds it."""
        if self.routine.result not in stored_names(*backward):
            return self.routine.result
        kept = self.fresh("value")
        forward.append(assign(kept, name(self.routine.result)))
        return kept

    def pair(self) -> tuple[Statements, Statements]:
        """The bodies of the forward function of the parameters and the reverse function of `kept` and a sensitivity."""
        routine, reverse = self.routine, self.reverse
        forward, backward = self._passes(None)
        given = reverse.symbols.get(routine.result, "")
        if given in written_in_place(backward):  # the caller may use it, under another name too
            backward = [assign(given, copied(name(given), routine.result_kind.name)), *backward]
        backward = self._finished([*backward, ast.Return(self._sensitivities())])
        wanted = sorted((stored_names(*forward) | set(routine.parameters)) & read_first(backward))
        kept: ast.expr = ast.Tuple([name(variable) for variable in wanted], ast.Load())
        targets: list[ast.expr] = [ast.Name(variable, ast.Store()) for variable in wanted]
        opened: Statements = [assign(ast.Tuple(targets, ast.Store()), name(self.kept))] if wanted else []
        undefined = sorted(set(wanted) - always_bound(forward) - set(routine.parameters))
        forward = [*(assign(variable, ast.Constant(None)) for variable in undefined), *forward]
        result = ast.Tuple([name(routine.result), kept], ast.Load())
        return self._finished([*forward, ast.Return(result)]), [*opened, *backward]

    def _finished(self, statements: Statements) -> Statements:
        left = bound_at_once(pruned([filled(statement) for statement in statements]), self.spare)
        sensitivities = {*self.reverse.symbols.values()}
        kinds = self.routine.kinds | {s: self.reverse.kind(variable) for variable, s in self.reverse.symbols.items()}
        while True:
            count = size(left)
            LaterUses(left, sensitivities)
            left = merged_sums(inlined(renamed(left, self.spare), self.spare), sensitivities)
            left = pruned(simplified(left, sensitivities=sensitivities, kinds=kinds))
            if size(left) == count:
                return bound_at_once(left, self.spare)


def size(statements: Statements) -> int:
    """The number of statements, including nested ones."""
    return sum(isinstance(node, ast.stmt) and not isinstance(node, StatementMark) for node in nodes_in(*statements))
