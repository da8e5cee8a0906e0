"""The table of adapters. An adapter is found by the type of an object, and its library is never imported for it."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from gradcli.errors import TargetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib import metadata

    from gradcli.methods.adapters.adapted_object import AdaptedObject

GROUP = "gradcli.adapters"
"""The entry points by which other packages register adapters; the name of each is that of the library it adapts."""

# The library whose objects an adapter takes, and the module with its function `adapted(thing)`; objects of no library
# come last. An adapter returns None for what is not its own.
_ADAPTERS = (
    ("torch", "gradcli.methods.adapters.pytorch"),
    ("jax", "gradcli.methods.adapters.jax"),
    ("tensorflow", "gradcli.methods.adapters.tensorflow"),
    ("openmdao", "gradcli.methods.adapters.openmdao"),
    ("", "gradcli.methods.adapters.objects_with_derivatives"),
)


def adapted(thing: Any) -> AdaptedObject | None:
    """What an adapter makes of an object; None if there is no adapter for it. What one made stays as it is.

    Raises:
        TargetError: the object cannot be set up, as a component that needs options.
        UsageError: an adapter that another package registers cannot be loaded.
    """
    if isinstance(thing, FunctionType) and not thing.__annotations__:  # the usual case, which no adapter takes
        return None
    from gradcli.methods.adapters.adapted_object import AdaptedObject

    if isinstance(thing, AdaptedObject):
        return thing
    for adapter in _loaded_adapters():
        try:
            made = adapter(thing)
        except Exception as error:  # the object's own code, or its library's, may raise anything
            raise TargetError(
                f"{_name(thing)} cannot be set up: {type(error).__name__}: {error}",
                hint="Where a class needs options, make an object of it in the file, and name that.",
            ) from None
        if made is not None:
            return made
    return None


def _name(thing: Any) -> str:
    return str(getattr(thing, "__qualname__", type(thing).__qualname__))


def _loaded_adapters() -> Iterator[Callable[[Any], AdaptedObject | None]]:
    """Yield the adapters of libraries that the program has imported."""
    for library, entry in _registered().items():
        if library in sys.modules:
            try:
                yield entry.load()
            except (ImportError, AttributeError) as error:
                message = f"The adapter {entry.value} of {library} cannot be loaded: {error}."
                raise UsageError(message, hint="Correct the entry point in the package that registers it.") from None
    for library, module in _ADAPTERS:
        if not library or library in sys.modules:
            yield import_module(module).adapted


@cache
def _registered() -> dict[str, metadata.EntryPoint]:
    from importlib.metadata import entry_points  # takes as long to import as all of a plain function's gradient

    return {entry.name: entry for entry in entry_points(group=GROUP)}
