"""What a function reads besides its inputs: globals, enclosed variables, defaults; and random generators among them."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

LARGEST = 10_000  # numbers of a container that is looked into


def under(function: Any) -> Any:
    """The user's own function below partial applications, decorators and what gradcli puts around it."""
    while True:
        if type(function) is functools.partial:
            function = function.func
        elif "__wrapped__" in getattr(function, "__dict__", ()):
            function = function.__wrapped__
        elif isinstance(function, MethodType):
            function = function.__func__
        elif isinstance(function, FunctionType) and (function.__module__ or "").startswith("gradcli."):
            inner = [cell.cell_contents for cell in function.__closure__ or () if callable(cell.cell_contents)]
            if not inner:
                return function
            function = inner[0]
        else:
            return function


def reads(function: Callable[..., Any]) -> Iterator[tuple[str, str, Any]]:
    """What a function reads that is no input: the kind (global, enclosed, default), the name and the value."""
    own = under(function)
    if not isinstance(own, FunctionType):
        return
    names = _names(own.__code__)
    yield from (("global", name, own.__globals__[name]) for name in sorted(names) if name in own.__globals__)
    for name, cell in zip(own.__code__.co_freevars, own.__closure__ or (), strict=False):
        try:
            yield "enclosed", name, cell.cell_contents
        except ValueError:  # not bound yet
            continue
    code, defaults = own.__code__, own.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    yield from (
        ("default", *pair) for pair in zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    )
    yield from (("default", *pair) for pair in (own.__kwdefaults__ or {}).items())


def _names(code: CodeType) -> set[str]:
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def snapshot(function: Callable[..., Any]) -> dict[str, Any]:
    """What the function reads, in a form that can be compared after it ran."""
    return {name: print_of(value) for _, name, value in reads(function)}


def print_of(value: Any) -> Any:
    """A value as something that is equal to another one's only where nothing has changed; None if too large."""
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes() if value.size <= LARGEST and value.dtype != object else None
    if isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) <= LARGEST:
        try:
            return repr(value)
        except Exception:
            return None
    if type(value).__module__.startswith("gradcli."):  # `math` and `numpy` as they are lent
        return None
    if hasattr(value, "__dict__") and not callable(value) and type(value).__module__ not in ("builtins", "module"):
        return tuple((key, print_of(item)) for key, item in vars(value).items() if not hasattr(item, "__dict__"))
    return None


def constants(function: Callable[..., Any]) -> list[tuple[str, str, Any]]:
    """The numbers and arrays that a function reads and that are no inputs."""
    return [(kind, name, value) for kind, name, value in reads(function) if _is_number(value)]


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind in "fiu")
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


class Generators:
    """The random generators that a function may draw from: `random`, np.random, and those that it reads.

    Attributes:
        frozen: whether each run begins with the same state.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        values = [value for _, _, value in reads(function)]
        self._own = [value for value in values if isinstance(value, random.Random)]
        self._numpys = [value for value in values if isinstance(value, (np.random.Generator, np.random.RandomState))]
        self.frozen = False
        self._before = self._states()

    def _states(self) -> list[Any]:
        numpys = [g.bit_generator.state if isinstance(g, np.random.Generator) else g.get_state() for g in self._numpys]
        return [random.getstate(), np.random.get_state(), [g.getstate() for g in self._own], numpys]

    def set_back(self) -> None:
        """Give every generator the state that it had at first, if runs are to begin alike."""
        if self.frozen:
            self.restore()

    def restore(self) -> None:
        """Give every generator the state that it had at first."""
        python, numpys, own, others = self._before
        random.setstate(python)
        np.random.set_state(numpys)
        for generator, state in zip(self._own, own, strict=True):
            generator.setstate(state)
        for each, state in zip(self._numpys, others, strict=True):
            if isinstance(each, np.random.Generator):
                each.bit_generator.state = state
            else:
                each.set_state(state)
