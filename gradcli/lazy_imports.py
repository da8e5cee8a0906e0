"""Names of a package that are imported when they are first asked for, so that a start pays only for what it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

ITSELF = "."  # the home of a name that is a module of the package


def on_first_use(
    package: str, homes: Mapping[str, str], instead: Callable[[str], str | None] | None = None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package (PEP 562).

    Args:
        package: its name, `__name__`.
        homes: where each name lives: `module` of the package, `module:name` where it is called otherwise there, or
            `ITSELF`.
        instead: what to type instead of a name that the package does not have, if something can be said.
    """

    def found_at_home(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            hint = instead(name) if instead else None
            raise AttributeError(f"module {package!r} has no attribute {name!r}{'; ' + hint if hint else ''}")
        if home == ITSELF:
            return import_module(f"{package}.{name}")
        module, _, inner = home.partition(":")
        found = getattr(import_module(f"{package}.{module}"), inner or name)
        setattr(sys.modules[package], name, found)
        return found

    return found_at_home
