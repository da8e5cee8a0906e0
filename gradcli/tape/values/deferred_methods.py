"""Methods that are made when they are first called, so that a start of the program compiles and imports for none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]


def method_on_first_use(owner: type, name: str, make: Callable[[], Method]) -> None:
    """Give `owner` a method that `make` makes when it is first called."""

    def first(self: Any, *arguments: Any, **options: Any) -> Any:
        method = make()
        setattr(owner, name, method)
        return method(self, *arguments, **options)

    setattr(owner, name, first)
