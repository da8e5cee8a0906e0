"""Replacement of names that need the bare number of a recorded value, for the duration of one run.

The names that a function needs (`math.sin(x)`, `float(x)`, `np.array([x])`, `type(x) is float`) are found in its code,
and in the code that it reaches, before its first run. If a recorded value still reaches other code that needs its bare
number, the run is aborted, more is replaced (`leak_replacements`), and the function runs again. It runs as a copy with
names of its own where that suffices, otherwise with names exchanged in its modules. Nothing is patched beyond the run,
functions without such names cost nothing, and the names that a function needs are remembered. If nothing more can be
replaced, the run is refused with name and line: G402, never a silent zero.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from gradcli.code.reachable_objects import ReachableObjects
from gradcli.errors import UsageError
from gradcli.patching import patch_points
from gradcli.patching.mentioned_names import (
    REPLACED_PACKAGES,
    mentioned_places,
    solver_places,
    type_query_places,
    used_modules,
)
from gradcli.patching.object_exchange import GroupedPlaces
from gradcli.patching.patch_points import MISSING, Place
from gradcli.patching.replacement_table import replacement_table

if TYPE_CHECKING:
    from gradcli.patching.function_copies import FunctionCopies


class Replacements:
    """The replacements that one function needs while it runs.

    Attributes:
        places: where objects are replaced.
        per_function: whether the function itself is a holder, so that every function with the same code needs its own.
        everywhere: whether the function's recompiled code enters new arrays everywhere; None without such code.
        answers: how often the Leaks of each code were answered by places outside modules.
        fallback: the replacements to fall back to if those found in the code turn out to be too many.
        arrays: the places of arrays that the program created before its runs and writes into.
        in_place: whether they are put into the user's modules, because a copy of the function does not suffice.
    """

    def __init__(
        self,
        places: Iterable[Place] = (),
        per_function: bool = False,
        everywhere: bool | None = None,
        answers: Counter[Any] | None = None,
        fallback: Replacements | None = None,
        arrays: Iterable[Place] = (),
    ) -> None:
        self.places = list(places)
        self.per_function = per_function
        self.everywhere = everywhere
        self.answers = Counter() if answers is None else answers
        self.fallback = fallback
        self.arrays = list(arrays)
        self.in_place = per_function or bool(self.arrays)
        self._copies: FunctionCopies | None = None

    def copies_for(self, function: Any, arguments: Iterable[Any]) -> FunctionCopies | None:
        """The copies that have the replacements among their own names; None if they are needed in place."""
        if self.in_place:
            return None
        from gradcli.patching.function_copies import FunctionCopies, NotCopiedError, are_data

        if not are_data(arguments):
            return None
        if self._copies is None or not self._copies.serve(function):
            try:
                self._copies = FunctionCopies(function, self.places)
            except NotCopiedError:
                self.in_place = self._copies is None  # otherwise a name may hold another object for a while only
                return None
        return self._copies

    @functools.cached_property
    def grouped(self) -> GroupedPlaces:
        """The places, grouped for the exchange."""
        return GroupedPlaces(self.places)


by_code: dict[Any, Replacements] = {}  # the replacements that each function needs, by its code


def replacements_of(function: Callable[..., Any]) -> Replacements | None:
    """The replacements that `function` needed in an earlier run."""
    needed = by_code.get(code_of(function))
    if needed is None or not needed.per_function or not isinstance(function, FunctionType):
        return needed
    new = [*patch_points.of_function(function, replacement_table())]
    if needed.everywhere is not None:
        from gradcli.patching.instrumented_code import recompiled_places

        new += recompiled_places(function, needed.everywhere)
    kept = difference(needed.places, new) + distinct(new)
    return Replacements(kept, True, needed.everywhere, fallback=needed.fallback, arrays=needed.arrays)


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
    if not (getattr(inner, "__module__", None) or "").startswith(REPLACED_PACKAGES):
        return function
    replacement = patch_points.find_replacement(replacement_table(), function)
    return function if replacement is MISSING else replacement


def remember_mentioned_names(function: Callable[..., Any], found: ReachableObjects, *, lists: bool) -> None:
    """Remember the replacements that the code of a function, and code reachable from it, needs by the names in it.

    Args:
        function: the function about to run.
        found: the objects reachable from it.
        lists: whether its arguments contain lists, which NumPy's functions do not search for recorded values.
    """
    modules = used_modules(found)
    asked = distinct(type_query_places(modules, replacement_table))
    asked += distinct(solver_places(found, modules, replacement_table))
    mentioned = distinct(mentioned_places(found, modules, lists, replacement_table))
    if not asked and not mentioned:
        return
    before = by_code.get(code_of(function)) or Replacements()
    kept = [place for place in before.places if is_of_module(place)]
    fallback = Replacements(
        [*kept, *difference(asked, kept)], before.per_function, before.everywhere, arrays=before.arrays
    )
    places = [*fallback.places, *difference(mentioned, fallback.places)]
    by_code[code_of(function)] = Replacements(
        places, before.per_function, before.everywhere, fallback=fallback, arrays=before.arrays
    )


def fall_back(replacements: Replacements | None, function: Callable[..., Any]) -> Replacements | None:
    """The replacements to restart with after those found in the code were too many; None if there are none."""
    fallback = replacements.fallback if replacements else None
    if fallback is not None:
        by_code[code_of(function)] = fallback
    return fallback


def difference(old: list[Place], new: Iterable[Place]) -> list[Place]:
    """The places that are not among the new ones."""
    known = {place.identity for place in new}
    return [place for place in old if place.identity not in known]


def distinct(found: Iterable[Place]) -> list[Place]:
    """Each place once, as found last."""
    return list({place.identity: place for place in found}.values())


def is_of_module(place: Place) -> bool:
    """Whether a place is a name in a module, which exists in every run."""
    names = place.holder
    return isinstance(names, dict) and vars(sys.modules.get(str(names.get("__name__")), builtins)) is names


def file_builtins() -> dict[str, Any]:
    """The `__builtins__` for files that gradcli itself loads, with `float` and imports replaced from the start."""
    from gradcli.patching.shims import python_types

    def import_replacement(name: str, *arguments: Any, **options: Any) -> Any:
        from gradcli.patching.shims import modules

        module = builtins.__import__(name, *arguments, **options)
        return modules.module(getattr(module, "__name__", "")) or module

    def build_class(body: Any, name: str, *bases: Any, **options: Any) -> Any:
        """Derive a class from the original types, so that it can be combined with any other class."""
        options = {key: original_of(item) for key, item in options.items()}
        return builtins.__build_class__(body, name, *map(original_of, bases), **options)

    original_of = python_types.original_of
    return {**vars(builtins), **python_types.BUILT_IN, "__import__": import_replacement, "__build_class__": build_class}
