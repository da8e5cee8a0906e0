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


def _of_builtins(original: types.ModuleType) -> Callable[[str], Any]:
    return partial(getattr, original)


def _of_math(_: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.math_functions import math_function

    return math_function


def _of_cmath(_: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.cmath_functions import cmath_function

    return cmath_function


def _of_statistics(_: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.math_functions import statistics_function

    return statistics_function


def _plain_only(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.plain_only import attribute

    return partial(attribute, original)


def _of_numpy(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.numpy_functions import attribute

    return _with_modules(partial(attribute, original))


def _with_modules(find: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same attributes, with modules within the module replaced."""

    def find_replaced(name: str) -> Any:
        value = find(name)
        return module(value.__name__) or value if isinstance(value, types.ModuleType) else value

    return find_replaced


def _of_optimize(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.scipy_optimize import attribute

    return _with_modules(partial(attribute, original))


def _of_integrate(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.scipy_integrators import attribute

    return partial(attribute, original)


def _of_sparse(original: types.ModuleType) -> Callable[[str], Any]:
    return _with_modules(partial(getattr, original))


def _of_sparse_linalg(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.scipy_sparse_linalg import attribute

    return partial(attribute, original)


def _without_rules(original: types.ModuleType) -> Callable[[str], Any]:
    from gradcli.engine.patching.shims.solver_calls import attribute_without_rule

    return partial(attribute_without_rule, original)


# The function that finds the attributes of each module.
_FINDERS: dict[str, Callable[[types.ModuleType], Callable[[str], Any]]] = {
    "builtins": _of_builtins,
    "math": _of_math,
    "cmath": _of_cmath,
    "statistics": _of_statistics,
    **dict.fromkeys(PLAIN_ONLY, _plain_only),
    **dict.fromkeys(("numpy", "numpy.lib", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.fft", *SCIPYS), _of_numpy),
    "scipy.optimize": _of_optimize,
    "scipy.integrate": _of_integrate,
    "scipy.optimize.elementwise": _without_rules,
    "scipy.sparse": _of_sparse,
    "scipy.sparse.linalg": _of_sparse_linalg,
}
_SLOW = ("statistics", *PLAIN_ONLY, *ITERATIVE_MODULES, *SCIPYS)
_made: dict[str, types.ModuleType] = {}


def module(name: str) -> types.ModuleType | None:
    """The replacement of the module called `name`; of a slow one only after the program has imported it."""
    if name not in _made and name in _FINDERS and (name not in _SLOW or name in sys.modules):
        original = import_module(name)
        shim = ModuleShim(original, _FINDERS[name](original))
        if name == "builtins":
            vars(shim).update({**vars(original), **BUILT_IN})
        _made.setdefault(name, shim)  # another thread may have been first
    return _made.get(name)
