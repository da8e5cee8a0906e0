"""Refusal of a run that may have read a result which the program has cached for the same input.

A cached result is a plain number, through which no derivative flows. A cache is recognised by its key: the run compared
its input with equal numbers, or made a text or a rounded number of it, and the program keeps these where its code
assigns them, though this run has not put them there. A key may also be made of the text or the number: then a table is
a cache if it holds numbers and nothing of this run, under keys that are no words of the code.
"""

from __future__ import annotations

import dis
import functools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import reads
from gradcli.engine.code.reachable_objects import CONSTRUCTORS
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.program_state import places
from gradcli.engine.tape.equal_operands import COMPARISONS
from gradcli.engine.tape.tape import STOP_GRADIENT, TEXT, Tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import DetachedError

_KEY_MAKERS = frozenset((TEXT, "int", "round", "trunc", "floor", "ceil", "floordiv", "floor_divide", "rint",
                         "astype", STOP_GRADIENT))  # fmt: skip
_CONTAINERS = (dict, list, set, deque)
_DIGITS = re.compile(r"(?<![A-Za-z_\d])\d")  # not those of a name
_CONTAINS = dis.opmap["CONTAINS_OP"]
_LOOKING_UP = frozenset(("KeyError", "get", "setdefault"))
_ADDING = frozenset(("add", "append", "appendleft", "extend", "insert", "setdefault", "update"))


def refuse_cached_result(tape: Tape, start: int, since: int, call: BoundCall) -> None:
    """Refuse a run that may have read a cached result.

    Args:
        tape: the tape of the run.
        start: the number of its rows before the run.
        since: the number of its outcomes before the run.
        call: the call that has run.

    Raises:
        DetachedError: it names the function that keeps something, what it keeps, and its line.
    """
    keys = _Keys(tape, start, since)
    if not keys.made and not keys.equal:
        return
    given = {id(call.arguments[n]) for n in call.places}
    reached = call.state_besides_inputs()
    keys.functions = functions = [*reached.functions]
    for holder in reached.holders:
        if id(holder) not in given and not is_recorded(holder):
            for name in keys.held_by(holder):
                keeps = _keeping(functions, name, holder, reached.holders)
                if keeps is not None:
                    raise _refusal(name, keeps.__code__)


def _refusal(name: str | type, code: CodeType) -> DetachedError:
    what = f"`{name}`" if isinstance(name, str) else f"a {name.__name__}"
    return DetachedError(
        f"{code.co_name} keeps {what} from one call to the next, so it may return a cached result, whose derivative "
        "would be lost",
        hint="Call the function without its cache, or empty the cache before each gradient.",
        file=code.co_filename,
        line=code.co_firstlineno,
    )


