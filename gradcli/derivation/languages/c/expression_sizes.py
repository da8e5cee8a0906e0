"""Types and sizes of expressions; NumPy's results are found by calling it with zeros."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.derivation.intermediate.templates import text_of
from gradcli.derivation.languages.c.value_sizes import (
    DOUBLE,
    INT,
    NONE,
    TRUTH,
    GrowingList,
    MixedError,
    SizedArray,
    SizedNumber,
    SizedTuple,
    UnknownSize,
    Value,
    described,
    joined,
)
from gradcli.derivation.refusals import refusal_at
from gradcli.errors import UnsupportedError
from gradcli.float_errors import ignored_float_errors

WHOLE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
COMPARED: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
Variables = dict[str, Value]


class SizedExpressions:
    """Infers the types and sizes of the expressions of one function.

    Args:
        namespace: the values of the free names of the function.
        file: the file of the user's function.

    Attributes:
        seen: all values of an expression, joined, by its id.
        below: the ids of the indices that were, or may be, negative.
        nullable: the variables that are None at some time.
        capacity, held: for each growing list, the maximum number of its elements, and their type.
        turns: the numbers of iterations of each loop, by its id; None if unknown.
        results: the returned values.
        items_of_lists: the names bound by comprehensions.
    """

    def __init__(self, namespace: dict[str, Any], file: str) -> None:
        self.namespace = namespace
        self.file = file
        self.first = self.line = 0
        self.variables: Variables = {}
        self.constants: dict[str, Any] = {}
        self.seen: dict[int, Value] = {}
        self.below: set[int] = set()
        self.nullable: set[str] = set()
        self.capacity: dict[str, int] = {}
        self.held: dict[str, Value | None] = {}
        self.turns: dict[int, list[int | None]] = {}
        self.results: list[list[Value]] = []
        self.items_of_lists: set[str] = set()

    def at(self, node: ast.stmt) -> None:
        """Move to a statement; generated reverse statements have line numbers before those of the function."""
        line = getattr(node, "lineno", 0)
        self.line = line if line > self.first else self.line

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

    def hold(self, name: str, value: Value) -> None:
        """Note the elements of a growing list; None if they have several types."""
        if name not in self.held:
            self.held[name] = value
        elif self.held[name] is not None:
            try:
                self.held[name] = joined(self.held[name] or value, value)
            except MixedError:
                self.held[name] = None

    def value(self, node: ast.expr, at: Variables) -> Value:
        """The type and sizes of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.refuse(text_of(node))
        found: Value = method(node, at)
        if not isinstance(found, GrowingList):
            self.seen[id(node)] = self.join(self.seen.get(id(node), found), found)
        return found

    def truth(self, node: ast.expr, at: Variables) -> bool | None:
        """The outcome of a condition; None if it depends on floats."""
        found = self.value(node, at)
        if isinstance(found, SizedNumber):
            return None if found.known is None else bool(found.known)
        if isinstance(found, GrowingList):
            return None if found.items is None else bool(found.items)
        if isinstance(found, SizedArray):
            return bool(found.shape[0]) if found.is_list else None
        return False if found == NONE else None

    def parts_of(self, value: Value, count: int) -> Sequence[Value]:
        """The parts of a value that is unpacked."""
        if isinstance(value, SizedTuple) and len(value.parts) == count:
            return value.parts
        if isinstance(value, SizedArray) and value.shape[0] == count:
            return [value.item] * count
        if isinstance(value, UnknownSize):
            return [value] * count
        raise self.refuse(f"the parts of {described(value)}")

    def items(self, node: ast.expr, at: Variables) -> tuple[list[Value] | None, Value]:
        """The items that a loop iterates over, or None if their number is unknown, and a value that covers all."""
        if isinstance(node, ast.Call) and is_range(node):
            if text_of(node.func) != "range":
                items, item = self.items(node.args[0], at)
                return (items and items[::-1] if text_of(node.func) == "reversed" else items), item
            bounds = [self._known(self.value(each, at)) for each in node.args]
            whole = [each for each in bounds if each is not None]
            if len(whole) == len(bounds):
                return [SizedNumber("int", k) for k in range(*whole)], INT
            return None, INT
        if isinstance(node, ast.Call) and text_of(node.func) == "reversed":
            items, item = self.items(node.args[0], at)
            return items and items[::-1], item
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):  # items[:trips]
            items, item = self.items(node.value, at)
            upper = None if node.slice.upper is None else self._known(self.value(node.slice.upper, at))
            return (items[:upper] if items is not None and upper is not None else None), item
        named = at.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(named, (SizedTuple, UnknownSize)):
            return (list(named.parts) if isinstance(named, SizedTuple) else None), INT
        found = self.value(node, at)
        if isinstance(found, SizedArray):
            return [found.item] * found.shape[0], found.item
        raise self.refuse(f"a loop over {text_of(node)}")

    def _known(self, value: Value) -> int | None:
        return value.known if isinstance(value, SizedNumber) and value.type != "double" else None

    # Expressions

    def _constant(self, node: ast.Constant, at: Variables) -> Value:
        value = node.value
        if isinstance(value, (bool, int)):
            return SizedNumber("truth" if isinstance(value, bool) else "int", int(value))
        if value is None:
            return NONE
        if isinstance(value, float):
            return DOUBLE
        raise self.refuse(text_of(node))

    def _name(self, node: ast.Name, at: Variables) -> Value:
        if node.id in at:
            return at[node.id]
        value = self.namespace.get(node.id)
        if isinstance(value, (bool, int, float, np.integer, np.floating)):
            is_whole = not isinstance(value, (float, np.floating))
            self.constants[node.id] = int(value) if is_whole else float(value)
            return SizedNumber("int", int(value)) if is_whole else DOUBLE
        if isinstance(value, (list, tuple, np.ndarray)):
            made = np.asarray(value)
            if made.dtype.kind in "fiub" and made.ndim and made.size:
                self.constants[node.id] = made
                return SizedArray(made.shape, "double" if made.dtype.kind == "f" else "int", isinstance(value, list))
        raise self.refuse(f"{node.id}, which is no number or array")

    def _attribute(self, node: ast.Attribute, at: Variables) -> Value:
        if self._is_module(node.value, at):
            return self._of_module(node)
        owner = self.value(node.value, at)
        if isinstance(owner, SizedArray):
            if node.attr == "shape":
                return SizedTuple(tuple(SizedNumber("int", n) for n in owner.shape))
            if node.attr == "T":
                return SizedArray(owner.shape[::-1], owner.type)
            if node.attr in ("size", "ndim"):
                return SizedNumber("int", math.prod(owner.shape) if node.attr == "size" else len(owner.shape))
        raise self.refuse(text_of(node))

    def _of_module(self, node: ast.Attribute) -> Value:
        home = self.namespace.get(text_of(node.value), {"math": math, "np": np}.get(text_of(node.value)))
        value = getattr(home, node.attr, None)
        if isinstance(value, float):
            return DOUBLE
        raise self.refuse(text_of(node))

    def _list(self, node: ast.List, at: Variables) -> Value:
        items = [self.value(each, at) for each in node.elts]
        if not items:
            return GrowingList([])
        item = items[0]
        for each in items[1:]:
            item = self.join(item, each)
        if isinstance(item, SizedArray):
            return SizedArray((len(items), *item.shape), item.type, is_list=True)
        if isinstance(item, SizedNumber):
            return SizedArray((len(items),), item.type, is_list=True)
        raise self.refuse(text_of(node))

    def _tuple(self, node: ast.Tuple, at: Variables) -> Value:
        for each in node.elts:
            if isinstance(each, ast.Name) and isinstance(at.get(each.id), SizedTuple):
                raise self.refuse(f"{each.id}, a tuple or range that is kept for later,")
        return SizedTuple(tuple(self.value(each, at) for each in node.elts))

    def _listcomp(self, node: ast.ListComp, at: Variables) -> Value:
        generator = node.generators[0]
        if len(node.generators) > 1 or generator.ifs or not isinstance(generator.target, (ast.Name, ast.Tuple)):
            raise self.refuse(text_of(node))
        inner = dict(at)
        count, items = self.run_over(generator.iter, at)
        targets = generator.target.elts if isinstance(generator.target, ast.Tuple) else [generator.target]
        for target, item in zip(targets, items, strict=True):
            assert isinstance(target, ast.Name)
            inner[target.id] = item
            self.items_of_lists.add(target.id)
        made = self.value(node.elt, inner)
        if isinstance(made, SizedArray):
            return SizedArray((count, *made.shape), made.type, is_list=True)
        if isinstance(made, SizedNumber):
            return SizedArray((count,), made.type, is_list=True)
        raise self.refuse(text_of(node))

    def run_over(self, node: ast.expr, at: Variables) -> tuple[int, list[Value]]:
        """The number of items that a comprehension iterates over, and the items."""
        if isinstance(node, ast.Call) and text_of(node.func) == "zip":
            found = [self.run_over(each, at) for each in node.args]
            return min(count for count, _ in found), [item for _, items in found for item in items]
        items, item = self.items(node, at)
        if items is None:
            raise self.refuse(f"a list of as many items as {text_of(node)} has")
        return len(items), [item]

    def _unaryop(self, node: ast.UnaryOp, at: Variables) -> Value:
        value = self.value(node.operand, at)
        if isinstance(node.op, ast.Not):
            truth = self.truth(node.operand, at)
            return SizedNumber("truth", None if truth is None else int(not truth))
        if isinstance(value, SizedNumber):
            known = value.known
            if isinstance(node.op, ast.USub) and known is not None:
                return SizedNumber("int", -known)
            return SizedNumber("double" if value.type == "double" else "int")
        if isinstance(value, SizedArray):
            return value
        raise self.refuse(text_of(node))

    def _binop(self, node: ast.BinOp, at: Variables) -> Value:
        left, right = self.value(node.left, at), self.value(node.right, at)
        if isinstance(node.op, ast.Mult) and isinstance(node.left, (ast.List, ast.ListComp)):
            return self._repeated(node, left, right)
        if isinstance(left, SizedNumber) and isinstance(right, SizedNumber):
            if min(-1 if each.known is None else each.known for each in (left, right)) < 0:
                self.below.add(id(node))
            return self._number(node.op, left, right)
        if isinstance(node.op, ast.Add) and _is_list(left) and _is_list(right):
            raise self.refuse(f"{text_of(node)}, lists put together,")
        if isinstance(node.op, ast.MatMult):
            return self.asked(node, np.matmul, [left, right])
        return self.asked(node, np.multiply, [left, right], "double" if isinstance(node.op, ast.Div) else None)

    def _repeated(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        count = self._known(right)
        if isinstance(left, SizedArray) and count is not None:
            return left.changed(shape=(left.shape[0] * count, *left.shape[1:]))
        raise self.refuse(f"the length of {text_of(node)}")

    def _number(self, operator: ast.operator, left: SizedNumber, right: SizedNumber) -> Value:
        if "double" in (left.type, right.type) or type(operator) not in WHOLE:
            return DOUBLE
        if left.known is None or right.known is None:
            return INT
        if isinstance(operator, (ast.FloorDiv, ast.Mod)) and right.known == 0:
            return INT
        return SizedNumber("int", WHOLE[type(operator)](left.known, right.known))

    def _compare(self, node: ast.Compare, at: Variables) -> Value:
        parts = [node.left, *node.comparators]
        values = [self.value(each, at) for each in parts]
        if any(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops):
            return self._is_none(node, values)
        if any(isinstance(each, SizedArray) for each in values):
            return self.asked(node, np.less, values[:2], "truth")
        if any(isinstance(each, SizedTuple) for each in values):
            return SizedNumber("truth", int(self.plain(values[0]) == self.plain(values[1])))
        known = [self._known(each) for each in values]
        if None in known or any(type(each) not in COMPARED for each in node.ops):
            return TRUTH
        pairs = zip(known, node.ops, known[1:], strict=False)
        return SizedNumber("truth", int(all(COMPARED[type(op)](a or 0, b or 0) for a, op, b in pairs)))

    def _is_none(self, node: ast.Compare, values: Sequence[Value]) -> Value:
        subject = node.left
        if values[1] != NONE or not (values[0] == NONE or text_of(subject) not in self.nullable):
            raise self.refuse(text_of(node))
        return SizedNumber("truth", int((values[0] == NONE) == isinstance(node.ops[0], ast.Is)))

    def _boolop(self, node: ast.BoolOp, at: Variables) -> Value:
        stops = isinstance(node.op, ast.Or)
        known: int | None = int(not stops)
        for each in node.values:
            truth = self.truth(each, at)
            if truth is stops and known is not None:
                return SizedNumber("truth", int(stops))
            known = None if truth is None else known
        return SizedNumber("truth", known)

    def _ifexp(self, node: ast.IfExp, at: Variables) -> Value:
        test = self.truth(node.test, at)
        if test is None:
            return self.join(self.value(node.body, at), self.value(node.orelse, at))
        return self.value(node.body if test else node.orelse, at)

    def _is_module(self, node: ast.expr, at: Variables) -> bool:
        root = text_of(node).split(".")[0]
        return (
            isinstance(node, (ast.Name, ast.Attribute))
            and root not in at
            and (root in ("np", "math", "special") or hasattr(self.namespace.get(root), "__spec__"))
        )

    def plain(self, value: Value) -> Any:
        """A value determined by sizes, as a Python object."""
        if isinstance(value, SizedTuple):
            return tuple(map(self.plain, value.parts))
        if isinstance(value, SizedNumber) and value.known is not None:
            return value.known
        if value == NONE:
            return None
        raise self.refuse(f"{described(value)} where the sizes have to decide")

    def asked(
        self, node: ast.expr, function: Callable[..., Any], values: Sequence[Value], type_: str | None = None,
        keywords: dict[str, Any] | None = None,
    ) -> Value:  # fmt: skip
        """The type and sizes of NumPy's result for such values."""
        try:
            with ignored_float_errors():
                found = np.asarray(function(*map(self._stand_in, values), **(keywords or {})))
        except (ValueError, TypeError, IndexError, np.linalg.LinAlgError) as error:
            raise self.refuse(f"{text_of(node)} ({error})") from None
        type_ = type_ or {"f": "double", "i": "int", "b": "truth"}.get(found.dtype.kind)
        if type_ is None:
            raise self.refuse(text_of(node))
        return SizedArray(found.shape, type_) if found.ndim else SizedNumber(type_)

    def _stand_in(self, value: Value) -> Any:
        if isinstance(value, SizedArray):
            return np.zeros(value.shape, {"double": float, "int": int, "truth": bool}[value.type])
        if isinstance(value, SizedNumber) and value.known is None:
            return {"double": 1.0, "int": 1, "truth": True}[value.type]
        return self.plain(value)


def is_range(node: ast.Call) -> bool:
    """Whether a call is a range, forwards or reversed."""
    called = node.func.id if isinstance(node.func, ast.Name) else ""
    if called in ("reversed", "list") and len(node.args) == 1 and isinstance(node.args[0], ast.Call):
        return is_range(node.args[0])
    return called == "range"


def _is_list(value: Value) -> bool:
    return isinstance(value, SizedArray) and value.is_list
