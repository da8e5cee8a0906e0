"""Large plain arrays that a tape has read, which must not change before the sweep.

A derivative uses the values that were read. Such an array, with the views of it that the program's names lead to, is
read-only until the run ends, so that a later write raises an error with its line instead of giving a wrong derivative.
A tape that is read after its run takes a copy when the run ends.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.code.stack_frames import is_own, is_users, of_traceback, place_to_show
from gradcli.engine.tape.memory.reference_counts import referrers
from gradcli.engine.tape.tape import Tape
from gradcli.errors import OverwrittenError

Place = tuple[CodeType, int]  # a code object and the offset of an instruction


def lock(x: Any, tape: Tape) -> None:
    """Make an array and the arrays it is a view of read-only, and store where the user's code read it."""
    from gradcli.engine.tape.memory.reachable_views import bases

    frame = sys._getframe(2)  # above the function that reads the array into a row
    nearest = next(_reading(frame), None)
    own = next(filter(is_own, _reading(frame)), nearest)
    place = (own.f_code, own.f_lasti) if own else None  # its line is computed only if an error needs it
    owners = (x, *bases(x))
    for array in (*(_views(owners[-1], nearest, frame) if nearest else ()), *owners):
        if array.flags.writeable:
            array.flags.writeable = False
            tape.run.locked.append((array, place, _sample(array)))


def _reading(frame: FrameType) -> Iterator[FrameType]:
    """Yield the user's frames that may write during a run: those inside it, or the one that starts it.

    Callers of that one, such as a notebook or a test runner, wait for the run to end.
    """
    return filter(is_users, run_stack.frames(frame)) if run_stack.depth() else _beginning(frame)


def _beginning(frame: FrameType) -> Iterator[FrameType]:
    """Yield the user's own frame that starts a run, or a package's frame if there is none."""
    nearest = None
    for users in filter(is_users, _outwards(frame)):
        nearest = nearest or users
        if is_own(users):
            nearest = users
            break
    if nearest:
        yield nearest


def _views(owner: Any, nearest: FrameType, frame: FrameType) -> list[Any]:
    """The views of an array reachable from the names of the user's frames.

    If the last search at this instruction found none, and this array has as many references as that one had, only the
    nearest frame's names are searched: a full search costs as much as thousands of operations.
    """
    from gradcli.engine.tape.memory.reachable_views import views, views_among

    key, references = (id(nearest.f_code), nearest.f_lasti), referrers([owner], 0)
    count, code = _unseen.get(key, (0, None))
    if count == references and code is nearest.f_code:
        return views_among(nearest.f_locals.values(), owner)
    if not (reached := views(owner, _reading(frame))):
        if len(_unseen) > _MOST_UNSEEN:
            _unseen.clear()
        _unseen[key] = references, nearest.f_code
    return reached


# The instructions at which the search for views of a large array found none, with the array's reference count.
_unseen: dict[tuple[int, int], tuple[int, CodeType]] = {}
_MOST_UNSEEN = 1000


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _sample(array: Any) -> bytes:
    """About a hundred numbers spread over an array. Each read costs a cache miss."""
    numbers = array.reshape(-1) if array.flags.c_contiguous else array.flat
    return numbers[:: max(1, array.size >> 6)].tobytes()  # type: ignore[no-any-return]


def refuse_changed(tape: Tape) -> None:
    """Check that the read-only arrays are unchanged, judged by a sample of their numbers.

    Raises:
        OverwrittenError: one was overwritten through a `memoryview`, or through a view that no name leads to.
    """
    for array, place, sample in tape.run.locked:
        if _sample(array) != sample:
            shown = _shown(_line(place), None)
            raise OverwrittenError(
                f"a large plain array is overwritten through another object after the tape has read it{shown}",
                hint="Let the program read a copy: a.copy().",
            )


def unlock(tape: Tape) -> None:
    """Make the arrays writeable again."""
    arrays = [array for array, *_ in tape.run.locked]
    for array in sorted(arrays, key=lambda array: array.base is not None):  # writeable before its views
        array.flags.writeable = True
    tape.run.locked.clear()


def settle(tape: Tape) -> None:
    """Make the arrays writeable again. A tape that outlives its run gets one copy of each."""
    from gradcli.engine.tape.memory.reachable_views import bases

    locked = {id(array) for array, *_ in tape.run.locked}
    copies: dict[int, Any] = {}
    for at, row in enumerate(tape.rows if locked else ()):
        for position in range(3, len(row), 2):
            x = row[position]
            if type(x) is np.ndarray and (id(x) in locked or any(id(base) in locked for base in bases(x))):
                if id(x) not in copies:
                    copies[id(x)] = x.copy("K")
                row = (*row[:position], copies[id(x)], *row[position + 1 :])  # noqa: PLW2901 - one operand after the other
        tape.rows[at] = row
    unlock(tape)


def refuse_write(error: ValueError, tape: Tape) -> None:
    """Translate an error caused by a write into a read-only array. Return for any other error.

    Raises:
        OverwrittenError: the error comes from such a write.
    """
    if tape.run.locked and "read-only" in str(error):
        raise OverwrittenError(
            "a large plain array is overwritten after the tape has read it, so the derivative would use wrong "
            f"values{_where_it_was_read(error, tape)}",
            hint="Write into a copy of it: a = a.copy().",
        ) from error


def _where_it_was_read(error: ValueError, tape: Tape) -> str:
    """The line where the tape read the array that is now written, as a clause of the error message, if it is known."""
    places = {place for _, place, _ in tape.run.locked}
    read = places.pop() if len(places) == 1 else None
    return _shown(_line(read), place_to_show(of_traceback(error.__traceback__))[0])


def _line(place: Place | None) -> tuple[str, int] | None:
    """The file and line of an instruction."""
    if place is None:
        return None
    code, at = place
    return next(((code.co_filename, line) for start, end, line in code.co_lines() if start <= at < end and line), None)


def _shown(place: tuple[str, int] | None, file: str | None) -> str:
    """The place where an array was read, as a clause of a message; `file` is the file that the error shows."""
    if place is None:
        return ""
    there = f"line {place[1]}" if place[0] == file else f"{place[0]}:{place[1]}"
    return f": it was read in {there}, `{linecache.getline(*place).strip()}`"
