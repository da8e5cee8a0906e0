"""Exchange of a program's objects for their replacements while runs need them.

An object is exchanged once, however many threads ask for it: while several runs are active, the users of each place
are counted.

Ctrl-C may arrive between any two steps. Each exchange is noted before it is made, and reverting it twice is harmless,
so an interrupt loses nothing. No loop stands inside `with lock`: CPython 3.13 does not release the lock if an interrupt
arrives at the jump of such a loop. A forked child keeps the exchanges of its own thread and reverts those of other
threads.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import repeat
from operator import is_
from types import FunctionType
from typing import Any, TypeVar

from gradcli.engine.patching.patch_points import CODE, MISSING, Place

T = TypeVar("T")

lock = threading.RLock()
_active: list[ActiveExchange] = []  # of the active runs, in order; the first may exchange alone
# The places that are shared, by their identity, each with the runs that need it.
_replaced: dict[tuple[int, Any, int], tuple[Place, set[ActiveExchange]]] = {}


class ExchangedPlaces:
    """The places that one run needs."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        codes = [place for place in places if place.key == CODE and type(place.holder) is FunctionType]
        self._codes = [(weakref.ref(place.holder), place.original, place.replacement) for place in codes]
        in_dicts: dict[int, list[Place]] = {}
        for place in places:
            if type(place.holder) is dict:
                in_dicts.setdefault(place.spot[0], []).append(place)
        self._in_dicts = [
            (group[0].holder, {place.key: place.original for place in group}, group) for group in in_dicts.values()
        ]
        grouped = {*map(id, codes), *(id(place) for group in in_dicts.values() for place in group)}
        self._others = [place for place in places if id(place) not in grouped]

    def hold(self) -> bool:
        """Whether the program has the same objects there, or their replacements. A known program asks at each call."""
        for reference, original, replacement in self._codes:
            function = reference()
            if function is not None and function.__code__ is not original and function.__code__ is not replacement:
                return False
        for holder, originals, group in self._in_dicts:
            if not all(map(is_, map(holder.get, originals, repeat(MISSING)), originals.values())) and not all(
                map(is_held, group)
            ):
                return False
        return not self._others or all(map(is_held, self._others))


def is_held(place: Place) -> bool:
    """Whether a place, if it still exists, holds the same object or its replacement."""
    return place.holder is None or any(place.read() is held for held in (place.original, place.replacement))


class Run:
    """A token for one run. It lives as long as the frame that calls the function."""

    __slots__ = ("__weakref__",)


class ActiveExchange:
    """The exchange of the places that one run needs."""

    __slots__ = ("_counted", "_is_alone", "_places", "run", "thread")

    def __init__(self, places: ExchangedPlaces, run: Run) -> None:
        self._places = places.places
        self.run = weakref.ref(run)
        self._is_alone = False  # whether the places are exchanged for this run only, so that no users are counted
        self._counted: list[tuple[Place, Any]] = []  # with their holders, as a place does not keep its holder alive
        self.thread = threading.get_ident()

    def make(self) -> None:
        """Put the replacements into all places."""
        with lock:
            self._make()

    def _make(self) -> None:
        _active.append(self)
        if len(_active) > 1:
            revert_abandoned(lambda exchange: exchange.run() is None)
            _share_all()
        if len(_active) > 1:
            self._count_users()
            return
        self._is_alone = True
        for place in self._places:
            place.exchange(place.original, place.replacement)

    def revert(self) -> None:
        """Restore the program's objects that no other run needs exchanged. May be called again after an interrupt."""
        with lock:
            self._revert()

    def _revert(self) -> None:
        if self._is_alone:
            for place in self._places:
                place.exchange(place.replacement, place.original)
            self._is_alone = False
        while self._counted:
            _remove_user(self._counted[-1][0], self)
            del self._counted[-1]
        if self in _active:
            _active.remove(self)

    def share(self) -> None:
        """Count the users of each place, because other runs share them."""
        if self._is_alone:
            self._count_users()
            self._is_alone = False

    def _count_users(self) -> None:
        for place in self._places:
            holder = place.holder
            if holder is not None:
                self._counted.append((place, holder))
                _add_user(place, self)


def call_with_replacements(places: ExchangedPlaces, function: Callable[..., T], *arguments: Any) -> T:
    """Call a function while places hold replacements, and restore them however it ends, by an interrupt too."""
    run = Run()
    exchange = ActiveExchange(places, run)
    try:
        exchange.make()
        return function(*arguments)
    finally:
        try:
            exchange.revert()
        except BaseException:
            exchange.revert()
            raise


def revert_abandoned(is_abandoned: Callable[[ActiveExchange], bool]) -> None:
    """Restore the objects for runs that can no longer do so themselves."""
    with lock:
        _revert_all(filter(is_abandoned, list(_active)))


def _revert_all(exchanges: Iterable[ActiveExchange]) -> None:
    for exchange in exchanges:
        exchange.revert()


def _share_all() -> None:
    """Make every run share its replacements."""
    for exchange in _active:
        exchange.share()


def replaced_places() -> list[Place]:
    """The places that hold a replacement for any thread at present. Requires the lock."""
    _share_all()
    return [place for place, _ in _replaced.values()]


@contextmanager
def replaced_by_holder() -> Iterator[dict[int, list[Place]]]:
    """A context with the replaced places of all threads, by the identity of their holder, fixed while inside."""
    with lock:
        yield _by_holder(replaced_places())


def _by_holder(places: Iterable[Place]) -> dict[int, list[Place]]:
    by_holder: dict[int, list[Place]] = {}
    for place in places:
        by_holder.setdefault(place.storage[0], []).append(place)
    return by_holder


def _add_user(place: Place, exchange: ActiveExchange) -> None:
    first, users = _replaced.setdefault(place.identity, (place, set()))
    users.add(exchange)
    if not first.exchange(first.original, first.replacement) and first.read() is not first.replacement:
        _remove_user(place, exchange)  # the program has put another object there


def _remove_user(place: Place, exchange: ActiveExchange) -> None:
    if (known := _replaced.get(place.identity)) is None:
        return
    first, users = known
    users.discard(exchange)
    if not users:
        first.exchange(first.replacement, first.original)
        _replaced.pop(place.identity, None)


def _revert_other_threads() -> None:
    """Restore, in a forked child, the objects exchanged for threads that do not exist there."""
    try:
        own = threading.get_ident()
        revert_abandoned(lambda exchange: exchange.thread != own)
    finally:
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=_revert_other_threads)
