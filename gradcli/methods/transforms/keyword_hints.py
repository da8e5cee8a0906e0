"""Errors for keywords that a transform does not take, such as JAX's or autograd's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from gradcli.shared.message_wording import unknown_argument

F = TypeVar("F", bound=Callable[..., Any])


def with_keyword_hints(function: F) -> F:
    """The function with an error for unknown keywords that names its own.

    Raises:
        TypeError: a keyword is unknown.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        for name in named:
            if name not in names:
                raise TypeError(unknown_argument(f"gradcli.{function.__name__}", name, names))
        return function(*args, **named)

    return called  # type: ignore[return-value]
