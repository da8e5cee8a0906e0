"""What the transforms return: a derivative as a function, which can be pickled, copied and bound as a method."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

Compute = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class DerivativeFunction:
    """A derivative of `f` as a function, with the name, documentation and signature of `f`.

    It is pickled as the call that creates it, and therefore like `f`: a function of a module by name, a lambda or a
    function inside of another one not at all. One that a module holds under its name, as after `@gradcli.grad`, is
    itself pickled by name.

    Args:
        compute: computes the derivative from the positional and the keyword arguments.
        f: the function to differentiate.
        create: creates this derivative.
    """

    def __init__(self, compute: Compute, f: Callable[..., Any], create: functools.partial[Any]) -> None:
        functools.update_wrapper(self, f, updated=())
        self._compute = compute
        self._create = create

    def __call__(self, /, *arguments: Any, **options: Any) -> Any:
        try:
            return self._compute(arguments, options)
        except Exception as error:
            from gradcli.methods.transforms.public_functions import without_own_frames

            without_own_frames(error)
            raise

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<gradcli.{self._create.func.__name__} of {getattr(self, '__wrapped__', None)!r}>"

    def __reduce__(self) -> Any:
        name = getattr(self, "__qualname__", None)
        if name and _held(sys.modules.get(self.__module__), name) is self:
            return name
        return self._create, ()


def _held(module: Any, name: str) -> Any:
    """The object of a module with a qualified name; None if there is none."""
    return functools.reduce(lambda holder, part: getattr(holder, part, None), name.split("."), module)
