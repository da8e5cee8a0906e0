"""Functions with the values of the variables that they capture: what a nested function is when it is handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CLOSURE = "__closure__"  # the name of the class in the copies of functions


class Closure:
    """A function whose first arguments are given.

    Args:
        function: the function, taken out of the one around it.
        captured: the values of the variables that it reads of that.
    """

    def __init__(self, function: Callable[..., Any], *captured: Any) -> None:
        self.function = function
        self.captured = captured

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(*self.captured, *arguments, **keywords)