class _Keys:
    """What the values of one run may be looked up by.

    Attributes:
        functions: the functions of the program.
        made: the numbers and texts that key makers made of values.
        equal: the older numbers and arrays that values were compared with, and are equal to.
    """

    def __init__(self, tape: Tape, start: int, since: int) -> None:
        self._tape = tape
        self._start = start
        self.functions: Sequence[FunctionType] = ()
        self.made: list[Any] = []
        self.equal: list[Any] = []
        for _, name, _, indices, operands, result in tape.outcomes[since:]:
            if name in _KEY_MAKERS:
                self.made += [result] if isinstance(result, str) else np.ravel(plain_value(result)).tolist()
            elif name not in COMPARISONS:
                self._compare(indices, operands)
        for row in tape.rows[start:]:
            if len(row) != 6 or (row[2] < start) == (row[4] < start):
                continue
            if not (row[1] if isinstance(row[1], float) else np.any(row[1])):  # a difference
                self._compare(row[2::2], row[3::2])

    def _compare(self, indices: Any, operands: Any) -> None:
        if len(operands) != 2 or (indices[0] < self._start) == (indices[1] < self._start):
            return
        older, other = map(plain_value, operands if indices[0] < self._start else operands[::-1])
        if np.shape(older) == np.shape(other) and _is_numeric(older) and np.allclose(older, other):
            self.equal.append(older)

    def held_by(self, holder: Any) -> Iterator[str | type]:
        """Yield the names under which a holder holds keys, or the type of a container that does."""
        if isinstance(holder, _CONTAINERS):
            pairs = list(holder.items() if isinstance(holder, dict) else zip(holder, holder, strict=True))
            is_keyed = isinstance(holder, (dict, set))
            older = [pair for pair in pairs if not self._is_of_run(pair[1])]
            has_key = any(
                self._is_equal(item) or (is_keyed and (self._is_made(key) or self._is_equal(key)))
                for key, item in older
            )
            is_table = isinstance(holder, dict) and bool(self.made) and len(older) == len(pairs)
            if has_key or (is_table and any(map(self._is_filed, older))):
                yield type(holder)
            return
        own = getattr(holder, "__dict__", None)
        named = dict(own) if isinstance(own, dict) else {}
        for place in places(holder):
            is_enclosed = isinstance(place.key, int)
            named[holder.__code__.co_freevars[place.key] if is_enclosed else place.key] = place.read()
        yield from (name for name, item in named.items() if self._is_equal(item))
        if any(self._is_kept(*pair) for pair in named.items()) and not any(map(self._is_of_run, named.values())):
            yield from (name for name, item in named.items() if isinstance(item, str) and self._is_other_text(item))

    def _is_constant(self, number: float) -> bool:
        """Whether a number is a constant of the code, which a program may compare with and assign without a cache."""
        return any(number is constant for function in self.functions for constant in function.__code__.co_consts)

    def _is_filed(self, pair: tuple[Any, Any]) -> bool:
        """Whether an item of a dict may be a result: it has numbers, and its key is no word of the code."""
        key, item = pair
        items = item if type(item) is tuple else (item,)
        has_numbers = any(isinstance(x, (float, np.ndarray)) or is_recorded(x) for x in items)
        return has_numbers and not any(key in function.__code__.co_consts for function in self.functions)

    def _is_kept(self, name: str, item: Any) -> bool:
        """Whether an item may be a result of another run."""
        is_plain = isinstance(item, (float, np.ndarray)) and not is_recorded(item)
        return is_recorded(item) or (is_plain and _assigning(self.functions, name) is not None)

    def _is_other_text(self, item: str) -> bool:
        """Whether a text consists of texts that were made, and is none of them."""
        return self._is_made(item) and not any(item is text for text in self.made)

    def _is_of_run(self, item: Any) -> bool:
        return is_recorded(item) and item.tape is self._tape and item.index >= self._start

    def _is_made(self, key: Any) -> bool:
        """Whether all numbers of a key, one at least, are among those made."""
        if type(key) is tuple:
            numbers = [part for part in key if isinstance(part, (int, float, tuple)) or _DIGITS.search(str(part))]
            return bool(numbers) and all(map(self._is_made, numbers))
        if not isinstance(key, str):
            return key in self.made
        texts = sorted((text for text in self.made if isinstance(text, str)), key=len, reverse=True)
        rest = functools.reduce(lambda rest, text: rest.replace(text, ""), texts, key)
        return rest != key and not _DIGITS.search(rest)

    def _is_equal(self, item: Any) -> bool:
        """Whether an item, or one in a tuple, is among the equal ones, and was not put there by this run."""
        if type(item) is tuple:
            return any(map(self._is_equal, item))
        if self._is_of_run(item) or not isinstance(item := plain_value(item), (float, np.ndarray, list)):
            return False
        if type(item) is float:
            return any(item is other for other in self.equal) and not self._is_constant(item)
        equal = {number for other in self.equal for number in np.ravel(other).tolist()}
        return _is_numeric(item) and {*np.ravel(item).tolist()} <= equal and np.size(item) > 0


def _is_numeric(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return not any(map(is_recorded, value)) and all(isinstance(x, float) for x in value)
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")


def _assigning(functions: Iterable[FunctionType], name: str | type) -> FunctionType | None:
    """The first function, besides constructors, that assigns a name or adds to a container of a type."""
    return next((f for f in functions if f.__name__ not in CONSTRUCTORS and _assigns(f.__code__, name)), None)


def _keeping(
    functions: Sequence[FunctionType], name: str | type, container: Any, holders: Iterable[Any]
) -> FunctionType | None:
    """The first function that assigns a name, adds to a container of a type, or assigns the container itself."""
    if isinstance(name, str):
        return _assigning(functions, name)
    by_name = [function for function in functions if any(item is container for *_, item in reads(function))]
    names = {own for function in by_name for _, own, item in reads(function) if item is container}
    for holder in holders:
        held = getattr(holder, "__dict__", None)
        names.update(own for own, item in (held.items() if isinstance(held, dict) else ()) if item is container)
    assigning = (_assigning(functions, own) for own in sorted(names))
    return _assigning(by_name or functions, name) or next(filter(None, assigning), None)


def _assigns(code: CodeType, name: str | type) -> bool:
    names = names_in(code)
    if isinstance(name, str):
        return name in names.names_written or (name in code.co_freevars and names.keeps)
    looks_up = _CONTAINS in code.co_code[::2] or not names.read.isdisjoint(_LOOKING_UP)
    is_table = issubclass(name, (dict, set)) and not looks_up
    return not is_table and (names.writes_items or not names.read.isdisjoint(_ADDING))
