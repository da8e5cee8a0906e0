"""The replacements of modules, functions and types, by the identity of the original."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from gradcli.engine.code.bytecode_names import added_built_ins
from gradcli.engine.patching import patch_points
from gradcli.engine.patching.object_exchange import lock
from gradcli.mathematics.rules.function_registry import FUNCTIONS, INNER


def replacement_table() -> dict[int, Any]:
    """The replacements by the identity of the original: modules, functions of `math`, functions and types of NumPy."""
    with lock:  # another thread then never finds a module without its contents
        _add_modules()
        vars(_modules["builtins"]).update(added_built_ins())
    return _by_original


def _add_modules() -> None:
    from gradcli.engine.patching.shims import modules, python_types

    for name in patch_points.IMPORTED:
        if name not in _modules and (replacement := modules.module(name)) is not None:
            _modules[name] = replacement
            _by_original.update(_entries(sys.modules[name], replacement))
    if id(float) not in _by_original:  # the NumPy module registers its types
        _by_original.update({id(original): shim for original, shim in python_types.TYPES.items()})


_by_original: dict[int, Any] = {}
_modules: dict[str, ModuleType] = {}


def _entries(original: ModuleType, replacement: ModuleType) -> Iterator[tuple[int, Any]]:
    yield id(original), replacement
    for name, value in list(vars(original).items()):  # not `dir`, which would import NumPy's lazy submodules
        if _has_replacement(original.__name__, name, value):
            shim = getattr(replacement, name)
            if shim is not value:
                yield id(value), shim


def _has_replacement(module: str, name: str, value: Any) -> bool:
    from gradcli.engine.patching.shims.numpy_classes import OBJECTS

    if module in INNER:
        return f"{module}.{name}" in FUNCTIONS
    if module in patch_points.PLAIN_ONLY:
        return name in patch_points.PLAIN_ONLY[module]
    function = callable(value) and not isinstance(value, type) and not name.startswith("_")
    return function or (name in OBJECTS and module == "numpy")
