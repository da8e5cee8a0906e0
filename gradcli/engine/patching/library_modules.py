"""Names in modules of libraries whose Python code a program runs on recorded values: SciPy's, and a few others.

The names are exchanged in the modules themselves, whose functions are many. They are found before the first run: in
each module of SciPy that the program reaches, with those that all of SciPy calls.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from gradcli.engine.code.function_contents import enclosed_values, module_values
from gradcli.engine.code.reachable_objects import SERVED, ReachableObjects
from gradcli.engine.patching import patch_points
from gradcli.engine.patching.mentioned_names import MakeTable, UsedModule
from gradcli.engine.patching.patch_points import Place
from gradcli.mathematics.rules.function_registry import FUNCTIONS, UNCHECKED_MODULES

# Plain Python outside SciPy that calls functions of `math` or NumPy.
_OTHERS = ("statistics", "numpy.polynomial")
# What functions of all of SciPy call, mostly by objects that no name leads to.
_OF_ALL = (
    "scipy._lib._array_api", "scipy._lib._util", "scipy._lib.array_api_compat", "scipy._lib.array_api_extra",
    "scipy._external.array_api_compat", "scipy._external.array_api_extra",  # from SciPy 1.18 on
)  # fmt: skip
_SPARSE = "scipy.sparse"
_SOLVING = ("scipy.optimize", "scipy.sparse.linalg")  # modules whose solvers run on plain numbers


def library_places(reachable: ReachableObjects, modules: list[UsedModule], make_table: MakeTable) -> Iterator[Place]:
    """Yield the places in the modules of libraries that a program reaches."""
    reached = [module.namespace["__name__"] for module in modules if module.is_scipys]
    reached += _loaded(_asked_for_by_text(modules))
    if any(map(_is_followed, reached)):
        yield from _in_modules([*filter(_is_followed, reached), *_loaded(_OF_ALL)], make_table())
        yield from _special_functions(make_table())
    held = [*_held(reachable, modules)]
    if others := [name for name in _OTHERS if any(module.startswith(name) for module in held)]:
        yield from _in_modules(_loaded(others), make_table())
    if any(module.startswith(_SPARSE) for module in (*held, *reached)):
        from gradcli.engine.patching.shims import sparse_matrix_products

        yield from sparse_matrix_products.places()


def is_of_library(place: Place) -> bool:
    """Whether a place is a name in a module of these libraries."""
    holder = place.holder
    return type(holder) is dict and str(holder.get("__name__")).startswith(("scipy.", *_OTHERS))


def _asked_for_by_text(modules: list[UsedModule]) -> Iterator[str]:
    """Yield SciPy's modules in code that calls `getattr`, such as `getattr(scipy.stats, name)`."""
    for module in modules:
        for mentioned in module.used:
            if "getattr" in mentioned.read and not module.is_scipys:
                held = map(_module_of, module_values(module.namespace, mentioned.read).values())
                yield from (name for name in held if name.startswith("scipy.") and name not in _SOLVING)


def _is_followed(module: str) -> bool:
    return not module.startswith(SERVED) and module not in UNCHECKED_MODULES


def _loaded(prefixes: Iterable[str]) -> list[str]:
    prefixes = tuple(prefixes)
    return [name for name in list(sys.modules) if name.startswith(prefixes)] if prefixes else []


def _in_modules(modules: Iterable[str], table: patch_points.Table) -> Iterator[Place]:
    for module in dict.fromkeys(modules):
        namespace = getattr(sys.modules.get(module), "__dict__", {})
        yield from patch_points.of_globals(namespace, table)
        items = list(namespace.values())
        enclosing = [item for item in items if isinstance(item, FunctionType) and _encloses(item)]
        for function in enclosing:
            yield from patch_points.of_function(function, table)


def _encloses(function: FunctionType) -> bool:
    """Whether a function encloses objects and is the library's, not a replacement for a run at present."""
    return bool(function.__closure__) and not str(function.__module__).startswith("gradcli.")


def _special_functions(table: patch_points.Table) -> Iterator[Place]:
    """Yield the Python functions of `scipy.special` that have rules, which are more accurate than their code."""
    places = patch_points.of_globals(vars(sys.modules.get("scipy.special", builtins)), table)
    by_name = (place for place in places if f"scipy.special.{place.key}" in FUNCTIONS)
    return (place for place in by_name if isinstance(place.original, FunctionType))


def _held(reached: ReachableObjects, modules: list[UsedModule]) -> Iterator[str]:
    """Yield the modules of the objects that the user's functions and objects hold."""
    for module in modules:
        if not module.is_scipys:
            for mentioned in module.used:
                yield from map(_module_of, module_values(module.namespace, mentioned.read).values())
                yield from (f"numpy.{name}" for name in mentioned.read if name == "polynomial")
                yield from (name for name in mentioned.read if name in _OTHERS)
    yield from (_module_of(item) for _, _, item in reached.items)
    yield from (_module_of(item) for function in reached.functions for item in enclosed_values(function))
    yield from (_module_of(holder) for holder in reached.holders)


def _module_of(item: Any) -> str:
    """The module of an object, or of its class."""
    module = item.__name__ if isinstance(item, ModuleType) else getattr(item, "__module__", None)
    return module if isinstance(module, str) else ""
