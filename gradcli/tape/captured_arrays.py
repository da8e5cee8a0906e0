"""Plain arrays that a tape has read: they stay what they were, or the program is told that they cannot.

A derivative uses the values that were read.  A small array is copied; a large one is made read-only until the run ends,
so that a program that writes into it afterwards is refused by line and never differentiated wrongly; so are the views
of it that the program's names lead to.  A tape that is read after its run takes a copy then.  An array on a device,
which cannot be made read-only, is copied there; inside `device("gpu")` one of the host is copied to it.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from gradcli import devices
from gradcli.code.stack_frames import is_own, is_users, of_traceback, place_to_show
from gradcli.errors import OverwrittenError, UnsupportedError, with_article
from gradcli.tape import active_runs
from gradcli.tape.array_views import views, views_among
from gradcli.tape.tape import Tape, foreign

LARGEST_COPY = 1 << 16  # bytes

Place = tuple[CodeType, int]  # a code, and which of its instructions


def kept(x: Any, tape: Tape) -> Any:
    """A constant operand as a row may hold it; what holds a recorded array is that one.

    Raises:
        UnsupportedError: it is a masked array, a matrix, or another array that computes in a way of its own.
    """
    if type(x) is np.ndarray and x.nbytes <= LARGEST_COPY and not devices.THREAD.chosen:
        return x.copy("K")  # sooner done than a look at whether it can change
    if not isinstance(x, np.ndarray):
        if hasattr(type(x), "_operand"):
            return _held(x._operand(), tape)
        if devices.on_device(x):
            return x.copy()
        found = devices.held(x)
        return found if found is x or hasattr(type(found), "apply_rule") else _held(found, tape)
    if type(x) is not np.ndarray and not isinstance(x, np.memmap):
        raise UnsupportedError(
            f"{with_article(type(x).__name__)} computes in a way of its own, which is not followed",
            hint="Use np.asarray(a), or a.filled(0.0) for a masked array.",
        )
    if devices.places():
        return devices.placed(x)
    if not x.flags.writeable and not _shows_what_may_change(x):
        return x
    if x.nbytes <= LARGEST_COPY:
        return x.copy("K")
    _lock(x, tape)
    return x


def _held(x: Any, tape: Tape) -> Any:
    """What a tensor holds, as a row may hold it; one that a GradientTape records belongs to another tape."""
    if hasattr(type(x), "apply_rule"):
        foreign()
    return kept(x, tape)


def _shows_what_may_change(x: Any) -> bool:
    """Whether a read-only array is a view of one that can be written to, as `np.broadcast_to` makes."""
    return any(array.flags.writeable for array in _bases(x))


def _bases(x: Any) -> Iterator[Any]:
    """The arrays that an array is a view of."""
    base = x.base
    while isinstance(base, np.ndarray):
        yield base
        base = base.base


def _lock(x: Any, tape: Tape) -> None:
    """Make an array, and those that it is a view of, read-only; where the user's code read it is remembered."""
    frame = sys._getframe(2)
    nearest = next(_reading(frame), None)
    own = nearest if nearest is None or is_own(nearest) else next(filter(is_own, _reading(frame)), nearest)
    place = (own.f_code, own.f_lasti) if own else None  # its line is asked for in the rare need
    owners = (x, *_bases(x))
    for array in (*(_views(owners[-1], nearest, frame) if nearest else ()), *owners):
        if array.flags.writeable:
            array.flags.writeable = False
            tape.locked.append((array, place, _sample(array)))


def _reading(frame: FrameType) -> Iterator[FrameType]:
    """The user's frames from which a run may write: those inside of it, or the one that begins it.

    Whatever called that one, such as a notebook or a test runner, waits for the run to end.
    """
    return filter(is_users, active_runs.frames(frame)) if active_runs.depth() else _beginning(frame)


def _beginning(frame: FrameType) -> Iterator[FrameType]:
    """The user's own frame that begins a run; where there is none, a package's."""
    nearest = None
    for each in filter(is_users, _outwards(frame)):
        nearest = nearest or each
        if is_own(each):
            nearest = each
            break
    if nearest:
        yield nearest


