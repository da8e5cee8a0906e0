"""Lending: for the time of one run, the places that dropped a derivative hold objects of ours that keep it.

A run in which a recorded value reaches code that takes its bare number (`math.sin(x)`, `float(x)`, `np.array([x])`) is
given up, the names in the globals of the very frame that asked are lent our own, and the function is run again.  Where
that did not help, what the frame's names lead to is lent as well, and then the frames that called it.  Nothing is patched
for the whole process, nothing is paid where nothing leaks, and what a function needs is remembered.  Where there is
nothing more to lend the run is refused by name and line: G402, never a silent zero.
"""

from __future__ import annotations

import builtins
import functools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

from gradcli.tape import places
from gradcli.tape.frames import is_numpys, is_ours
from gradcli.tape.leak import Leak
from gradcli.tape.places import MISSING, Place

# Where to look, in this order, and how often the same code is answered from there: a place that is made anew by each run
# is lent in vain, and the next way has to be tried.
_WAYS = ((places.in_globals, 2), (places.in_functions, 4), (places.in_objects, 8))


@dataclass
class Loan:
    """What has to be lent while one function runs.

    Attributes:
        places: where.
        own: whether the function itself is one of the holders, so that each one made of the same code needs it.
        instead: what is called in place of the function, where that is one of `math` itself.
        answered: how often the leaks of some code were answered, by each way.
    """

    places: list[Place] = field(default_factory=list)
    own: bool = False
    instead: Callable[..., Any] | None = None
    answered: Counter[Any] = field(default_factory=Counter)


needs: dict[Any, Loan] = {}  # the code of a function, and what it was found to need
_looked_at: dict[Any, None] = {}
_MOST_LOOKED_AT = 4096
_lock = threading.RLock()
_borrowers: Counter[tuple[int, Any]] = Counter()


def remembered(function: Callable[..., Any]) -> Loan | None:
    """What `function` was found to need in an earlier run."""
    loan = needs.get(_code(function))
    if loan is not None and loan.own and isinstance(function, FunctionType):
        return Loan([*loan.places, *places.of_function(function, _objects())], own=True)
    return loan


def _code(function: Any) -> Any:
    """What stays the same when a function is made anew: its code, below decorators and partial applications."""
    while type(function) is functools.partial or "__wrapped__" in getattr(function, "__dict__", ()):
        function = function.func if type(function) is functools.partial else function.__wrapped__
    return getattr(function, "__code__", function if isinstance(function, BuiltinFunctionType) else type(function))


def followed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function to run: ours for one of `math` itself, any other as it is, with what it is known to need remembered."""
    if isinstance(function, BuiltinFunctionType):
        return _objects().get(id(function), function)  # type: ignore[no-any-return]
    code = _code(function)
    if code not in _looked_at:
        _looked_at[code] = None
        _look_at(function, code)
    return function


def _look_at(function: Any, code: Any) -> None:
    if len(_looked_at) > _MOST_LOOKED_AT:
        del _looked_at[next(iter(_looked_at))]
    plain = getattr(function, "__func__", function)
    asking = places.asking_for_types(plain) if isinstance(plain, FunctionType) else []
    if asking and code not in needs:
        needs[code] = Loan([place for names in asking for place in places.of_globals(names, _objects())])


@contextmanager
def lent(loan: Loan) -> Iterator[None]:
    """Lend what `loan` says, and take it back at the end whatever happens; once, however many threads ask."""
    with _lock:
        borrowed = [(place, place.holder) for place in loan.places if _borrow(place)]
    try:
        yield
    finally:
        with _lock:
            for place, _ in borrowed:
                _give_back(place)


def _borrow(place: Place) -> bool:
    if place.holder is None:
        return False
    present, identity = place.read(), place.identity()
    if present is place.original:
        place.write(place.ours)
    elif present is not place.ours:
        return False  # the program holds something else there by now
    _borrowers[identity] += 1
    return True


def _give_back(place: Place) -> None:
    identity = place.identity()
    _borrowers[identity] -= 1
    if not _borrowers[identity]:
        del _borrowers[identity]
        if place.read() is place.ours:
            place.write(place.original)


def extend(loan: Loan | None, function: Callable[..., Any], leak: Leak) -> Loan:
    """The loan that answers `leak`, remembered for the next time.

    Raises:
        DetachedError: there is nothing more to lend.
    """
    before = loan or Loan()
    new = _answer(before, leak)
    instead = before.instead if new else _instead(function, before)
    if not new and instead is None:
        raise leak.refusal()
    own = before.own or any(place.holder is function for place in new)
    extended = Loan([*before.places, *new], own, instead, before.answered)
    kept = [place for place in extended.places if place.lasts and place.holder is not None or _is_lasting(place)]
    needs[_code(function)] = Loan(kept, own)
    return extended


def _instead(function: Any, loan: Loan) -> Callable[..., Any] | None:
    """Our object for a function under test that is one of `math` itself."""
    ours = places.stand_in(_objects(), function)
    return None if ours is MISSING or loan.instead is not None else ours  # type: ignore[no-any-return]


def _answer(loan: Loan, leak: Leak) -> list[Place]:
    """The places that are not lent yet, nearest to the frame that asked; empty where there are none."""
    known = {place.identity() for place in loan.places}
    for frame, _ in leak.frames:
        for find, times in _WAYS if _may_be_lent_to(frame) else ():
            key = (frame.f_code, find)
            new = {place.identity(): place for place in find(frame, _objects()) if place.identity() not in known}
            if new and loan.answered[key] < times:
                loan.answered[key] += 1
                return list(new.values())
    return []


def _may_be_lent_to(frame: FrameType) -> bool:
    return not is_ours(frame) and not is_numpys(frame)


def _is_lasting(place: Place) -> bool:
    """Whether a dict or list is a module's, so that remembering it keeps nothing alive that would go."""
    names = place.holder
    return isinstance(names, dict) and vars(sys.modules.get(str(names.get("__name__")), builtins)) is names


def _objects() -> dict[int, Any]:
    """Ours by the identity of the original: modules, functions of `math`, functions and types of NumPy."""
    from gradcli.tape import lent

    if not _ours_by_id:
        _ours_by_id.update({id(original): mine for original, mine in lent.TYPES.items()})
    for name in places.IMPORTED:
        if places.ALIAS + name not in sys.modules and (ours := lent.module(name)) is not None:
            sys.modules[places.ALIAS + name] = ours
            _ours_by_id.update(_collect(sys.modules[name], ours))
    return _ours_by_id


_ours_by_id: dict[int, Any] = {}


def _collect(original: ModuleType, ours: ModuleType) -> Iterator[tuple[int, Any]]:
    yield id(original), ours
    for name, value in vars(original).items():  # not `dir`, which would import NumPy's lazy submodules
        if callable(value) and not isinstance(value, type) and not name.startswith("_"):
            mine = getattr(ours, name)
            if mine is not value:
                yield id(value), mine


def file_builtins() -> dict[str, Any]:
    """The `__builtins__` of a file that gradcli itself loads: its `float`, and what it imports, are ours from the start."""
    from gradcli.tape import lent

    def import_ours(name: str, *arguments: Any, **options: Any) -> Any:
        module = builtins.__import__(name, *arguments, **options)
        return lent.module(getattr(module, "__name__", "")) or module

    return {**vars(builtins), "float": lent.LentFloat, "type": lent.LentType, "__import__": import_ours}
