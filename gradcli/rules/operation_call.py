"""A call as a value: unlike a closure it is equal to another of the same function with the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.record_base import Frozen


class Call(Frozen):
    """A function of its first arguments, the others given.

    Attributes:
        function: takes the arguments of the call, then `rest` and the options.
        rest: further arguments.
        options: arguments by name, as pairs.
    """

    function: Callable[..., Any]
    rest: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        """The result."""
        return self.function(*arguments, *self.rest, **dict(self.options))


def call_of(function: Callable[..., Any], *rest: Any, **options: Any) -> Callable[..., Any]:
    """The function with further arguments given; itself where there are none."""
    return Call(function, rest, tuple(options.items())) if rest or options else function


def same(x: Any) -> Any:
    """What it is given."""
    return x
