"""Exchange of a program's objects for their replacements while runs need them.

An object is exchanged once, however many threads ask for it. While only one run is active, the names of a module are
exchanged together, at a cost almost independent of their number.

Ctrl-C may arrive between any two steps. Each exchange is noted before it is made, and reverting it twice is harmless,
so an interrupt loses nothing. A forked child keeps the exchanges of its own thread and reverts those of other threads.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from operator import is_
from typing import Any, TypeVar

from gradcli.patching.patch_points import MISSING, Place

T = TypeVar("T")

lock = threading.RLock()
_loans: list[BorrowedPlaces] = []  # of the active runs, in order; the first may exchange alone
_borrowers: dict[tuple[int, Any, int], set[BorrowedPlaces]] = {}
_borrowed: dict[tuple[int, Any, int], Place] = {}


class LentNames:
    """Places in one dict, such as the names of a module, that are exchanged together."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self._holder: dict[Any, Any] = places[0].holder
        self._original = {place.key: place.original for place in places}
        self._ours = {place.key: place.ours for place in places}
        self._present = {key: item for key, item in self._original.items() if item is not MISSING}
        self._absent = [key for key, item in self._original.items() if item is MISSING]

    def lend(self) -> bool:
        """Put the replacements there and return True. If the program has changed any of the objects, do nothing."""
        if not self._hold(self._original):
            return False
        self._holder.update(self._ours)
        return True

    def take_back(self) -> None:
        """Restore the program's objects, except where it has assigned since."""
        if not self._hold(self._ours):
            for place in self.places:
                place.exchange(place.ours, place.original)
            return
        self._holder.update(self._present)
        for key in self._absent:
            del self._holder[key]

    def _hold(self, items: dict[Any, Any]) -> bool:
        return all(map(is_, map(self._holder.get, items, repeat(MISSING)), items.values()))


class Places:
    """The places that one run needs.

    Attributes:
        together: names of modules, and items of dicts.
        single: the places that are exchanged one by one.
    """

    def __init__(self, places: list[Place]) -> None:
        times = Counter(place.spot for place in places)  # of the objects that the program puts there by turns
        self.single = [place for place in places if type(place.holder) is not dict or times[place.spot] > 1]
        in_dicts: dict[int, list[Place]] = {}
        for place in places:
            if type(place.holder) is dict and times[place.spot] == 1:
                in_dicts.setdefault(place.spot[0], []).append(place)
        self.together = [LentNames(each) for each in in_dicts.values()]


class Run:
    """A token for one run. It lives as long as the frame that calls the function."""

    __slots__ = ("__weakref__",)


class BorrowedPlaces:
    """The places that one run has exchanged so far."""

    __slots__ = ("_counted", "_places", "_together", "is_going_on", "thread")

    def __init__(self, places: Places, run: Run) -> None:
        self._places = places
        self.is_going_on = weakref.ref(run)
        self._together: list[LentNames] = []
        self._counted: list[tuple[Place, Any]] = []  # with their holders, as a place does not keep its holder alive
        self.thread = threading.get_ident()

    def borrow(self) -> None:
        """Exchange the objects that are not exchanged yet."""
        with lock:
            _loans.append(self)
            if len(_loans) > 1:
                take_back(lambda loan: loan.is_going_on() is None)
                _count_each()
            is_alone = len(_loans) == 1
            for names in self._places.together:
                if is_alone:
                    self._together.append(names)
                    if names.lend():
                        continue
                    self._together.pop()
                self._count(names.places)
            self._count(self._places.single)

    def give_back(self) -> None:
        """Restore the program's objects that no other run needs exchanged. May be called again after an interrupt."""
        with lock:
            while self._together:
                self._together[-1].take_back()
                del self._together[-1]
            while self._counted:
                _give_back(self._counted[-1][0], self)
                del self._counted[-1]
            if self in _loans:
                _loans.remove(self)

    def count_each(self) -> None:
        """Count the objects exchanged together one by one, because other runs share them."""
        while self._together:
            self._count(self._together[-1].places)
            del self._together[-1]

    def _count(self, places: list[Place]) -> None:
        for place in places:
            holder = place.holder
            if holder is not None:
                self._counted.append((place, holder))
                _borrow(place, self)


def call_borrowing(places: Places, function: Callable[..., T], *arguments: Any) -> T:
    """Call a function while places are exchanged, and restore them however it ends, by an interrupt too."""
    run = Run()
    loan = BorrowedPlaces(places, run)
    try:
        loan.borrow()
        return function(*arguments)
    finally:
        try:
            loan.give_back()
        except BaseException:
            loan.give_back()
            raise


def take_back(is_lost: Callable[[BorrowedPlaces], bool]) -> None:
    """Restore the objects for runs that can no longer do so themselves."""
    with lock:
        for loan in filter(is_lost, list(_loans)):
            loan.give_back()


def _count_each() -> None:
    """Make every run share its exchanges."""
    for loan in _loans:
        loan.count_each()


def borrowed() -> list[Place]:
    """The places exchanged for any thread at present. Requires the lock."""
    _count_each()
    return list(_borrowed.values())


@contextmanager
def what_is_lent() -> Iterator[dict[int, list[Place]]]:
    """A context with the places exchanged for any thread, by the identity of their holder, fixed while inside."""
    with lock:
        found: dict[int, list[Place]] = {}
        for place in borrowed():
            found.setdefault(place.kept_in[0], []).append(place)
        yield found


def _borrow(place: Place, loan: BorrowedPlaces) -> None:
    identity = place.identity
    _borrowers.setdefault(identity, set()).add(loan)
    lent = _borrowed.setdefault(identity, place)
    if not lent.exchange(lent.original, lent.ours) and lent.read() is not lent.ours:
        _give_back(place, loan)  # the program has put another object there


def _give_back(place: Place, loan: BorrowedPlaces) -> None:
    identity = place.identity
    borrowers = _borrowers.get(identity)
    if borrowers is not None:
        borrowers.discard(loan)
    if not borrowers and (lent := _borrowed.get(identity)) is not None:
        lent.exchange(lent.ours, lent.original)
        _borrowed.pop(identity, None)
        _borrowers.pop(identity, None)


def _keep_own() -> None:
    """Restore, in a forked child, the objects exchanged for threads that do not exist there."""
    try:
        own = threading.get_ident()
        take_back(lambda loan: loan.thread != own)
    finally:
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=_keep_own)
