"""Functions of a module by name, and the errors for names that are not functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gradcli.answers.targets.functions import parameters_of
from gradcli.answers.targets.python_files import user_code
from gradcli.errors import TargetError
from gradcli.shared.message_wording import MOST_LISTED, count_text, list_text, nearest_name, quoted

_MISSING = object()


def find(module: ModuleType, name: str, shown: str) -> tuple[str, Callable[..., Any]]:
    """Find a function in a module by its dotted name; without a name, the module's only function.

    `shown` is the module as the user typed it.

    Raises:
        TargetError: there is no such function, there are several and no name, or the name is not a function.
        UserCodeError: looking up the name raises.
    """
    if not name:
        return _only(module, shown)
    return name, _function(module, *_looked_up(module, name, shown), name, shown)


def attribute(module: ModuleType, name: str, shown: str) -> Any:
    """The object of a module with a dotted name, whatever it is.

    Raises:
        TargetError: there is none.
        UserCodeError: looking up the name raises.
    """
    return _looked_up(module, name, shown)[1]


def _looked_up(module: ModuleType, name: str, shown: str) -> tuple[Any, Any]:
    """The object with a dotted name, after the one that holds it."""
    owner: Any = None
    value: Any = module
    for part in name.split("."):
        owner = value
        with user_code(f"while {name} is looked up in {shown}"):
            value = getattr(owner, part, _MISSING)
        if value is _MISSING:
            raise _no_function(module, owner, name, part, shown)
    return owner, value


def _only(module: ModuleType, shown: str) -> tuple[str, Callable[..., Any]]:
    names = functions_of(module)
    if not names:
        raise TargetError(f"There is no function in {shown}.", hint="A target is typed file.py:function.")
    if len(names) > 1:
        message = f"There are {count_text(names, 'function')} in {shown}: {_signatures(module, names)}."
        raise TargetError(message, hint=f"Name one: {shown}:{names[0]}.")
    return names[0], getattr(module, names[0])


def functions_of(module: ModuleType) -> list[str]:
    """The names of the public functions defined in a module, in order; if there are none, of those that it imports."""
    public = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and not isinstance(value, type)
    }
    own = [name for name, value in public.items() if _module_of(value) == module.__name__]
    return own or list(public)


def _module_of(value: Any) -> Any:
    try:
        return getattr(value, "__module__", None)
    except Exception:
        return None


def _no_function(module: ModuleType, owner: Any, name: str, part: str, shown: str) -> TargetError:
    if owner is not module:
        kind = "class" if isinstance(owner, type) else "object"
        return TargetError(f"There is no {quoted(name)} in {shown}: the {kind} has no {quoted(part)}.")
    names = functions_of(module)
    there = f"; functions there: {_signatures(module, names)}" if names else ", and no function at all"
    near = nearest_name(part, names)
    return TargetError(f"There is no {quoted(name)} in {shown}{there}.", hint=f"Did you mean {near}?" if near else None)


def _signatures(module: ModuleType, names: list[str]) -> str:
    return list_text([*(_signature(module, name) for name in names[:MOST_LISTED]), *names[MOST_LISTED:]])


def _signature(module: ModuleType, name: str) -> str:
    return f"{name}({', '.join(map(str, parameters_of(getattr(module, name))))})"


def _function(module: ModuleType, owner: Any, value: Any, name: str, shown: str) -> Callable[..., Any]:
    """Return `value` if it is a function.

    Raises:
        TargetError: it is a class, an unbound method, or not callable.
    """
    if isinstance(value, type):
        raise TargetError(f"{name} in {shown} is a class, not a function.")
    if not callable(value):
        kind = "module" if isinstance(value, ModuleType) else type(value).__name__
        raise TargetError(f"{name} in {shown} is not a function: its type is {kind}.")
    static = inspect.getattr_static(owner, name.rpartition(".")[2], None)
    if isinstance(owner, type) and inspect.isfunction(static):
        hint = f"Make the object in the file, box = {owner.__name__}(…), and name box.{static.__name__}."
        raise TargetError(f"{name} in {shown} is a method: it needs an object of its class.", hint=hint)
    return value  # type: ignore[no-any-return]
