"""One recorded run of a program: inputs entered on a tape, the function called, leaks answered by lending."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from types import BuiltinFunctionType
from typing import Any

from gradcli.code.reachable_code import FARTHEST, NEAR
from gradcli.code.stack_frames import frames_of_ours
from gradcli.errors import FindingWarning, ForeignTapeError, LongTapeError, TapeError
from gradcli.patching import name_replacement
from gradcli.patching.object_exchange import call_borrowing
from gradcli.running import error_translation, known_programs
from gradcli.running.argnums import name_of
from gradcli.running.inputs import enter_all
from gradcli.running.muted_reruns import begin_again, quiet, said_once
from gradcli.running.program_state import State, assigns, unchanged
from gradcli.running.program_state import settle as settle_state
from gradcli.running.text_roundtrips import FAILED, refuse_read
from gradcli.tape import active_runs
from gradcli.tape.captured_arrays import refuse_changed, refuse_write, settle, unlock
from gradcli.tape.concretization import Leak, heard
from gradcli.tape.number_texts import Texts
from gradcli.tape.released_arrays import whole
from gradcli.tape.tape import Tape


def run(  # noqa: PLR0913 - what differs between the transforms, each with a default
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    argnums: Iterable[int],
    outer: Tape | None,
    *,
    call: Callable[..., Any] = active_runs.call,
    new_tape: Callable[[], Tape] = Tape,
    lasting: bool = False,
) -> tuple[Tape, int, list[Any], Any]:
    """Run `function` on a tape; again, with names lent, where a recorded value leaks from Python code.

    Args:
        function: called as `function(*arguments)`.
        arguments: plain, or recorded on `outer`.
        argnums: which of them are entered on the tape.
        outer: the tape of the run that this one is inside of, which it shares.
        call: calls the function as a run on a tape; a `Watch` has one that watches.
        new_tape: makes the tape where there is no outer one.
        lasting: whether the tape is read after this returns to code that may write into the arrays it has read.

    Returns:
        The tape, the number of rows before the run, the arguments as entered, and the function's result.
    """
    if type(function) is BuiltinFunctionType:
        function = name_replacement.followed(function)
    program = known_programs.get(function) or known_programs.read(function, arguments)
    if outer is None and (program.saves or not program.ran):
        with _saved(program, function, arguments) as state:
            return _run(function, arguments, argnums, outer, call=call, new_tape=new_tape, lasting=lasting, state=state)
    try:
        return _run(function, arguments, argnums, outer, call=call, new_tape=new_tape, lasting=lasting, state=None)
    except ForeignTapeError:
        if outer is not None or program.saves:
            raise
    program.saves = True  # an earlier run has kept a recorded value, though the first one did not: a cache missed
    settle_state(function, arguments)
    return run(function, arguments, argnums, None, call=call, new_tape=new_tape, lasting=lasting)


def _run(  # noqa: PLR0913 - the same, and what the program keeps
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    argnums: Iterable[int],
    outer: Tape | None,
    *,
    call: Callable[..., Any],
    new_tape: Callable[[], Tape],
    lasting: bool,
    state: State | None,
) -> tuple[Tape, int, list[Any], Any]:
    if outer is not None and outer.lean:
        with whole(outer):
            return _run(function, arguments, argnums, outer, call=call, new_tape=new_tape, lasting=lasting, state=state)
    loan = name_replacement.remembered(function) if name_replacement.needs else None
    while True:
        tape = new_tape() if outer is None else outer
        start = len(tape.rows)
        entered, given = [*arguments], [*arguments]
        for n in argnums:
            entered[n], given[n] = enter_all(tape, entered[n])
        try:
            try:
                result = call(tape, function, given) if loan is None else _call_lent(loan, call, tape, function, given)
                if outer is None and (tape.locked or tape.texts is not None):
                    _refuse_what_was_lost(tape, function, arguments, argnums, loan, result)
            except ValueError as error:
                refuse_write(error, tape)
                raise
            finally:
                if outer is None and tape.locked:
                    (settle if lasting else unlock)(tape)
            if tape.lost is None:
                return tape, start, entered, result
        except (Exception, Leak) as error:
            if tape.lost is None and not _is_lost(error, tape, function, entered, outer, loan):
                _note_lists(error, arguments)
                raise
        if outer is not None:
            assert tape.lost is not None
            raise tape.lost
        heard()
        loan = _more(loan, function, arguments, tape)
        begin_again()
        _put_back(state, function, arguments)


def _put_back(state: State | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Put back what the program keeps, before it is run again; where that was not saved, say so."""
    if state is not None:
        state.restore()
    elif assigns(function, arguments):
        text = f"{name_of(function)} was run again to follow a recorded value: what it assigns has advanced twice"
        warnings.warn(f"G903: {text}", FindingWarning, stacklevel=frames_of_ours())


