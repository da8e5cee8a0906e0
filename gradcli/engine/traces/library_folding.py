"""A trace in which each call of a library function from the user's code is one step.

The rows of a call stay, so that nodes keep their numbers, and hold nothing but their values; those that the program
uses afterwards compute what the call gave, from what it took.
"""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.pullbacks import array_operation
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse
from gradcli.engine.tape.tape import ARRAY_CONSTANT, CONSTANT, INPUT, Closed, Row, RowOperation, Tape
from gradcli.engine.traces.altered_rows import row_with_sources
from gradcli.engine.traces.library_call_log import LibraryCall
from gradcli.engine.traces.names_and_source_lines import Visits, Watch
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.pytree import leaves

LONGEST = 8  # rows of a call of NumPy's that are shown


def fold_library_calls(trace: Trace, numbered: Callable[[Trace], Collection[int]] = lambda trace: ()) -> Trace:
    """The same watched run, with each call of a library function as one step; the run itself if it has no such call.

    A call of NumPy's is one step if it is long, or if a row inside it would otherwise have to be `numbered`.
    """
    watch = trace._watch
    if watch is None:
        return trace
    logged = watch.library_calls.calls
    rows = numbered(trace) if any(call.numpys for call in logged) else ()
    outputs = _used_later(trace, watch, logged) if rows else set[int]()
    calls = [call for call in logged if not call.numpys or _is_opaque(trace, call, rows, outputs)]
    return FoldedTrace(trace, watch, calls) if calls else trace


def _is_opaque(trace: Trace, call: LibraryCall, numbered: Collection[int], outputs: set[int]) -> bool:
    """Whether a call is long, or a row inside has to be numbered and is not an output of the call."""
    if call.after.rows - call.before.rows > LONGEST:
        return True
    inside = [index for index in range(call.before.rows, call.after.rows) if index in numbered]
    return any(index not in outputs or getattr(trace.nodes[index].rule, "writes", False) for index in inside)


class FoldedTrace(Trace):
    """A run in which each call of a library function is one step.

    Attributes:
        part_of: the nodes that are parts of calls, each with the output of the call that it comes before.
    """

    def __init__(self, trace: Trace, watch: Watch, calls: Sequence[LibraryCall]) -> None:
        vars(self).update(vars(trace))
        for name in ("nodes", "names", "scopes", "program", "_asked", "_traversal"):
            vars(self).pop(name, None)
        self._whole = trace
        used = _used_later(trace, watch, calls)
        self.part_of = part_of = dict[int, int]()
        rows = [*trace._tape.rows]
        for call in calls:
            inside = range(call.before.rows, call.after.rows)
            outputs = [index for index in inside if index in used]
            _fold(trace._tape, rows, call, outputs)
            computed = [index for index in outputs if rows[index][0].recorded]
            part_of |= {n: _next(computed, n) for n in inside if n not in used}
        self._tape = self._with_rows(rows)
        self._tape.has_arrays = True
        self._watch = _watch_without(watch, calls, part_of)
        gone = {n for call in calls for n in range(call.before.outcomes, call.after.outcomes)}
        self.outcomes = tuple(outcome for n, outcome in enumerate(trace.outcomes) if n not in gone)

    @property
    def whole(self) -> Trace:
        """The run with the steps inside library calls."""
        return self._whole

    @property
    def is_doubted(self) -> bool:
        """Whether a sweep met a number that is not finite."""
        return self.whole.is_doubted

    @property
    def _traversal(self) -> Traversal:
        return self.whole._traversal

    def cotangents(self) -> list[Any]:
        """The cotangents of the whole run; steps inside a call have none."""
        return [UNTOUCHED if n in self.part_of else ct for n, ct in enumerate(self.whole.cotangents())]


def _next(outputs: Sequence[int], index: int) -> int:
    """The first output after a row, otherwise the last output; the row itself if the call has no output."""
    return next((n for n in outputs if n > index), outputs[-1] if outputs else index)


def _used_later(trace: Trace, watch: Watch, calls: Sequence[LibraryCall]) -> set[int]:
    """The rows of calls that are used outside their call: by rows, names or outcomes, or as the result."""
    end_of = {n: call.after for call in calls for n in range(call.before.rows, call.after.rows)}
    used = {index for index in leaves(trace.result) if index is not None}
    for at, row in enumerate(trace._tape.rows):
        used.update(n for n in row[2::2] if n in end_of and at >= end_of[n].rows)
    for number, outcome in enumerate(trace.outcomes):
        used.update(n for n in outcome.sources if n in end_of and number >= end_of[n].outcomes)
    used.update(n for n, visit in watch.bound.items() if n in end_of and visit >= end_of[n].visits - 1)
    return used


