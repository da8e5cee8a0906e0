"""Marks on hand-written gradients, for `gradcli verify` and pytest: they return the function as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

Marked = TypeVar("Marked", bound=Callable[..., Any])

DERIVATIVES: dict[str, Literal["gradient", "jacobian", "hessian"]] = {
    "gradient_of": "gradient",
    "jacobian_of": "jacobian",
    "hessian_of": "hessian",
}


class Mark(NamedTuple):
    """That a function is the derivative of another one.

    Args:
        of: which derivative it is.
        function: the function that is differentiated, or its name in the same module.
        derivative: the function that was marked.
        options: how it is checked.
    """

    of: str
    function: Callable[..., Any] | str
    derivative: Callable[..., Any]
    options: dict[str, Any]


# By the module and the qualified name of what was marked: a cell of a notebook that runs again marks it anew.
_MARKS: dict[tuple[str, str], Mark] = {}


def mark_of(derivative: Callable[..., Any]) -> Mark | None:
    """The mark of a function, if it has one."""
    return _MARKS.get(_key(derivative))


def _key(function: Callable[..., Any]) -> tuple[str, str]:
    return str(getattr(function, "__module__", "")), str(getattr(function, "__qualname__", id(function)))


def gradient_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the gradient of `f`: `gradcli verify` and `pytest --gradcli` check it.

    Args:
        f: the function, of the same arguments; or its name in the same module.
        options: `at`, the point, as `check` takes it; and `box`, `points`, `points_file`, `seed`, `wrt`, `rtol`,
            `atol`, `strict`, `max_seconds`, `name`, `allow`, `skip`, as the configuration has them.

    Returns:
        A decorator that returns the function unchanged.
    """
    return _marking("gradient_of", f, options)


def jacobian_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the Jacobian of `f`, with a row for each number that `f` returns; as `gradient_of` does."""
    return _marking("jacobian_of", f, options)


def hessian_of(f: Callable[..., Any] | str, **options: Any) -> Callable[[Marked], Marked]:
    """Mark a function as the Hessian of `f`, the matrix of its second derivatives; as `gradient_of` does."""
    return _marking("hessian_of", f, options)


def _marking(word: str, f: Callable[..., Any] | str, options: dict[str, Any]) -> Callable[[Marked], Marked]:
    def marked(derivative: Marked) -> Marked:
        _MARKS[_key(derivative)] = Mark(DERIVATIVES[word], f, derivative, options)
        return derivative

    return marked
