"""Types and sizes of expressions, by running them: arrays have the sizes of the point, and integers are known.

A number that the sizes do not decide is represented by any number, and an array by zeros. Where it would decide
something, as the condition of a choice, both sides are run; where it would decide a size, the expression is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from gradcli.derivation.intermediate.templates import text_of
from gradcli.derivation.languages.c.sizes import Sizes, Variables, grown_by
from gradcli.derivation.languages.c.value_sizes import (
    NONE,
    POPPED,
    GrowingList,
    SizedArray,
    SizedNumber,
    SizedTuple,
    Value,
)
from gradcli.float_errors import ignored_float_errors

DTYPES = {"double": float, "int": int, "truth": bool}
MEASURES = ("len", "shape", "size", "ndim")
ROUNDED = ("floor", "ceil", "trunc", "int", "round")
WHOLE = ("min", "max", "abs", *ROUNDED, *MEASURES)  # functions of whole numbers whose result is one


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
        self._nodes: list[ast.expr] = []
        self._codes: dict[int, CodeType] = {}
        self._constants: dict[str, Value] = {}
        hooks = {
            "__saw__": self._saw, "__called__": self._called, "__item__": self._item, "__either__": self._either,
            "__any__": self._any, "__popped__": self._popped,
        }  # fmt: skip
        self._scope = {**scope, **sizes.namespace, **hooks}
        for name, value in self._scope.items():
            if isinstance(value, tuple):
                self._scope[name] = np.asarray(value) if _is_array(value) else value

    def value(self, node: ast.expr, at: Variables) -> Value:
        """The type and sizes of an expression, given those of the variables."""
        if id(node) not in self._codes:
            instrumented = _Reporter(self._nodes).visit(node)
            module = ast.Expression(instrumented)
            for each in ast.walk(module):
                each.lineno = each.end_lineno = 1  # type: ignore[attr-defined]
                each.col_offset = each.end_col_offset = 0  # type: ignore[attr-defined]
            self._codes[id(node)] = compile(module, self.sizes.file, "eval")
        self.at = at
        variables = {name: _stand_in(value) for name, value in at.items() if value != POPPED}
        try:
            with ignored_float_errors():
                eval(self._codes[id(node)], {**self._scope, **variables})
            return self.last[id(node)]
        except NameError as error:
            raise self.sizes.refuse(f"{error.name}, which is no number or array") from None
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):  # raised for such sizes
            raise self.sizes.refuse(text_of(node)) from None

    def truth(self, node: ast.expr, at: Variables) -> bool | None:
        """The outcome of a condition; None if it depends on floats."""
        return self._truth(self.value(node, at))

    def _truth(self, value: Value) -> bool | None:
        if isinstance(value, SizedNumber):
            return None if value.known is None else bool(value.known)
        if isinstance(value, GrowingList):
            return None if value.items is None else bool(value.items)
        if isinstance(value, SizedArray):
            return bool(value.shape[0]) if value.is_list else None
        return False if value == NONE else None

    def _note(self, node: ast.expr, value: Value) -> Any:
        """Note the value of an expression, and return what stands for it."""
        self.last[id(node)] = value
        if not isinstance(value, GrowingList):
            self.sizes.see(node, value)
        return _stand_in(value)

    def _saw(self, number: int, value: Any) -> Any:
        node = self._nodes[number]
        if isinstance(node, ast.Name):
            return self._name(node, value)
        if callable(value) or value is ... or isinstance(value, (ModuleType, Iterator, np.dtype, str)):
            return value
        if isinstance(node, ast.Tuple):
            return self._note(node, SizedTuple(tuple(self.last[id(each)] for each in node.elts)))
        if isinstance(node, ast.BinOp):
            self._check_operator(node)
        elif isinstance(node, ast.Compare) and any(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops):
            left, right = self.last[id(node.left)], self.last[id(node.comparators[0])]
            if right != NONE or not (left == NONE or text_of(node.left) not in self.sizes.nullable):
                raise self.sizes.refuse(text_of(node))
            return self._note(node, SizedNumber("truth", int(value)))
        elif isinstance(node, ast.ListComp) and (len(node.generators) > 1 or node.generators[0].ifs):
            raise self.sizes.refuse(text_of(node))
        found = self._note(node, self._sized(node, value, self._is_known(node)))
        return value if isinstance(node, ast.Constant) else found

    def _name(self, node: ast.Name, value: Any) -> Any:
        if node.id in self.at:
            self._note(node, self.at[node.id])
            return value
        if callable(value) or isinstance(value, ModuleType):
            return value
        is_constant = node.id in self._scope and self._scope[node.id] is value
        if is_constant and (isinstance(value, (bool, int, float, np.number)) or _is_array(value)):
            self.sizes.constants[node.id] = np.asarray(value) if np.ndim(value) else np.asarray(value).item()
        elif is_constant:
            raise self.sizes.refuse(f"{node.id}, which is no number or array")
        return self._note(node, self._sized(node, value, is_constant))

    def _sized(self, node: ast.expr, value: Any, is_known: bool) -> Value:
        """The type and sizes of a value."""
        if value is None:
            return NONE
        if isinstance(value, (tuple, range)):
            return SizedTuple(tuple(self._sized(node, each, is_known) for each in value))
        if isinstance(value, list) and not value:
            return GrowingList([])
        try:
            made = np.asarray(value)
        except ValueError:
            made = np.asarray(None)
        type_ = {"f": "double", "i": "int", "u": "int", "b": "truth"}.get(made.dtype.kind)
        if type_ is None:
            raise self.sizes.refuse(text_of(node))
        if made.ndim:
            return SizedArray(made.shape, type_, isinstance(value, list))
        return SizedNumber(type_, int(made) if is_known and type_ != "double" else None)

    def _is_known(self, node: ast.expr) -> bool:
        """Whether the sizes decide a value: all its parts are known, or sizes themselves."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim"):
            return True
        called = _called(node)
        if called in MEASURES:
            inner = self.last.get(id(node.args[0]))  # type: ignore[attr-defined]
            return not (isinstance(inner, GrowingList) and inner.items is None)
        return all(_decided(self.last[id(each)]) for each in _parts(node) if id(each) in self.last)

    def _check_operator(self, node: ast.BinOp) -> None:
        left, right = self.last[id(node.left)], self.last[id(node.right)]
        if isinstance(left, SizedNumber) and isinstance(right, SizedNumber):
            if any(each.known is None or each.known < 0 for each in (left, right)):
                self.sizes.below.add(id(node))
        elif isinstance(node.left, (ast.List, ast.ListComp)) and isinstance(node.op, ast.Mult):
            if not _decided(right):
                raise self.sizes.refuse(f"the length of {text_of(node)}")
        elif all(isinstance(each, SizedArray) and each.is_list for each in (left, right)):
            raise self.sizes.refuse(f"{text_of(node)}, lists put together,")

    def _called(self, number: int, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Call a function; the size of its result must not depend on numbers that the sizes do not decide."""
        node = self._nodes[number]
        assert isinstance(node, ast.Call)
        called = _called(node)
        try:
            value = function(*arguments, **keywords)
        except (ArithmeticError, ValueError, TypeError, IndexError):
            if any(map(np.ndim, arguments)):
                raise self.sizes.refuse(text_of(node)) from None
            value = np.int64(0) if called in ROUNDED else np.float64(1.0)  # a number out of the domain
        if isinstance(value, Iterator):
            return value
        operands = [None if isinstance(each, ast.Constant) else self.last.get(id(each)) for each in node.args]
        if not isinstance(value, (int, float, np.generic)) and not all(map(_is_settled, operands)):
            others = [_moved(x, known) for x, known in zip(arguments, operands, strict=False)]
            if len(operands) != len(arguments) or _shape(function(*others, **keywords)) != _shape(value):
                raise self.sizes.refuse(f"{text_of(node)}, whose length the sizes do not decide")
        is_whole = called in WHOLE and not (isinstance(node.func, ast.Attribute) and called in ("abs", "round"))
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and not is_whole and operands:
            value = np.float64(value) if all(isinstance(each, SizedNumber) for each in operands) else value
        if called in ("list", "tuple") and isinstance(operands[0], GrowingList):
            return self._note(node, operands[0].copy())
        return self._note(node, self._sized(node, list(value) if called == "tuple" else value, self._is_known(node)))

    def _item(self, number: int, owner: Any, key: Any) -> Any:
        """An item or a part, with zero for an index that the sizes do not decide."""
        node = self._nodes[number]
        assert isinstance(node, ast.Subscript)
        whole = self.last.get(id(node.value))
        if isinstance(whole, GrowingList):
            self._index(node.slice)
            held = self.sizes.held.get(text_of(node.value))
            if not isinstance(held, SizedNumber):
                raise self.sizes.refuse(f"{text_of(node)}, an item of a list that grows")
            return self._note(node, held)
        keys = list(key) if isinstance(node.slice, ast.Tuple) else [key]
        for n, part in enumerate(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]):
            if isinstance(part, ast.Slice):
                self._check_bounds(part)
            elif not self._index(part):
                keys[n] = 0
        place = tuple(keys) if isinstance(node.slice, ast.Tuple) else keys[0]
        if isinstance(whole, SizedTuple):
            return self._note(node, whole.parts[keys[0]])
        found = (np.asarray(owner) if isinstance(place, tuple) else owner)[place]
        return self._note(node, self._sized(node, found, False))

    def _index(self, node: ast.expr) -> bool:
        """Whether the sizes decide an index; those that may be negative are noted.

        Raises:
            UnsupportedError: it is no index.
        """
        value = self.last.get(id(node), NONE)
        if isinstance(value, SizedArray) and value.type == "int" and len(value.shape) == 1:
            return True
        if isinstance(value, SizedArray) and value.type == "truth":
            raise self.sizes.refuse(f"the mask {text_of(node)}")
        if value == NONE:
            return True
        if not isinstance(value, SizedNumber) or value.type == "double":
            raise self.sizes.refuse(f"the index {text_of(node)}")
        if value.known is None or value.known < 0:
            self.sizes.below.add(id(node))
        return value.known is not None

    def _check_bounds(self, node: ast.Slice) -> None:
        for each in filter(None, (node.lower, node.upper, node.step)):
            if not self._index(each):
                raise self.sizes.refuse(f"a slice whose bound {text_of(each)} the sizes do not decide")

    def _either(self, number: int, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """`a if test else b`: both, unless the sizes decide."""
        node = self._nodes[number]
        assert isinstance(node, ast.IfExp)
        truth = self._truth(self.last[id(node.test)])
        found: Value | None = None
        for side, run, is_left_out in ((node.body, body, truth is False), (node.orelse, orelse, truth is True)):
            if not is_left_out:
                run()
                value = self.last[id(side)]
                found = value if found is None else self.sizes.join(found, value)
        assert found is not None
        return self._note(node, found)

    def _any(self, number: int, *values: Callable[[], Any]) -> Any:
        """`and` or `or`: all parts up to the first that decides."""
        node = self._nodes[number]
        assert isinstance(node, ast.BoolOp)
        stops = isinstance(node.op, ast.Or)
        known: int | None = int(not stops)
        for each, run in zip(node.values, values, strict=True):
            run()
            truth = self._truth(self.last[id(each)])
            if truth is stops and known is not None:
                return self._note(node, SizedNumber("truth", int(stops)))
            known = None if truth is None else known
        return self._note(node, SizedNumber("truth", known))

    def _popped(self, number: int) -> Any:
        node = self._nodes[number]
        owner = self.at[grown_by(node)]
        assert isinstance(owner, GrowingList)
        return self._note(node, owner.pop())


def _is_array(value: Any) -> bool:
    """Whether a constant is a list, a tuple or an array of numbers."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return False
    try:
        made = np.asarray(value)
    except ValueError:
        return False
    return made.dtype.kind in "fiub" and bool(made.ndim) and bool(made.size)


def _stand_in(value: Value) -> Any:
    """A Python value of a type and of sizes."""
    if isinstance(value, SizedArray):
        made: Any = np.zeros(value.shape, DTYPES[value.type])
        return _listed(made) if value.is_list else made
    if isinstance(value, SizedNumber):
        if value.known is not None:
            return bool(value.known) if value.type == "truth" else value.known
        return {"double": np.float64(1.0), "int": np.int64(0), "truth": np.bool_(True)}[value.type]
    if isinstance(value, SizedTuple):
        return tuple(map(_stand_in, value.parts))
    if isinstance(value, GrowingList):
        return [None if each == POPPED else _stand_in(each) for each in value.items or ()]
    return None


def _listed(array: Any) -> Any:
    return [_listed(each) for each in array] if array.ndim > 1 else list(array)


def _decided(value: Value) -> bool:
    """Whether the sizes decide a value."""
    if isinstance(value, SizedTuple):
        return all(map(_decided, value.parts))
    if isinstance(value, GrowingList):
        return value.items is not None
    return value.known is not None if isinstance(value, SizedNumber) else value == NONE


def _is_settled(value: Value | None) -> bool:
    """Whether a value decides no size, or is known: an array, or a known number."""
    return value is None or isinstance(value, (SizedArray, GrowingList)) or _decided(value)


def _moved(value: Any, known: Value | None) -> Any:
    """Another value in place of one that the sizes do not decide."""
    if known is None or _is_settled(known):
        return value
    return tuple(each + 1 for each in value) if isinstance(value, tuple) else value + 1


def _shape(value: Any) -> tuple[int, ...]:
    return np.shape(value) if not isinstance(value, range) else (len(value),)


def _called(node: ast.expr) -> str:
    """The name of the called function; empty if there is none."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The operands of an expression, with the array whose method is called."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, (ast.keyword, ast.Starred)) or (
            isinstance(each, ast.Attribute) and isinstance(node, ast.Call)
        ):
            yield each.value
        elif isinstance(each, ast.expr):
            yield each


class _Reporter(ast.NodeTransformer):
    """A copy of an expression that reports each of its parts."""

    def __init__(self, nodes: list[ast.expr]) -> None:
        self.nodes = nodes

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Slice, ast.Starred)):
            return self._copied(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            return self._hook("__popped__", node)
        if isinstance(node, ast.Call):
            function = self._copied(node.func) if isinstance(node.func, ast.Attribute) else copy.deepcopy(node.func)
            made = self._hook("__called__", node, function, *map(self.visit, node.args))
            made.keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
            return made
        if isinstance(node, ast.Subscript):
            index = node.slice
            key = ast.Tuple(list(map(self._key, index.elts)), ast.Load()) if isinstance(index, ast.Tuple) else None
            return self._hook("__item__", node, self.visit(node.value), key or self._key(index))
        if isinstance(node, ast.IfExp):
            sides = (_later(self.visit(node.body)), _later(self.visit(node.orelse)))
            return self._hook("__either__", node, self.visit(node.test), *sides)
        if isinstance(node, ast.BoolOp):
            return self._hook("__any__", node, *(_later(self.visit(each)) for each in node.values))
        return self._hook("__saw__", node, self._copied(node))

    def _key(self, node: ast.expr) -> ast.expr:
        """An index; a slice as an object."""
        if not isinstance(node, ast.Slice):
            return self.visit(node)  # type: ignore[no-any-return]
        bounds = [
            ast.Constant(None) if each is None else self.visit(each) for each in (node.lower, node.upper, node.step)
        ]
        return ast.Call(ast.Name("slice", ast.Load()), bounds, [])

    def _copied(self, node: ast.AST) -> Any:
        """A copy whose parts are reported; what is bound stays a plain name."""
        fields = {}
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(node, ast.comprehension) and field == "target":
                fields[field] = copy.deepcopy(value)
            elif isinstance(value, list):
                fields[field] = [self.visit(each) if isinstance(each, ast.AST) else each for each in value]
            else:
                fields[field] = self.visit(value) if isinstance(value, (ast.expr, ast.comprehension)) else value
        return type(node)(**fields)

    def _hook(self, name: str, node: ast.expr, *arguments: ast.expr) -> ast.Call:
        self.nodes.append(node)
        number = ast.Constant(len(self.nodes) - 1)
        return ast.Call(ast.Name(name, ast.Load()), [number, *arguments], [])


def _later(node: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, node)
