"""The state that a program keeps between runs: saved before a run, and restored if the run is repeated.

It consists of the writable objects reachable from the program's code: attributes, containers, arrays, enclosed
variables, globals, and random generators. An iterator, such as a Python generator, cannot be restored; a warning names
it.
"""

from __future__ import annotations

import collections
import functools
import io
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import reads
from gradcli.engine.code.reachable_objects import ReachableObjects, imported, slots_of
from gradcli.engine.code.stack_frames import frames_of_ours
from gradcli.engine.patching.object_exchange import replaced_by_holder
from gradcli.engine.patching.patch_points import MISSING, Place
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.tape.memory.reference_counts import holding
from gradcli.engine.tape.value import plain_value
from gradcli.errors import FindingWarning
from gradcli.shared.pytree import shallow_copy

Replaced = dict[int, list[Place]]  # by the identity of the holder

LARGEST = 1 << 26  # total bytes of copied arrays


class Generators:
    """The random generators that a program may draw from: `random`, np.random, and those it can reach.

    Attributes:
        frozen: whether each run starts with the same state.
    """

    def __init__(self, reachable: ReachableObjects) -> None:
        self.frozen = False
        self._before = []
        if any("random" in names_in(function.__code__).read for function in reachable.functions):
            import_module("numpy.random")  # NumPy imports it where it is first used, with a state that nobody knows
        for take, give in _states(reachable.generators):
            with suppress(NotImplementedError):  # the operating system's numbers follow from no state
                self._before.append((take, give, take()))

    def restore(self) -> None:
        """Restore the initial state of every generator."""
        for _, give, state in self._before:
            give(state)

    @contextmanager
    def begun_elsewhere(self) -> Iterator[None]:
        """A context in which runs start with the present state."""
        before = self._before
        self._before = [(take, give, take()) for take, give, _ in before]
        try:
            yield
        finally:
            self._before = before

    def changed(self) -> bool:
        """Whether any generator has been used since."""
        return not all(_is_state(take(), state) for take, _, state in self._before)


