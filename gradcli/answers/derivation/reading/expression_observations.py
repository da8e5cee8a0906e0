"""What is observed of the expressions of a function in runs of a copy that reports."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_calls import ObservedCall
from gradcli.answers.derivation.reading.reporting_copies import parts_of
from gradcli.answers.derivation.reading.value_kind import SEQUENCES, STATIC, Shapes, ValueKind, shape_of
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import nodes_in, owner_of

PLACES = ValueKind("list", item=STATIC)
OF_KINDS = TypeError, AttributeError, NameError, ImportError  # whether these are raised, the kinds of values decide


class ExpressionObservations:
    """The observations of one expression.

    Attributes:
        kind: the kind of its values; None before the first.
        shapes: the shapes of a value and of its operands, in runs at sizes that fit, if there are any.
        callees: for a call, the called functions.
        users: for a call, those of the user's, each in the form for the kinds of its arguments.
        given: for a call of these, the number of arguments by position, and the names of the others.
        outcomes, natural: for a condition, its outcomes, and those of runs in which none was forced.
        own: for a condition, what it was before it was forced, in all runs.
        classes: the classes of the records and named tuples among its values.
        is_of_places: whether it was an array of integers, which may repeat an index.
        repeats: whether it was an array or a list of integers with duplicates.
        is_partly_whole: for a call of `sorted`, whether it sorted whole numbers and others.
        is_broadcast: whether it was stored into a place of another shape.
        wraps: whether it was an integer of so few bits that a product may overflow.
        changes_shape: for a variable or its value, whether the variable had another shape or length earlier in a run.
        ways: of a `try`, how often it began, and how often an exception of one of its steps had one of its handlers,
            each with whether the kinds of values decide that the exception is raised.
        examples: for a call of an array function, its arguments, one example per combination of shapes.
    """

    def __init__(self) -> None:
        self.kind: ValueKind | None = None
        self.shapes: set[Shapes] = set()
        self.is_of_fit = False
        self.callees: list[Any] = []
        self.users: list[UserFunction] = []
        self.given: set[tuple[int, tuple[str, ...]]] = set()
        self.outcomes: set[bool] = set()
        self.natural: set[bool] = set()
        self.own: set[bool] = set()
        self.classes: set[type] = set()
        self.is_of_places = self.repeats = self.is_partly_whole = False
        self.is_broadcast = False
        self.wraps = self.changes_shape = False
        self.examples: dict[Any, ObservedCall] = {}
        self.last: tuple[int, ...] = ()
        self.ways: Counter[tuple[int, ...]] = Counter()
        self.step = 0

    def note_shapes(self, shapes: set[Shapes], *, fits: bool) -> None:
        """Note the shapes of a run, whose sizes may not fit, which a run at sizes that fit makes void."""
        if fits and not self.is_of_fit:
            self.shapes, self.is_of_fit = set(), True
        if fits == self.is_of_fit:
            self.shapes |= shapes


class ObservedNode(NamedTuple):
    """An expression or parameter of an observed function.

    Attributes:
        node: the node of the syntax tree; its attribute `number` is its position among all observed nodes.
        file: its file.
        parts: its operands.
        variables: the variables that it is, or that its value is bound to.
        sizes: the first shape or length of each variable, or of its item at a key, in the present call, shared by the
            nodes of a function.
        begins_call: whether it is the first parameter, which is reported first in each call.
        is_iterated: whether it is what a loop or comprehension is over.
        attribute: the attribute of it that is read or written; None if there is none, or it is of no own object.
        is_of_own: whether it is the call of a method of what the function binds or is given.
        seen: its observations.
    """

    node: ast.AST
    file: str
    parts: tuple[ast.expr, ...]
    variables: frozenset[str]
    sizes: dict[tuple[str, Any], Any]
    begins_call: bool
    is_iterated: bool
    attribute: ast.Attribute | None
    is_of_own: bool
    seen: ExpressionObservations

    def note(self, value: Any, fields: Mapping[str, Any] | None) -> None:
        """Note the class, the sizes and the dtype of a value with some fields."""
        seen = self.seen
        if self.begins_call:
            self.sizes.clear()
        if hasattr(value, "_fields") or (fields is not None and fields is not value):
            seen.classes.add(type(value))
        for key, item in (("", value),) if fields is None else fields.items():
            if size := shape_of(item) or (isinstance(item, SEQUENCES) and len(item)):
                known = {self.sizes.setdefault((variable, key), size) for variable in self.variables}
                seen.changes_shape |= not known <= {size}
        seen.wraps |= isinstance(value, (np.integer, np.ndarray)) and value.dtype.kind in "iu" and value.itemsize < 8
        if seen.last and value.dtype.kind in "iu":
            seen.is_of_places = True
            seen.repeats |= len(np.unique(value)) < value.size
        elif isinstance(value, SEQUENCES) and seen.kind == PLACES:  # arrays of integers are places on several axes
            seen.repeats = seen.repeats or any(map(np.ndim, value)) or len(set(value)) < len(value)
        if isinstance(self.node, ast.Call) and getattr(self.node.func, "id", "") == "sorted":
            seen.is_partly_whole |= {int} < set(map(type, value))

    def updated(self, value: Any, change: Any) -> Any:
        """The result of `value += change` or `*=`: the list itself, which changes; a new array, as in derived text."""
        adds = isinstance(self.node.op, ast.Add)  # type: ignore[attr-defined]
        if type(value) is not list:
            return value + change if adds else value * change
        if adds and type(change) is not list:
            what = f"a list that grows by what is no list, in {ast.unparse(self.node)}"
            raise refusal_at(self.file, self.node, what, "Add list(x).")
        value[:] = value + change if adds else value * change
        return value


def observed_nodes(user: UserFunction, begin: int) -> Iterator[ObservedNode]:
    """The nodes of a function, which get numbers from a first one on."""
    first, sizes = next(iter(user.parameters), ""), dict[tuple[str, Any], Any]()
    iterated = {part.iter for part in nodes_in(user.tree) if isinstance(part, (ast.For, ast.comprehension))}
    attributes: dict[ast.AST, ast.Attribute] = {
        part.value: part for part in nodes_in(user.tree) if isinstance(part, ast.Attribute)
    }
    own_names = {"", *user.changed, *user.parameters}
    bound_to: dict[ast.AST, list[str]] = {
        node.value: [target.id for target in node.targets if isinstance(target, ast.Name)]
        for node in nodes_in(user.tree)
        if isinstance(node, ast.Assign)
    }
    nodes = [node for node in nodes_in(user.tree) if isinstance(node, (ast.expr, ast.arg, ast.Try))]
    for number, node in enumerate(nodes, begin):
        node.number = number  # type: ignore[union-attr]
        own = getattr(node, "arg", getattr(node, "id", ""))
        yield ObservedNode(
            node=node,
            file=user.file,
            parts=tuple(parts_of(node)),
            variables=frozenset((own, *bound_to.get(node, ()))) - {""},
            sizes=sizes,
            begins_call=isinstance(node, ast.arg) and own == first,
            is_iterated=node in iterated,
            attribute=attributes.get(node) if owner_of(node) in own_names else None,
            is_of_own=(owner_of(node.func) if isinstance(node, ast.Call) else "") in own_names,
            seen=ExpressionObservations(),
        )


def without_not(condition: ast.AST) -> tuple[str, bool]:
    """A condition as text without a leading `not`, and whether it had none."""
    is_negated = isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not)
    return ast.unparse(condition.operand if is_negated else condition), not is_negated  # type: ignore[attr-defined]


def asks_for_kind(condition: ast.AST) -> bool:
    """Whether a condition asks whether a value is None or of a type."""
    if isinstance(condition, ast.UnaryOp):
        return asks_for_kind(condition.operand)
    is_identity = isinstance(condition, ast.Compare) and isinstance(condition.ops[0], (ast.Is, ast.IsNot))
    return is_identity or getattr(getattr(condition, "func", None), "id", "") == "isinstance"
