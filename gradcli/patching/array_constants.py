"""Owning: plain arrays that a program makes in a way of its own are taken as constants of its run, to be written into.

`W = TABLE.copy(); W[0] = x` asks no function of NumPy's that could be lent.  The code of the function that does so is
compiled anew from its source with each value that is assigned looked at; an array that nobody else holds, which the
number of references tells, is the program's own, and becomes one of the tape's.  Any other one stays what it is.

So is the array of a method call, `A.dot(x)`: where the arguments are recorded, NumPy's function of that name is called.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from types import CodeType
from typing import Any

import numpy as np

from gradcli.tape.method_hints import METHODS
from gradcli.tape.values.array_function import apply_function, holds_recorded
from gradcli.tape.values.creation import owned

_MARK = "gradcli:own"  # the constant in whose place the code gets the owner
_MAKING = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)  # what can make an array; a name cannot
_ASSIGNING: tuple[Any, ...] = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
_HANDING: tuple[Any, ...] = (ast.Return, ast.Yield, ast.DictComp)
_MOST_FILES = 64


class _Looking:
    """What stands before a value in the new code, `owner @ value`; the caller alone holds a value that is new."""

    def __matmul__(self, made: Any) -> Any:
        return self.seen(made, sys.getrefcount(made))

    def __mod__(self, held: Any) -> Any:
        """What takes the place of the object of a method call, `owner % held`."""
        return _Methods(held) if type(held) is np.ndarray else held

    def seen(self, made: Any, count: int) -> Any:
        """What takes the place of a value to which there are so many references."""
        return count, sys.getrefcount(made.base)


class _Methods:
    """The methods of a plain array, which take recorded values as NumPy's functions do."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getattr__(self, name: str) -> Any:
        return partial(self._call, name)

    def _call(self, name: str, *arguments: Any, **options: Any) -> Any:
        if holds_recorded((*arguments, *options.values())):
            return apply_function(getattr(np, name), (self._array, *arguments), options)
        return getattr(self._array, name)(*arguments, **options)


class _Owner(_Looking):
    """Takes the arrays that nobody else holds."""

    def seen(self, made: Any, count: int) -> Any:
        """A constant of the run that goes on, or the value itself."""
        if type(made) is not np.ndarray or not made.flags.writeable:
            return made
        alone, base = _counts_of_new()
        if count > alone or (made.base is not None and sys.getrefcount(made.base) > base):
            return made
        return owned(made)


@cache
def _counts_of_new() -> tuple[int, int]:
    """How many references there are to an array that has just been made, and to the one that it is a view of."""
    code = _with_owner(compile(f"{_MARK!r} @ make()", "<gradcli own>", "eval"), _Looking())
    found: tuple[int, int] = eval(code, {"make": lambda: np.zeros(2)[None]})
    return found


def _with_owner(code: CodeType, owner: _Looking) -> CodeType:
    """`code`, and the functions inside of it, with the owner where the mark is."""
    constants = [
        _with_owner(c, owner) if isinstance(c, CodeType) else owner if c == _MARK else c for c in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))


def owning(code: CodeType, everywhere: bool) -> CodeType | None:
    """The code that takes what it makes: what it assigns or, `everywhere`, what it hands on too.

    None where the source is not at hand, or is not the one that the code was compiled from.
    """
    source = "".join(linecache.getlines(code.co_filename))
    plain, taking = _compiled(code.co_filename, source, everywhere) if source else ({}, {})
    pairs = zip(plain.get(_key(code), ()), taking.get(_key(code), ()), strict=False)
    return next((new for old, new in pairs if _same(old, code)), None)


_Codes = dict[Any, list[CodeType]]


@lru_cache(maxsize=_MOST_FILES)
def _compiled(file: str, source: str, everywhere: bool) -> tuple[_Codes, _Codes]:
    """The codes of the functions of a file, by name and line: as they stand, and with the owner."""
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
    """Whether two codes do the same, apart from the modules that they import and the functions inside of them."""
    constants = [[c for c in code.co_consts if not isinstance(c, CodeType)] for code in (one, other)]
    own = [[name.rpartition(":")[2] for name in code.co_names] for code in (one, other)]  # ours are `gradcli:math`
    names = own[0] == own[1] and one.co_varnames == other.co_varnames and one.co_freevars == other.co_freevars
    return names and one.co_code == other.co_code and repr(constants[0]) == repr(constants[1])


class _Marking(ast.NodeTransformer):
    """Puts the mark before the arrays of methods, and before values that are assigned.

    `everywhere` also before those that are returned, handed over and collected.
    """

    def __init__(self, everywhere: bool) -> None:
        self._with_value = _ASSIGNING + _HANDING if everywhere else _ASSIGNING
        self._everywhere = everywhere

    def visit(self, node: ast.AST) -> Any:
        """The node, with the values inside of it marked."""
        self.generic_visit(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in METHODS:
            node.value = _with_mark(node.value, ast.Mod())
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
