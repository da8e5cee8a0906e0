"""Copies of NumPy programs that compute with another library's functions of the same names."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import is_users_module
from gradcli.errors import UnsupportedError
from gradcli.shared.pytree import leaves

Function = Callable[..., Any]


class Namespace:
    """The functions of another library in place of NumPy's.

    Args:
        library: the name of the library.
        functions: what holds its functions: a module, or any object with them as attributes.
        own: functions in place of those, or of missing ones, by name.
        constant: converts an array that the program reads; None if the library takes NumPy's.
    """

    def __init__(
        self, library: str, functions: Any, own: dict[str, Any] | None = None, constant: Function | None = None
    ) -> None:
        self.library = library
        self.constant = constant or np.asarray
        self._functions = functions
        self._own = own or {}

    def __getattr__(self, name: str) -> Any:
        try:
            return self._own[name] if name in self._own else getattr(self._functions, name)
        except AttributeError:
            raise UnsupportedError(f"{self.library} has no function {name} of NumPy's") from None

    def within(self, path: str) -> Any:
        """The part in place of a module inside NumPy, such as `linalg`."""
        return functools.reduce(getattr, filter(None, path.split(".")), self)


class MathNames:
    """The functions of a library in place of those of `math`; those that it lacks take numbers alone."""

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        own = getattr(math, name)
        if not callable(own):
            return own
        try:
            return getattr(self._namespace, {"fabs": "abs", "pow": "power"}.get(name, name))
        except UnsupportedError:
            return _of_numbers(self._namespace.library, own)


def _of_numbers(library: str, function: Function) -> Function:
    """A function of `math` that refuses arrays of a library, whose derivative it would lose."""

    def of_numbers(*arguments: Any) -> Any:
        if not all(isinstance(x, (int, float)) for x in leaves(arguments)):
            raise UnsupportedError(f"{library} has no function {function.__name__} of math's")
        return function(*arguments)

    return of_numbers


def computing_with(namespace: Namespace, function: Function) -> Function:
    """A copy of a function, and of the user's functions that it calls, whose names of NumPy and `math` mean a library.

    The functions themselves stay as they are.
    """
    copied: Function = _Copies(namespace).of(function)
    return copied


class _Copies:
    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self.known: dict[int, FunctionType] = {}

    def of(self, value: Any) -> Any:
        """What stands for a value: another one for NumPy, its modules and functions, and for functions of the user."""
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, np.ndarray):
            return self.namespace.constant(value)
        if isinstance(value, (np.ufunc, type(np.sum))):
            return getattr(self.namespace, value.__name__)
        if isinstance(value, FunctionType) and (is_users_module(value.__module__) or value.__closure__):
            return self._function(value)
        return value

    def _module(self, module: ModuleType) -> Any:
        library, _, path = module.__name__.partition(".")
        if library == "numpy":
            return self.namespace.within(path)
        return MathNames(self.namespace) if module is math else module

    def _function(self, function: FunctionType) -> FunctionType:
        if id(function) in self.known:
            return self.known[id(function)]
        names = dict(function.__globals__)
        cells = tuple(CellType() for _ in function.__closure__ or ())
        made = FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
        made.__kwdefaults__ = function.__kwdefaults__
        self.known[id(function)] = made  # before its names are read: it may call itself
        for name in names_in(function.__code__).read & names.keys():
            names[name] = self.of(names[name])
        for own, cell in zip(cells, function.__closure__ or (), strict=True):
            own.cell_contents = self.of(cell.cell_contents)
        return made
