"""What is known of the variables and expressions of a derived function: their types and sizes, and known integers."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from gradcli.answers.derivation.languages.c.value_sizes import (
    MixedError,
    SizedArray,
    SizedTuple,
    UnknownSize,
    Value,
    covering,
    described,
    joined,
    width,
)
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import text_of
from gradcli.errors import UnsupportedError

Variables = dict[str, Value]
GENERATED = re.compile(r"t_\d+|chosen(_\d+)?")


class Sizes:
    """The types and sizes of the variables and expressions of one function.

    Args:
        body: the statements of the function.
        namespace: the values of the free names of the user's function.
        file: the file of the user's function.

    Attributes:
        is_of_user: whether the statement is one of the user's function.
        variables: a value that covers those of a variable.
        constants: the values of the free names that are numbers and arrays.
        seen: a value that covers those of an expression, by its id.
        nodes: these expressions, which stay in use, so that no later one gets the id of one of them.
        stretched: the axes of length 1 that are broadcast, of each array by the id of its expression.
        lengths: the shortest axis that an index has taken, by its id.
        below: the ids of the indices that were, or may be, negative, and of the items of lists whose length is unknown.
        clamped: the ids of the bounds of slices that lay beyond the end, and of slices that ended before they began.
        nullable: the variables that are None at some time.
        capacity, held: for each growing list, the maximum number of its elements, and their type; None if several.
        counted: for each appended expression, by its id, it and its room when it was first counted.
        made: what a generated name was bound to, in place of which it is shown.
        grown: the lists that are appended to or popped from.
        ranges: the ranges assigned to names.
        outcomes: the outcomes of each `if`, by its id; None if unknown.
        turns: the numbers of iterations of each loop, by its id; None if unknown.
        stopping: the kinds of comparisons of floats that raise the floating-point exception FE_INVALID where the
            operands are equal, or one is 0 and the other near it.
    """

    def __init__(self, body: Sequence[ast.stmt], namespace: dict[str, Any], file: str) -> None:
        self.namespace = namespace
        self.file = file
        self.first = self.line = 0
        self.is_of_user = False
        self.variables: Variables = {}
        self.constants: dict[str, Any] = {}
        self.seen: dict[int, Value] = {}
        self.nodes: dict[int, ast.expr] = {}
        self.stretched: defaultdict[int, set[int]] = defaultdict(set)
        self.lengths: dict[int, int] = {}
        self.below: set[int] = set()
        self.clamped: set[int] = set()
        self.nullable: set[str] = set()
        self.capacity: dict[str, int] = {}
        self.counted: dict[int, tuple[ast.expr, int]] = {}
        self.held: dict[str, Value | None] = {}
        bound = [part for top in body for part in ast.walk(top) if isinstance(part, ast.Assign)]
        names = [(text_of(part.targets[0]), part.value) for part in bound]
        self.made = {name: value for name, value in names if GENERATED.fullmatch(name)}
        self.grown = {name for top in body for node in ast.walk(top) if (name := grown_by(node))}
        self.ranges: dict[str, ast.expr] = {}
        self.outcomes: dict[int, set[bool | None]] = {}
        self.turns: dict[int, list[int | None]] = {}
        self.stopping: frozenset[type[ast.cmpop]] = frozenset()

    def at(self, node: ast.stmt) -> None:
        """Move to a statement; generated reverse statements have line numbers before those of the function."""
        line = getattr(node, "lineno", 0)
        self.is_of_user = line > self.first
        self.line = line if self.is_of_user else self.line

    def refuse(self, what: str, hint: str = "Leave out --lang: Python writes it.") -> UnsupportedError:
        """The error for a construct that C cannot hold."""
        place = ast.Pass(lineno=self.line) if self.line else None
        return refusal_at(self.file, place, f"how to write {what} in C", hint, runs=False)

    def join(self, one: Value, other: Value) -> Value:
        """A value that covers both."""
        try:
            return joined(one, other)
        except MixedError as error:
            raise self.refuse(f"what is {error} by turns") from None

    def cover(self, one: Value, other: Value) -> Value:
        """A value for an expression or a variable that has two values by turns."""
        try:
            return covering(one, other)
        except MixedError as error:
            raise self.refuse(f"what is {error} by turns") from None

    def see(self, node: ast.expr, value: Value) -> None:
        """Add a value to those of an expression."""
        known = self.seen.get(id(node), value)
        if known is not value and known != value:
            value = self.cover(known, value)
            self._check_stretched(node, value)
        self.seen[id(node)], self.nodes[id(node)] = value, node

    def stretch(self, node: ast.expr, axes: set[int]) -> None:
        """Note that an array is broadcast along axes of length 1."""
        self.stretched[id(node)] |= axes
        self._check_stretched(node, self.seen[id(node)])

    def _check_stretched(self, node: ast.expr, value: Value) -> None:
        if isinstance(value, SizedArray) and value.varying & self.stretched[id(node)]:
            raise self.refuse(f"{text_of(node)}, which is broadcast at some of its lengths,")

    def hold(self, name: str, value: Value) -> None:
        """Note the elements of a growing list; None if they have several types."""
        if name not in self.held:
            self.held[name] = value
        elif self.held[name] is not None:
            try:
                self.held[name] = joined(self.held[name] or value, value)
            except MixedError:
                self.held[name] = None

    def kind(self, node: ast.expr) -> Value | None:
        """The type and sizes of an expression."""
        if isinstance(node, ast.Name) and node.id in self.variables:
            return self.variables[node.id]
        return self.seen.get(id(node))

    def room(self, node: ast.expr) -> int:
        """The number of elements that an expression takes in a growing list, at most: an array, then its lengths."""
        kind = self.kind(node)
        return width(kind) + len(kind.varying) if isinstance(kind, SizedArray) else 1

    def elements(self, node: ast.expr, value: Value) -> int:
        """The number of elements that an expression takes in a growing list where it has this value."""
        if isinstance(node, ast.Tuple) and isinstance(value, SizedTuple):
            return sum(map(self.elements, node.elts, value.parts))
        room = self.room(node)
        self.counted.setdefault(id(node), (node, room))
        return room if not isinstance(value, SizedArray) else room - width(self.kind(node) or value) + width(value)

    def parts_of(self, value: Value, count: int) -> Sequence[Value]:
        """The parts of a value that is unpacked."""
        if isinstance(value, SizedTuple) and len(value.parts) == count:
            return value.parts
        if isinstance(value, SizedArray) and value.shape[0] == count:
            return [value.item] * count
        if isinstance(value, UnknownSize):
            return [value] * count
        raise self.refuse(f"the parts of {described(value)}")


def grown_by(node: ast.AST) -> str:
    """The list that a call appends to or pops from; empty for other nodes."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("append", "pop"):
        return ast.unparse(node.func.value)
    return ""
