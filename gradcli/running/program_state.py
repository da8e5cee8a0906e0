"""What a program keeps from one run to the next: saved before a run, put back where that run is done again.

That is what its code leads to and can be written to: attributes, containers, arrays, enclosed variables, globals, and
random generators.  What only goes on, such as a generator of Python's, cannot be put back; it is named in a warning.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from gradcli.code.reachable_code import FARTHEST, Reached, names_in, reads, slots_of
from gradcli.code.stack_frames import frames_of_ours, is_installed
from gradcli.errors import FindingWarning
from gradcli.patching.object_exchange import what_is_lent
from gradcli.patching.patch_points import MISSING, Place
from gradcli.running.bound_call import BoundCall
from gradcli.tape.value import bare

Lent = dict[int, list[Place]]  # by the identity of what holds it

LARGEST = 1 << 26  # bytes of arrays that are copied in all


class Generators:
    """The random generators that a program may draw from: `random`, np.random, and those that it leads to.

    Attributes:
        frozen: whether each run begins with the same state.
    """

    def __init__(self, found: Reached) -> None:
        self.frozen = False
        self._before = [(take, give, take()) for take, give in _states(found.generators)]

    def set_back(self) -> None:
        """Give every generator the state that it had at first, if runs are to begin alike."""
        if self.frozen:
            self.restore()

    def restore(self) -> None:
        """Give every generator the state that it had at first."""
        for _, give, state in self._before:
            give(state)

    @contextmanager
    def begun_elsewhere(self) -> Iterator[None]:
        """Let the runs inside begin with the state that is now."""
        before = self._before
        self._before = [(take, give, take()) for take, give, _ in before]
        try:
            yield
        finally:
            self._before = before

    def changed(self) -> bool:
        """Whether any has been drawn from since."""
        return not all(_is_state(take(), state) for take, _, state in self._before)


def _states(values: list[Any]) -> Iterator[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """How the state of each generator is taken, and given back; what is not imported has drawn nothing."""
    if python := sys.modules.get("random"):
        own = (value for value in values if isinstance(value, python.Random))
        yield from ((each.getstate, each.setstate) for each in (python, *own))
    if numpys := sys.modules.get("numpy.random"):
        old = (value for value in values if isinstance(value, numpys.RandomState))
        yield from ((functools.partial(each.get_state, legacy=False), each.set_state) for each in (numpys, *old))
        yield from (_state_of_bits(value.bit_generator) for value in values if isinstance(value, numpys.Generator))


def _state_of_bits(bits: Any) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    return lambda: bits.state, lambda state: setattr(bits, "state", state)


def _is_state(now: Any, before: Any) -> bool:
    """Whether a generator's state is still what it was; NumPy's are dicts that hold arrays."""
    if isinstance(now, dict):
        return all(_is_state(now[key], part) for key, part in before.items())
    return np.array_equal(now, before) if isinstance(now, np.ndarray) else bool(now == before)


class State:
    """What a program keeps, as it is now.

    Args:
        call: what is about to run.
        farthest: how many objects are looked at.
    """

    def __init__(self, call: BoundCall, farthest: int = FARTHEST) -> None:
        found = call.reached(farthest)
        self._function = call.function
        self._found = found
        self._generators = Generators(found)
        with what_is_lent() as lent:
            held = (each for holder in found.holders for each in _containers(holder))
            self._containers = [(each, _own_items(copy.copy(each), lent.get(id(each), ()))) for each in held]
            self._places = [(each, _own(each, lent)) for holder in found.holders for each in _places(holder)]
        self._arrays = list(_copies(found.holders))

    def changed(self) -> bool:
        """Whether the program has written to any of it, or drawn a random number."""
        with what_is_lent() as lent:
            if next(self._changed_containers(lent), None) or next(self._changed_places(lent), None):
                return True
        return any(array.tobytes() != before.tobytes() for array, before in self._arrays) or self._generators.changed()

    def restore(self) -> None:
        """Put it back, and warn of what has gone on for good."""
        self._generators.restore()
        with what_is_lent() as lent:
            for container, before in self._changed_containers(lent):
                container.clear()
                (container.extend if hasattr(container, "extend") else container.update)(before)
                _lend_again(lent.get(id(container), ()))
            for place, before in self._changed_places(lent):
                place.write(before)
                _lend_again(lent.get(place.spot[0], ()))
        for array, before in self._arrays:
            np.copyto(array, before)
        for each in self._found.iterators:
            text = f"{self._name_of(each)} has gone on twice: the function was run again to follow a recorded value"
            warnings.warn(f"G903: {text}", FindingWarning, stacklevel=frames_of_ours() + 1)

    def _changed_containers(self, lent: Lent) -> Iterator[tuple[Any, Any]]:
        for container, before in self._containers:
            loans = lent.get(id(container))
            if not _same(_own_items(copy.copy(container), loans) if loans else container, before):
                yield container, before

    def _changed_places(self, lent: Lent) -> Iterator[tuple[Place, Any]]:
        return ((place, before) for place, before in self._places if _own(place, lent) is not before)

    def _name_of(self, item: Any) -> str:
        held = (f"{type(holder).__name__}.{key}" for holder, key, other, _ in self._found.items if other is item)
        read = (name for _, name, other in reads(self._function) if other is item)
        return next(itertools.chain(read, held), f"a {type(item).__name__}")


def _own_items(container: Any, loans: Iterable[Place]) -> Any:
    """A copied container with the program's own items, where ours are lent to it."""
    for loan in loans:
        copied = Place(container, loan.key)
        if copied.read() is loan.ours:
            copied.write(loan.original)
    return container


