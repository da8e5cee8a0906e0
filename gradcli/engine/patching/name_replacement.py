"""Replacement of names that need the bare number of a recorded value, for the duration of one run.

The names that a function needs (`math.sin(x)`, `float(x)`, `np.array([x])`, `type(x) is float`) are found in its code,
and in the code that it reaches, before its first run. The functions run with code in which these names are constants;
objects that other objects hold are exchanged where they are held. Nothing is patched beyond the run, functions without
such names cost nothing, and the names that a function needs are remembered. If a recorded value still reaches other
code that needs its bare number, the run is refused with name and line: G402, never a silent zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import held_values, module_values, wrapped
from gradcli.engine.code.reachable_objects import ReachableObjects
from gradcli.engine.patching import patch_points
from gradcli.engine.patching.library_modules import is_of_library, library_places
from gradcli.engine.patching.mentioned_names import (
    REPLACED_PACKAGES,
    UsedModule,
    mentioned_places,
    used_modules,
)
from gradcli.engine.patching.object_exchange import ExchangedPlaces, call_with_replacements, replaced_places
from gradcli.engine.patching.patch_points import CODE, MISSING, Place
from gradcli.engine.patching.replacement_table import replacement_table
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.engine.tape.tape import Tape

T = TypeVar("T")


class Replacements:
    """The replacements that one program needs while it runs.

    Args:
        function: the function of the program, as it is called.
        places: where objects are replaced.
        reachable: the objects reachable from the function.

    Attributes:
        exchanged: the places that are exchanged; None if a twin of the function with other code is enough.
    """

    def __init__(self, function: Callable[..., Any], places: list[Place], reachable: ReachableObjects) -> None:
        root = unapplied(function)
        self._own = next((place for place in places if place.key == CODE and place.holder is root), None)
        own_places = (place for place in places if place.holder is root)
        self._is_twin = [*own_places] == [self._own] and not _leads_to(root, reachable)
        exchanged = [place for place in places if not self._is_twin or place is not self._own]
        self.exchanged = ExchangedPlaces(exchanged) if exchanged else None

    def are_current(self, function: Callable[..., Any]) -> bool:
        """Whether the places hold what they held when they were read, for a function with the code that was read."""
        if self._is_twin and not self._has_own_code(unapplied(function)):
            return False  # it calls the function that was read
        return self.exchanged is None or self.exchanged.hold()

    def run(self, caller: Callable[..., T], tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> T:
        """Call a function as `caller` calls one on a tape, with the replacements."""
        if self._own is not None:
            function = self._with_code(function, self._own)
        if self.exchanged is None:
            return caller(tape, function, arguments)
        return call_with_replacements(self.exchanged, caller, tape, function, arguments)

    def _with_code(self, function: Any, own: Place) -> Any:
        """A twin with the rewritten code, where the function is not exchanged because it is made anew each time."""
        if type(function) is functools.partial:
            return functools.partial(self._with_code(function.func, own), *function.args, **function.keywords)
        if not self._has_own_code(function) or (own.holder is function and not self._is_twin):
            return function
        code: CodeType = own.replacement
        twin = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        twin.__kwdefaults__ = function.__kwdefaults__
        twin.__qualname__ = function.__qualname__
        twin.__dict__ = function.__dict__
        return twin

    def _has_own_code(self, function: Any) -> bool:
        code = getattr(function, "__code__", None)
        return self._own is not None and (code is self._own.original or code is self._own.replacement)


def unapplied(function: Any) -> Any:
    """The function inside partial applications."""
    while type(function) is functools.partial:
        function = function.func
    return function


def _leads_to(function: Any, reachable: ReachableObjects) -> bool:
    """Whether the program reaches a function besides calling it, as one that calls itself."""
    for other in reachable.functions:
        names = module_values(other.__globals__, names_in(other.__code__).read).values()
        if any(item is function for item in (*held_values(other), *names)):
            return True
    return any(item is function for _, _, item in reachable.items)


def code_of(function: Any) -> Any:
    """The key that a function keeps when it is created anew: its code, inside decorators and partial applications."""
    while (inner := wrapped(function)) is not None:
        function = inner
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return code
    return function if isinstance(function, BuiltinFunctionType) else type(function)


def _hint_for(given: object) -> str:
    if isinstance(given, str):
        return f"Write it as Python, lambda x: x**2; gradcli.grad({given[:40]!r}) takes the text too."
    return "Pass the function itself, f, not its value f(x)."


def function_to_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function to run: the replacement of a library's function that has one, any other function itself.

    Raises:
        UsageError: it is not callable.
    """
    if not callable(function):
        raise UsageError(f"{function!r} is not a function", hint=_hint_for(function))
    module = getattr(unapplied(function), "__module__", None) or ""
    if module.startswith("numpy.polynomial"):
        return getattr(function, "_implementation", function)
    if not module.startswith(REPLACED_PACKAGES):
        return function
    replacement = patch_points.find_replacement(replacement_table(), function)
    return function if replacement is MISSING else replacement


def needed_replacements(
    function: Callable[..., Any], reachable: ReachableObjects, arguments: Sequence[Any]
) -> Replacements | None:
    """The replacements that the code of a function, and code reachable from it, needs by the names in it.

    Requires the lock, since before the objects were searched.

    Args:
        function: the function about to run.
        reachable: the objects reachable from it and its arguments.
        arguments: its arguments. If they contain lists, NumPy's functions do not search them for recorded values.
    """
    lists = any(isinstance(argument, (list, tuple, dict)) for argument in arguments)
    places = _places(reachable, used_modules(reachable), lists)
    return Replacements(function, places, reachable) if places else None


def _places(reached: ReachableObjects, modules: list[UsedModule], lists: bool) -> list[Place]:
    holders = {id(module.namespace) for module in modules}.union(map(id, reached.functions))
    holders.update(id(holder) for holder, _, _ in reached.items)
    places = (
        *(place for place in replaced_places() if place.spot[0] in holders or is_of_library(place)),
        *mentioned_places(reached, modules, lists, replacement_table),
        *library_places(reached, modules, replacement_table),
    )
    return list({place.identity: place for place in places}.values())  # each once, as found last
