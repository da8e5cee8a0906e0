"""Replacements that answer a leak: a recorded value has reached code that needs its bare number.

The names in the globals of the frame that asked are replaced first, then the objects that the frame's names lead to,
and then those of its callers. If nothing more can be replaced, the run is refused with name and line.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, dropwhile
from types import FrameType, FunctionType
from typing import Any

from gradcli.code.reachable_objects import ReachableObjects, reachable_objects
from gradcli.code.stack_frames import is_numpys, is_of_cython, is_ours, is_scipys, is_users, scipys_function
from gradcli.patching import frame_patch_points, patch_points
from gradcli.patching.name_replacement import Replacements, by_code, code_of, difference, distinct, is_of_module
from gradcli.patching.object_exchange import lock, replaced_places
from gradcli.patching.patch_points import Place
from gradcli.patching.replacement_table import replacement_table
from gradcli.rules.function_registry import FUNCTIONS, SOLVERS, UNCHECKED_MODULES
from gradcli.tape.concretization_errors import WRITTEN, Leak

# How often the Leaks of one code may be answered by places that each run may create anew, outside modules.
_MOST_ANSWERS = 3
_MOST_HELD = 8  # the most alternating objects remembered for one place

_SERVED = ("scipy.special", "scipy.linalg", "scipy.fft")  # modules with replacements
_EXACT = frozenset(("decimal", "fractions", "mpmath", "sympy"))
_OF_POLYNOMIALS = "numpy.polynomial"  # plain Python that calls NumPy's functions


def extended(
    before: Replacements | None, function: Callable[..., Any], leak: Leak, leads_to: Callable[[], ReachableObjects]
) -> Replacements:
    """The replacements extended to answer `leak`, remembered for the next run.

    Args:
        before: the replacements of the abandoned run.
        function: the function that was run.
        leak: the reason why the run was abandoned.
        leads_to: gives what the function and its arguments lead to.

    Raises:
        DetachedError: nothing more can be replaced.
    """
    before = before or Replacements()
    with lock:  # other threads then see an object either in its place or as replaced
        new = _places_for_leak(before, leak)
    arrays = [] if new else _written_array_places(before, leak, leads_to)
    if not new and not arrays:
        with lock:
            new = _code_places_for_leak(before, leak)
    if not new and not arrays:
        raise leak.refusal()
    own = [place for place in new if place.holder is function]
    per_function = before.per_function or bool(own)
    everywhere = next((place.everywhere for place in own if place.everywhere is not None), before.everywhere)
    arrays += [place for place in before.arrays if place.holder is not None]
    places = difference(before.places, new) + new
    by_code[code_of(function)] = Replacements(
        _lasting(places), per_function, everywhere, fallback=before.fallback, arrays=_lasting(arrays)
    )
    return Replacements(places, per_function, everywhere, before.answers, before.fallback, arrays)


def _written_array_places(
    replacements: Replacements, leak: Leak, leads_to: Callable[[], ReachableObjects]
) -> list[Place]:
    """The new places of arrays created before the run into which a recorded value was to be written."""
    from gradcli.tape.concretization_hints import WRITING, called_method

    if leak.asked is not WRITTEN and called_method(leak.frames[0][0]) not in WRITING:
        return []
    from gradcli.patching.preallocated_buffers import places_of_written

    frames = [(frame, line) for frame, line in leak.frames if _keeps_derivative(frame)]
    known = {place.spot for place in replacements.arrays if place.holder is not None}
    return [place for place in places_of_written(frames, leads_to()) if place.spot not in known]


def _lasting(found: list[Place]) -> list[Place]:
    """The places that exist in the next run too; of alternating objects in one place, the last few."""
    held: Counter[Any] = Counter(place.spot for place in found)
    kept = []
    for place in found:
        held[place.spot] -= 1
        if held[place.spot] < _MOST_HELD and (place.lasts or is_of_module(place)):
            kept.append(place)
    return kept


def _places_for_leak(replacements: Replacements, leak: Leak) -> list[Place]:
    """New places: those of the frame that asked, else those of all frames and of the objects their names lead to."""
    frames = [frame for frame, _ in leak.frames if _keeps_derivative(frame)]
    called = scipys_function(leak.frames) or ""
    if called.startswith(_SERVED) or any(_name(frame).startswith(_SERVED) for frame in frames):
        # replaced are their names in the caller, the program or another part of SciPy
        frames = [frame for frame in frames if not _name(frame).startswith((*_SERVED, "scipy._lib"))]
    elif called in FUNCTIONS:
        frames = list(dropwhile(is_scipys, frames))
    if not frames:
        return []
    if called in SOLVERS and (new := _new_places(replacements, list(dropwhile(is_scipys, frames)))):
        return new
    return (
        [] if any(_name(frame) in UNCHECKED_MODULES for frame, _ in leak.frames) else _new_places(replacements, frames)
    )


def _code_places_for_leak(replacements: Replacements, leak: Leak) -> list[Place]:
    """Codes to recompile, where a recorded value was written into a new array or passed to its method, or to a type of
    numbers that a variable holds.
    """
    from gradcli.tape.concretization_hints import METHODS

    frames = [frame for frame, _ in leak.frames if _keeps_derivative(frame)]
    mentions_method = any(not METHODS.isdisjoint(frame.f_code.co_names) for frame in frames)
    if leak.asked is WRITTEN or mentions_method or any(_holds_type(frame) for frame in frames[:1]):
        return _recompiled_places(replacements, frames)
    return []


def _holds_type(frame: FrameType) -> bool:
    """Whether a variable of a frame holds a type of numbers, or something that leads to one."""
    table = replacement_table()
    held = [x for x in (*frame.f_locals.values(), *map(frame.f_globals.get, frame.f_code.co_names)) if id(x) in table]
    led_to = (place.original for place in frame_patch_points.in_objects(frame, table))
    return any(isinstance(item, type) for item in chain(held, led_to))


def _new_places(replacements: Replacements, frames: list[FrameType]) -> list[Place]:
    """The places of frames that are not replaced yet: of the innermost frame, else of all."""
    if not frames:
        return []
    code = frames[0].f_code
    spots = {place.spot for place in replacements.places if place.holder is not None}
    known = {place.identity for place in replacements.places if place.holder is not None}
    if new_products := [place for place in _sparse_product_places(frames) if place.identity not in known]:
        return new_products
    for found in (_places_of(frames[:1], known), _places_of(frames, known, deep=True)):
        new = {place.identity: place for place in found if place.identity not in known}
        if any(is_of_module(place) and place.spot not in spots for place in new.values()):
            return list(new.values())
        if new and replacements.answers[code] < _MOST_ANSWERS:
            replacements.answers[code] += 1
            return list(new.values())
    return []


def _recompiled_places(replacements: Replacements, frames: list[FrameType]) -> list[Place]:
    """The codes of functions to recompile: of the one that writes, else of all except SciPy's.

    All are the functions of the frames, and functions of the same packages reachable from them.
    """
    from gradcli.patching.instrumented_code import recompiled_places

    frames = [frame for frame in frames if is_users(frame)]
    own = [frame for frame in frames if not is_scipys(frame)]
    for everywhere, some in ((False, frames[:1]), (True, own)):
        writing = [(frame.f_code.co_filename, frame.f_code.co_qualname, frame.f_lineno) for frame in frames[:1]]
        replacements.answers[*writing, everywhere] += 1
        if replacements.answers[*writing, everywhere] > 1:
            continue
        functions = frame_patch_points.makers_of(some, replacements.places, everywhere)
        if everywhere:
            packages = {_name(frame).partition(".")[0] for frame in own}
            led_to = reachable_objects(*functions).functions
            functions |= {f for f in led_to if str(f.__module__).partition(".")[0] in packages}
        if found := distinct(place for function in functions for place in recompiled_places(function, everywhere)):
            return found
    return []


def _places_of(frames: list[FrameType], known: set[Any], deep: bool = False) -> Iterator[Place]:
    """Yield the places of frames, including those replaced for another thread at present."""
    replaced_now = replaced_places()
    for frame in frames:
        yield from frame_patch_points.in_globals(frame, replacement_table())
        yield from frame_patch_points.in_functions(frame, replacement_table(), known)
        yield from (place for place in replaced_now if deep or place.holder is frame.f_globals)
        if deep:
            yield from frame_patch_points.in_objects(frame, replacement_table())
        if _name(frame).startswith("scipy."):
            yield from _special_function_places()


def _sparse_product_places(frames: list[FrameType]) -> Iterator[Place]:
    """Yield the multiplication methods of sparse matrices, if one of them was called."""
    from gradcli.patching.shims import sparse_matrix_products

    if any(_name(frame).startswith(sparse_matrix_products.PACKAGE) for frame in frames):
        yield from sparse_matrix_products.places()


def _special_function_places() -> Iterator[Place]:
    """Yield the Python functions of `scipy.special` that have rules, which are more accurate than their code."""
    found = patch_points.of_globals(vars(sys.modules.get("scipy.special", builtins)), replacement_table())
    by_name = (place for place in found if f"scipy.special.{place.key}" in FUNCTIONS)
    return (place for place in by_name if isinstance(place.original, FunctionType))


def _keeps_derivative(frame: FrameType) -> bool:
    """Whether replacements in a frame's code keep the derivative. They do not where numbers are split into integers."""
    package = _name(frame).partition(".")[0]
    is_followed = not is_numpys(frame) or _name(frame).startswith(_OF_POLYNOMIALS)
    return not is_ours(frame) and is_followed and package not in _EXACT and not is_of_cython(frame)


def _name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
