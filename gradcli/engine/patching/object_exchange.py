"""Exchange of a program's objects for their replacements while runs need them.

An object is exchanged once, however many threads ask for it. While only one run is active, the names of a module are
exchanged together, at a cost almost independent of their number.

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
_users_of: dict[tuple[int, Any, int], set[ActiveExchange]] = {}
_replaced: dict[tuple[int, Any, int], Place] = {}


class NameGroup:
    """Places in one dict, such as the names of a module, that are exchanged together."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self._holder: dict[Any, Any] = places[0].holder
        self._original = {place.key: place.original for place in places}
        self._replacements = {place.key: place.replacement for place in places}
        self._present = {key: item for key, item in self._original.items() if item is not MISSING}
        self._absent = [key for key, item in self._original.items() if item is MISSING]

    def replace(self) -> bool:
        """Put the replacements there and return True. If the program has changed any of the objects, do nothing."""
        if not self._holds(self._original):
            return False
        self._holder.update(self._replacements)
        return True

    def restore(self) -> None:
        """Restore the program's objects, except where it has assigned since."""
        if not self._holds(self._replacements):
            for place in self.places:
                place.exchange(place.replacement, place.original)
            return
        self._holder.update(self._present)
        for key in self._absent:
            del self._holder[key]

    def hold(self) -> bool:
        """Whether the program has the same objects there, or their replacements."""
        return self._holds(self._original) or all(map(is_held, self.places))

    def _holds(self, items: dict[Any, Any]) -> bool:
        return all(map(is_, map(self._holder.get, items, repeat(MISSING)), items.values()))


class CodeGroup:
    """The codes of functions, exchanged together."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self._codes = [(weakref.ref(place.holder), place.original, place.replacement) for place in places]

    def replace(self) -> bool:
        """Give the functions their replacements and return True. If one has other code by now, do nothing."""
        for reference, original, _ in self._codes:
            if (function := reference()) is not None and function.__code__ is not original:
                return False
        for reference, _, replacement in self._codes:
            if (function := reference()) is not None:
                function.__code__ = replacement
        return True

    def restore(self) -> None:
        """Give the functions their code back, except where the program has assigned one since."""
        for reference, original, replacement in self._codes:
            if (function := reference()) is not None and function.__code__ is replacement:
                function.__code__ = original

    def hold(self) -> bool:
        """Whether the functions have the same code, or its replacement."""
        for reference, original, replacement in self._codes:
            function = reference()
            if function is not None and function.__code__ is not original and function.__code__ is not replacement:
                return False
        return True


class GroupedPlaces:
    """The places that one run needs.

    Attributes:
        groups: the names of each module, the items of each dict, and the codes of functions, exchanged together.
        single: the places that are exchanged one by one.
    """

    def __init__(self, places: list[Place]) -> None:
        codes = [place for place in places if place.key == CODE and type(place.holder) is FunctionType]
        in_dicts: dict[int, list[Place]] = {}
        for place in places:
            if type(place.holder) is dict:
                in_dicts.setdefault(place.spot[0], []).append(place)
        self.groups: list[NameGroup | CodeGroup] = [
            *map(NameGroup, in_dicts.values()),
            *([CodeGroup(codes)] if codes else []),
        ]
        grouped = {id(place) for group in self.groups for place in group.places}
        self.single = [place for place in places if id(place) not in grouped]

    def hold(self) -> bool:
        """Whether the program has the same objects there, or their replacements."""
        for group in self.groups:
            if not group.hold():
                return False
        return not self.single or all(map(is_held, self.single))


def is_held(place: Place) -> bool:
    """Whether a place, if it still exists, holds the same object or its replacement."""
    return place.holder is None or any(place.read() is held for held in (place.original, place.replacement))


class Run:
    """A token for one run. It lives as long as the frame that calls the function."""

    __slots__ = ("__weakref__",)


class ActiveExchange:
    """The exchange of the places that one run needs."""

    __slots__ = ("_counted", "_groups", "_places", "run", "thread")

    def __init__(self, places: GroupedPlaces, run: Run) -> None:
        self._places = places
        self.run = weakref.ref(run)
        self._groups: list[NameGroup | CodeGroup] = []
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
        is_alone = len(_active) == 1
        for names in self._places.groups:
            if is_alone:
                self._groups.append(names)
                if names.replace():
                    continue
                self._groups.pop()
            self._count_users(names.places)
        if self._places.single:
            self._count_users(self._places.single)

    def revert(self) -> None:
        """Restore the program's objects that no other run needs exchanged. May be called again after an interrupt."""
        with lock:
            self._revert()

    def _revert(self) -> None:
        while self._groups:
            self._groups[-1].restore()
            del self._groups[-1]
        while self._counted:
            _remove_user(self._counted[-1][0], self)
            del self._counted[-1]
        if self in _active:
            _active.remove(self)

    def share(self) -> None:
        """Count the users of each object of a group, because other runs share them."""
        while self._groups:
            self._count_users(self._groups[-1].places)
            del self._groups[-1]

    def _count_users(self, places: list[Place]) -> None:
        for place in places:
            holder = place.holder
            if holder is not None:
                self._counted.append((place, holder))
                _add_user(place, self)


def call_with_replacements(places: GroupedPlaces, function: Callable[..., T], *arguments: Any) -> T:
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
    return list(_replaced.values())


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
    identity = place.identity
    _users_of.setdefault(identity, set()).add(exchange)
    first = _replaced.setdefault(identity, place)
    if not first.exchange(first.original, first.replacement) and first.read() is not first.replacement:
        _remove_user(place, exchange)  # the program has put another object there


def _remove_user(place: Place, exchange: ActiveExchange) -> None:
    identity = place.identity
    users = _users_of.get(identity)
    if users is not None:
        users.discard(exchange)
    if not users and (first := _replaced.get(identity)) is not None:
        first.exchange(first.replacement, first.original)
        _replaced.pop(identity, None)
        _users_of.pop(identity, None)


def _revert_other_threads() -> None:
    """Restore, in a forked child, the objects exchanged for threads that do not exist there."""
    try:
        own = threading.get_ident()
        revert_abandoned(lambda exchange: exchange.thread != own)
    finally:
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=_revert_other_threads)
