"""What a function reads besides its inputs: globals, enclosed variables, defaults; and random generators among them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any


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


class Generators:
    """The random generators that a function may draw from: `random`, np.random, and those that it reads or is given.

    Attributes:
        frozen: whether each run begins with the same state.
    """

    def __init__(self, function: Callable[..., Any], arguments: Iterable[Any] = ()) -> None:
        values = [*(value for _, _, value in reads(function)), *arguments]
        self.frozen = False
        self._before = [(give, take()) for take, give in _states(values)]

    def set_back(self) -> None:
        """Give every generator the state that it had at first, if runs are to begin alike."""
        if self.frozen:
            self.restore()

    def restore(self) -> None:
        """Give every generator the state that it had at first."""
        for give, state in self._before:
            give(state)


def _states(values: list[Any]) -> Iterator[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """How the state of each generator is taken, and given back; what is not imported has drawn nothing."""
    if python := sys.modules.get("random"):
        own = (value for value in values if isinstance(value, python.Random))
        yield from ((each.getstate, each.setstate) for each in (python, *own))
    if numpys := sys.modules.get("numpy.random"):
        old = (value for value in values if isinstance(value, numpys.RandomState))
        yield from ((each.get_state, each.set_state) for each in (numpys, *old))
        bits = (value.bit_generator for value in values if isinstance(value, numpys.Generator))
        yield from (
            (functools.partial(getattr, each, "state"), functools.partial(setattr, each, "state")) for each in bits
        )
