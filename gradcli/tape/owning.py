"""Owning: plain arrays that a program makes in a way of its own are taken as constants of its run, to be written into.

`W = TABLE.copy(); W[0] = x` asks no function of NumPy's that could be lent.  The code of the function that does so is
compiled anew from its source with each value that is assigned looked at; an array that nobody else holds, which the
number of references tells, is the program's own, and becomes one of the tape's.  Any other one stays what it is.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from types import CodeType
from typing import Any

import numpy as np

from gradcli.tape.creation import owned

_MARK = "gradcli:own"  # the constant in whose place the code gets the owner
_MAKING = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)  # what can make an array; a name cannot
_ASSIGNING: tuple[Any, ...] = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
_HANDING: tuple[Any, ...] = (ast.Return, ast.Yield, ast.DictComp)
_MOST_FILES = 64


class _Looking:
    """What stands before a value in the new code, `owner @ value`; the caller alone holds a value that is new."""

    def __matmul__(self, made: Any) -> Any:
        return self.seen(made, sys.getrefcount(made))

    def seen(self, made: Any, count: int) -> Any:
        """What takes the place of a value to which there are so many references."""
        return count, sys.getrefcount(made.base)


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
    key = _key(code)
    if key not in plain or key not in taking or not _same(plain[key], code):
        return None
    return taking[key]


@lru_cache(maxsize=_MOST_FILES)
def _compiled(file: str, source: str, everywhere: bool) -> tuple[dict[Any, CodeType], dict[Any, CodeType]]:
    """The code of each function of a file: as it stands, and with the owner."""
    try:
        tree = ast.parse(source)
        plain = compile(tree, file, "exec", dont_inherit=True)
        marked = ast.fix_missing_locations(_Marking(everywhere).visit(tree))
        taking = compile(marked, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return {}, {}
    return dict(_functions(plain)), dict(_functions(_with_owner(taking, _Owner())))


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
    names = one.co_varnames == other.co_varnames and one.co_freevars == other.co_freevars
    return names and one.co_code == other.co_code and repr(constants[0]) == repr(constants[1])


class _Marking(ast.NodeTransformer):
    """Puts the mark before values that are assigned or, `everywhere`, returned, handed over and collected."""

    def __init__(self, everywhere: bool) -> None:
        self._with_value = _ASSIGNING + _HANDING if everywhere else _ASSIGNING
        self._everywhere = everywhere

    def visit(self, node: ast.AST) -> Any:
        """The node, with the values inside of it marked."""
        self.generic_visit(node)
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
            mark = ast.copy_location(ast.Constant(_MARK), value)
            return ast.copy_location(ast.BinOp(mark, ast.MatMult(), value), value)
        return value
