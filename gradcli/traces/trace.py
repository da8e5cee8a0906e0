"""The trace of one run: its value, nodes and outcomes, its sensitivities, and the run at another point."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gradcli import devices as arrays
from gradcli.errors import ResultError
from gradcli.pytree import is_structure, leaves, leaves_like, map_leaves
from gradcli.rules.complex import conjugated
from gradcli.running.argnums import name_of
from gradcli.running.recorded_run import run
from gradcli.tape import active_runs
from gradcli.tape.accumulation import UNTOUCHED, plain
from gradcli.tape.data_outcomes import DataOutcomes, DataStep
from gradcli.tape.pullbacks import ARITHMETIC
from gradcli.tape.sweeps.masked_reverse import ReachedSweep
from gradcli.tape.sweeps.reverse_and_forward import forward, reverse
from gradcli.tape.tape import CONSTANT, Closed, OutcomeRow, Row, Tape
from gradcli.tape.value import bare, is_recorded
from gradcli.traces.node import TraceNode, TraceOutcome
from gradcli.traces.program import Asked, Program, in_order, program_of
from gradcli.traces.runs_at_other_points import (
    Pull,
    form_of,
    like,
    moved_outcome,
    moved_row,
    row_with_numbers,
    row_with_pull,
    structure_of,
)
from gradcli.traces.traversal import FLOATS, Diverged, Traversal

if TYPE_CHECKING:
    from gradcli.running.variable_names import Watch
    from gradcli.traces.scopes import Scopes


class Trace:
    """One whole run of `function`, read-only.

    Attributes:
        function: what was run, or the rule of which it is a product.
        arguments: what it was called with.
        value: the plain result.
        inputs: by argument, the structure of the argument with the index of its node in place of each number or array.
        result: the structure of the result with the index of its node, or None where a number is constant.
    """

    find: ClassVar[Callable[[Trace], list[Any]]]  # what is worth knowing of a run: it is found further up

    def __init__(  # noqa: PLR0913 - all that is known of a run
        self,
        tape: Tape,
        inputs: tuple[Any, ...],
        result: Any,
        value: Any,
        *,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        watch: Watch | None = None,
    ) -> None:
        self._recorded = tape
        self.inputs = inputs
        self.result = result
        self.value = value
        self.function = function
        self.arguments = arguments
        self._watch = watch

    @cached_property
    def _tape(self) -> Tape:
        return self._recorded

    def __repr__(self) -> str:
        shape = np.shape(self.value) if arrays.is_array(self.value) else ()
        value = f"an array of shape {shape}" if shape else repr(self.value)
        counts = f"nodes: {len(self._recorded)}, outcomes: {len(self._recorded.outcomes)}"
        return f"<Trace of {name_of(self.function)}, {counts}, value: {value}>"

    @cached_property
    def outcomes(self) -> tuple[TraceOutcome, ...]:
        """What the program was told, in order."""
        made = starmap(TraceOutcome, self._recorded.outcomes)
        if self._watch is None:
            return tuple(made)
        return tuple(outcome._replace(place=self._watch.place_of_outcome(n)) for n, outcome in enumerate(made))

    @property
    def is_named(self) -> bool:
        """Whether the user's names and lines were recorded."""
        return self._watch is not None

    @cached_property
    def names(self) -> dict[int, str]:
        """The user's names by node; none where they were not recorded."""
        return {} if self._watch is None else self.scopes.names(self._watch, len(self._tape))

    @cached_property
    def scopes(self) -> Scopes:
        """The calls and the iterations of loops that made each node; none where lines were not recorded."""
        from gradcli.traces.scopes import Scopes

        return Scopes(self._watch)

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The plain arrays that the user's variables held, by name; none where names were not recorded."""
        return {} if self._watch is None else self._watch.arrays

    def renamed(self, names: Mapping[int, str]) -> Trace:
        """The same run with other names for its nodes, each of one node alone: one that comes again gets a number.

        None are given where names were not recorded.
        """
        again = self._copy("names", "nodes")
        if self._watch is not None:
            again._watch = self._watch.renamed(names)
        return again

    def visit(self, index: int) -> int:
        """Which of the visits to any line made a node, by number; its index where lines were not recorded."""
        found = None if self._watch is None else self._watch.visits.of_row(index)
        return index if found is None else found

    @property
    def has_arrays(self) -> bool:
        """Whether any node holds a NumPy value."""
        return self._recorded.has_arrays

    @property
    def has_complex(self) -> bool:
        """Whether any node holds complex numbers."""
        return self._recorded.has_complex

    @property
    def is_doubted(self) -> bool:
        """Whether a sweep met a number that is not finite, so that it had to ask what was reached."""
        return self._tape.doubted

    @cached_property
    def program(self) -> Program:
        """What the run did, without its numbers: equal, and hashed alike, for runs along the same path."""
        return program_of(self.nodes, self._asked, self._recorded.data, self.inputs, self.result)

    @cached_property
    def _asked(self) -> Asked:
        return in_order(self.outcomes, self._recorded.data)

    @cached_property
    def handed_on(self) -> list[Any]:
        """What the outcomes of the program gave, in its order; nothing where it refers to none."""
        if self._recorded.data is None:
            return []
        return [x.value if isinstance(x, DataStep) else x.told for x, _ in self._asked]

    @property
    def masked(self) -> Collection[int]:
        """The nodes of which a replay may find another shape, for what they read is told by a mask."""
        return () if self._recorded.data is None else self._recorded.data.masked

    def result_indices(self) -> list[int | None]:
        """The node of each number and array of the result, in order; None for one that is constant."""
        found = leaves_like(self.value, self.result)
        assert found is not None
        return found

    def replay(self, *arguments: Any) -> Trace:
        """The run at other arguments, with the value that a run there gives, up to rounding.

        Masks, orders and what a solver found are computed again.  Where anything that Python was told differs (a truth
        value, a whole number, a shape), or an argument has another type, shape or structure, the run is recorded anew.
        A replay costs a third to two thirds of a recording.
        """
        found = self._followed(arguments)
        follows = self._recorded.data is not None
        return found or recorded(self.function, arguments, names=self.is_named, follows=follows)

    def values_at(self, inputs: Mapping[int, Any], *, blindly: bool = False) -> list[Any]:
        """The values of all nodes when the inputs have other values; `blindly`, whatever the program would be told.

        Raises:
            Diverged: an outcome differs, or a value cannot be computed along the recorded path.
        """
        try:
            return self._traversal.values(inputs, asks_again=not blindly)
        except ARITHMETIC as error:
            raise Diverged from error

    @cached_property
    def _traversal(self) -> Traversal:
        return Traversal(self, FLOATS)

    @cached_property
    def _structure(self) -> Any:
        return structure_of(self.inputs)

    def _followed(self, arguments: tuple[Any, ...]) -> Trace | None:
        """The run at other arguments along the same path, or None where the program would go another way."""
        if structure_of(arguments) != self._structure:
            return None
        indices, given = leaves(self.inputs), leaves(arguments)
        here = [self._recorded.rows[index][1] for index in indices]
        moved = [*map(like, given, here)]
        if [*map(form_of, moved)] != [*map(form_of, here)]:
            return None
        try:
            values, handed_on = self._traversal.followed(dict(zip(indices, moved, strict=True)))
        except (Diverged, *ARITHMETIC, IndexError):  # of an array that a mask has made shorter
            return None
        return _Replay(self, arguments, values, handed_on)

    def _with_rows(self, rows: Iterable[Row]) -> Tape:
        tape = Tape()
        tape.has_arrays, tape.has_complex = self.has_arrays, self.has_complex
        tape.rows, tape.outcomes = Closed(rows), self._recorded.outcomes
        return tape

    def _result_of(self, values: list[Any]) -> Any:
        if isinstance(self.result, int):
            return values[self.result]
        found = iter(self.result_indices())
        return map_leaves(lambda old: old if (i := next(found)) is None else values[i], self.value)

    @property
    def findings(self) -> tuple[Any, ...]:
        """What is worth knowing: inputs, and single numbers of them, that act only through what is flat; and more.

        Of a run whose result is one number.
        """
        return tuple(type(self).find(self))

    @cached_property
    def nodes(self) -> tuple[TraceNode, ...]:
        """Every entry, in execution order."""
        return tuple(starmap(self._node, enumerate(self._tape.rows)))

    def _node(self, index: int, row: Row) -> TraceNode:
        return TraceNode(index, row, self.names.get(index), None if self._watch is None else self._watch.place(index))

    def result_index(self) -> int | None:
        """The node of the result, which has to be one number; None where it is constant.

        Raises:
            ResultError: the result is a structure or an array.
        """
        if is_structure(self.result) or np.ndim(self.value) != 0:
            raise ResultError("the result is no number, so there is no one sensitivity", hint="Use `jacobian`.")
        index: int | None = self.result
        return index

    def cotangents(self) -> list[Any]:
        """The cotangent of every node when the result's is 1; `UNTOUCHED` where the result does not depend on it.

        Raises:
            ResultError: the result is not one number.
        """
        last = self.result_index()
        return [UNTOUCHED] * len(self._tape.rows) if last is None else list(map(conjugated, self.swept(last)))

    def swept(
        self, last: int, seed: Any = None, first: int = 0, *, instead: Mapping[int, Pull] | None = None
    ) -> list[Any]:
        """The cotangents of all nodes when that of node `last` is `seed`, or 1; `UNTOUCHED` where none came.

        Where the nodes are complex, their conjugates are the sensitivities.  Nodes before `first` pass nothing on; at
        the nodes in `instead` another function does.
        """
        tape = self._with_pulls(instead) if instead else self._tape
        cts = reverse(tape, last, self._one(last) if seed is None else seed, first, everywhere=True)
        return [*map(plain, cts), *[UNTOUCHED] * (len(self._tape.rows) - len(cts))]

    def _one(self, index: int) -> Any:
        value = self._tape.rows[index][1]
        return 1.0 if type(value) is float else np.ones_like(value)[()]

    def _with_pulls(self, instead: Mapping[int, Pull]) -> Tape:
        rows = [*self._tape.rows]
        for index, pull in instead.items():
            rows[index] = row_with_pull(rows[index], pull)
        return self._with_rows(rows)

    def passed_back(self, index: int, ct: Any) -> dict[int, Any]:
        """What one node passes back of a cotangent, by the node that made the argument."""
        cts = reverse(self._tape, index, ct, index)
        found = {source: plain(cts[source]) for source in self._tape.rows[index][2::2] if source != CONSTANT}
        return {source: passed for source, passed in found.items() if passed is not UNTOUCHED}

    def tangents(self, moves: Mapping[int, Any], last: int | None = None) -> list[Any]:
        """The tangents of nodes up to `last`, or all, when the inputs move; 0.0 where nothing moves."""
        return forward(self._tape, dict(moves), len(self._tape.rows) - 1 if last is None else last)

    def marked(self, last: int, sweep: type[ReachedSweep] = ReachedSweep, seed: Any = None) -> Any:
        """The reverse sweep from node `last` that knows which numbers have a part in it, done; `.cts` and `.marks`."""
        found = sweep(self._tape, last, recorded=False)
        found.run(self._one(last) if seed is None else seed)
        return found

    def without_outcomes(self, name: str) -> Trace:
        """The same run without the outcomes of one name."""
        again = self._copy("program", "_asked", "_traversal")
        again.outcomes = tuple(outcome for outcome in self.outcomes if outcome.name != name)
        return again

    def with_numbers(self, inputs: Mapping[int, Any], constant: Callable[[Any], Any]) -> Trace:
        """The same operations with other inputs and constants, for methods that compute the values themselves.

        The values of all other nodes stay as they were.
        """
        rows = (row_with_numbers(row, inputs.get(index, row[1]), constant) for index, row in enumerate(self._tape.rows))
        again = self._copy("nodes", "program", "_traversal")
        again._tape = self._with_rows(rows)
        return again

    def _copy(self, *but: str) -> Trace:
        """A copy without some of what was found of it."""
        again = copy.copy(self)
        for name in but:
            again.__dict__.pop(name, None)
        return again

    def sensitivities(self) -> list[Any]:
        """The derivative of the result by every node, in the shape of the node's value; zeros where it has no part.

        Raises:
            ResultError: the result is not one number.
        """
        return [_shaped(ct, row[1]) for ct, row in zip(self.cotangents(), self._tape.rows, strict=True)]

    def input_indices(self) -> Iterator[int]:
        """The indices of the inputs, in order."""
        return iter(leaves(self.inputs))


