"""Expressions in the intermediate form: each operation has a name and its derivatives."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any

from gradcli.derivation.intermediate.array_function_derivatives import array_function
from gradcli.derivation.intermediate.list_operator_derivatives import of_two_lists
from gradcli.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ByPartials,
    ElementRead,
    Identity,
    SignedSum,
)
from gradcli.derivation.intermediate.statements import Assignment, Branch, Statement
from gradcli.derivation.intermediate.templates import NamesInUse, name, text_of
from gradcli.derivation.reading.activity_analysis import Dependence
from gradcli.derivation.reading.broadcast_sums import fit_of
from gradcli.derivation.reading.function_source import UserFunction
from gradcli.derivation.reading.observed_values import Observation, parts_of
from gradcli.derivation.reading.value_kind import NUMBER, STATIC, ValueKind, kind_of
from gradcli.derivation.refusals import LineOf, refusal_at
from gradcli.errors import UnsupportedError
from gradcli.rules.rule_table import RULES
from gradcli.rules.rule_types import Elementwise

BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.Mod: "mod"}
UNARY = {ast.USub: "neg", ast.UAdd: "pos"}
CHEAP_CALLS = frozenset(("len", "min", "max", "int", "abs", "range"))
LARGEST_INDEX = 16  # nodes of an index that is repeated instead of stored
FIT = Sequence[ast.expr]


class ExpressionLowering:
    """Lowers the expressions of one function to statements.

    Args:
        user: the function.
        observation: the observed kinds of its expressions.
        dependence: the expressions that carry a derivative.
        registry: returns the name of each derived user function.
    """

    def __init__(self, user: UserFunction, observation: Observation, dependence: Dependence, registry: Any) -> None:
        self.user = user
        self.observation = observation
        self.dependence = dependence
        self.registry = registry
        self.out: list[Statement] = []
        self.line = user.tree.lineno
        self.kinds: dict[str, ValueKind] = {}
        self.made: set[str] = set()
        self.written: set[str] = set()
        self.fresh = NamesInUse({*user.names, user.name}).fresh
        self.count = 0
        self.steady = set(user.parameters) - user.changed

    # Names

    def made_name(self, stem: str = "t") -> str:
        """A generated name: t_1, t_2, k, k_1."""
        if stem == "t":
            self.count += 1
            found = self.fresh(f"t_{self.count}")
        else:
            found = self.fresh(stem)
        self.made.add(found)
        return found

    def bind(self, target: str, value: ast.expr, operation: ActiveOperation | None) -> None:
        """Add `target = value`, unless both are the same name."""
        if isinstance(value, ast.Name) and value.id == target:
            return
        if operation is not None:
            self.dependence.names.add(target)
        self.out.append(Assignment(target, value, operation, self.line))

    def temporary(self, value: ast.expr, operation: ActiveOperation | None, kind: ValueKind) -> ast.expr:
        """A value under a generated name."""
        made = self.made_name()
        self.kinds[made] = kind
        self.bind(made, value, operation)
        return self.known(name(made), kind)

    def known(self, node: ast.expr, like: ast.expr | ValueKind, is_item: bool = False) -> ast.expr:
        """A copy of a generated expression with the kind of another expression, or of its items."""
        kind = like if isinstance(like, ValueKind) else self.item_kind(like) if is_item else self.kind(like)
        made = copy.copy(node)
        made.known_kind = kind  # type: ignore[attr-defined]
        return made

    def item_kind(self, value: ast.expr) -> ValueKind:
        """The kind of the items of a value that is unpacked or iterated over."""
        kind = self.kind(value)
        if kind.name == "array":
            return ValueKind("array", kind.rank - 1) if kind.rank > 1 else NUMBER
        return kind.item or STATIC

    def kind(self, node: ast.expr) -> ValueKind:
        """The kind of an expression."""
        found: ValueKind | None = getattr(node, "known_kind", None)
        if found is not None:
            return found
        if isinstance(node, ast.Constant):
            return kind_of(node.value)
        if hasattr(node, "number"):
            seen = self.observation.of(node).kind
            if seen is not None:
                return seen
        return self.kinds.get(node.id, STATIC) if isinstance(node, ast.Name) else STATIC

    def refuse(self, node: ast.AST, what: str, hint: str = "") -> UnsupportedError:
        """The error for a construct in this function."""
        return refusal_at(self.user.file, node if hasattr(node, "lineno") else LineOf(self.line), what, hint)

    # Statements, implemented in subclasses

    def block(self, statements: Sequence[ast.stmt]) -> list[Statement]:
        """A block in the intermediate form."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: ast.expr, augmented: bool = False) -> None:
        """Add an assignment in the intermediate form."""
        raise NotImplementedError

    # Values

    def static(self, node: ast.expr) -> ast.expr:
        """An expression without a derivative, unchanged."""
        return copy.deepcopy(node)

    def static_name(self, node: ast.expr) -> ast.expr:
        """An expression without a derivative, under a name."""
        return node if isinstance(node, ast.Name) else self.temporary(self.static(node), None, self.kind(node))

    def atom(self, node: ast.expr) -> ast.expr:
        """An operand: a name, a constant, or a small expression without a derivative."""
        if isinstance(node, (ast.Name, ast.Constant)):
            return node
        if isinstance(node, ast.Subscript) and self.dependence.of(node) and self._is_steady(node):
            return self.known(self.place(node)[0], node)
        if not self.dependence.of(node):
            return self.static(node) if is_cheap(node) else self.static_name(node)
        value, operation = self.value(node)
        if isinstance(value, ast.Name):
            return value
        return self.temporary(value, operation, self.kind(node))

    def _is_steady(self, node: ast.Subscript) -> bool:
        """Whether an item can be read again later, because its names are bound once and never written into."""
        root: ast.expr = node
        while isinstance(root, ast.Subscript):
            if not is_cheap(root.slice) or self.observation.of(root.slice).shapes:
                return False
            root = root.value
        is_number = self.kind(node) == NUMBER
        return is_number and isinstance(root, ast.Name) and root.id in self.steady

    def value(self, node: ast.expr) -> tuple[ast.expr, ActiveOperation | None]:
        """An active expression with its operands under names, and its operation."""
        self.line = getattr(node, "lineno", self.line)
        is_known = hasattr(node, "known_kind") or (isinstance(node, ast.Name) and node.id in self.kinds)
        if hasattr(node, "number") and self.observation.of(node).kind is None and not is_known:
            raise self.refuse(node, f"{text_of(node)}, which no run reached", hint="Give a point that leads there.")
        if isinstance(node, ast.Name):
            return node, self.move(node, self.kind(node))
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None or not self.kind(node).carries or self.kind(node).name == "other":
            is_other = self.kind(node).name == "other"
            which = ", which is no number, list or array" if is_other else " of numbers with a derivative"
            hint = "Let the functions that it calls return numbers, lists or arrays." if is_other else ""
            raise self.refuse(node, f"{text_of(node)}{which}", hint=hint)
        return method(node)  # type: ignore[no-any-return]

    def move(self, atom: ast.expr, kind: ValueKind) -> ActiveOperation:
        """The identity operation on an operand."""
        return Identity((atom,), (kind,), kind)

    def fits(self, node: ast.expr, parts: Sequence[ast.expr], kind: ValueKind) -> tuple[str, ...]:
        """The sums that reduce a sensitivity of the result's shape to each operand's, from the observed shapes."""
        if kind.name != "array":
            return tuple("" for _ in parts)
        places = {id(each): n for n, each in enumerate(parts_of(node))}
        seen = self.observation.of(node).shapes
        of_parts = [[(v, p[places[id(each)]]) for v, p in seen] for each in parts]
        numbers = [
            self.kind(each).name in ("number", "static") and not any(p for _, p in shapes)
            for each, shapes in zip(parts, of_parts, strict=True)
        ]
        return tuple(fit_of(each, is_alone=numbers.count(False) == 1) for each in of_parts)

    def stored_fit(self, value: ast.expr, kind: ValueKind, is_broadcast: bool) -> str:
        """The sum that reduces the sensitivity of a place to that of the value stored in it."""
        if kind.name != "array":
            return ""
        if self.kind(value).name == "number":
            return "all"
        return "" if self.kind(value) == kind and kind.rank == 1 and not is_broadcast else "to"

    def store_kind(self, target: ast.Subscript, value: ast.expr) -> ValueKind:
        """The kind of a stored place: part of an array, or a number."""
        root = target
        depth = 0
        while isinstance(root, ast.Subscript):
            depth += sum(isinstance(each, ast.Slice) for each in _indices(root))
            root = root.value  # type: ignore[assignment]
        if depth:
            return ValueKind("array", depth)
        kind = self.kind(value)
        owner = self.kind(root)
        if owner.name == "array":
            whole = sum(1 for each in _indices(target))
            rank = owner.rank - whole
            index = _indices(target)[0]
            is_array = self.kind(index).name == "static" and any(s for s, _ in self.observation.of(index).shapes)
            if is_array or self.kind(index).name == "list":
                return ValueKind("array", owner.rank)
            return ValueKind("array", rank) if rank else NUMBER
        return kind

    def place(self, node: ast.Subscript) -> tuple[ast.expr, str]:
        """A place `owner[i][j]` with indices that may be repeated, and its owner."""
        indices: list[ast.expr] = []
        root: ast.expr = node
        while isinstance(root, ast.Subscript):
            if self.dependence.of(root.slice):
                raise self.refuse(node, f"the index {text_of(root.slice)}, which has a derivative")
            indices.append(root.slice)
            root = root.value
        if not isinstance(root, ast.Name):
            root = self.atom(root)
        if not isinstance(root, ast.Name):
            raise self.refuse(node, f"an item of {text_of(root)}")
        made: ast.expr = name(root.id)
        for index in reversed(indices):
            names = {n.id for n in ast.walk(index) if isinstance(n, ast.Name)}
            is_own = root.id in names or any(isinstance(n, ast.Compare) for n in ast.walk(index))
            written = self.static_name(index) if is_own and not isinstance(index, ast.Slice) else self._index(index)
            made = ast.Subscript(made, written, ast.Load())
        return made, root.id

    def _index(self, node: ast.expr) -> ast.expr:
        if is_cheap(node):
            return self.static(node)
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._index(each) for each in node.elts], ast.Load())
        if isinstance(node, ast.Slice):
            return self.static(node)
        return self.static_name(node)

    # Operations, by the type of syntax node

    def _elementwise(self, rule: Any, node: ast.expr, parts: FIT, made: ast.expr) -> tuple[ast.expr, ActiveOperation]:
        kind = self.kind(node)
        operands = tuple(getattr(each, "operand_of", each) for each in parts)
        for each in parts:
            if self.observation.of(each).wraps:
                what = f"{text_of(each)}, whole numbers of so few bits that they wrap around,"
                raise self.refuse(each, what, hint="Make them floats: float(x), or x.astype(float).")
        if not isinstance(rule, Elementwise) or len(rule.parameters) != len(parts):
            raise self.refuse(node, f"{text_of(node)}, an operation without a written derivative")
        if kind.name not in ("array", "number"):
            raise self.refuse(node, f"{text_of(node)}, which is a {kind}")
        kinds = tuple(self.kind(each) for each in parts)
        operation = ByPartials(operands, kinds, kind, self.fits(node, parts, kind), rule)
        self._try(operation, node, [self.dependence.of(each) for each in parts])
        return made, operation

    def _try(self, operation: ActiveOperation, node: ast.expr, active: Sequence[bool]) -> None:
        """Write the partials once, to refuse here those without a source form."""
        try:
            for place, is_active in enumerate(active):
                if is_active:
                    operation.pull(place, name("ct"), name("v"))
        except UnsupportedError as error:
            raise self.refuse(node, f"{text_of(node)}: {error.message}") from None

    def _sum(self, node: ast.BinOp) -> tuple[ast.expr, ActiveOperation] | None:
        """A sum of three or more terms as one operation; None if a term is broadcast."""
        terms: list[tuple[int, ast.expr]] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, (ast.Add, ast.Sub)) and self.dependence.of(left):
            kind = self.kind(left)
            if kind.name not in ("number", "array") or any(self.fits(left, (left.left, left.right), kind)):
                return None
            terms.insert(0, (1 if isinstance(left.op, ast.Add) else -1, left.right))
            left = left.left
        if len(terms) < 2:
            return None
        terms.insert(0, (1, left))
        atoms = [self.atom(each) for _, each in terms]
        made = atoms[0]
        for atom, (sign, _) in zip(atoms[1:], terms[1:], strict=True):
            made = ast.BinOp(made, ast.Add() if sign > 0 else ast.Sub(), atom)
        kinds = tuple(self.kind(each) for _, each in terms)
        signs = tuple(sign for sign, _ in terms)
        return made, SignedSum(tuple(atoms), kinds, self.kind(node), signs)

    def _binop(self, node: ast.BinOp) -> tuple[ast.expr, ActiveOperation]:
        if isinstance(node.op, (ast.Add, ast.Sub)) and (found := self._sum(node)) is not None:
            return found
        left, right = self.atom(node.left), self.atom(node.right)
        if isinstance(node.op, ast.MatMult):
            made = ast.BinOp(left, node.op, right)
            return self._array("matmul", node, [node.left, node.right], [left, right], {}, made)
        if self.kind(node).name == "list":
            made, kinds = ast.BinOp(left, node.op, right), (self.kind(node.left), self.kind(node.right))
            operation = of_two_lists(node.op, (left, right), kinds, self.kind(node))
            if operation is None:
                raise self.refuse(node, f"{text_of(node)}, which is a {self.kind(node)}")
            return made, operation
        if type(node.op) not in BINARY:
            raise self.refuse(node, f"the operator in {text_of(node)}")
        rule, parts = RULES[BINARY[type(node.op)]], (standing_for(node.left, left), standing_for(node.right, right))
        return self._elementwise(rule, node, parts, ast.BinOp(left, node.op, right))

    def _array(
        self, called: str, node: ast.expr, parts: FIT, atoms: FIT, keywords: dict[str, ast.expr], made: ast.expr
    ) -> tuple[ast.expr, ActiveOperation]:  # fmt: skip
        operation = array_function(called, atoms, [self.kind(each) for each in parts], self.kind(node), keywords)
        if operation is None:
            raise self.refuse(node, f"{text_of(node)}, an operation without a written derivative")
        return made, operation

    def _unaryop(self, node: ast.UnaryOp) -> tuple[ast.expr, ActiveOperation]:
        operand = self.atom(node.operand)
        rule = RULES.get(UNARY.get(type(node.op), ""))
        return self._elementwise(rule, node, (standing_for(node.operand, operand),), ast.UnaryOp(node.op, operand))

    def _ifexp(self, node: ast.IfExp) -> tuple[ast.expr, ActiveOperation]:
        made = self.made_name()
        kind = self.kinds[made] = self.kind(node)
        sides = []
        for side in (node.body, node.orelse):
            outer, self.out = self.out, []
            if self.dependence.of(side):
                self.bind(made, *self.value(side))
            else:
                self.bind(made, self.static(side), None)
            sides.append(self.out)
            self.out = outer
        self.dependence.names.add(made)
        self.out.append(Branch(self.static(node.test), sides[0], sides[1], self.line))
        return self.known(name(made), kind), self.move(name(made), kind)

    def _subscript(self, node: ast.Subscript) -> tuple[ast.expr, ActiveOperation]:
        place, owner = self.place(node)
        kind = self.kind(node)
        indices = _indices(node)
        scatters = any(shape for each in indices for shape, _ in self.observation.of(each).shapes)
        scatters = scatters or any(self.kind(each).name == "list" for each in indices)
        return place, ElementRead((name(owner),), (self.kinds.get(owner, STATIC),), kind, place, scatters)

    def _attribute(self, node: ast.Attribute) -> tuple[ast.expr, ActiveOperation]:
        if node.attr != "T" or self.kind(node).name != "array":
            raise self.refuse(node, f"the attribute {node.attr}")
        operand = self.atom(node.value)
        return self._array("T", node, [node.value], [operand], {}, ast.Attribute(operand, "T", ast.Load()))


def is_cheap(node: ast.expr) -> bool:
    """Whether an expression without a derivative may be repeated where its value is needed."""
    parts = list(ast.walk(node))
    if len(parts) > LARGEST_INDEX or any(isinstance(each, (ast.ListComp, ast.GeneratorExp)) for each in parts):
        return False
    calls = [each for each in parts if isinstance(each, ast.Call)]
    return all(isinstance(each.func, ast.Name) and each.func.id in CHEAP_CALLS for each in calls)


def standing_for(node: ast.expr, atom: ast.expr) -> ast.expr:
    """The user's node, which has observations, with its operand attached."""
    node.operand_of = atom  # type: ignore[attr-defined]
    return node


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
