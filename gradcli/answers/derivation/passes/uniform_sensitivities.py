"""Arrays whose sensitivity is one number, the same for all elements, because they are only summed.

Such a sensitivity is kept as a number. A term in which it multiplies an array of the right shape needs no array of
equal numbers; the shapes are those of the observed runs.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.liveness import (
    all_statements,
    bound_names,
    nested_blocks,
    read_names,
    written_names,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ByPartials,
    ByTemplate,
    ElementRead,
    Identity,
    SignedSum,
    constant_of,
)
from gradcli.answers.derivation.intermediate.statements import Assignment, Routine, Statement
from gradcli.answers.derivation.reading.value_kind import NUMBER
from gradcli.answers.derivation.syntax_trees import name, names_in, root_of

CT = "_ct"


class UniformSensitivities:
    """The arrays of a routine with one number as their sensitivity.

    Args:
        routine: the function in the intermediate form.
        active: the names that carry a derivative.

    Attributes:
        names: the names of these arrays.
    """

    def __init__(self, routine: Routine, active: set[str]) -> None:
        self.routine = routine
        self.active = active
        self.names: set[str] = set()
        self._parts: set[str] = set()  # those that may have an array of fewer elements, along an axis, for the number
        self._like: dict[str, str] = {}
        statements = list(all_statements(routine.body))
        self._reads = Counter(read_name for statement in statements for read_name in read_names(statement))
        self._bindings = Counter(bound_name for statement in statements for bound_name in bound_names(statement))
        self._bindings.update(routine.parameters)
        self._changed = {written_name for statement in statements for written_name in written_names(statement)}
        self._find(routine.body)

    def like(self, variable: str) -> str:
        """A name with the shape of an array: an operand that has it, so that the array need not be kept."""
        return self._like.get(variable, variable)

    def _find(self, block: Sequence[Statement]) -> None:
        readers: dict[str, Statement] = {}
        for statement in reversed(block):
            for nested_block in nested_blocks(statement):
                self._find(nested_block)
            if isinstance(statement, Assignment) and statement.operation is not None:
                self._like[statement.target] = self._operand_like(statement)
                if self._is_uniform(statement, readers.get(statement.target)):
                    self.names.add(statement.target)
            readers.update(dict.fromkeys(read_names(statement), statement))

    def _is_uniform(self, definition: Assignment, reader: Statement | None) -> bool:
        variable = definition.target
        is_only_read_there = self._bindings[variable] == 1 == self._reads[variable] and variable not in self._changed
        if definition.operation is None or definition.operation.kind.name != "array" or not is_only_read_there:
            return False
        if not isinstance(reader, Assignment) or not self._spreads(reader, variable):
            return False
        is_part = isinstance(reader.operation, ByTemplate) and reader.operation.kind != NUMBER
        if is_part or reader.target in self._parts:
            self._parts.add(variable)
            return isinstance(definition.operation, ByPartials) and self._takes_number(definition, passes=False)
        return self._takes_number(definition)

    def _spreads(self, reader: Assignment, variable: str) -> bool:
        """Whether a statement gives all elements of an array the same sensitivity."""
        operation = reader.operation
        if isinstance(operation, ByTemplate):
            return bool(operation.uniform)
        if operation is None or reader.target not in self.names:
            return False
        places = [n for n, operand in enumerate(operation.operands) if root_of(operand) == variable]
        return all(passes_on(operation, n) for n in places)

    def _takes_number(self, definition: Assignment, *, passes: bool = True) -> bool:
        """Whether the terms for all operands follow from the number, which a term may pass on to an array."""
        operation = definition.operation
        if isinstance(operation, ElementRead):
            return not operation.scatters and operation.kinds[0].name == "array"
        assert operation is not None
        places = [n for n, operand in enumerate(operation.operands) if root_of(operand) in self.active]
        return all((passes and passes_on(operation, n)) or _restores_shape(operation, n) for n in places)

    def _operand_like(self, definition: Assignment) -> str:
        operation = definition.operation
        assert operation is not None
        shaped = [operation.operands[n] for n in _places_like(operation)]
        names = (operand.id for operand in shaped if isinstance(operand, ast.Name) and self._bindings[operand.id] == 1)
        return next(names, definition.target) if self._bindings[definition.target] == 1 else definition.target


def passes_on(operation: ActiveOperation, place: int) -> bool:
    """Whether the term for an operand with the shape of the result is a number if the sensitivity is one."""
    if not isinstance(operation.operands[place], ast.Name) or operation.kinds[place].name != "array":
        return False
    if isinstance(operation, (Identity, SignedSum)):
        return not operation.fit(place)
    if not isinstance(operation, ByPartials) or operation.fits[place]:
        return False
    scalars = {CT} | {
        f"_x{n}"
        for n, (kind, fit) in enumerate(zip(operation.kinds, operation.fits, strict=True))
        if kind.name in ("number", "static") and fit == "all"
    }
    return _names_of_term(operation, place) <= scalars


def _restores_shape(operation: ActiveOperation, place: int) -> bool:
    """Whether the term for an operand has the shape of the result without the sensitivity."""
    if not isinstance(operation, ByPartials):
        return False
    used = _names_of_term(operation, place)
    return not used or "_v" in used or any(f"_x{n}" in used for n in _places_like(operation))


def _names_of_term(operation: ByPartials, place: int) -> set[str]:
    """The names in a term, where the operands are _x0, _x1, … and the result is _v; none for zero."""
    operands = tuple(
        operand if constant_of(operand) is not None else name(f"_x{n}") for n, operand in enumerate(operation.operands)
    )
    term = operation.changed(operands=operands).term(place, name(CT), name("_v"))
    return set() if term is None else names_in(term) - {"np", "special"}


def _places_like(operation: ActiveOperation) -> list[int]:
    """The places of the arrays among the operands that have the shape of the result in all runs."""
    if not isinstance(operation, (ByPartials, SignedSum)):
        return []
    return [n for n, kind in enumerate(operation.kinds) if kind.name == "array" and not operation.fit(n)]
