"""Names in code that need the bare number of a recorded value, found before the program runs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import BuiltinFunctionType, CodeType, ModuleType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import CodeNames, names_in
from gradcli.engine.code.function_contents import held_values, module_values
from gradcli.engine.code.reachable_objects import ReachableObjects
from gradcli.engine.patching import patch_points
from gradcli.engine.patching.patch_points import CODE, Place

# What reads or assigns names that stand in no code.
_BY_TEXT = frozenset((
    "__dict__", "delattr", "eval", "exec", "f_globals", "globals", "patch", "reload", "setattr", "vars",
))  # fmt: skip
_BUILT_IN = patch_points.BUILT_IN.union(
    ("eval", "exec", "f_globals", "globals")
)  # what a text leads to may ask for types too
_KNOWS_CODE = sys.version_info < (3, 14)  # whether instructions may be changed; the versions with which this is tested
REPLACED_PACKAGES = ("builtins", "math", "cmath", "numpy", "scipy", "statistics")  # packages with replacements
UNASKING = ("kaiser", "as_strided")  # NumPy's Python functions with rules

# Returns the replacements by the identity of the original; they are created when it is called.
MakeTable = Callable[[], patch_points.Table]


def mentioned_places(
    reached: ReachableObjects, modules: list[UsedModule], lists: bool, make_table: MakeTable
) -> Iterator[Place]:
    """Yield the places of everything that needs bare numbers, in the code of functions and in what they hold."""
    users = [used for used in modules if not used.is_scipys]
    mentioning = {id(used.namespace): used for used in users if used.mentions(lists)}
    functions = [function for function in reached.functions if not str(function.__module__).startswith("scipy.")]
    marked = {function: code for function in functions if (code := _marked(function.__code__)) is not None}
    rewriting = [
        f for f in functions if id(f.__globals__) in mentioning or f in marked or patch_points.imports(f.__code__)
    ]
    if not mentioning and not rewriting and not _holds_replaceable(reached):
        return
    from gradcli.engine.patching.rewritten_code import rewritten

    table, assigned = make_table(), None if reached.is_partial or not _KNOWS_CODE else _assigned(users)
    in_modules = [place for used in users for place in _in_place(used, assigned, table)]
    kept = frozenset(place.key for place in in_modules)
    yield from in_modules
    for function in functions:
        yield from patch_points.of_function(function, table)
    for function in rewriting:
        code = marked.get(function, function.__code__)
        new = rewritten(function, code, table, kept)
        if new is not function.__code__:
            yield Place(function, CODE, function.__code__, new)
    yield from patch_points.of_items(reached.items, table)


def _marked(code: CodeType) -> CodeType | None:
    if not names_in(code).enters_arrays:
        return None
    from gradcli.engine.patching.marked_code import marked

    return marked(code)


def _in_place(used: UsedModule, assigned: frozenset[str] | None, table: patch_points.Table) -> Iterator[Place]:
    """Yield the places of the names of a module that the program may assign."""
    if assigned is None or not assigned.isdisjoint(used.namespace) or not assigned.isdisjoint(patch_points.BUILT_IN):
        places = patch_points.of_globals(used.namespace, table)
        yield from (place for place in places if assigned is None or place.key in assigned)


def _assigned(modules: list[UsedModule]) -> frozenset[str] | None:
    """The names that a program may assign while it runs, which are replaced in their modules; None if it may be any."""
    codes = [names for used in modules for names in used.used]
    if any(not _BY_TEXT.isdisjoint(names.read) for names in codes):
        return None
    return frozenset[str]().union(*(names.names_written for names in codes))


def _holds_replaceable(reached: ReachableObjects) -> bool:
    """Whether an object or a function holds something replaceable, found without importing the replacements."""
    held = [item for function in reached.functions for item in held_values(function)]
    return any(map(_may_have_replacement, (*held, *(item for _, _, item in reached.items))))


def _may_have_replacement(item: Any) -> bool:
    """Whether an item may have a replacement."""
    if isinstance(item, (ModuleType, BuiltinFunctionType)):
        name = item.__name__ if isinstance(item, ModuleType) else item.__module__
        return (name or "").partition(".")[0] in REPLACED_PACKAGES or name in patch_points.PLAIN_ONLY
    if isinstance(item, (tuple, functools.partial)):
        return any(map(_may_have_replacement, item if isinstance(item, tuple) else (item.func, *item.args)))
    module = str(getattr(item, "__module__", "")) if callable(item) else ""
    of_library = module.partition(".")[0] in ("numpy", "scipy", "statistics") or module in patch_points.PLAIN_ONLY
    return of_library or item is float or item is complex or item is type


class UsedModule:
    """A module, and the functions in it that the program reaches.

    Attributes:
        namespace: the dictionary of its globals.
        used: the names in the codes of these functions.
        is_scipys: whether it belongs to SciPy.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.used: list[CodeNames] = []
        self.is_scipys = str(namespace.get("__name__")).partition(".")[0] == "scipy"

    def mentions(self, lists: bool) -> bool:
        """Whether its code uses anything that needs the bare number of a recorded value."""
        return any(self._needs_numbers(names, lists or names.makes_lists) for names in self.used)

    def _needs_numbers(self, names: CodeNames, lists: bool) -> bool:
        built_in = _BUILT_IN - self.namespace.keys()
        values = module_values(self.namespace, names.read).values()
        return not built_in.isdisjoint(names.read) or any(
            self._is_number_reader(value, names, lists) for value in values
        )

    @staticmethod
    def _is_number_reader(value: Any, names: CodeNames, lists: bool) -> bool:
        if type(value) is np.vectorize or not _may_have_replacement(value):
            return type(value) is np.vectorize
        if isinstance(value, ModuleType) and value.__name__ in patch_points.PLAIN_ONLY:
            return not names.read.isdisjoint(patch_points.PLAIN_ONLY[value.__name__])
        if isinstance(value, ModuleType) and value.__name__.startswith("numpy"):
            return lists or "getattr" in names.read or not names.read.isdisjoint(_numpy_number_readers())
        if str(getattr(value, "__module__", "")).startswith("numpy"):
            return lists or getattr(value, "__name__", "") in _numpy_number_readers()
        return True


def used_modules(reached: ReachableObjects) -> list[UsedModule]:
    """The modules of the reached functions."""
    known: dict[int, UsedModule] = {}
    for function in reached.functions:
        module = known.setdefault(id(function.__globals__), UsedModule(function.__globals__))
        module.used.append(names_in(function.__code__))
    return list(known.values())


@functools.cache
def _numpy_number_readers() -> frozenset[str]:
    """NumPy's names that need bare numbers: functions that create arrays or loop over them, and number types.

    Further those that have rules and do not ask their arguments for one, because they are plain Python functions.
    """
    from gradcli.engine.patching.shims import numpy_classes, python_types
    from gradcli.engine.tape.values import array_creation

    import_module("gradcli.engine.patching.shims.numpy_functions")  # registers NumPy's types
    kinds = (*python_types.TYPES, *python_types.INTEGER_TYPES)
    names = (kind.__name__ for kind in kinds)
    return frozenset((*array_creation.FUNCTIONS, *numpy_classes.OBJECTS, *names, *UNASKING))
