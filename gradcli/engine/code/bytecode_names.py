"""The names in a code object, whether they are called, read or assigned, and those that are built in."""

from __future__ import annotations

import builtins
import dis
from functools import cached_property, lru_cache
from types import CodeType, FrameType

# Codes remembered: more than the objects of the farthest walk, so that one walk does not evict what it has read itself.
_CODES = 20_000
_LISTS = frozenset(map(dis.opmap.get, ("BUILD_LIST", "LIST_APPEND", "LIST_EXTEND")))
_GLOBALS = frozenset(map(dis.opmap.get, ("STORE_GLOBAL", "DELETE_GLOBAL")))
_WRITES = _GLOBALS.union(map(dis.opmap.get, ("STORE_ATTR", "DELETE_ATTR")))
_READS = frozenset(map(dis.opmap.get, ("LOAD_GLOBAL", "LOAD_NAME")))
_IMPORTS = dis.opmap["IMPORT_NAME"]
_STORES = frozenset(map(dis.opmap.get, ("STORE_SUBSCR", "STORE_SLICE")))  # the second one since Python 3.12
_REBIND = dis.opmap["STORE_DEREF"]
_HANDLES = dis.opmap["PUSH_EXC_INFO"]
_LOADS = {
    number for name, number in dis.opmap.items() if name.startswith(("LOAD_", "IMPORT_")) and number in dis.hasname
}

# Methods of plain arrays whose arguments may be recorded.
ARRAY_METHODS = frozenset(("choose", "clip", "dot", "searchsorted"))

ALWAYS_BUILT_IN = frozenset(
    name
    for name, item in vars(builtins).items()
    if name.startswith("_") or getattr(item, "__module__", "builtins") in ("builtins", "_sitebuiltins", "io", "_io")
)

_Place = tuple[int, int]


class Original:
    """A constant in rewritten code: the code that it was, with the same instructions at the same places."""

    __slots__ = ("code",)

    def __init__(self, code: CodeType) -> None:
        self.code = code


def original(code: CodeType) -> CodeType:
    """The code that rewritten code was; any other code itself."""
    return next((constant.code for constant in code.co_consts if type(constant) is Original), code)


class CodeNames:
    """The names in a code object and in the functions nested in it. Costly attributes are computed on first use.

    Attributes:
        read: the global names and attributes.
        makes_lists: whether the code creates lists.
        writes_items: whether it assigns items, as in `x[0] = 1.0`.
        enters_arrays: whether it may hand numbers to plain arrays, by their items or by one of the `ARRAY_METHODS`.
        catches: whether an exception may end in it: in an `except`, a `finally` or a `with`, as of `suppress`.
    """

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self._parts = [names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
        self._operations: frozenset[int] = frozenset(code.co_code[::2]).union(
            *(part._operations for part in self._parts)
        )
        # pytest's rewritten assertions use names that are not identifiers
        self._own = frozenset(name for name in code.co_names if name.isidentifier())
        self.read: frozenset[str] = self._own.union(*(part.read for part in self._parts))
        self.makes_lists = not _LISTS.isdisjoint(self._operations)
        self.writes_items = not _STORES.isdisjoint(self._operations)
        self.enters_arrays = self.writes_items or not self.read.isdisjoint(ARRAY_METHODS)
        self.catches = _HANDLES in self._operations

    @cached_property
    def imported(self) -> frozenset[str]:
        """The modules that are imported somewhere, and what is imported from them, by full names."""
        names, module = set(), ""
        for step in dis.get_instructions(self._code) if _IMPORTS in self._operations else ():
            if step.opcode == _IMPORTS:
                module = step.argval
            if step.opcode == _IMPORTS or step.opname == "IMPORT_FROM":
                names.add(module if step.opcode == _IMPORTS else f"{module}.{step.argval}")
        return frozenset(names).union(*(part.imported for part in self._parts))

    @cached_property
    def keeps(self) -> bool:
        """Whether the code assigns to anything that outlives the call: attributes, globals or enclosed variables."""
        own = self._rebinds() or not _WRITES.isdisjoint(self._operations)
        return own or any(part.keeps for part in self._parts)

    @cached_property
    def globals_read(self) -> frozenset[str]:
        """The global names that the code reads."""
        return self._of_steps(_READS)

    @cached_property
    def globals_written(self) -> frozenset[str]:
        """The global names that the code assigns."""
        return self._of_steps(_GLOBALS)

    @cached_property
    def names_written(self) -> frozenset[str]:
        """The global names and the attributes, among which may be names of other modules, that the code assigns."""
        return self._of_steps(_WRITES)

    def _of_steps(self, steps: frozenset[int | None]) -> frozenset[str]:
        if steps.isdisjoint(self._operations):
            return frozenset()
        own = (step.argval for step in dis.get_instructions(self._code) if step.opcode in steps)
        return self._own.intersection(own).union(*(part._of_steps(steps) for part in self._parts))

    def _rebinds(self) -> bool:
        enclosed = self._code.co_freevars
        if not enclosed or _REBIND not in self._operations:
            return False
        return any(step.opcode == _REBIND and step.argval in enclosed for step in dis.get_instructions(self._code))


@lru_cache(maxsize=_CODES)
def names_in(code: CodeType) -> CodeNames:
    """The names in a code object, cached."""
    return CodeNames(code)


@lru_cache(maxsize=4096)
def called_loads(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions that load what is called next, found by their source positions.

    The load of a call's function starts where the call starts, and is the last such load to end before the call does.
    """
    loads: dict[_Place, list[tuple[_Place, int]]] = {}
    offsets = set()
    for step in dis.get_instructions(code):
        if (at := step.positions) is None or at.lineno is None or at.col_offset is None:
            continue
        start, end = (at.lineno, at.col_offset), (at.end_lineno or at.lineno, at.end_col_offset or 0)
        if step.opcode in _LOADS:
            loads.setdefault(start, []).append((end, step.offset))
        elif step.opname.startswith("CALL") and start in loads:
            offsets.add(max((load for load in loads[start] if load[0] < end), default=(end, -1))[1])
    return frozenset(offsets)


def is_about_to_call(frame: FrameType) -> bool:
    """Whether a frame loads an attribute in order to call it. `getattr(x, name)` counts as a call."""
    return frame.f_lasti not in _loads(frame.f_code) or frame.f_lasti in called_loads(frame.f_code)


@lru_cache(maxsize=4096)
def _loads(code: CodeType) -> frozenset[int]:
    return frozenset(step.offset for step in dis.get_instructions(code) if step.opcode in _LOADS)


def added_built_ins() -> dict[str, object]:
    """What a program has stored among the built-in names: functions and objects of modules."""
    return {name: vars(builtins)[name] for name in vars(builtins).keys() - ALWAYS_BUILT_IN}
