"""Replacements of modules: their attributes accept recorded values; all others are the original's.

Each is created on first use, together with its attributes, so a file that imports nothing needs none.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import is_about_to_call
from gradcli.engine.patching.patch_points import PLAIN_ONLY
from gradcli.engine.patching.shims.python_types import BUILT_IN, ShimMeta, original_of
from gradcli.mathematics.rules.function_registry import ITERATIVE_MODULES, SCIPYS


class ModuleShim(types.ModuleType):
    """A module whose functions accept recorded values, with all other attributes of the original."""

    def __init__(self, original: types.ModuleType, find: Callable[[str], Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        self._find = find
        self._original = original
        self.__dict__["__getattr__"] = self._found  # a method of that name would slow down the attributes found before

    def _found(self, name: str) -> Any:
        return attribute(self, name, sys._getframe(1))

    def __dir__(self) -> list[str]:
        return dir(self._original)

    def __reduce__(self) -> Any:
        return import_module, (self._original.__name__,)


def attribute(module: Any, name: str, frame: types.FrameType) -> Any:
    """An attribute of a replaced module, for the frame that asks for it.

    A NumPy type is replaced where it is about to be called. Elsewhere it is compared with the type of a value or with a
    dtype, which are the originals.
    """
    value = module._find(name)
    if type(value) is ShimMeta and issubclass(value, np.generic):
        return value if is_about_to_call(frame) else original_of(value)
    setattr(module, name, value)
    return value


def _with_modules(find: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same attributes, with modules within the module replaced."""

    def find_replaced(name: str) -> Any:
        value = find(name)
        return module(value.__name__) or value if isinstance(value, types.ModuleType) else value

    return find_replaced


_SHIMS = "engine.patching.shims"
# The module and the function in it that find the attributes of each module, given the module and a name.
_FINDERS = {
    "math": f"{_SHIMS}.math_functions.attribute",
    "cmath": f"{_SHIMS}.cmath_functions.attribute",
    "statistics": f"{_SHIMS}.math_functions.statistics_attribute",
    **dict.fromkeys(PLAIN_ONLY, f"{_SHIMS}.plain_only.attribute"),
    **dict.fromkeys(
        ("numpy", "numpy.lib", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.fft", *SCIPYS),
        f"{_SHIMS}.numpy_functions.attribute",
    ),
    "scipy.optimize": "engine.solvers.scipy_optimize.attribute",
    "scipy.integrate": "engine.solvers.scipy_integrators.attribute",
    "scipy.optimize.elementwise": "engine.solvers.solver_calls.attribute_without_rule",
    "scipy.sparse.linalg": "engine.solvers.scipy_sparse_linalg.attribute",
}


def _finder(original: types.ModuleType) -> Callable[[str], Any]:
    """The function that finds the attributes of a replaced module; by default the original's, with its modules."""
    name = original.__name__
    if name not in _FINDERS:
        return _with_modules(partial(getattr, original))
    file, _, function = _FINDERS[name].rpartition(".")
    find = partial(getattr(import_module(f"gradcli.{file}"), function), original)
    return _with_modules(find) if name.partition(".")[0] in ("numpy", "scipy") else find


_SLOW = ("statistics", *PLAIN_ONLY, *ITERATIVE_MODULES, *SCIPYS)
_MODULES = frozenset(("builtins", "scipy.sparse", *_FINDERS))
_made: dict[str, types.ModuleType] = {}


def module(name: str) -> types.ModuleType | None:
    """The replacement of the module called `name`; of a slow one only after the program has imported it."""
    if name not in _made and name in _MODULES and (name not in _SLOW or name in sys.modules):
        original = import_module(name)
        shim = ModuleShim(original, _finder(original))
        if name == "builtins":
            vars(shim).update({**vars(original), **BUILT_IN})
        _made.setdefault(name, shim)  # another thread may have been first
    return _made.get(name)
