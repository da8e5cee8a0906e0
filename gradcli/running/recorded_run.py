"""One recorded run of a program: enters the inputs, calls the function, and repeats the run after a Leak."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli import run_stack
from gradcli.code.reachable_objects import FARTHEST, NEAR
from gradcli.code.stack_frames import frames_of_ours
from gradcli.errors import FindingWarning, ForeignTapeError, LongTapeError, TapeError
from gradcli.patching import name_replacement
from gradcli.patching.name_replacement import Replacements
from gradcli.patching.object_exchange import call_with_replacements
from gradcli.pytree import leaves, map_leaves
from gradcli.running import program_state, warning_places
from gradcli.running.bound_call import BoundCall, name_of
from gradcli.running.known_programs import KnownProgram, known_program
from gradcli.running.muted_reruns import begin_again, quiet, said_once
from gradcli.running.program_state import State, as_before, assigns
from gradcli.running.run_record import RunRecord
from gradcli.running.text_roundtrips import FAILED, refuse_read
from gradcli.tape.concretization_errors import Leak, hook_before, print_others
from gradcli.tape.memory.released_arrays import keeping_all
from gradcli.tape.tape import Tape, active_tape
from gradcli.tape.value import is_plain
from gradcli.temporary_settings import restore_abandoned

if TYPE_CHECKING:
    from gradcli.patching.function_copies import FunctionCopies
    from gradcli.running.user_program_caches import Run
    from gradcli.tape.number_texts import Texts

Caller = Callable[[Tape, Callable[..., Any], Sequence[Any]], Any]


def new_tape(releases: bool = False) -> Tape:
    """A tape with a new record of its run."""
    return Tape(RunRecord(_run_inside), releases)


def run(
    call: BoundCall,
    outer: Tape | None,
    *,
    caller: Caller = run_stack.call,
    new_tape: Callable[[], Tape] = new_tape,
    lasting: bool = False,
) -> Run:
    """Run a call on a tape. If a recorded value leaks from Python code, repeat the run with names replaced.

    Args:
        call: the call to run.
        outer: the tape of the enclosing run, which this run shares.
        caller: calls the function as a run on a tape; that of a `Watch` observes it.
        new_tape: creates the tape if there is no outer one.
        lasting: whether the tape is read after this returns to code that may write into the arrays it has read.

    Returns:
        The tape, the number of rows before the run, the inputs as entered, and the function's result.
    """
    restore_abandoned()
    program = known_program(call)
    once = _run_past_caches if program.may_cache else _run
    if outer is None and (program.saves or not program.ran):
        with _saved(program, call) as state:
            return once(call, outer, caller, new_tape, lasting, state)
    try:
        return once(call, outer, caller, new_tape, lasting, None)
    except ForeignTapeError:
        if outer is not None or program.saves:
            raise
    program.saves = True  # a later run than the first has kept a recorded value, after a cache miss
    program_state.settle(call)
    return run(call, None, caller=caller, new_tape=new_tape, lasting=lasting)


def _run_past_caches(
    call: BoundCall,
    outer: Tape | None,
    caller: Caller,
    new_tape: Callable[[], Tape],
    lasting: bool,
    state: State | None,
) -> Run:
    """Run a call of a program that may cache; if it reads a cached result, run it as if it had cached none."""
    since = 0 if outer is None else len(outer.outcomes)
    done = _run(call, outer, caller, new_tape, lasting, state)
    if len(done[0].outcomes) == since:
        return done
    from gradcli.running import user_program_caches

    again = partial(_run, call, outer, run_stack.call, new_tape, lasting, None)
    computed = user_program_caches.recomputed(done, since, call, again)
    if computed is None or caller is run_stack.call:
        return computed or done
    watched = partial(_run, call, outer, caller, new_tape, lasting, None)  # it discards what was watched before
    return user_program_caches.recomputed(done, since, call, watched) or done


def _run(
    call: BoundCall,
    outer: Tape | None,
    caller: Caller,
    new_tape: Callable[[], Tape],
    lasting: bool,
    state: State | None,
) -> Run:
    if outer is not None and outer.releases:
        with keeping_all(outer):
            return _run(call, outer, caller, new_tape, lasting, state)
    needed = name_replacement.replacements_of(call.function) if name_replacement.by_code else None
    while True:
        tape = new_tape() if outer is None else outer
        start = len(tape.rows)
        inputs, given = call.entered(tape)
        # An inner run is not repeated by itself: the outer one is, with names exchanged in place.
        copies = needed.copies_for(call.function, given) if needed is not None and outer is None else None
        try:
            try:
                result = _result(needed, copies, caller, tape, call.function, given)
                if outer is None and (tape.run.locked or tape.run.texts is not None or tape.run.raised is not None):
                    _refuse_lost_values(tape, call, needed, inputs, result, state)
            except ValueError as error:
                _refuse_write(error, tape)
                raise
            finally:
                if outer is None and sys.excepthook is print_others:
                    sys.excepthook = hook_before[0]
                if outer is None and tape.run.locked:
                    _make_writeable(tape, lasting)
            if tape.run.lost is None:
                return tape, start, inputs, result
        except (Exception, Leak) as error:
            if tape.run.lost is None and not _may_be_repeated(
                error, tape, partial(call.plain, inputs), outer, needed, state
            ):
                raise
        if outer is not None:
            assert tape.run.lost is not None
            raise tape.run.lost
        needed = _extended_replacements(needed, copies, call, tape)
        begin_again()
        _put_back(state, call)


def unwrapped(function: Callable[..., Any], result: Any) -> Any:
    """A result with numbers, arrays and recorded values in place of other libraries' objects that hold them.

    Raises:
        ResultError: a part of it has a unit or a mask, or holds recorded values that it does not give.
    """
    if all(map(is_plain, leaves(result))):
        return result
    from gradcli.running.result_objects import unwrapped_leaf

    return map_leaves(partial(unwrapped_leaf, function), result)


def _refuse_write(error: ValueError, tape: Tape) -> None:
    """Refuse a write into an array that the tape has made read-only. Return for any other error."""
    if tape.run.locked:
        from gradcli.tape.memory.read_only_operands import refuse_write

        refuse_write(error, tape)


def _make_writeable(tape: Tape, lasting: bool) -> None:
    """Make the arrays writeable again that the tape has made read-only; one that lasts gets copies."""
    from gradcli.tape.memory.read_only_operands import settle, unlock

    (settle if lasting else unlock)(tape)


def _put_back(state: State | None, call: BoundCall) -> None:
    """Restore the state of the program before it is run again; warn if the state was not saved."""
    if state is not None:
        state.restore()
    elif assigns(call):
        text = f"{name_of(call.function)} was run again to follow a recorded value: what it assigns advanced twice"
        warnings.warn(f"G903: {text}", FindingWarning, stacklevel=frames_of_ours())


def _refuse_lost_values(
    tape: Tape,
    call: BoundCall,
    needed: Replacements | None,
    inputs: list[Any],
    result: Any,
    state: State | None,
) -> None:
    """Refuse a run if an array that it has read has changed, or if its result depends on a text that it has written.

    Also if it has caught an error that only recorded values raise, as of a hash or in C code, and plain numbers give
    another result. A cache that does without where it cannot hash gives the same.
    """
    if (
        tape.run.raised is not None
        and tape.run.lost is None
        and _differs_on_plain_numbers(call.plain(inputs), result, state)
    ):
        from gradcli.running.error_translation import caught

        raise caught(tape.run.raised)
    if tape.run.locked:
        from gradcli.tape.memory.read_only_operands import refuse_changed

        refuse_changed(tape)
    if tape.run.texts is not None and tape.run.lost is None:
        modules = {place.spot[0] for place in needed.places if place.key == "float"} if needed else set()
        refuse_read(tape.run.texts, known_program(call).readers, modules, result, partial(_repeated, call, state))


def _differs_on_plain_numbers(plain: BoundCall, result: Any, state: State | None) -> bool:
    """Whether the program returns other numbers when it runs on plain ones, quietly and from the same state."""
    from gradcli.pytree import map_leaves
    from gradcli.running.user_program_caches import agree
    from gradcli.tape.value import plain_value

    try:
        with as_before(plain, state), quiet():
            return not agree(map_leaves(plain_value, result), plain.function(*plain.arguments))
    except Exception:  # nothing to compare with
        return False


def _repeated(call: BoundCall, state: State | None, texts: Texts) -> Any:
    """The result of the program when run again, quietly and from the same state; or FAILED."""

    def with_texts() -> Tape:
        tape = new_tape()
        tape.run.texts = texts
        return tape

    try:
        with as_before(call, state), quiet():
            return run(call, None, new_tape=with_texts)[3]
    except Exception:
        return FAILED


def _may_be_repeated(
    error: BaseException,
    tape: Tape,
    plain: Callable[[], BoundCall],
    outer: Tape | None,
    needed: Replacements | None,
    state: State | None,
) -> bool:
    """Whether a run that raised an error may be repeated. If gradcli has a better error, it is raised."""
    from gradcli.running import error_translation

    try:
        return error_translation.explain(error, tape, plain, outer, state)
    except TapeError as refused:
        if outer is not None or needed is None or needed.fallback is None or isinstance(refused, LongTapeError):
            raise
        tape.run.lost = refused
        return True


def _extended_replacements(
    needed: Replacements | None, copies: FunctionCopies | None, call: BoundCall, tape: Tape
) -> Replacements | None:
    """The replacements for repeating an aborted run: those of a copy in place, or more of them.

    Raises:
        TapeError: the program cannot be followed.
    """
    from gradcli.patching import leak_replacements
    from gradcli.running.error_translation import leak_of

    try:
        leak = leak_of(tape)
        if needed is not None and copies is not None:
            needed.in_place = True
            return needed
        extended = leak_replacements.extended(needed, call.function, leak, call.reached)
        if extended.arrays:
            known_program(call).saves = True
        return extended
    except TapeError:
        fallback = name_replacement.fall_back(needed, call.function)
        if fallback is None:
            raise
        return fallback


@contextmanager
def _saved(program: KnownProgram, call: BoundCall) -> Iterator[State]:
    """A context with the saved state of the program. Afterwards the state contains plain numbers only.

    Output of the first run is shown once. Only the main thread does so, as other threads print to the same streams.
    """
    shown_once = not program.ran and threading.current_thread() is threading.main_thread()
    state = State(call, FARTHEST if not program.ran else NEAR)
    try:
        with said_once() if shown_once else nullcontext():
            yield state
        program.ran = True
    finally:
        if state.changed():
            program.saves = True
            program_state.settle(call)


def _result(
    needed: Replacements | None,
    copies: FunctionCopies | None,
    caller: Caller,
    tape: Tape,
    function: Any,
    given: list[Any],
) -> Any:
    """What a function returns. Its warnings are shown at the lines of the code that called gradcli.

    Ctrl-C may arrive where a Python function begins, so nothing here calls one except the function itself.
    """
    try:
        warnings.filters.insert(0, warning_places.FILTER)  # type: ignore[attr-defined]
        if needed is None:
            return caller(tape, function, given)
        return _result_with_replacements(needed, copies, caller, tape, function, given)
    finally:
        if warning_places.FILTER in warnings.filters:  # the user's code may have removed all filters
            warnings.filters.remove(warning_places.FILTER)  # type: ignore[attr-defined]


def _result_with_replacements(
    needed: Replacements,
    copies: FunctionCopies | None,
    caller: Caller,
    tape: Tape,
    function: Any,
    given: list[Any],
) -> Any:
    """What a function returns as a copy, or with names exchanged in place."""
    if copies is not None:
        return copies.call(caller, tape, function, given)
    if not needed.arrays or active_tape() is not None:  # only the outermost run sees all reads of the arrays
        return call_with_replacements(needed.grouped, caller, tape, function, given)
    from gradcli.patching.preallocated_buffers import call_with_arrays

    return call_with_replacements(needed.grouped, call_with_arrays, needed.arrays, tape, caller, function, given)


def _run_inside(function: Callable[..., Any], arguments: tuple[Any, ...], tape: Tape) -> Run:
    """Run a function inside the run on `tape`, with every argument as an input."""
    return run(BoundCall.of_inputs(function, arguments), tape)