def _states(values: list[Any]) -> Iterator[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """Yield the functions that get and set the state of each generator. Modules that are not imported are skipped."""
    if python := imported("random", "getstate"):
        own = (value for value in values if isinstance(value, python.Random))
        yield from ((generator.getstate, generator.setstate) for generator in (python, *own))
    if numpys := imported("numpy.random", "get_state"):
        old = (value for value in values if isinstance(value, numpys.RandomState))
        yield from (
            (functools.partial(generator.get_state, legacy=False), generator.set_state) for generator in (numpys, *old)
        )
        yield from (_state_of_bits(value.bit_generator) for value in values if isinstance(value, numpys.Generator))


def _state_of_bits(bits: Any) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    return lambda: bits.state, lambda state: setattr(bits, "state", state)


def _is_state(now: Any, before: Any) -> bool:
    """Whether a generator's state is unchanged. NumPy's states are dicts that contain arrays."""
    if isinstance(now, dict):
        return all(_is_state(now[key], part) for key, part in before.items())
    return np.array_equal(now, before) if isinstance(now, np.ndarray) else bool(now == before)


class State:
    """The present state of a program.

    Args:
        call: the call about to run.

    Attributes:
        array_ids: the identities of arrays that this refers to, once for each time.
    """

    def __init__(self, call: BoundCall) -> None:
        reached = call.state()
        self._function = call.function
        self._found = reached
        self._generators = Generators(reached)
        with replaced_by_holder() as replaced:
            held = (container for holder in reached.holders for container in containers(holder))
            self._containers = [
                (holder, _own_items(shallow_copy(holder), replaced.get(id(holder), ()))) for holder in held
            ]
            self._places = [(place, _own(place, replaced)) for holder in reached.holders for place in places(holder)]
        self._arrays = list(_copies(reached.holders))
        self._iterators = [(iterator, _position(iterator)) for iterator in reached.iterators]
        self.array_ids = tuple(id(holder) for holder in self._held() if type(holder) is np.ndarray)
        holding.add(self)

    def _held(self) -> Iterator[Any]:
        """Yield what this refers to, once for each time."""
        yield from (*self._found.holders, *(item for _, _, item in self._found.items))
        yield from (array for array, _ in self._arrays)
        yield from (before for _, before in self._places)
        for _, before in self._containers:
            yield from before.values() if isinstance(before, dict) else before

    def changed(self) -> bool:
        """Whether the program has written to any of it, or drawn a random number."""
        with replaced_by_holder() as replaced:
            if next(self._changed_containers(replaced), None) or next(self._changed_places(replaced), None):
                return True
        return any(array.tobytes() != before.tobytes() for array, before in self._arrays) or self._generators.changed()

    def restore(self) -> None:
        """Restore the state, and warn of iterators other than files, which cannot be restored."""
        self._generators.restore()
        with replaced_by_holder() as replaced:
            for container, before in self._changed_containers(replaced):
                container.clear()
                (container.extend if hasattr(container, "extend") else container.update)(before)
                _replace_again(replaced.get(id(container), ()))
            for place, before in self._changed_places(replaced):
                place.write(before)
                _replace_again(replaced.get(place.spot[0], ()))
        for array, before in self._arrays:
            np.copyto(array, before)
        for iterator, position in self._iterators:
            if position is not None:
                iterator.seek(position)
                continue
            text = f"{self._name_of(iterator)} advanced twice: the function was run again to say more of its result"
            warnings.warn(f"G903: {text}", FindingWarning, stacklevel=frames_of_ours() + 1)

    def _changed_containers(self, replaced: Replaced) -> Iterator[tuple[Any, Any]]:
        for container, before in self._containers:
            places = replaced.get(id(container))
            if not _same(_own_items(shallow_copy(container), places) if places else container, before):
                yield container, before

    def _changed_places(self, replaced: Replaced) -> Iterator[tuple[Place, Any]]:
        return ((place, before) for place, before in self._places if _own(place, replaced) is not before)

    def _name_of(self, item: Any) -> str:
        held = (f"{type(holder).__name__}.{key}" for holder, key, other in self._found.items if other is item)
        read = (name for _, name, other in reads(self._function) if other is item)
        return next(itertools.chain(read, held), f"a {type(item).__name__}")


def _position(iterator: Any) -> int | None:
    """The position in a file; None for other iterators, and for a pipe."""
    return iterator.tell() if isinstance(iterator, io.IOBase) and iterator.seekable() else None


def _own_items(container: Any, replaced: Iterable[Place]) -> Any:
    """Put the program's own items into a copied container in place of replacements."""
    for place in replaced:
        copied = Place(container, place.key)
        if copied.read() is place.replacement:
            copied.write(place.original)
    return container


def _own(place: Place, replaced: Replaced) -> Any:
    """The program's own object at a place."""
    item = place.read()
    same_key = (other for other in replaced.get(place.spot[0], ()) if other.key == place.key)
    return next((other.original for other in same_key if other.replacement is item), item)


def _replace_again(places: Iterable[Place]) -> None:
    """Put the replacements back where another thread needs them."""
    for place in places:
        place.exchange(place.original, place.replacement)


def containers(holder: Any) -> Iterator[Any]:
    """Yield the container that can be cleared and refilled: the holder itself, or its attributes."""
    if isinstance(holder, (dict, list, collections.deque, set)):
        yield holder
    elif isinstance(own := getattr(holder, "__dict__", None), dict):
        yield own


def places(holder: Any) -> Iterator[Place]:
    """Yield the places of a holder that can be written singly: enclosed variables, globals, class attributes, slots."""
    if isinstance(holder, FunctionType):
        yield from (Place(holder, number) for number in range(len(holder.__closure__ or ())))
        yield from (Place(holder.__globals__, name) for name in names_in(holder.__code__).globals_written)
    elif isinstance(holder, type):
        held = list(vars(holder).items())
        yield from (Place(holder, name) for name, item in held if not name.startswith("__") and not callable(item))
    else:
        yield from (Place(holder, name) for name in slots_of(type(holder)))


def _copies(holders: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the writable arrays, each with a copy, up to a total size."""
    left = LARGEST
    for array in holders:
        if issubclass(type(array), np.ndarray) and array.flags.writeable and array.dtype != object:  # none is recorded
            left -= array.nbytes
            if left < 0:
                return
            yield array, array.copy()


def _same(container: Any, before: Any) -> bool:
    """Whether a container holds the same objects as its copy."""
    if len(container) != len(before):
        return False
    if isinstance(container, dict):
        return all(container.get(key, MISSING) is item for key, item in before.items())
    return all(now is then for now, then in zip(container, before, strict=True))


@contextmanager
def unchanged(call: BoundCall) -> Iterator[None]:
    """A context that restores the state of a program which runs inside it."""
    state = State(call)
    try:
        yield
    finally:
        state.restore()


@contextmanager
def without_recorded_values(call: BoundCall) -> Iterator[None]:
    """A context in which a program keeps plain numbers only. Afterwards it is as it was."""
    with unchanged(call):
        settle(call)
        yield


def settle(call: BoundCall) -> None:
    """Replace recorded values that a program has kept from a finished run by plain numbers."""
    for holder in call.state().holders:
        for container in containers(holder):
            _settle(container)
        for place in places(holder):
            item = place.read()
            if (plain := _plain(item)) is not item:
                place.write(plain)


def _settle(container: Any) -> None:
    if isinstance(container, set):
        return  # recorded values are not hashable
    for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
        if (plain := _plain(item)) is not item:
            container[key] = plain


def _plain(item: Any) -> Any:
    """The number or array of a recorded value, also within tuples; anything else unchanged."""
    if (value := plain_value(item)) is not item:
        return value.copy() if isinstance(value, np.ndarray) else value
    if type(item) is tuple and item:
        inner = tuple(map(_plain, item))
        return inner if any(a is not b for a, b in zip(inner, item, strict=True)) else item
    return item