def _views(owner: Any, nearest: FrameType, frame: FrameType) -> list[Any]:
    """The views of an array that the names of the user's frames lead to.

    Where none was found the last time that the program read an array here, and as many references to this one exist,
    none is looked for but among the names nearest to it: the whole search costs as much as thousands of numbers.
    """
    key, references = (id(nearest.f_code), nearest.f_lasti), sys.getrefcount(owner)
    count, code = _unseen.get(key, (0, None))
    if count == references and code is nearest.f_code:
        return views_among(nearest.f_locals.values(), owner)
    if not (found := views(owner, _reading(frame))):
        if len(_unseen) > _MOST_UNSEEN:
            _unseen.clear()
        _unseen[key] = references, nearest.f_code
    return found


# The instructions at which a large array was read of which no name led to a view, and how many references it had.
_unseen: dict[tuple[int, int], tuple[int, CodeType]] = {}
_MOST_UNSEEN = 1000


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _sample(array: Any) -> bytes:
    """About a hundred of an array's numbers, from all over it: each is far from the next, and costs a cache miss."""
    numbers = array.reshape(-1) if array.flags.c_contiguous else array.flat
    return numbers[:: max(1, array.size >> 6)].tobytes()  # type: ignore[no-any-return]


def refuse_changed(tape: Tape) -> None:
    """See that the arrays that were made read-only are what they were, as far as a sample of their numbers tells.

    Raises:
        OverwrittenError: one is not: it was written through a `memoryview`, or a view that no name leads to.
    """
    for array, place, sample in tape.locked:
        if _sample(array) != sample:
            shown = _shown(_line(place), None)
            raise OverwrittenError(
                f"a large plain array that the tape has read is overwritten by way of another object{shown}",
                hint="Let the program read a copy of it: a.copy().",
            )


def unlock(tape: Tape) -> None:
    """Give the arrays back as they were."""
    for array, *_ in reversed(tape.locked):  # an array before its views
        array.flags.writeable = True
    tape.locked.clear()


def settle(tape: Tape) -> None:
    """Give the arrays back, and let a tape that outlives its run hold copies of them, one of each."""
    locked = {id(array) for array, *_ in tape.locked}
    copies: dict[int, Any] = {}
    for at, row in enumerate(tape.rows if locked else ()):
        for position in range(3, len(row), 2):
            x = row[position]
            if type(x) is np.ndarray and (id(x) in locked or any(id(base) in locked for base in _bases(x))):
                if id(x) not in copies:
                    copies[id(x)] = x.copy("K")
                row = (*row[:position], copies[id(x)], *row[position + 1 :])  # noqa: PLW2901 - one operand after the other
        tape.rows[at] = row
    unlock(tape)


def refuse_write(error: ValueError, tape: Tape) -> None:
    """Name what a write into an array that was made read-only means; any other error is the program's.

    Raises:
        OverwrittenError: `error` comes of such a write.
    """
    if tape.locked and "read-only" in str(error):
        raise OverwrittenError(
            "a large plain array that the tape has read is overwritten, so that the derivative would use other "
            f"values{_where_it_was_read(error, tape)}",
            hint="Write into a copy of it: a = a.copy().",
        ) from error


def _where_it_was_read(error: ValueError, tape: Tape) -> str:
    """The other line: where the tape read the array that is written into."""
    from gradcli.code.written_array_origins import written_into

    frames = of_traceback(error.__traceback__)
    file, line = place_to_show(frames)
    frame = next((frame for frame, at in frames if (frame.f_code.co_filename, at) == (file, line)), None)
    origin = written_into(frame, line) if frame and line else None
    written = origin.value if origin and isinstance(origin.value, np.ndarray) else None
    places = [place for array, place, _ in tape.locked if written is None or _same(array, written)]
    read = next((place for place in places if place), None)
    if written is None and len(set(places)) > 1:  # an item of a list, say: there is no telling which
        return ""
    return _shown(_line(read), file)


def _line(place: Place | None) -> tuple[str, int] | None:
    """The file and line of an instruction."""
    if place is None:
        return None
    code, at = place
    return next(((code.co_filename, line) for start, end, line in code.co_lines() if start <= at < end and line), None)


def _shown(place: tuple[str, int] | None, file: str | None) -> str:
    """Where an array was read, as a sentence goes on; `file` is that of the line that the error shows."""
    if place is None:
        return ""
    there = f"line {place[1]}" if place[0] == file else f"{place[0]}:{place[1]}"
    return f": it was read in {there}, `{linecache.getline(*place).strip()}`"


def _same(array: Any, written: Any) -> bool:
    """Whether two arrays are one, or views of one."""
    return bool(np.may_share_memory(array, written))
