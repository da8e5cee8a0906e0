"""Results that a program has cached for inputs it has met before.

A cache returns a plain number, through which no derivative flows. It is recognised by its key: the program kept the
numbers of its input, and compared them with the present input. The run is repeated with the key hidden, so that the
program computes what it would have read and keeps it again. That run counts if its value is the same. Numbers that the
program does not put back are constants, which equal the input by chance and are not hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.patching.patch_points import MISSING, Place
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import State, containers, places
from gradcli.engine.tape.tape import TEXT, Tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.shared.pytree import leaves, leaves_like

Run = tuple[Tape, int, list[Any], Any]
Filled = Callable[[], bool]  # tells whether the program has put another object in place of a hidden one
_AGREES = 1e-8  # relative; a cache may be read for an input that is not exactly its key
# Outcomes that make a key of a value; an index or a count is no key.
_KEY_MAKERS = frozenset((TEXT, "int", "round", "trunc", "floor", "ceil", "floordiv", "floor_divide", "rint"))
_BOOLS = (bool, np.bool_)
_ATOMS = (int, float, str, bytes, np.number)


def recomputed(done: Run, since: int, call: BoundCall, again: Callable[[], Run]) -> Run | None:
    """The run that computes what a run with outcomes has read from a cache; None if it has read nothing from one.

    Args:
        done: the finished run.
        since: the number of outcomes on its tape before it.
        call: the call.
        again: runs the call again.
    """
    tape, start, _, result = done
    numbers = _met_again(tape, start, since)
    if not numbers:
        return None
    other, filled = _run_without_keys(call, numbers, again, None)
    if any(filled) and not all(filled):  # the others are constants, which equal the input by chance
        other, _ = _run_without_keys(call, numbers, again, filled)
    return other if other is not None and any(filled) and agree(result, other[3]) else None


def _run_without_keys(
    call: BoundCall, numbers: set[Any], again: Callable[[], Run], chosen: Sequence[bool] | None
) -> tuple[Run | None, list[bool]]:
    """The run with what may be keys hidden, and for each of them whether the program has put another in its place.

    An iterator of the program would advance, so that a program with one is not run. Of what may be keys, those that are
    `chosen` are hidden, by default all.
    """
    given = {id(call.arguments[n]) for n in call.places}
    reached = call.state_besides_inputs()
    if reached.iterators:
        return None, []
    state, run = State(call), None
    try:
        holders = [holder for holder in reached.holders if id(holder) not in given and not is_recorded(holder)]
        kept = [hide for holder in holders for hide in _kept(holder, numbers)]
        hidden = [hide() for n, hide in enumerate(kept) if chosen is None or chosen[n]]
        if hidden:
            with suppress(Exception), quiet():  # the program may need what is hidden
                run = again()
        return run, [is_filled() for is_filled in hidden]
    finally:
        state.restore()


def agree(result: Any, other: Any) -> bool:
    """Whether two results have the same structure and the same numbers."""
    others = leaves_like(result, other)
    if others is None:
        return False
    pairs = zip(map(plain_value, leaves(result)), map(plain_value, others), strict=True)
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=_AGREES, atol=0, equal_nan=True) for a, b in pairs)


def _met_again(tape: Tape, start: int, since: int) -> set[Any]:
    """The older numbers that values of the run met, of the same size and equal, and the keys made of its values."""
    met: set[Any] = set()
    for _, name, _, indices, operands, result in tape.outcomes[since:]:
        met |= _equal_older(indices, operands, start)
        if name in _KEY_MAKERS:
            met |= _atoms(result)
    for row in tape.rows[start:]:
        met |= _equal_older(row[2::2], row[3::2], start)
    return met


def _equal_older(indices: Sequence[int], operands: Sequence[Any], start: int) -> set[Any]:
    """The numbers of an operand from before row `start`, or of a constant, that equals the other operand."""
    if len(operands) != 2 or (indices[0] < start) == (indices[1] < start):
        return set()
    older, met = map(plain_value, operands if indices[0] < start else operands[::-1])
    if type(older) is float is type(met):
        return {older} if older == met else set()
    same = isinstance(older, (np.ndarray, np.number, float, list, tuple)) and np.shape(older) == np.shape(met)
    return _atoms(older) if same and np.allclose(older, met) else set()


def _atoms(item: Any) -> set[Any]:
    """The numbers and texts in a number, an array, or a list or tuple of them."""
    value = plain_value(item)
    if isinstance(value, np.ndarray):
        return set(value.ravel().tolist()) if value.dtype.kind in "iufcSU" else set()
    if isinstance(value, (list, tuple)):
        return set().union(*map(_atoms, value))
    return {value} if isinstance(value, _ATOMS) and not isinstance(value, _BOOLS) else set()


def _kept(holder: Any, numbers: set[Any]) -> Iterator[Callable[[], Filled]]:
    """Yield, for what a holder holds of these numbers, a function that hides it."""
    for container in containers(holder):
        if isinstance(container, (dict, set)) and (keys := [key for key in container if _is_key(key, numbers)]):
            yield partial(_remove, container, keys)
        if not isinstance(container, set):
            for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
                if (other := _without(item, numbers)) is not item:
                    yield partial(_replace_item, container, key, other)
    for place in places(holder):
        item = place.read()
        if item is not MISSING and (other := _without(item, numbers)) is not item:
            yield partial(_replace, place, other)


def _remove(container: Any, keys: Sequence[Any]) -> Filled:
    """Remove items of a dict or set. It is filled by any of them."""
    remove = container.pop if isinstance(container, dict) else container.remove
    for key in keys:
        remove(key)
    return lambda: any(key in container for key in keys)


def _replace_item(container: Any, key: Any, other: Any) -> Filled:
    """Replace an item of a list or dict. A list is also filled by adding to it."""
    container[key], length = other, len(container)
    if isinstance(container, dict):
        return lambda: container.get(key) is not other
    return lambda: len(container) != length or container[key] is not other


def _replace(place: Place, other: Any) -> Filled:
    """Replace the object at a place."""
    place.write(other)
    return lambda: place.read() is not other


def _is_key(key: Any, numbers: set[Any]) -> bool:
    """Whether a key holds one of the numbers, or a text that contains one of the texts."""
    atoms = _atoms(key)
    if not atoms.isdisjoint(numbers):
        return True
    texts = [number for number in numbers if isinstance(number, str)]
    return any(text in atom for atom in atoms if isinstance(atom, str) for text in texts)


def _without(item: Any, numbers: set[Any]) -> Any:
    """An item with NaN for a number or an array of these numbers; the item itself if there is none."""
    if type(item) is tuple:
        inner = tuple(_without(element, numbers) for element in item)
        return inner if any(a is not b for a, b in zip(inner, item, strict=True)) else item
    atoms = set() if isinstance(item, list) else _atoms(item)
    if not atoms or not atoms <= numbers:
        return item
    return np.full(np.shape(item), np.nan) if isinstance(item, np.ndarray) else np.nan