def _note_lists(error: BaseException, arguments: tuple[Any, ...]) -> None:
    """Add to an error that a list among the arguments may have caused what to pass in its place."""
    of_lists = isinstance(error, (TypeError, AttributeError)) and ("list" in str(error) or "sequence" in str(error))
    if of_lists and any(map(_holds_list, arguments)) and not getattr(error, "__notes__", ()):
        error.add_note("The point is a list, which stays one: pass np.array([...]) for an array.")


def _holds_list(argument: Any) -> bool:
    parts = argument.values() if isinstance(argument, dict) else argument if isinstance(argument, (list, tuple)) else ()
    return isinstance(argument, list) or any(map(_holds_list, parts))


def _refuse_what_was_lost(
    tape: Tape,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    argnums: Iterable[int],
    loan: name_replacement.Loan | None,
    result: Any,
) -> None:
    """Refuse a run after which an array has changed that was read, or that computes with what it read of a text."""
    if tape.locked:
        refuse_changed(tape)
    if tape.texts is not None and tape.lost is None:
        program = known_programs.get(function) or known_programs.read(function, arguments)
        lent = {place.spot[0] for place in loan.places if place.key == "float"} if loan else set()
        refuse_read(tape.texts, program.readers, lent, result, partial(_repeated, function, arguments, argnums))


def _repeated(function: Callable[..., Any], arguments: tuple[Any, ...], argnums: Iterable[int], texts: Texts) -> Any:
    """The result of the program when it is run once more, quietly and from the same state; or FAILED."""

    def new_tape() -> Tape:
        tape = Tape()
        tape.texts = texts
        return tape

    try:
        with unchanged(function, arguments), quiet():
            return run(function, arguments, argnums, None, new_tape=new_tape)[3]
    except Exception:
        return FAILED


def _is_lost(
    error: BaseException,
    tape: Tape,
    function: Callable[..., Any],
    entered: list[Any],
    outer: Tape | None,
    loan: name_replacement.Loan | None,
) -> bool:
    """Whether a run that raised an error may be repeated; the error that explains it, if there is one, is raised."""
    try:
        return error_translation.explain(error, tape, function, entered, outer)
    except TapeError as refused:
        if outer is not None or loan is None or loan.fewer is None or isinstance(refused, LongTapeError):
            raise
        tape.lost = refused
        return True


def _more(
    loan: name_replacement.Loan | None, function: Callable[..., Any], arguments: tuple[Any, ...], tape: Tape
) -> name_replacement.Loan | None:
    """What has to be lent to a run that was given up when it is done again.

    Raises:
        TapeError: it cannot be followed.
    """
    try:
        extended = name_replacement.extend(loan, function, arguments, error_translation.leak_of(tape))
        if extended.arrays:
            (known_programs.get(function) or known_programs.read(function, arguments)).saves = True
        return extended
    except TapeError:
        fewer = name_replacement.begin_with_fewer(loan, function)
        if fewer is None:
            raise
        return fewer


@contextmanager
def _saved(
    program: known_programs.KnownProgram, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Iterator[State]:
    """What the program keeps, to be put back where its run is done again; afterwards it holds plain numbers alone.

    What the first run prints is shown once.  Other threads print to the same streams, so that only the main one counts.
    """
    shown_once = not program.ran and threading.current_thread() is threading.main_thread()
    state = State(function, arguments, FARTHEST if not program.ran else NEAR)
    try:
        with said_once() if shown_once else nullcontext():
            yield state
        program.ran = True
    finally:
        if state.changed():
            program.saves = True
            settle_state(function, arguments)


def _call_lent(
    loan: name_replacement.Loan, call: Callable[..., Any], tape: Tape, function: Any, given: list[Any]
) -> Any:
    function = loan.instead or function
    if not loan.arrays or active_runs.tape() is not None:  # the outermost run alone: it sees all that is read of them
        return call_borrowing(loan.borrowed, call, tape, function, given)
    from gradcli.patching.shims.filled_arrays import call_with_arrays

    return call_borrowing(loan.borrowed, call_with_arrays, loan.arrays, tape, call, function, given)


active_runs.Inside.run = staticmethod(run)
