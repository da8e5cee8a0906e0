"""The arguments to differentiate by: `argnums`, by position or by name, and the resulting call."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

from gradcli.engine.running.bound_call import BoundCall, name_of
from gradcli.errors import PointError, UsageError

Argnum = int | str
Argnums = Argnum | tuple[Argnum, ...]

_HINT = "Arguments are counted from 0: {0}=1 is the second one, {0}=(0, 1) both, {0}='w' the one named w."


def checked_argnums(argnums: Any, option: str = "argnums") -> Argnums:
    """`argnums`, or another option for arguments, as an int, a name, or a tuple of these.

    Raises:
        UsageError: it is anything else.
    """
    try:
        return tuple(map(_checked, argnums)) if isinstance(argnums, (tuple, list)) else _checked(argnums)
    except TypeError:
        message = f"{option} is {argnums!r}; it has to be an int, the name of an argument, or a tuple of these"
        raise UsageError(message, hint=_HINT.format(option)) from None


def _checked(argnum: Any) -> Argnum:
    return argnum if isinstance(argnum, str) else operator.index(argnum)


def bound_call(
    f: Callable[..., Any],
    argnums: Argnums,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    option: str = "argnums",
) -> BoundCall:
    """The call whose inputs are the arguments that `argnums`, or another option, asks for.

    An argument that `argnums` names and that is passed by keyword becomes positional. Other keyword arguments are
    passed on unchanged.

    Raises:
        PointError: an argument to differentiate by was not passed.
    """
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    if not options:
        return BoundCall(f, arguments, [_place(f, n, arguments, option) for n in wanted])
    by_keyword = [name for name in dict.fromkeys(wanted) if isinstance(name, str) and name in options]
    places = [
        len(arguments) + by_keyword.index(n) if n in by_keyword else _place(f, n, arguments, option) for n in wanted
    ]
    if not by_keyword:
        return BoundCall(functools.partial(f, **options), arguments, places)
    rest = {name: value for name, value in options.items() if name not in by_keyword}
    count = len(arguments)

    @functools.wraps(f, updated=())
    def by_position(*given: Any) -> Any:
        return f(*given[:count], **dict(zip(by_keyword, given[count:], strict=True)), **rest)

    return BoundCall(by_position, (*arguments, *(options[name] for name in by_keyword)), places)


def _place(f: Callable[..., Any], n: Argnum, arguments: tuple[Any, ...], option: str) -> int:
    """The position of an argument, given by name or counted from either end."""
    if isinstance(n, str):
        names = _parameters(f)
        place = names.index(n) if n in names else len(arguments)
        if place < len(arguments):
            return place
        raise PointError(
            f"{option} asks for the argument {n!r}, but {name_of(f)} was called without it",
            hint=(f"Pass it: {n}=...; " if n in names else "")
            + f"{name_of(f)} takes {', '.join(names) or 'no names'}.",
        )
    if not -len(arguments) <= n < len(arguments):
        raise PointError(
            f"{option} asks for argument {n}, but {name_of(f)} was called with {len(arguments)} positional ones",
            hint=f"Arguments are counted from 0; pass that of {option} positionally, or ask for it by name.",
        )
    return n % len(arguments)


def _parameters(f: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(f).parameters)
    except (TypeError, ValueError):  # a C function without a signature
        return []


def names_of(f: Any, count: int) -> list[str]:
    """The names of the first parameters of a function; `input 2` for a parameter without a name."""
    names = _parameters(f)
    return [names[n] if n < len(names) else f"input {n + 1}" for n in range(count)]
