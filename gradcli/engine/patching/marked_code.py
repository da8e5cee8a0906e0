"""Functions compiled once more from their source, where they meet recorded values without a name to replace.

`A.dot(x)` of a plain array and `W[i] = x` call C code of NumPy that no name in the program leads to. In the marked form
of a function, the array passes through a mark first: `(MARK % A).dot(x)`, `(MARK % W)[i] = x`. During a run the mark
gives a `PlainArray`, which sees recorded values, and otherwise what it is given. So marked code means what the original
means, and a frame, a generator or a thread that outlives the run may go on with it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache, partial
from types import CodeType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import ARRAY_METHODS
from gradcli.engine.tape.memory.reference_counts import holding
from gradcli.engine.tape.value import Value
from gradcli.run_stack import stack

_MOST_FILES = 64
_MARK = "gradcli:mark"  # a constant in the marked code, replaced by the mark itself


class _Mark:
    """The left operand inserted before an expression, `MARK % array`."""

    def __mod__(self, x: Any) -> Any:
        return PlainArray(x) if type(x) is np.ndarray and stack.tapes else x

    def __reduce__(self) -> str:
        return "MARK"


MARK = _Mark()


class PlainArray:
    """A plain array whose items are about to be written, or whose method is about to be called."""

    __slots__ = ("__weakref__", "array", "array_ids", "part")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.array_ids: tuple[int, ...] = ()
        self.part: int | None = None

    def __setitem__(self, key: Any, item: Any) -> None:
        tape = tape_of(item)
        if self.part is not None and (id(item) == self.part or tape is not None):
            return  # `array[key] += …` has changed this view of the array already
        taken = None if tape is None else tape.run.array_to_write(tape, self.array, ("item",))
        (self.array if taken is None else taken)[key] = item

    def __getitem__(self, key: Any) -> Any:
        """The item, for `array[key] += …`."""
        item = self.array[key]
        if type(item) is np.ndarray and np.may_share_memory(item, self.array):
            self.part, self.array_ids = id(item), (id(self.array),)
            holding.add(self)
        return item

    def __getattr__(self, name: str) -> Any:
        return partial(_call, self.array, name)


def _call(array: Any, name: str, *arguments: Any, **options: Any) -> Any:
    """Call a method of a plain array, whose arguments may be recorded."""
    tape = tape_of((*arguments, *options.values()))
    if tape is None:
        return getattr(array, name)(*arguments, **options)
    from gradcli.engine.tape.values.array_function import apply_function

    return apply_function(getattr(np, name), (array, *arguments), options)


def tape_of(item: Any) -> Any:
    """The tape of a recorded value, or of the first one in nested lists and tuples; None if there is none."""
    if issubclass(type(item), Value):
        return item.tape
    if issubclass(type(item), (list, tuple)):
        return next(filter(None, map(tape_of, item)), None)
    return None


def marked(code: CodeType) -> CodeType | None:
    """The marked form of a function's code that enters arrays.

    None if there is nothing to mark, or if the source is not available or has changed since it was compiled.
    """
    return _marked_form(code, code.co_filename)  # codes are equal although their files differ


@lru_cache(maxsize=4096)
def _marked_form(code: CodeType, file: str) -> CodeType | None:
    source = "".join(linecache.getlines(file))
    pairs = _file(file, source).codes_at(code) if source else ()
    return next((new for old, new in pairs if _same(old, code) and _is_marked(new)), None)


class _File:
    """The marked codes of a file. Each statement of the module is compiled when a function in it is needed."""

    def __init__(self, file: str, source: str) -> None:
        self._file = file
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            tree = ast.Module([], [])
        self._statements = tree.body
        # Python 3.11 compiles a call `name.attribute()` in another way where the module imports `name`.
        self._imports = list(_imports(tree))
        self._compiled: dict[int, list[tuple[CodeType, CodeType]]] = {}

    def codes_at(self, code: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
        """Yield the codes of a function's name and line, plain and marked."""
        line = code.co_firstlineno
        around = (n for n, node in enumerate(self._statements) if line <= (node.end_lineno or 0))
        number = next(around, None)
        if number is not None:
            if number not in self._compiled:
                self._compiled[number] = self._compile(self._statements[number])
            yield from (pair for pair in self._compiled[number] if _key(pair[0]) == _key(code))

    def _compile(self, statement: ast.stmt) -> list[tuple[CodeType, CodeType]]:
        module = ast.Module([*self._imports, statement], [])
        try:
            plain = compile(module, self._file, "exec", dont_inherit=True)
            ast.fix_missing_locations(_Marking().visit(statement))
            changed = compile(module, self._file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return []
        return list(zip(_functions(plain), _functions(_with_mark(changed)), strict=True))


_file = lru_cache(maxsize=_MOST_FILES)(_File)


def _imports(node: ast.AST) -> Iterator[ast.stmt]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            yield inner
        elif not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _imports(inner)


def _functions(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _functions(inner)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same, the functions nested in them included."""
    if (one.co_code, one.co_names, one.co_varnames) != (other.co_code, other.co_names, other.co_varnames):
        return False
    if one.co_freevars != other.co_freevars:
        return False
    inner, others = ([c for c in code.co_consts if isinstance(c, CodeType)] for code in (one, other))
    constants = [[repr(c) for c in code.co_consts if not isinstance(c, CodeType)] for code in (one, other)]
    return constants[0] == constants[1] and len(inner) == len(others) and all(map(_same, inner, others))


def _with_mark(code: CodeType) -> CodeType:
    """`code`, including nested functions, with the mark in its place."""
    constants = (_with_mark(c) if isinstance(c, CodeType) else MARK if c == _MARK else c for c in code.co_consts)
    return code.replace(co_consts=tuple(constants))


def _is_marked(code: CodeType) -> bool:
    return any(_is_marked(c) if isinstance(c, CodeType) else c is MARK for c in code.co_consts)


class _Marking(ast.NodeTransformer):
    """Inserts the mark before arrays whose items are written, and before the objects of method calls."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Mark the object of a method."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr in ARRAY_METHODS:
            node.value = _marked(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Mark an array whose items are written. A text is the key of a dict."""
        self.generic_visit(node)
        is_text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if isinstance(node.ctx, ast.Store) and not is_text:
            node.value = _marked(node.value)
        return node


def _marked(value: ast.expr) -> ast.expr:
    """The mark before a value; it stands where the value ends, so that names in front of a call are read as before."""
    at = {
        "lineno": value.end_lineno, "col_offset": value.end_col_offset,
        "end_lineno": value.end_lineno, "end_col_offset": value.end_col_offset,
    }  # fmt: skip
    return ast.BinOp(ast.Constant(_MARK, **at), ast.Mod(), value, **at)  # type: ignore[arg-type]
