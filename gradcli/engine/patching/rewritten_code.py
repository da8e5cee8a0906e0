"""Code of functions in which the replaceable names are constants, the replacements.

`math.sin(x)` reads the name `math` of its module. In the rewritten code it reads a constant instead, the replacement of
the module, and so does an import in a function. Replacements compute with plain numbers what the originals
compute, so the rewritten code means the same to everyone: to another thread, and to a generator that outlives the run.
Only instructions are changed, in their places, so that no source is needed, and the lines stay as they are.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import Original, called_loads, names_in
from gradcli.engine.patching.patch_points import BUILT_IN, MISSING, Table, find_replacement
from gradcli.shared.frozen_record import Frozen

_built_in = attrgetter("__builtins__")  # the type checker knows it in some orders of modules only
_NULL_FIRST = sys.version_info < (3, 13)  # whether the NULL that a call takes lies below what is called
_IMPORT = "import "  # the prefix of a module in the place of a name
_NOP, _CONSTANT, _NULL, _EXTENSION = map(dis.opmap.__getitem__, ("NOP", "LOAD_CONST", "PUSH_NULL", "EXTENDED_ARG"))


class _Name:
    """A global name that stands for a replaceable object. It equals another one for the same object."""

    __slots__ = ("item", "name", "replacement")

    def __init__(self, name: str, item: Any, replacement: Any) -> None:
        self.name = name
        self.item = item
        self.replacement = replacement

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Name) and self.name == other.name and self.item is other.item

    def __hash__(self) -> int:
        return hash((self.name, id(self.item)))

    def is_replaced(self, code: CodeType, offset: int) -> bool:
        """Whether code reads the replacement there.

        One of NumPy's number types is replaced where it is called. Elsewhere it is compared with the type of a value or
        with a dtype, which are the originals.
        """
        is_number_type = isinstance(self.item, type) and issubclass(self.item, np.generic)
        return not is_number_type or offset in called_loads(code)


def rewritten(function: FunctionType, code: CodeType, table: Table, kept: Set[str]) -> CodeType:
    """The rewritten form of `code`, the code of a function or its marked form; `code` itself if it needs none.

    Args:
        function: the function.
        code: the code.
        table: the replacements.
        kept: the global names that are left as they are, because the program may assign them.
    """
    names = function.__globals__
    modules = {part for name in names_in(code).imported for part in (name, name.partition(".")[0])}
    items = [(_IMPORT + name, sys.modules.get(name)) for name in sorted(modules)]
    for name in sorted(names_in(code).read - kept):
        own = _built_in(function) if name in BUILT_IN and name not in names else names
        items.append((name, own.get(name)))
    names_of_items = [_Name(name, item, find_replacement(table, item)) for name, item in items]
    replaced = [name for name in names_of_items if name.replacement is not MISSING]
    return _with_constants(code, code.co_filename, *replaced) if replaced else code


@lru_cache(maxsize=4096)
def _with_constants(code: CodeType, file: str, *replaced: _Name) -> CodeType:
    """`code`, including nested functions, with constants for names. Codes are equal although their files differ."""
    inner = [_with_constants(c, file, *replaced) if isinstance(c, CodeType) else c for c in code.co_consts]
    constants, operations = [*inner], bytearray(code.co_code)
    by_name = {name.name: name for name in replaced}
    for load in (*_global_loads(code), *_imports(code)):
        name = by_name.get(load.name)
        if name is not None and name.is_replaced(code, load.offset):
            steps = load.as_constant(len(constants))
            if len(steps) == load.end - load.start:
                operations[load.start : load.end] = steps
                constants.append(name.replacement)
    if all(c is old for c, old in zip(constants, code.co_consts, strict=False)) and len(constants) == len(inner):
        return code
    return code.replace(co_code=bytes(operations), co_consts=(*constants, Original(code)))


class _Load(Frozen):
    """The steps in code that load a global name or import a module, extensions and caches included."""

    name: str
    start: int
    offset: int
    end: int
    has_null: bool

    def as_constant(self, number: int) -> bytes:
        """The steps that load a constant in their place; longer if it does not fit."""
        load = bytes((_EXTENSION, number >> 8)) * (number > 255) + bytes((_CONSTANT, number & 255))
        null = bytes((_NULL, 0)) * self.has_null
        steps = null + load if _NULL_FIRST else load + null
        return steps + bytes((_NOP, 0)) * ((self.end - self.start - len(steps)) // 2)


def _global_loads(code: CodeType) -> Iterator[_Load]:
    """Yield the loads of global names; a name that the body of a class assigns is not global."""
    steps = [*dis.get_instructions(code)]
    assigned = {step.argval for step in steps if step.opname == "STORE_NAME"}
    start = 0
    for step, after in pairwise(steps):
        if step.opcode == _EXTENSION:
            continue
        is_global = step.opname == "LOAD_GLOBAL"
        if is_global or (step.opname == "LOAD_NAME" and step.argval not in assigned):
            yield _Load(step.argval, start, step.offset, after.offset, is_global and bool((step.arg or 0) & 1))
        start = after.offset


def _imports(code: CodeType) -> Iterator[_Load]:
    """Yield the imports of modules, each with the two constants before it: the level, and the names if any."""
    steps = [*dis.get_instructions(code)]
    for level, names, step, after in zip(steps, steps[1:], steps[2:], steps[3:], strict=False):
        if step.opname == "IMPORT_NAME" and level.argval == 0 and names.opcode == _CONSTANT:
            module = step.argval if names.argval else step.argval.partition(".")[0]
            yield _Load(_IMPORT + module, level.offset, step.offset, after.offset, False)