class _Replay(Trace):
    """A run at other arguments along the path of a trace; the tape is made when its nodes are asked for."""

    def __init__(self, trace: Trace, arguments: tuple[Any, ...], values: list[Any], handed_on: list[Any]) -> None:
        vars(self).update(vars(trace))
        for name in ("nodes", "outcomes", "_tape"):
            vars(self).pop(name, None)
        self.arguments, self._values = arguments, values
        self._anew = {id(x): y for x, y in zip(trace.handed_on, handed_on, strict=False) if x is not y}
        self.value = trace._result_of(values)

    @cached_property
    def _tape(self) -> Tape:
        pairs = zip(self._recorded.rows, self._values, strict=True)
        return self._with_rows(moved_row(row, value, self._values, self._anew) for row, value in pairs)

    @cached_property
    def outcomes(self) -> tuple[TraceOutcome, ...]:
        """What the program was told, of its numbers here."""
        return tuple(moved_outcome(outcome, self._values, self._anew) for outcome in super().outcomes)


def recorded(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    *,
    names: bool,
    follows: bool = False,
    outcomes: Callable[[], list[OutcomeRow]] = list,
) -> Trace:
    """One recorded run of `function` with every argument an input; with `names`, the user's names and lines too.

    A trace that `follows` hands the program data outcomes, such as masks, which its replays compute again; else the
    program gets plain arrays, and every outcome is a guard.  The `outcomes` are what the program is told in order;
    where their `append` returns something, it is told the opposite.
    """
    watch = None
    if names:
        from gradcli.running.variable_names import Watch

        watch = Watch()
    call = watch.call if watch else active_runs.call

    def new_tape() -> Tape:
        tape = Tape()
        tape.outcomes = outcomes()
        tape.data = DataOutcomes() if follows else None
        return tape

    tape, _, entered, result = run(
        function, arguments, range(len(arguments)), None, call=call, new_tape=new_tape, lasting=True
    )
    return trace_of(tape, function, arguments, entered, result, watch)


def trace_of(
    tape: Tape,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    entered: Sequence[Any],
    result: Any,
    watch: Watch | None = None,
) -> Trace:
    """The trace of a run whose arguments were entered so, and gave this; it keeps no handle of the tape's."""
    inputs = tuple(map_leaves(lambda leaf: leaf.index, argument) for argument in entered)
    indices = map_leaves(lambda leaf: leaf.index if is_recorded(leaf) else None, result)
    value = map_leaves(bare, result)
    tape.close_for_reading()
    return Trace(tape, inputs, indices, value, function=function, arguments=arguments, watch=watch)


def _shaped(ct: Any, value: Any) -> Any:
    return np.zeros_like(value)[()] if ct is UNTOUCHED and np.ndim(value) else ct
