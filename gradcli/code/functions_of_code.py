"""The functions that a frame's code belongs to, and those that make them anew at each run."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

_MOST_FROZEN = 100_000  # how many objects are looked at where the collector does not tell


# A code that a frame runs or that makes it anew, with the function and the frame, where these are known
Maker = tuple[CodeType, FunctionType | None, FrameType | None]


def made_of(frame: FrameType) -> Iterator[FunctionType]:
    """The functions whose code is that of a frame, and those that make them anew.

    Where they may be more than a module holds by their names all objects of the program are looked at, once.
    """
    found = makers(frame)
    sought = [code for code, function, _ in found if not _is_alone(function)]
    holding = [each for each in gc.get_referrers(*sought) if isinstance(each, FunctionType)] if sought else []
    for code, function, _ in found:
        if function is not None and code not in sought:
            yield function
            continue
        yield from (each for each in holding if each.__code__ is code)
        if gc.get_freeze_count():
            yield from _frozen(code, frame)


def _is_alone(function: FunctionType | None) -> bool:
    """Whether a function is the only one of its code: a module holds it by the name under which it is written there."""
    if function is None or function.__closure__ is not None:
        return False
    first, *inner = function.__code__.co_qualname.split(".")
    held = function.__globals__.get(first)
    for name in inner:
        held = vars(held).get(name) if isinstance(held, type) else None
        held = getattr(held, "__func__", held)  # of static methods and those of the class
    return held is function


def _frozen(maker: CodeType, frame: FrameType) -> Iterator[FunctionType]:
    """The functions of some code where the program has called `gc.freeze`, which hides from `gc.get_referrers`.

    They are looked for the other way round: in what the names of the frame and of its callers lead to.
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
    """What is looked into of an object: of a module, and of the globals of a function, nothing."""
    if isinstance(x, FunctionType):
        return x.__closure__, x.__defaults__, x.__kwdefaults__, x.__dict__
    return None if isinstance(x, types.ModuleType) else x


def makers(frame: FrameType) -> list[Maker]:
    """The code of `frame`, of every frame above that contains it, and of the global function that it is written in."""
    code = frame.f_code
    found: dict[CodeType, Maker] = {code: (code, _function_of(frame), frame)}
    outer = frame.f_globals.get(code.co_qualname.partition(".")[0])
    if isinstance(outer, FunctionType) and contains(outer.__code__, code):
        found[outer.__code__] = outer.__code__, outer, None
    above = frame.f_back
    while above is not None:
        if above.f_code not in found and contains(above.f_code, code):
            found[above.f_code] = above.f_code, _function_of(above), above
        above = above.f_back
    return list(found.values())


def _function_of(frame: FrameType) -> FunctionType | None:
    """The function that a frame ran; None while it goes on, when the frame does not tell the collector."""
    functions = [each for each in gc.get_referents(frame) if isinstance(each, FunctionType)]
    return next((each for each in functions if each.__code__ is frame.f_code), None)


def contains(outer: CodeType, inner: CodeType) -> bool:
    """Whether a code makes functions of another one, or functions that do."""
    codes = [c for c in outer.co_consts if isinstance(c, CodeType)]
    return any(c is inner or contains(c, inner) for c in codes)
