"""The functions that share a frame's code, and the functions that create them at each run."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

_MOST_FROZEN = 100_000  # the most objects searched where `gc.get_referrers` finds none


# Code that a frame runs or that creates such code, with its function and its frame where they are known
Maker = tuple[CodeType, FunctionType | None, FrameType | None]


def functions_of_frames(frames: Iterable[FrameType]) -> Iterator[FunctionType]:
    """Yield the functions with the codes of some frames, and the functions that create them at each run.

    If a module's name may not hold the only such function, one pass over all objects of the program finds the others.
    """
    found = [(maker, frame) for frame in frames for maker in creating_codes(frame)]
    sought = {id(code): code for (code, function, _), _ in found if not _is_alone(function)}
    holding = [each for each in gc.get_referrers(*sought.values()) if isinstance(each, FunctionType)] if sought else []
    for (code, function, _), frame in found:
        if function is not None and id(code) not in sought:
            yield function
            continue
        yield from (each for each in holding if each.__code__ is code)
        if gc.get_freeze_count():
            yield from _frozen(code, frame)


def _is_alone(function: FunctionType | None) -> bool:
    """Whether a function is the only one with its code: a module holds it under its qualified name."""
    if function is None or function.__closure__ is not None:
        return False
    first, *inner = function.__code__.co_qualname.split(".")
    held = function.__globals__.get(first)
    for name in inner:
        held = vars(held).get(name) if isinstance(held, type) else None
        held = getattr(held, "__func__", held)  # static methods and class methods
    return held is function


def _frozen(maker: CodeType, frame: FrameType) -> Iterator[FunctionType]:
    """Yield the functions with some code after `gc.freeze`, which hides objects from `gc.get_referrers`.

    The search goes the other way: through the objects reachable from the names of the frame and of its callers.
    """
    waiting: list[Any] = [frame.f_globals]
    above: FrameType | None = frame
    while above is not None:
        waiting += above.f_locals.values()
        above = above.f_back
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_FROZEN:
        found = {id(each): each for each in waiting}
        yield from (f for f in found.values() if isinstance(f, FunctionType) and f.__code__ is maker)
        seen |= found.keys()
        waiting = [x for x in gc.get_referents(*map(_inside, found.values())) if id(x) not in seen]


def _inside(x: Any) -> Any:
    """The part of an object that the search enters: not the contents of modules nor the globals of functions."""
    if isinstance(x, FunctionType):
        return x.__closure__, x.__defaults__, x.__kwdefaults__, x.__dict__
    return None if isinstance(x, types.ModuleType) else x


def creating_codes(frame: FrameType) -> list[Maker]:
    """The code of `frame`, of each caller that contains it, and of the global function in which it is written."""
    code = frame.f_code
    found: dict[CodeType, Maker] = {code: (code, _function_of(frame), frame)}
    outer = frame.f_globals.get(code.co_qualname.partition(".")[0])
    if isinstance(outer, FunctionType) and defines_code(outer.__code__, code):
        found[outer.__code__] = outer.__code__, outer, None
    above = frame.f_back
    while above is not None:
        if above.f_code not in found and defines_code(above.f_code, code):
            found[above.f_code] = above.f_code, _function_of(above), above
        above = above.f_back
    return list(found.values())


def _function_of(frame: FrameType) -> FunctionType | None:
    """The function that a frame ran; None while the frame still runs and is invisible to the garbage collector."""
    functions = [each for each in gc.get_referents(frame) if isinstance(each, FunctionType)]
    return next((each for each in functions if each.__code__ is frame.f_code), None)


def defines_code(outer: CodeType, inner: CodeType) -> bool:
    """Whether one code object defines another, directly or in a nested function."""
    codes = [c for c in outer.co_consts if isinstance(c, CodeType)]
    return any(c is inner or defines_code(c, inner) for c in codes)
