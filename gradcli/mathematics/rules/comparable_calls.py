"""Function calls as values, which, unlike closures, compare equal if function and arguments are equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.shared.frozen_record import Frozen


class Call(Frozen):
    """A function of its leading arguments, with the others fixed.

    Attributes:
        function: takes the arguments of the call, then `rest` and the options.
        rest: the remaining positional arguments.
        options: the keyword arguments, as pairs.
    """

    function: Callable[..., Any]
    rest: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments, *self.rest, **dict(self.options))


def call_of(function: Callable[..., Any], *rest: Any, **options: Any) -> Callable[..., Any]:
    """The function with its trailing arguments fixed; the function itself if there are none."""
    return Call(function, rest, tuple(options.items())) if rest or options else function


def identity(x: Any) -> Any:
    """Return the argument."""
    return x
