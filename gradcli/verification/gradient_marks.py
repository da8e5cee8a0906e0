"""Decorators that mark hand-written gradients for `gradcli verify` and pytest, and return the function unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from gradcli.shared.message_wording import unknown_argument

Marked = TypeVar("Marked", bound=Callable[..., Any])

DERIVATIVES: dict[str, Literal["gradient", "jacobian", "hessian"]] = {
    "gradient_of": "gradient",
    "jacobian_of": "jacobian",
    "hessian_of": "hessian",
}


class Mark(NamedTuple):
    """The mark of a function as the derivative of another function.

    Args:
        of: the kind of derivative.
        function: the differentiated function, or its name in the same module.
        derivative: the marked function.
        options: the options of the check.
    """

    of: str
    function: Callable[..., Any] | str
    derivative: Callable[..., Any]
    options: dict[str, Any]


OPTIONS = (
    "at", "box", "points", "points_file", "seed", "wrt", "rtol", "atol", "strict",
    "device", "max_seconds", "name", "allow", "skip",
)  # fmt: skip

# By module and qualified name, so that running a notebook cell again replaces the mark.
_MARKS: dict[tuple[str, str], Mark] = {}


def mark_of(derivative: Callable[..., Any]) -> Mark | None:
    """The mark of a function, or None."""
    return _MARKS.get(_key(derivative))


def _key(function: Callable[..., Any]) -> tuple[str, str]:
    return str(getattr(function, "__module__", "")), str(getattr(function, "__qualname__", id(function)))


def gradient_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the gradient of `f`: `gradcli verify` and `pytest --gradcli` check it.

    Args:
        f: the function, which takes the same arguments, or its name in the same module.
        options: `at`, the point, as in `check`; and `box`, `points`, `points_file`, `seed`, `wrt`, `rtol`, `atol`,
            `strict`, `max_seconds`, `name`, `allow` and `skip`, as in the configuration.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        TypeError: an option is unknown.
    """
    return _marking("gradient_of", f, options)


def jacobian_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the Jacobian of `f`, with one row per number that `f` returns; see `gradient_of`."""
    return _marking("jacobian_of", f, options)


def hessian_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the Hessian of `f`, the matrix of its second derivatives; see `gradient_of`."""
    return _marking("hessian_of", f, options)


def _marking(word: str, f: Callable[..., Any] | str, options: dict[str, Any]) -> Callable[[Marked], Marked]:
    for name in options:
        if name not in OPTIONS:
            raise TypeError(unknown_argument(f"gradcli.{word}", name, OPTIONS))

    def marked(derivative: Marked) -> Marked:
        _MARKS[_key(derivative)] = Mark(DERIVATIVES[word], f, derivative, options)
        return derivative

    return marked
