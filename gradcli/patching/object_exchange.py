"""Borrowing: places hold objects of ours while a run goes on, and the program's own once no run needs ours.

However many threads ask, an object is exchanged once.  As long as one run alone borrows, the names of a module are
exchanged together, which costs little however many there are.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from operator import is_
from typing import Any

from gradcli.patching.patch_points import MISSING, Place

lock = threading.RLock()
_borrowers: dict[tuple[int, Any, int], int] = {}
_borrowed: dict[tuple[int, Any, int], Place] = {}
_alone: list[lent] = []  # the run that borrows alone, if there is one


class LentNames:
    """Places in one dict, such as names of a module, that are exchanged together."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self._holder: dict[Any, Any] = places[0].holder
        self._original = {place.key: place.original for place in places}
        self._ours = {place.key: place.ours for place in places}
        self._present = {key: item for key, item in self._original.items() if item is not MISSING}
        self._absent = [key for key, item in self._original.items() if item is MISSING]

    def lend(self) -> bool:
        """Put ours there; where the program holds something else in one of them by now, exchange nothing."""
        if not self._hold(self._original):
            return False
        self._holder.update(self._ours)
        return True

    def take_back(self) -> None:
        """Put the program's own objects there again, wherever it has not written since."""
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
    """What one run borrows.

    Attributes:
        together: names of modules, and items of dicts.
        single: the places that are exchanged one by one.
    """

    def __init__(self, places: list[Place]) -> None:
        times = Counter(place.spot for place in places)  # what the program held there by turns
        self.single = [place for place in places if type(place.holder) is not dict or times[place.spot] > 1]
        in_dicts: dict[int, list[Place]] = {}
        for place in places:
            if type(place.holder) is dict and times[place.spot] == 1:
                in_dicts.setdefault(place.spot[0], []).append(place)
        self.together = [LentNames(each) for each in in_dicts.values()]


class lent:
    """Lends what a run borrows, and takes it back at the end whatever happens; once, however many threads ask."""

    __slots__ = ("_one_by_one", "_places", "_together")

    def __init__(self, places: Places) -> None:
        self._places = places

    def __enter__(self) -> None:
        with lock:
            _count_each()
            is_alone = not _borrowers
            together = self._places.together
            self._together = [names for names in together if is_alone and names.lend()]
            others = [place for names in together if names not in self._together for place in names.places]
            self._one_by_one = [(place, place.holder) for place in (*self._places.single, *others) if _borrow(place)]
            if self._together:
                _alone.append(self)

    def __exit__(self, *_: object) -> None:
        with lock:
            if self._together:
                _alone.remove(self)
            for names in self._together:
                names.take_back()
            for place, _holder in self._one_by_one:
                _give_back(place)

    def count_each(self) -> None:
        """Count what was exchanged together place by place, for the sake of others that borrow too."""
        for place in [place for names in self._together for place in names.places]:
            _borrowers[place.identity] = 1
            _borrowed[place.identity] = place
            self._one_by_one.append((place, place.holder))
        self._together = []


def _count_each() -> None:
    """Let no run borrow alone."""
    while _alone:
        _alone.pop().count_each()


def borrowed() -> list[Place]:
    """What is lent at present to any thread; to be asked under the lock."""
    _count_each()
    return list(_borrowed.values())


@contextmanager
def what_is_lent() -> Iterator[dict[int, list[Place]]]:
    """What is lent at present to any thread, by the identity of what holds it; nothing is lent or taken back inside."""
    with lock:
        found: dict[int, list[Place]] = {}
        for place in borrowed():
            found.setdefault(place.kept_in[0], []).append(place)
        yield found


def _borrow(place: Place) -> bool:
    identity = place.identity
    count = _borrowers.get(identity)
    if count is None:
        if not place.exchange(place.original, place.ours):
            return False
        _borrowed[identity] = place
    elif place.holder is None:
        return False
    _borrowers[identity] = 1 if count is None else count + 1
    return True


def _give_back(place: Place) -> None:
    identity = place.identity
    count = _borrowers[identity]
    if count > 1:
        _borrowers[identity] = count - 1
    else:
        del _borrowers[identity]
        lent = _borrowed.pop(identity)
        lent.exchange(lent.ours, lent.original)
