"""Code recompiled with checks, where a program meets recorded values by other means than names that can be replaced.

`W = TABLE.copy(); W[0] = x` calls no NumPy function that could be replaced. The code of such a function is recompiled
from its source with a check on each assigned value: an array without other references, judged by its reference count,
belongs to the program alone and becomes a constant of the tape. Other values are unchanged. Method calls such as
`A.dot(x)` are redirected in the same way: with recorded arguments, NumPy's function of that name is called. And where a
variable holds a type of numbers, `dtype(x)` calls the replacement of the type.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gradcli.patching.patch_points import CODE, Place, redirected
from gradcli.patching.replacement_table import replacement_table
from gradcli.tape.concretization_hints import METHODS
from gradcli.tape.memory.reference_counts import referrers
from gradcli.tape.values.array_creation import owned_array
from gradcli.tape.values.array_function import apply_function, holds_recorded

_MARK = "gradcli:own"  # a constant in the recompiled code, replaced by the owner object
# Expressions that may create an array; a name cannot.
_MAKING = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)
_ASSIGNING: tuple[Any, ...] = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
_HANDING: tuple[Any, ...] = (ast.Return, ast.Yield, ast.DictComp)
_MOST_FILES = 64


class _Owner:
    """The left operand inserted before a value, `owner @ value`."""

    def __matmul__(self, made: Any) -> Any:
        """A constant of the active run if nothing else refers to the value, else the value itself."""
        if type(made) is not np.ndarray or not made.flags.writeable:
            return made
        # A new value is referred to by the operator and its parameter, and memory of its own by the value alone.
        is_new = referrers([made], 0) <= _OPERAND and (made.base is None or referrers([made.base], 0) <= 1)
        return owned_array(made) if is_new else made

    def __mod__(self, held: Any) -> Any:
        """The replacement for the object of a method call, `owner % held`."""
        return _Methods(held) if type(held) is np.ndarray else held

    def __floordiv__(self, called: Any) -> Any:
        """The replacement for what is called, `owner // called`, if it is a type of numbers."""
        return replacement_table().get(id(called), called) if isinstance(called, type) else called


_OPERAND = 2


class _Methods:
    """The methods of a plain array, with support for recorded arguments."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getattr__(self, name: str) -> Any:
        return partial(self._call, name)

    def _call(self, name: str, *arguments: Any, **options: Any) -> Any:
        if holds_recorded((*arguments, *options.values())):
            return apply_function(getattr(np, name), (self._array, *arguments), options)
        return getattr(self._array, name)(*arguments, **options)


def _with_owner(code: CodeType, owner: _Owner) -> CodeType:
    """`code`, including nested functions, with the owner in place of the mark."""
    constants = [
        _with_owner(c, owner) if isinstance(c, CodeType) else owner if c == _MARK else c for c in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))


def owning(code: CodeType, everywhere: bool) -> CodeType | None:
    """The recompiled code, which checks assigned values; with `everywhere`, also returned, passed and collected ones.

    None if there is nothing to check, or if the source is not available or has changed since it was compiled.
    """
    source = "".join(linecache.getlines(code.co_filename))
    plain, taking = _compiled(code.co_filename, source, everywhere) if source else ({}, {})
    pairs = zip(plain.get(_key(code), ()), taking.get(_key(code), ()), strict=False)
    return next((new for old, new in pairs if _same(old, code) and _has_owner(new)), None)


def _has_owner(code: CodeType) -> bool:
    """Whether code, or a function nested in it, checks a value."""
    return any(_has_owner(c) if isinstance(c, CodeType) else isinstance(c, _Owner) for c in code.co_consts)


def recompiled_places(function: FunctionType, everywhere: bool) -> Iterator[Place]:
    """Yield the place of a function's code with the recompiled code, if the source is available."""
    if (code := owning(function.__code__, everywhere)) is not None:
        place = Place(function, CODE, function.__code__, redirected(code))
        place.everywhere = everywhere
        yield place


_Codes = dict[Any, list[CodeType]]


@lru_cache(maxsize=_MOST_FILES)
def _compiled(file: str, source: str, everywhere: bool) -> tuple[_Codes, _Codes]:
    """The codes of a file's functions, by name and line: unchanged, and recompiled with the owner."""
    try:
        tree = ast.parse(source)
        plain = compile(tree, file, "exec", dont_inherit=True)
        marked = ast.fix_missing_locations(_Marking(everywhere).visit(tree))
        taking = compile(marked, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return {}, {}
    return _by_key(plain), _by_key(_with_owner(taking, _Owner()))


def _by_key(code: CodeType) -> _Codes:
    found: _Codes = {}
    for key, inner in _functions(code):
        found.setdefault(key, []).append(inner)
    return found


def _functions(code: CodeType) -> Iterator[tuple[Any, CodeType]]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield _key(inner), inner
            yield from _functions(inner)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same, apart from the modules they import and the functions nested in them."""
    constants = [[c for c in code.co_consts if not isinstance(c, CodeType)] for code in (one, other)]
    # Replaced imports are named like `gradcli:math`.
    own = [[name.rpartition(":")[2] for name in code.co_names] for code in (one, other)]
    names = own[0] == own[1] and one.co_varnames == other.co_varnames and one.co_freevars == other.co_freevars
    return names and one.co_code == other.co_code and repr(constants[0]) == repr(constants[1])


class _Marking(ast.NodeTransformer):
    """Inserts the mark before what is called, before the objects of method calls and before assigned values.

    With `everywhere`, also before returned, passed and collected values.
    """

    def __init__(self, everywhere: bool) -> None:
        self._with_value = _ASSIGNING + _HANDING if everywhere else _ASSIGNING
        self._everywhere = everywhere

    def visit(self, node: ast.AST) -> Any:
        """The node, with the values inside it marked."""
        self.generic_visit(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in METHODS:
            node.value = _with_mark(node.value, ast.Mod())
        if isinstance(node, ast.Call):
            node.func = _with_mark(node.func, ast.FloorDiv())
            # Hints on a refused call take what stands where it begins for its name.
            node.func.lineno = node.func.end_lineno or node.func.lineno
            node.func.col_offset = node.func.end_col_offset or node.func.col_offset
        if isinstance(node, self._with_value) and node.value is not None:
            node.value = self._marked(node.value)
        elif self._everywhere and isinstance(node, ast.Call):
            node.args = [*map(self._marked, node.args)]
            for word in node.keywords:
                word.value = self._marked(word.value)
        elif self._everywhere and isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            node.elt = self._marked(node.elt)
        return node

    def _marked(self, value: ast.expr) -> ast.expr:
        if isinstance(value, (ast.Tuple, ast.List)):
            value.elts = [*map(self._marked, value.elts)]
        elif isinstance(value, ast.Dict):
            value.values = [*map(self._marked, value.values)]
        elif isinstance(value, ast.IfExp):
            value.body, value.orelse = self._marked(value.body), self._marked(value.orelse)
        elif isinstance(value, _MAKING):
            return _with_mark(value, ast.MatMult())
        return value


def _with_mark(value: ast.expr, operator: ast.operator) -> ast.expr:
    mark = ast.copy_location(ast.Constant(_MARK), value)
    return ast.copy_location(ast.BinOp(mark, operator, value), value)
