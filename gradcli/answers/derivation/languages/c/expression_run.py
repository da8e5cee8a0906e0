"""Types and sizes of expressions, by running them: arrays have the sizes of the point, and integers are known.

A number that the sizes do not decide is represented by any number, and an array by zeros. Where it would decide
something, as the condition of a choice, both sides are run; where it would decide a size, the expression is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from gradcli.answers.derivation.languages.c.calls import CALLS
from gradcli.answers.derivation.languages.c.reporting_expressions import ReportingExpression
from gradcli.answers.derivation.languages.c.sizes import Sizes, Variables, grown_by
from gradcli.answers.derivation.languages.c.value_sizes import (
    DOUBLE,
    NONE,
    GrowingList,
    SizedArray,
    SizedNumber,
    SizedTuple,
    Value,
    is_decided,
    list_depth,
    stand_in,
    truth_of,
)
from gradcli.answers.derivation.syntax_trees import indices_of, is_dots, is_new_axis, text_of
from gradcli.errors import GradcliError
from gradcli.shared.float_errors import ignored_float_errors

HOOKS = ("saw", "called", "either", "any", "key", "popped")
MEASURES = ("len", "shape", "size", "ndim")
ROUNDED = ("floor", "ceil", "trunc", "int", "round")
WHOLE = ("min", "max", "abs", *ROUNDED, *MEASURES)  # functions of whole numbers whose result is one


FLOATS = frozenset((float, np.float64))


class ExpressionRun:
    """Runs the expressions of one function and notes their types and sizes.

    Args:
        sizes: takes the notes.
        scope: the free names of the derived function.
    """

    def __init__(self, sizes: Sizes, scope: dict[str, Any]) -> None:
        self.sizes = sizes
        self.at: Variables = {}
        self.last: dict[int, Value] = {}
        self._nodes: list[Any] = []
        self._expressions: dict[int, ReportingExpression] = {}
        self._scope = {**scope, **sizes.namespace}
        self._hooks = {f"__{hook}__": getattr(self, f"_{hook}") for hook in HOOKS}

    def value(self, node: ast.expr, at: Variables) -> Value:
        """The type and sizes of an expression, given those of the variables."""
        self.at = at
        made = self._expression(node)
        key = made.key(at, self.sizes)
        if key is not None and key in made.values:
            return made.values[key]
        variables: dict[str, Any] = {name: stand_in(at[name]) for name in made.names if name in at}
        try:
            with ignored_float_errors():
                eval(made.code, {**self._scope, **variables, **self._hooks})
            made.values[key] = self.last[id(node)]
            return self.last[id(node)]
        except GradcliError:
            raise
        except NameError as error:
            raise self.sizes.refuse(f"{error.name}, which is no number or array") from None
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):  # raised for such sizes
            raise self.sizes.refuse(text_of(node)) from None

    def _expression(self, node: ast.expr) -> ReportingExpression:
        """An expression in the form that reports each of its parts."""
        if id(node) not in self._expressions:
            for inner in ast.walk(node):
                if isinstance(inner, ast.expr):  # contexts such as `Load()` are shared by all trees
                    inner.number = len(self._nodes)  # type: ignore[attr-defined]
                    self._nodes.append(inner)
            self._expressions[id(node)] = ReportingExpression(node, self.sizes.file)
        return self._expressions[id(node)]

    def truth(self, node: ast.expr, at: Variables) -> bool | None:
        """The outcome of a condition; None if it depends on floats."""
        return truth_of(self.value(node, at))

    def _note(self, node: ast.expr, value: Value) -> Any:
        """Note the value of an expression, and return what stands for it."""
        self.last[id(node)] = value
        if not isinstance(value, GrowingList):
            self.sizes.see(node, value)
        return stand_in(value)

    def _saw(self, number: int, value: Any) -> Any:
        node = self._nodes[number]
        if isinstance(node, ast.Name) and node.id in self.at:
            known = self.at[node.id]
            if isinstance(known, SizedArray) and known.varying:
                raise self.sizes.refuse(f"{node.id}, an array whose length the sizes do not decide,")
            self._note(node, known)
            return value
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and (len(node.generators) > 1 or node.generators[0].ifs):
            raise self.sizes.refuse(text_of(node))
        if callable(value) or isinstance(value, (ModuleType, Iterator, np.dtype, str)):
            return value
        if isinstance(node, ast.Name):
            return self._note(node, self._free(node, value))
        if isinstance(node, ast.Tuple):
            return self._note(node, self._tuple(node))
        if isinstance(node, ast.Subscript):
            return self._note(node, self._part(node, value))
        if isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult)):
            self._note_broadcast(node, np.shape(value))
        if isinstance(node, ast.BinOp):
            self._note_sign(node)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            left, right = self.last[id(node.left)], self.last[id(node.comparators[0])]
            if right != NONE or not (left == NONE or text_of(node.left) not in self.sizes.nullable):
                raise self.sizes.refuse(text_of(node))
            return self._note(node, SizedNumber("truth", int(value)))
        is_float = type(value) in FLOATS  # most numbers are, and sizes decide none of them
        self._note(node, DOUBLE if is_float else self._sized(node, value, self._is_known(node)))
        return value

    def _free(self, node: ast.Name, value: Any) -> Value:
        """A free name, or one that a comprehension binds."""
        is_constant = node.id in self._scope and self._scope[node.id] is value
        sized = self._sized(node, np.asarray(value) if isinstance(value, tuple) else value, is_constant)
        if is_constant:
            self.sizes.constants[node.id] = np.asarray(value) if np.ndim(value) else np.asarray(value).item()
        return sized

    def _sized(self, node: ast.expr, value: Any, is_known: bool) -> Value:
        """The type and sizes of a value."""
        if value is None:
            return NONE
        if isinstance(value, (tuple, range)):
            return SizedTuple(tuple(self._sized(node, element, is_known) for element in value))
        if isinstance(value, list) and not value:
            return GrowingList([])
        if isinstance(value, list) and len(set(map(np.shape, value))) > 1:  # as of arrays that are joined
            return SizedTuple(tuple(self._sized(node, element, is_known) for element in value))
        made = np.asarray(value)
        type_ = {"f": "double", "i": "int", "u": "int", "b": "truth"}.get(made.dtype.kind)
        if type_ is None:
            raise self.sizes.refuse(f"{text_of(node)}, which is no number or array")
        if type_ == "int" and np.any(np.abs(made) >= 2**31):
            raise self.sizes.refuse(f"{text_of(node)}, a whole number of {2**31} or more,")
        if made.ndim:
            return SizedArray(made.shape, type_, list_depth(value))
        return SizedNumber(type_, int(made) if is_known and type_ != "double" else None)

    def _is_known(self, node: ast.expr) -> bool:
        """Whether the sizes decide a value: all its parts are known, or sizes themselves."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim"):
            return True
        if isinstance(node, ast.Call) and called_name(node) in MEASURES:
            inner = self.last.get(id(node.args[0]))
            return not (isinstance(inner, GrowingList) and inner.items is None)
        parts = [part.elt if isinstance(part, ast.GeneratorExp) else part for part in _parts(node)]
        return all(is_decided(self.last[id(part)]) for part in parts if id(part) in self.last)

    def _note_broadcast(self, node: ast.expr, shape: tuple[int, ...]) -> None:
        """Note the operands whose axes of length 1 are broadcast."""
        for part in _parts(node) if shape else ():
            operand = self.last.get(id(part))
            if isinstance(operand, SizedArray) and 1 in operand.shape:
                pairs = enumerate(zip(operand.shape, shape[len(shape) - len(operand.shape) :], strict=True))
                if axes := {axis for axis, (own, length) in pairs if own == 1 != length}:
                    self.sizes.stretch(part, axes)  # type: ignore[arg-type]

    def _note_sign(self, node: ast.BinOp) -> None:
        """Note a whole quotient or remainder of what may be negative; refuse NumPy's sums of truth values."""
        left, right = self.last[id(node.left)], self.last[id(node.right)]
        if isinstance(left, SizedNumber) and isinstance(right, SizedNumber):
            if left.type == right.type == "truth" and isinstance(node.op, (ast.Add, ast.Mult)):
                raise self.sizes.refuse(f"{text_of(node)}, a truth value in NumPy,")
            if any(operand.known is None or operand.known < 0 for operand in (left, right)):
                self.sizes.below.add(id(node))
        elif isinstance(node.left, (ast.List, ast.ListComp)) and not is_decided(right):
            raise self.sizes.refuse(f"the length of {text_of(node)}")

    def _tuple(self, node: ast.Tuple) -> Value:
        parts = tuple(self.last[id(element)] for element in node.elts)
        for element, value in zip(node.elts, parts, strict=True):
            if isinstance(element, ast.Name) and isinstance(value, SizedTuple):
                raise self.sizes.refuse(f"{element.id}, a tuple or range that is kept for later,")
        return SizedTuple(parts)

    def _key(self, number: int, key: Any) -> Any:
        self._check_key(self._nodes[number])
        return key

    def _check_key(self, node: ast.Subscript) -> None:
        """Refuse masks, bounds that the sizes do not decide, and items of growing lists of several types."""
        for element in indices_of(node):
            for index in (element.lower, element.upper, element.step) if isinstance(element, ast.Slice) else (element,):
                if index is not None and not self._is_index(index) and isinstance(element, ast.Slice):
                    raise self.sizes.refuse(f"a slice whose bound {text_of(index)} the sizes do not decide")
        owner = self.last[id(node.value)]
        if isinstance(owner, GrowingList) and owner.items is None:
            self.sizes.below.add(id(node))
        if isinstance(owner, GrowingList) and not isinstance(self.sizes.held.get(text_of(node.value)), SizedNumber):
            raise self.sizes.refuse(f"{text_of(node)}, an item of a list that grows")

    def _part(self, node: ast.Subscript, value: Any) -> Value:
        """An item, or a part of an array, whose index the sizes need not decide."""
        self._check_key(node)
        self._note_bounds(node)
        whole, held = self.last[id(node.value)], self.sizes.held.get(text_of(node.value))
        if isinstance(whole, GrowingList) and held is not None:
            return held
        return self._sized(node, value, isinstance(whole, SizedTuple) and self._is_known(node))

    def _note_bounds(self, node: ast.Subscript) -> None:
        """Note what axes indices take, bounds of slices beyond the end, and slices that end before they begin."""
        owner, parts = self.last[id(node.value)], indices_of(node)
        if not isinstance(owner, SizedArray):
            return
        axis, taken = 0, sum(not is_new_axis(part) and not is_dots(part) for part in parts)
        for part in parts:
            if isinstance(part, ast.Slice):
                length = owner.shape[axis]
                if self._place(part.lower, 0, length) > self._place(part.upper, None, length):
                    self.sizes.clamped.add(id(part))
            elif axis < len(owner.shape):
                self.sizes.lengths[id(part)] = min(owner.shape[axis], self.sizes.lengths.get(id(part), 2**31))
            axis += len(owner.shape) - taken if is_dots(part) else not is_new_axis(part)

    def _place(self, bound: ast.expr | None, default: int | None, length: int) -> int:
        """Where a slice begins or ends, counted from the front."""
        value = self.last.get(id(bound))
        known = value.known if isinstance(value, SizedNumber) else default
        if known is None:
            return length
        place = known + length if known < 0 else known
        if not 0 <= place <= length:
            self.sizes.clamped.add(id(bound))
        return place

    def _is_index(self, node: ast.expr) -> bool:
        """Whether the sizes decide an index; those that may be negative are noted.

        Raises:
            UnsupportedError: it is no index.
        """
        value = self.last.get(id(node), NONE)
        if value == NONE or (isinstance(value, SizedArray) and value.type == "int" and len(value.shape) == 1):
            return True
        if not isinstance(value, SizedNumber) or value.type == "double":
            is_mask = isinstance(value, SizedArray) and value.type == "truth"
            made = self.sizes.made.get(text_of(node), node)
            raise self.sizes.refuse(f"the {'mask' if is_mask else 'index'} {text_of(made)}")
        if value.known is None or value.known < 0:
            self.sizes.below.add(id(node))
        return value.known is not None

    def _called(self, number: int, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Call a function; the size of its result must not depend on numbers that the sizes do not decide."""
        node = self._nodes[number]
        called = called_name(node)
        if called == "at":
            self._is_index(node.args[1])
            function = _added_at
        try:
            value = function(*arguments, **keywords)
        except (ArithmeticError, ValueError):  # numbers out of the domain
            if any(map(np.ndim, arguments)):
                raise self.sizes.refuse(text_of(node)) from None
            value = np.int64(0) if called in ROUNDED else np.float64(1.0)
        if isinstance(value, Iterator):
            return value
        self._check_length(node, value, lambda others: function(*others, **keywords), arguments)
        of_numbers = bool(node.args) and all(
            isinstance(self.last.get(id(argument)), SizedNumber) for argument in node.args
        )
        is_numpy = isinstance(node.func, ast.Attribute) and called in ("abs", "round")
        if of_numbers and type(value) in (int, np.int64) and (is_numpy or called not in WHOLE):
            value = np.float64(value)  # written as a function of doubles
        inner = self.last.get(id(node.args[0])) if called in ("list", "tuple") else None
        if isinstance(inner, GrowingList):
            return self._note(node, inner.copy())
        value = list(value) if called == "tuple" else value
        is_float = type(value) in FLOATS  # most numbers are, and sizes decide none of them
        if called not in CALLS and isinstance(value, np.ndarray):
            self._note_broadcast(node, np.shape(value))
        self._note(node, DOUBLE if is_float else self._sized(node, value, self._is_known(node)))
        return value

    def _check_length(
        self, node: ast.Call, value: Any, function: Callable[[Sequence[Any]], Any], arguments: Sequence[Any]
    ) -> None:
        """Refuse a result whose length would be another with other numbers."""
        operands = [
            None if isinstance(argument, ast.Constant) else self.last.get(id(argument)) for argument in node.args
        ]
        if isinstance(value, (int, float, np.generic)) or all(map(_is_settled, operands)):
            return
        others = [_moved(x, known) for x, known in zip(arguments, operands, strict=True)]
        if _length(function(others)) != _length(value):
            raise self.sizes.refuse(f"{text_of(node)}, whose length the sizes do not decide")

    def _either(self, number: int, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """`a if test else b`: both, unless the sizes decide."""
        node = self._nodes[number]
        truth = truth_of(self.last[id(node.test)])
        values: list[Value] = []
        for side, run, is_left_out in ((node.body, body, truth is False), (node.orelse, orelse, truth is True)):
            if not is_left_out:
                run()
                values.append(self.last[id(side)])
        return self._note(node, self.sizes.join(values[0], values[-1]))

    def _any(self, number: int, *values: Callable[[], Any]) -> Any:
        """`and` or `or`: all parts up to the first that decides."""
        node = self._nodes[number]
        stops = isinstance(node.op, ast.Or)
        known: int | None = int(not stops)
        for value, run in zip(node.values, values, strict=True):
            run()
            truth = truth_of(self.last[id(value)])
            if truth is stops and known is not None:
                return self._note(node, SizedNumber("truth", int(stops)))
            known = None if truth is None else known
        return self._note(node, SizedNumber("truth", known))

    def _popped(self, number: int) -> Any:
        node = self._nodes[number]
        owner = self.at[grown_by(node)]
        assert isinstance(owner, GrowingList)
        if owner.items is None and self.sizes.is_of_user:
            raise self.sizes.refuse(f"{text_of(node)}, of a list whose length the sizes do not decide,")
        return self._note(node, owner.pop())


def _parts(node: ast.expr) -> Iterator[ast.AST]:
    """The operands of an expression, with the array whose method is called."""
    for child in ast.iter_child_nodes(node):
        is_owner = isinstance(node, ast.Call) and child is node.func and isinstance(child, ast.Attribute)
        yield child.value if is_owner or isinstance(child, (ast.keyword, ast.Starred)) else child  # type: ignore[attr-defined]


def _is_settled(value: Value | None) -> bool:
    """Whether a value decides no size, or is known: an array, or a known number."""
    if isinstance(value, SizedTuple):
        return all(map(_is_settled, value.parts))
    return value is None or isinstance(value, (SizedArray, GrowingList)) or is_decided(value)


def _moved(value: Any, known: Value | None) -> Any:
    """Another value in place of one that the sizes do not decide."""
    if _is_settled(known):
        return value
    return tuple(place + 1 for place in value) if isinstance(value, tuple) else value + 1


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, range) else np.shape(value)


def _added_at(x: Any, places: Any, terms: Any) -> None:
    """Check the sizes of `np.add.at`, as what stands for an array is not written into."""
    np.broadcast_to(terms, np.shape(x[places]))


def called_name(node: ast.Call) -> str:
    """The name of the called function."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
