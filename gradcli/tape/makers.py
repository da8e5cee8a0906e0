"""The functions that a frame's code belongs to, and those that make them anew at each run."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

_MOST_FROZEN = 100_000  # how many objects are looked at where the collector does not tell


def made_of(frame: FrameType) -> Iterator[FunctionType]:
    """The functions whose code is that of a frame, and those that make them anew."""
    for maker in _makers(frame):
        yield from (each for each in gc.get_referrers(maker) if isinstance(each, FunctionType))
        if gc.get_freeze_count():
            yield from _frozen(maker, frame)


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


def _makers(frame: FrameType) -> list[CodeType]:
    """The code of `frame`, of every frame above that contains it, and of the global function that it is written in."""
    code = frame.f_code
    makers = [code]
    outer = frame.f_globals.get(code.co_qualname.partition(".")[0])
    if isinstance(outer, FunctionType) and contains(outer.__code__, code):
        makers.append(outer.__code__)
    above = frame.f_back
    while above is not None:
        if contains(above.f_code, code) and above.f_code not in makers:
            makers.append(above.f_code)
        above = above.f_back
    return makers


def contains(outer: CodeType, inner: CodeType) -> bool:
    """Whether a code makes functions of another one, or functions that do."""
    codes = [c for c in outer.co_consts if isinstance(c, CodeType)]
    return any(c is inner or contains(c, inner) for c in codes)