def _own(place: Place, lent: Lent) -> Any:
    """What the program itself holds at a place."""
    item = place.read()
    return next(
        (loan.original for loan in lent.get(place.spot[0], ()) if loan.ours is item and loan.key == place.key), item
    )


def _lend_again(loans: Iterable[Place]) -> None:
    """Put ours back where another thread needs them."""
    for loan in loans:
        loan.exchange(loan.original, loan.ours)


def _containers(holder: Any) -> Iterator[Any]:
    """What of a holder can be emptied and filled again: itself, or its attributes."""
    if isinstance(holder, (dict, list, collections.deque, set)):
        yield holder
    elif isinstance(own := getattr(holder, "__dict__", None), dict):
        yield own


def _places(holder: Any) -> Iterator[Place]:
    """What of a holder can be written one by one: what a function encloses, globals, attributes of classes, slots."""
    if isinstance(holder, FunctionType):
        yield from (Place(holder, number) for number in range(len(holder.__closure__ or ())))
        yield from (Place(holder.__globals__, name) for name in names_in(holder.__code__).globals_written)
    elif isinstance(holder, type):
        held = list(vars(holder).items())
        yield from (Place(holder, name) for name, item in held if not name.startswith("__") and not callable(item))
    else:
        yield from (Place(holder, name) for name in slots_of(type(holder)))


def _copies(holders: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The arrays that can be written to, each with a copy, as long as these are not too large."""
    left = LARGEST
    for array in holders:
        if isinstance(array, np.ndarray) and array.flags.writeable and array.dtype != object:
            left -= array.nbytes
            if left < 0:
                return
            yield array, array.copy()


def _same(container: Any, before: Any) -> bool:
    """Whether a container holds the very items that its copy holds."""
    if len(container) != len(before):
        return False
    if isinstance(container, dict):
        return all(container.get(key, MISSING) is item for key, item in before.items())
    return all(now is then for now, then in zip(container, before, strict=True))


def assigns(call: BoundCall) -> bool:
    """Whether the user's own code that a call leads to may write what outlives the call, making objects aside."""
    own = (each for each in call.reached().functions if not is_installed(each.__code__.co_filename))
    return any(names_in(each.__code__).keeps and each.__name__ not in _MAKING for each in own)


_MAKING = ("__init__", "__new__", "__post_init__")


@contextmanager
def unchanged(call: BoundCall) -> Iterator[None]:
    """What a program keeps is afterwards what it was before, although the program is run inside."""
    state = State(call)
    try:
        yield
    finally:
        state.restore()


def settle(call: BoundCall) -> None:
    """Put plain numbers where a program has kept recorded values of a run that is over."""
    for holder in call.reached().holders:
        for container in _containers(holder):
            _settle(container)
        for place in _places(holder):
            item = place.read()
            if (plain := _plain(item)) is not item:
                place.write(plain)


def _settle(container: Any) -> None:
    if isinstance(container, set):
        return  # a recorded value has no hash
    for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
        if (plain := _plain(item)) is not item:
            container[key] = plain


def _plain(item: Any) -> Any:
    """The number or array of a recorded value, and of those in a tuple; anything else as it is."""
    if (value := bare(item)) is not item:
        return value.copy() if isinstance(value, np.ndarray) else value
    if type(item) is tuple and item:
        inner = tuple(map(_plain, item))
        return inner if any(a is not b for a, b in zip(inner, item, strict=True)) else item
    return item
