"""The trace of one run: its value, nodes and outcomes, its sensitivities, and replays at other points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gradcli import run_stack
from gradcli.engine.patching.name_replacement import code_of
from gradcli.engine.running.bound_call import BoundCall, name_of
from gradcli.engine.running.recorded_run import new_tape, run, unwrapped
from gradcli.engine.tape import memory_reserve
from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.tape.tape import Row, Tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.engine.traces.node import TraceNode, TraceOutcome
from gradcli.engine.traces.run_sweeps import RunSweeps
from gradcli.shared import devices
from gradcli.shared.notebook_display import NotebookDisplay
from gradcli.shared.pytree import leaves, leaves_like, map_leaves

if TYPE_CHECKING:
    from gradcli.engine.tape.solver_notes import Jump, SolvedEquation
    from gradcli.engine.traces.names_and_source_lines import Watch
    from gradcli.engine.traces.scopes import Scopes
    from gradcli.engine.traces.straight_line_program import Asked, Program, ProgramRun
    from gradcli.engine.traces.trace_replay import Traversal


class Trace(RunSweeps, NotebookDisplay):
    """The read-only record of one run of `function`.

    Attributes:
        function: the function that was run; for the trace of a product, the rule.
        arguments: the arguments it was called with.
        value: the plain result.
        inputs: for each argument its structure, with the index of a node in place of each number or array.
        result: the structure of the result, with the index of a node in place of each number, or None if it is
            constant.
    """

    part_of: Mapping[int, int] = MappingProxyType({})  # nodes that are parts of others, and are not shown
    look: Callable[[Trace], list[Any]] | None = None  # makes the findings, where the record itself was asked for

    def __init__(
        self,
        tape: Tape,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        entered: Sequence[Any],
        result: Any,
        watch: Watch | None = None,
    ) -> None:
        """Close the tape of a run for reading. The trace holds no handles of it.

        Args:
            tape, function, arguments: the tape, what was run, and its arguments.
            entered, result: the recorded arguments and the recorded result.
            watch: the names and lines of the run.
        """
        self._recorded, self._watch = tape, watch
        self.function, self.arguments = function, arguments
        self.inputs = tuple(map_leaves(lambda leaf: leaf.index, argument) for argument in entered)
        self.result = map_leaves(lambda leaf: leaf.index if is_recorded(leaf) else None, result)
        self.value = map_leaves(plain_value, result)  # an outcome becomes a guard, while the tape is open
        tape.close_for_reading()

    def __repr__(self) -> str:
        shape = np.shape(self.value) if devices.is_array(self.value) else ()
        value = f"an array of shape {shape}" if shape else repr(self.value)
        counts = f"nodes: {len(self._recorded)}, outcomes: {len(self._recorded.outcomes)}"
        return f"<Trace of {name_of(self.function)}, {counts}, value: {value}>"

    @cached_property
    def outcomes(self) -> tuple[TraceOutcome, ...]:
        """The facts that the program received, in execution order."""
        made = starmap(TraceOutcome, self._recorded.outcomes)
        if self._watch is None:
            return tuple(made)
        return tuple(outcome.changed(place=self._watch.place_of_outcome(n)) for n, outcome in enumerate(made))

    @property
    def is_named(self) -> bool:
        """Whether the user's names and lines were recorded."""
        return self._watch is not None

    @cached_property
    def names(self) -> dict[int, str]:
        """The user's names by node index; empty if names were not recorded."""
        return {} if self._watch is None else self.scopes.names(self._watch, len(self._tape))

    @cached_property
    def scopes(self) -> Scopes:
        """The calls and loop iterations that made each node; empty if lines were not recorded."""
        from gradcli.engine.traces.scopes import Scopes

        return Scopes(self._watch)

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The plain arrays that the user's variables held, by name; empty if names were not recorded."""
        return {} if self._watch is None else self._watch.arrays

    @property
    def numbers(self) -> Mapping[str, float]:
        """The plain numbers that the user's variables held throughout, by name; empty if names were not recorded."""
        held = {} if self._watch is None else self._watch.numbers
        return {name: number for name, number in held.items() if number is not None}

    def renamed(self, names: Mapping[int, str]) -> Trace:
        """The same run with other names for its nodes. Repeated names are numbered.

        Without recorded names there are none to replace.
        """
        again = self._copy("names", "nodes", "steps")
        if self._watch is not None:
            again._watch = self._watch.renamed(names)
        return again

    def visit(self, index: int) -> int:
        """The number of the visit to a line that made a node; the node's index if lines were not recorded."""
        visit = None if self._watch is None else self._watch.visits.of_row(index)
        return index if visit is None else visit

    @property
    def whole(self) -> Trace:
        """The run with all its nodes."""
        return self

    @property
    def shown(self) -> Iterator[TraceNode]:
        """The nodes that are told of, in execution order."""
        return (node for node in self.nodes if node.index not in self.part_of)

    @property
    def has_arrays(self) -> bool:
        """Whether any node holds a NumPy value."""
        return self._recorded.has_arrays

    @property
    def has_complex(self) -> bool:
        """Whether any node holds complex numbers."""
        return self._recorded.has_complex

    @cached_property
    def program(self) -> Program:
        """The run without its numbers. Runs along the same path have equal programs with equal hashes."""
        from gradcli.engine.traces.straight_line_program import program_of

        return program_of(self.nodes, self._asked, self._recorded.run.data, self.inputs, self.result)

    @cached_property
    def _asked(self) -> Asked:
        from gradcli.engine.traces.straight_line_program import in_order

        return in_order(self.outcomes, self._recorded.run.data)

    @cached_property
    def steps(self) -> ProgramRun:
        """The program with the numbers of this run, to be executed in other number systems."""
        from gradcli.engine.tape.tape import DataStep
        from gradcli.engine.traces.straight_line_program import ProgramRun

        data = self._recorded.run.data
        if data is None:
            return ProgramRun(self.program, self.nodes, [], ())
        handed_on = [x.value if isinstance(x, DataStep) else x.answer for x, _ in self._asked]
        return ProgramRun(self.program, self.nodes, handed_on, data.masked)

    @property
    def solved_equations(self) -> Sequence[SolvedEquation]:
        """The equations that solvers of SciPy solved during the run."""
        return self._recorded.run.solved_equations

    @property
    def jumps(self) -> Sequence[Jump]:
        """The jumps that integrators of SciPy met at places that depend on the inputs."""
        return self._recorded.run.jumps

    def result_indices(self) -> list[int | None]:
        """The node index of each number and array of the result, in order; None for a constant."""
        indices = leaves_like(self.value, self.result)
        assert indices is not None
        return indices

    def pattern(self) -> Any:
        """The sparsity pattern of the Jacobian: the elements of the inputs that each element of the result depends on.

        Returns:
            A boolean `scipy.sparse.csr_array`, a row per element of the result, a column per element of the inputs.

        Raises:
            UnsupportedError: SciPy is not installed, or elements depend on too many others.
        """
        from gradcli.engine.traces.element_dependence import pattern

        return pattern(self.nodes, self.input_indices(), zip(self.result_indices(), leaves(self.value), strict=True))

    def replay(self, *arguments: Any) -> Trace:
        """The run at other arguments. Its value equals that of a new run up to rounding.

        Masks, permutations and solutions of solvers are recomputed. The run is recorded anew if any fact that Python
        received differs (a truth value, an integer, a shape), if an argument differs in type, shape or structure, and
        if the program may catch exceptions. A replay costs a third to two thirds of a recording.
        """
        followed = self._followed(arguments)
        if followed is not None:
            return followed
        follows = self._recorded.run.data is not None
        again = record_trace(self.function, arguments, names=self.is_named, follows=follows)
        again.look = self.look
        return again

    def values_at(self, inputs: Mapping[int, Any], *, blindly: bool = False) -> list[Any]:
        """The values of all nodes for other values of the inputs; `blindly` skips the check of outcomes.

        Raises:
            Diverged: an outcome differs, or a value cannot be computed along the recorded path.
        """
        from gradcli.engine.traces.trace_replay import Diverged

        try:
            return self._traversal.values(inputs, asks_again=not blindly)
        except ARITHMETIC as error:
            raise Diverged from error

    @cached_property
    def _traversal(self) -> Traversal:
        from gradcli.engine.traces.number_systems import FLOATS
        from gradcli.engine.traces.trace_replay import Traversal

        return Traversal(self.steps, FLOATS)

    @cached_property
    def _structure(self) -> Any:
        from gradcli.engine.traces.argument_forms import structure_of

        return structure_of(self.inputs)

    @cached_property
    def _catches(self) -> bool:
        """Whether the program may catch an exception, which is a branch that leaves no outcome."""
        from gradcli.engine.code.bytecode_names import names_in
        from gradcli.engine.code.reachable_objects import reachable_objects
        from gradcli.engine.code.stack_frames import LIBRARIES

        functions = (
            function
            for function in reachable_objects(self.function).functions
            if str(function.__module__).partition(".")[0] not in LIBRARIES
        )
        return any(names_in(function.__code__).catches for function in functions)

    def _followed(self, arguments: tuple[Any, ...]) -> Trace | None:
        """The run at other arguments along the same path; None if the program would take another path."""
        from gradcli.engine.traces.argument_forms import converted_like, form_of, structure_of
        from gradcli.engine.traces.trace_replay import Diverged

        if structure_of(arguments) != self._structure or self._catches:
            return None

        indices, given = leaves(self.inputs), leaves(arguments)
        here = [self._recorded.rows[index][1] for index in indices]
        moved = [*map(converted_like, given, here)]
        if [*map(form_of, moved)] != [*map(form_of, here)]:
            return None
        try:
            values, handed_on = self._traversal.followed(dict(zip(indices, moved, strict=True)))
        except (Diverged, *ARITHMETIC, IndexError):  # a mask made an array shorter
            return None
        return _Replay(self, arguments, values, handed_on)

    def _result_of(self, values: list[Any]) -> Any:
        if isinstance(self.result, int):
            return values[self.result]
        indices = iter(self.result_indices())
        return map_leaves(lambda old: old if (i := next(indices)) is None else values[i], self.value)

    @property
    def findings(self) -> tuple[Any, ...]:
        """The findings of a run whose result is one number, such as inputs that act only through flat operations."""
        return tuple(self.look(self)) if self.look else ()

    @cached_property
    def nodes(self) -> tuple[TraceNode, ...]:
        """All nodes, in execution order."""
        return tuple(starmap(self._node, enumerate(self._tape.rows)))

    def _node(self, index: int, row: Row) -> TraceNode:
        return TraceNode(index, row, self.names.get(index), None if self._watch is None else self._watch.place(index))

    def without_outcomes(self, name: str) -> Trace:
        """The same run without the outcomes called `name`."""
        again = self._copy("program", "steps", "_asked", "_traversal")
        again.outcomes = tuple(outcome for outcome in self.outcomes if outcome.name != name)
        return again

    def with_numbers(self, inputs: Mapping[int, Any], constant: Callable[[Any], Any]) -> Trace:
        """The same operations with other inputs and constants, for methods that compute the values themselves.

        The values of all other nodes are unchanged.
        """
        from gradcli.engine.traces.altered_rows import row_with_numbers

        rows = (row_with_numbers(row, inputs.get(index, row[1]), constant) for index, row in enumerate(self._tape.rows))
        again = self._copy("nodes", "program", "steps", "_traversal")
        again._tape = self._with_rows(rows)
        return again

    def _copy(self, *but: str) -> Trace:
        """A copy without the cached attributes in `but`."""
        again = object.__new__(type(self))
        again.__dict__.update((name, value) for name, value in vars(self).items() if name not in but)
        return again

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: the tape refers to compiled functions and to the user's objects."""
        raise TypeError("A Trace cannot be pickled or copied. Record it again: gradcli.trace(f, …).")

    def input_indices(self) -> Iterator[int]:
        """The node indices of the inputs, in order."""
        return iter(leaves(self.inputs))


