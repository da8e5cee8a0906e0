"""Methods that are compiled when they are first called, so that a start of the program compiles none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]


def method_on_first_use(owner: type, name: str, make: Callable[[], Method]) -> None:
    """Give `owner` a method that `make` makes when it is first called."""

    def first(self: Any, *arguments: Any) -> Any:
        method = make()
        setattr(owner, name, method)
        return method(self, *arguments)

    setattr(owner, name, first)
