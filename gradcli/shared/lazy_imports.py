"""What is imported or made on first use, to keep start-up short: names of a package, and methods of a class."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

ITSELF = "."  # the home of a name that is itself a module of the package


def on_first_use(
    package: str, homes: Mapping[str, str], instead: Callable[[str], str | None] | None = None
) -> Callable[[str], Any]:
    """Make the `__getattr__` of a package (PEP 562).

    Args:
        package: the name of the package, `__name__`.
        homes: the home of each name: `module` of the package, `module:name` if the name differs there, or `ITSELF`.
        instead: a function that says what to type instead of an unknown name, or returns None.
    """

    def found_at_home(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            hint = instead(name) if instead else None
            raise AttributeError(f"module {package!r} has no attribute {name!r}{'; ' + hint if hint else ''}")
        from importlib import import_module

        if home == ITSELF:
            return import_module(f"{package}.{name}")
        module, _, inner = home.partition(":")
        value = getattr(import_module(f"{package}.{module}"), inner or name)
        setattr(sys.modules[package], name, value)
        return value

    return found_at_home


def method_on_first_use(owner: type, name: str, make: Callable[[], Callable[..., Any]]) -> None:
    """Add a method to `owner` that `make` creates on the first call."""

    def first(self: Any, *arguments: Any, **options: Any) -> Any:
        method = make()
        setattr(owner, name, method)
        return method(self, *arguments, **options)

    setattr(owner, name, first)