def _fold(tape: Tape, rows: list[Row], call: LibraryCall, outputs: Sequence[int]) -> None:
    """Replace each output of a call by one step, and the other rows of the call by bare values."""
    for index in range(call.before.rows, call.after.rows):
        rows[index] = (ARRAY_CONSTANT, rows[index][1])
    for index in outputs:
        part = _CallPart(tape, call.before.rows, index, {*outputs})
        if part.sources:
            taken = [x for source in part.sources for x in (source, tape.rows[source][1])]
            rows[index] = (part.operation(call, index), tape.rows[index][1], *taken)


class _CallPart:
    """The rows from which one output of a call was computed, as a separate tape.

    Attributes:
        sources: the rows outside of the call, and the other outputs of it, that were used.
    """

    def __init__(self, tape: Tape, first: int, last: int, outputs: set[int]) -> None:
        inside, outside = {last}, set[int]()
        for index in range(last, first - 1, -1):
            if index in inside:
                for n in tape.rows[index][2::2]:
                    if n != CONSTANT:
                        (outside if n < first or n in outputs else inside).add(n)
        self.sources = tuple(sorted(outside))
        order = {n: at for at, n in enumerate([*self.sources, *sorted(inside)])}
        self.tape = new_tape()
        self.tape.has_arrays, self.tape.has_complex = True, tape.has_complex
        entered = [(INPUT, tape.rows[n][1]) for n in self.sources]
        self.tape.rows = Closed([*entered, *(row_with_sources(tape.rows[n], order) for n in sorted(inside))])
        self._last: tuple[Any, list[Any]] = (None, [])

    def operation(self, call: LibraryCall, index: int) -> RowOperation:
        """The step that stands for these rows."""
        rule = ArrayRule("call", self._forward, (self._vjp,), jvp=self._jvp, variadic=True, complex=True, folds=True)
        places = {source: n for n, source in enumerate(self.sources)}
        parts = [part if isinstance(part, str) else places.get(part.row, part.text) for part in call.text]
        parts += [f"[{call.results.index(index)}]"] if index in call.results else []
        return array_operation(rule, tuple(range(len(self.sources))), {"call": tuple(parts), "numpys": call.numpys})

    def _forward(self, *arguments: Any, **static: Any) -> Any:
        raise NotImplementedError("the whole run is replayed")

    def _vjp(self, ct: Any, v: Any, *arguments: Any, position: int, **static: Any) -> Any:
        if self._last[0] is not ct:
            self._last = ct, reverse(self.tape, len(self.tape) - 1, ct)
        cotangent = self._last[1][position]
        return np.zeros_like(arguments[position])[()] if cotangent is UNTOUCHED else cotangent

    def _jvp(self, tangents: dict[int, Any], v: Any, *arguments: Any, **static: Any) -> Any:
        moves = {n: tangents.get(n, 0.0) for n in range(len(arguments))}
        return forward(self.tape, moves, [len(self.tape) - 1])[-1]


def _watch_without(watch: Watch, calls: Sequence[LibraryCall], hidden: Collection[int]) -> Watch:
    """The observations of a watch, without those inside library calls."""
    again = copy.copy(watch)
    seen = watch.visits
    inner = {n for call in calls for n in range(call.before.visits, call.after.visits - 1)}  # the last is a return
    kept = [n for n in range(len(seen.places)) if n not in inner]
    place = {n: at for at, n in enumerate(kept)}
    visits = again.visits = Visits()
    visits.rows, visits.places = [seen.rows[n] for n in kept], [seen.places[n] for n in kept]
    visits.steps = [seen.steps[n] for n in kept]
    asked = [0, *accumulate(call.after.outcomes - call.before.outcomes for call in calls)]
    visits.outcomes = [
        before - asked[bisect_right(calls, before, key=lambda call: call.after.outcomes)]
        for before in map(seen.outcomes.__getitem__, kept)
    ]
    number: dict[int, int] = {}
    for n, activation in enumerate(seen.calls):
        if activation.caller is None or activation.caller in place:
            number[n] = len(visits.calls)
            visits.calls.append(copy.copy(activation))
    for activation in visits.calls:
        activation.caller = None if activation.caller is None else place[activation.caller]
        activation.result = None if activation.result in hidden else activation.result
    visits.activations = [number.get(seen.activations[n], 0) for n in kept]
    again.bound = {row: place[n] for row, n in watch.bound.items() if n in place and row not in hidden}
    again.names = {row: name for row, name in watch.names.items() if row in again.bound}
    return again