class _Replay(Trace):
    """A replay of a trace at other arguments. The tape is built when the nodes are asked for."""

    def __init__(self, trace: Trace, arguments: tuple[Any, ...], values: list[Any], handed_on: list[Any]) -> None:
        vars(self).update(vars(trace))
        for name in ("nodes", "outcomes", "steps", "_tape"):
            vars(self).pop(name, None)
        self.arguments, self._values = arguments, values
        self._anew = {id(x): y for x, y in zip(trace.steps.handed_on, handed_on, strict=False) if x is not y}
        self.value = trace._result_of(values)

    @cached_property
    def _tape(self) -> Tape:
        from gradcli.engine.traces.altered_rows import moved_row

        pairs = zip(self._recorded.rows, self._values, strict=True)
        return self._with_rows(moved_row(row, value, self._values, self._anew) for row, value in pairs)

    @cached_property
    def outcomes(self) -> tuple[TraceOutcome, ...]:
        """The facts that the program received, for the numbers of this replay."""
        from gradcli.engine.traces.altered_rows import moved_outcome

        return tuple(moved_outcome(outcome, self._values, self._anew) for outcome in super().outcomes)


def record_trace(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    *,
    names: bool,
    follows: bool = False,
    inverts: Sequence[int] = (),
    libraries: bool = False,
) -> Trace:
    """Record one run of `function` with every argument as an input; with `names`, also the user's names and lines.

    `libraries` records the names and lines of installed packages too.

    With `follows`, the program receives data outcomes, such as masks, which replays recompute; without it, it receives
    plain arrays, and every outcome is a guard. At the outcomes `inverts`, by number, the program takes the other side.
    """
    watch = None
    if names:
        from gradcli.engine.traces.names_and_source_lines import Watch

        watch = Watch(libraries=libraries)
    caller = watch.call if watch else run_stack.call
    call = BoundCall.of_inputs(function, arguments)

    def tape_of_outcomes() -> Tape:
        tape = new_tape()
        if inverts:
            from gradcli.engine.traces.altered_rows import Inverting

            tape.outcomes = Inverting(inverts)
        if follows:
            from gradcli.engine.tape.recomputed_masks_and_indices import DataOutcomes

            tape.run.data = DataOutcomes()
        return tape

    tape, _, entered, result = run(call, None, caller=caller, new_tape=tape_of_outcomes, lasting=True)
    try:
        return Trace(tape, function, arguments, entered, unwrapped(function, result), watch)
    except MemoryError as error:
        run_stack.reserve = None
        if memory_reserve.steps(tape) < memory_reserve.MANY:
            raise
        raise memory_reserve.used_up(error, tape, code_of(function)) from None
