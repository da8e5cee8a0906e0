"""Replacement of names that need the bare number of a recorded value, for the duration of one run.

The names that a function needs (`math.sin(x)`, `float(x)`, `np.array([x])`, `type(x) is float`) are found in its code,
and in the code that it reaches, before its first run. It runs as a copy with names of its own where that has the same
meaning, otherwise with names exchanged in its modules. Nothing is patched beyond the run, functions without such names
cost nothing, and the names that a function needs are remembered. If a recorded value still reaches other code that
needs its bare number, the run is refused with name and line: G402, never a silent zero.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import ReachableObjects
from gradcli.engine.patching import patch_points
from gradcli.engine.patching.library_modules import library_places
from gradcli.engine.patching.mentioned_names import (
    REPLACED_PACKAGES,
    UsedModule,
    mentioned_places,
    used_modules,
)
from gradcli.engine.patching.object_exchange import GroupedPlaces, replaced_places
from gradcli.engine.patching.patch_points import CODE, MISSING, Place
from gradcli.engine.patching.replacement_table import replacement_table
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.engine.patching.function_copies import FunctionCopies


class Replacements:
    """The replacements that one program needs while it runs.

    Attributes:
        places: where objects are replaced.
        in_place: whether they are put into the user's modules, because no copy has the meaning of the function.
    """

    def __init__(self, places: Iterable[Place]) -> None:
        self.places = list(places)
        self.in_place = False
        self._copies: FunctionCopies | None = None

    def copies_for(self, function: Any, arguments: Iterable[Any]) -> FunctionCopies | None:
        """The copies that have the replacements among their own names; None if they are needed in place."""
        if self.in_place:
            return None
        from gradcli.engine.patching.function_copies import FunctionCopies, NotCopiedError, are_data

        if not are_data(arguments):
            return None
        if self._copies is None:
            try:
                self._copies = FunctionCopies(function, self.places)
            except NotCopiedError:
                self.in_place = True
        return self._copies

    def serve(self, function: Any) -> bool:
        """Whether the places hold what they held when the program was read."""
        return self.grouped.hold() if self._copies is None else self._copies.serve(function)

    @functools.cached_property
    def grouped(self) -> GroupedPlaces:
        """The places, grouped for the exchange."""
        return GroupedPlaces(self.places)


def code_of(function: Any) -> Any:
    """The key that a function keeps when it is created anew: its code, inside decorators and partial applications."""
    while type(function) is functools.partial or "__wrapped__" in getattr(function, "__dict__", ()):
        function = function.func if type(function) is functools.partial else function.__wrapped__
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return code
    return function if isinstance(function, BuiltinFunctionType) else type(function)


def _hint_for(given: object) -> str:
    if isinstance(given, str):
        return f"Write it as Python, lambda x: x**2, or check the text: gradcli.check({given[:40]!r}, at=point)."
    return "Pass the function itself, f, not its value f(x)."


def function_to_run(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function to run: the replacement of a library's function that has one, any other function itself.

    Raises:
        UsageError: it is not callable.
    """
    if not callable(function):
        raise UsageError(f"{function!r} is not a function", hint=_hint_for(function))
    inner = function
    while type(inner) is functools.partial:
        inner = inner.func
    module = getattr(inner, "__module__", None) or ""
    if module.startswith("numpy.polynomial"):
        return getattr(function, "_implementation", function)
    if not module.startswith(REPLACED_PACKAGES):
        return function
    replacement = patch_points.find_replacement(replacement_table(), function)
    return function if replacement is MISSING else replacement


def needed_replacements(reachable: ReachableObjects, *, lists: bool) -> Replacements | None:
    """The replacements that the code of a function, and code reachable from it, needs by the names in it.

    Requires the lock, since before the objects were searched.

    Args:
        found: the objects reachable from the function about to run.
        lists: whether its arguments contain lists, which NumPy's functions do not search for recorded values.
    """
    modules = used_modules(reachable)
    places = _places(reachable, modules, lists)
    return Replacements(places) if places else None


def _places(reached: ReachableObjects, modules: list[UsedModule], lists: bool) -> list[Place]:
    holders = {id(module.names) for module in modules}.union(map(id, reached.functions))
    holders.update(id(holder) for holder, _, _ in reached.items)
    return distinct(
        (
            *(place for place in replaced_places() if place.spot[0] in holders),
            *mentioned_places(reached, modules, lists, replacement_table),
            *library_places(reached, modules, replacement_table),
            *_marked_places(reached),
        )
    )


def _marked_places(reachable: ReachableObjects) -> Iterable[Place]:
    if not any(names_in(function.__code__).enters_arrays for function in reachable.functions):
        return ()
    from gradcli.engine.patching.marked_code import marked_places

    return marked_places(reachable)


def distinct(places: Iterable[Place]) -> list[Place]:
    """Each place once, as found last."""
    return list({place.identity: place for place in places}.values())


def is_of_module(place: Place) -> bool:
    """Whether a place is a name in a module, or the code of a function under such a name: it exists in every run."""
    names = place.holder
    if isinstance(names, FunctionType) and place.key == CODE and names.__closure__ is None:
        return names.__globals__.get(names.__qualname__) is names
    return isinstance(names, dict) and vars(sys.modules.get(str(names.get("__name__")), builtins)) is names
