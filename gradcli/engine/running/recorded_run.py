"""One recorded run of a program: bind the arguments, follow the function, run it, and say what went wrong."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli import run_stack
from gradcli.engine.patching.name_replacement import Replacements
from gradcli.engine.running import warning_places
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.known_programs import KnownProgram, known_program
from gradcli.engine.running.run_record import RunRecord
from gradcli.engine.tape.concretization_errors import Leak, hook_before, print_others
from gradcli.engine.tape.memory.released_arrays import keeping_all
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import is_plain, is_recorded
from gradcli.errors import DetachedError
from gradcli.shared.pytree import leaves, map_leaves
from gradcli.shared.temporary_settings import restore_abandoned

Run = tuple[Tape, int, list[Any], Any]
Caller = Callable[[Tape, Callable[..., Any], Sequence[Any]], Any]


def new_tape() -> Tape:
    """A tape with a new record of its run."""
    return Tape(RunRecord(_run_inside))


def releasing_tape() -> Tape:
    """A tape that releases large arrays that no pullback reads, with a new record of its run."""
    return Tape(RunRecord(_run_inside), True)


def run(
    call: BoundCall,
    outer: Tape | None,
    *,
    caller: Caller = run_stack.call,
    new_tape: Callable[[], Tape] = new_tape,
    lasting: bool = False,
) -> Run:
    """Run a call on a tape.

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
    if not program.may_cache:
        return _run(program, call, outer, caller, new_tape, lasting)
    since = 0 if outer is None else len(outer.outcomes)
    keeps = outer is None
    try:
        done = _run(program, call, outer, caller, new_tape, lasting)
        if len(done[0].outcomes) > since:
            _refuse_cached_result(done, since, call, outer)
        keeps = keeps and _outlive(done)
    finally:
        if keeps:
            from gradcli.engine.running.program_state import settle

            settle(call)
    return done


def _refuse_cached_result(done: Run, since: int, call: BoundCall, outer: Tape | None) -> None:
    from gradcli.engine.running.cached_results import refuse_cached_result

    tape, start, *_ = done
    try:
        refuse_cached_result(tape, start, since, call)
    except DetachedError as refused:
        if outer is None:
            tape.close()
        else:
            tape.run.lost = refused
        raise


_OWN = 2  # references to a tape by a finished run, and by the call that counts them
_RETURNED = 4  # and to a value that the run returns or has entered


def _outlive(done: Run) -> bool:
    """Whether anything else refers to the inputs or the result, or other recorded values of the tape are alive."""
    held = (*done[2], done[3])
    if not all(map(is_recorded, held)):  # the general case is slower
        held = tuple(filter(is_recorded, leaves(list(held))))
    if sys.getrefcount(done[0]) > len(held) + _OWN:
        return True
    return any(sys.getrefcount(value) > _RETURNED for value in held)


def _run(
    program: KnownProgram,
    call: BoundCall,
    outer: Tape | None,
    caller: Caller,
    new_tape: Callable[[], Tape],
    lasting: bool,
) -> Run:
    if outer is not None and outer.releases:
        with keeping_all(outer):
            return _run(program, call, outer, caller, new_tape, lasting)
    tape = new_tape() if outer is None else outer
    start = len(tape.rows)
    inputs, given = call.entered(tape)
    try:
        try:
            result = _result(program.replacements, caller, tape, call.function, given)
            if outer is None and (tape.run.locked or tape.run.texts is not None or tape.run.raised is not None):
                _refuse_lost_values(tape, call, inputs, result)
        except ValueError as error:
            from gradcli.engine.tape.memory.read_only_operands import refuse_write

            refuse_write(error, tape)
            raise
        finally:
            if outer is None and sys.excepthook is print_others:
                sys.excepthook = hook_before[0]
            if outer is None and tape.run.written_arrays is not None:
                try:
                    tape.run.written_arrays.put_back()
                except BaseException:  # Ctrl-C
                    tape.run.written_arrays.put_back()
                    raise
            if outer is None and tape.run.locked:
                from gradcli.engine.tape.memory.read_only_operands import settle, unlock

                (settle if lasting else unlock)(tape)
    except (Exception, Leak) as error:
        if tape.run.lost is None:
            from gradcli.engine.running import error_translation

            error_translation.explain(error, tape, partial(call.plain, inputs), outer)
            raise
    if tape.run.lost is None:
        return tape, start, inputs, result
    if outer is not None:
        raise tape.run.lost
    from gradcli.engine.running.error_translation import leak_of

    raise leak_of(tape).refusal()


def unwrapped(function: Callable[..., Any], result: Any) -> Any:
    """A result with numbers, arrays and recorded values in place of other libraries' objects that hold them.

    Raises:
        ResultError: a part of it has a unit or a mask, or holds recorded values that it does not give.
    """
    if all(map(is_plain, leaves(result))):
        return result
    from gradcli.engine.running.result_objects import unwrapped_leaf

    return map_leaves(partial(unwrapped_leaf, function), result)


def _refuse_lost_values(tape: Tape, call: BoundCall, inputs: list[Any], result: Any) -> None:
    """Refuse a run if an array that it has read has changed, or if it may have read a text that it has written.

    Also if it has caught an error that only recorded values raise, as of a hash or in C code, and plain numbers give
    another result. A cache that does without where it cannot hash gives the same.
    """
    if tape.run.raised is not None and tape.run.lost is None:
        from gradcli.engine.running import error_translation

        if error_translation.differs_on_plain_numbers(call.plain(inputs), result):
            raise error_translation.caught(tape.run.raised)
    if tape.run.locked:
        from gradcli.engine.tape.memory.read_only_operands import refuse_changed

        refuse_changed(tape)
    if tape.run.texts is not None and tape.run.lost is None:
        from gradcli.engine.running.text_roundtrips import refuse_read

        refuse_read(tape.run.texts, call.reached().functions)


def _result(needed: Replacements | None, caller: Caller, tape: Tape, function: Any, given: list[Any]) -> Any:
    """What a function returns, with the replacements that it needs.

    Its warnings are shown at the lines of the code that called gradcli. Ctrl-C may arrive where a Python function
    begins, so that nothing here calls one besides what runs the function.
    """
    try:
        warnings.filters.insert(0, warning_places.FILTER)  # type: ignore[attr-defined]
        if needed is None:
            return caller(tape, function, given)
        return needed.run(caller, tape, function, given)
    finally:
        if warning_places.FILTER in warnings.filters:  # the user's code may have removed all filters
            warnings.filters.remove(warning_places.FILTER)  # type: ignore[attr-defined]


def _run_inside(function: Callable[..., Any], arguments: tuple[Any, ...], tape: Tape) -> Run:
    """Run a function inside the run on `tape`, with every argument as an input."""
    return run(BoundCall.of_inputs(function, arguments), tape)
