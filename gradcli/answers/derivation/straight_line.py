"""A recorded run as a straight-line program, for functions whose source cannot be derived.

The program holds on the path of the run. Each outcome that Python code received becomes an assertion. Repeated bodies
become loops.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.answers.derivation.file_text import Part, docstring_text, file_text, list_text
from gradcli.answers.derivation.gradient_assembly import Assembly
from gradcli.answers.derivation.intermediate.guard_texts import bracketed, key_text
from gradcli.answers.derivation.intermediate.operation_derivatives import ElementRead, Identity
from gradcli.answers.derivation.intermediate.statements import (
    Assignment,
    LoopStatement,
    PassiveStatement,
    Routine,
    Statement,
    Store,
    Unpacking,
)
from gradcli.answers.derivation.intermediate.trace_lowering import RecordedSteps
from gradcli.answers.derivation.loop_rerolling import Item, RepeatedBodies, RepeatedBody
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.reading.broadcast_sums import fit_of_run
from gradcli.answers.derivation.reading.value_kind import MIXED, NUMBER, STATIC, ValueKind, kind_of, shape_of
from gradcli.answers.derivation.refusals import input_refusal
from gradcli.answers.derivation.reverse_mode import SENSITIVITY
from gradcli.answers.derivation.syntax_trees import NamesInUse, expression, name, text_of
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.straight_line_program import ProgramOutcome
from gradcli.engine.traces.trace import Trace
from gradcli.errors import ResultError, UnsupportedError
from gradcli.shared.pytree import WholeNumber

OTHERWISE = "`gradcli grad` gives its gradient at a point."


class RecordedFunction:
    """The properties of a recorded function that the text of a file needs."""

    def __init__(self, trace: Trace, title: str) -> None:
        self.name = title
        self.namespace: dict[str, Any] = vars(builtins)
        self.comments: dict[int, str] = {}
        self.file = next((node.file for node in trace.nodes if node.file), "")
        self.tree = ast.Pass(lineno=0)

    def text(self, node: Any) -> str:
        """The line of the user's source that contains a node."""
        return linecache.getline(self.file, node.lineno).strip()


class StraightLine:
    """The straight-line program of a recorded run.

    Args:
        trace: the run, with the user's names.
        inputs: the names of its inputs.
        title: the name of the function, an identifier.
        active: the names of the inputs to differentiate by; all by default.
        rolls: whether repeated bodies become loops.

    Attributes:
        parts: the functions of the file that was written last.
        sensitivities: the name of the sensitivity to each variable.
    """

    def __init__(
        self, trace: Trace, inputs: Sequence[str], title: str, active: Sequence[str] = (), *, rolls: bool = True
    ) -> None:
        self.trace = trace
        self.inputs = tuple(inputs)
        self.active = tuple(active) or self.inputs
        self.user = RecordedFunction(trace, title)
        self._fresh = NamesInUse(inputs).fresh
        self.steps = RecordedSteps([trace])
        self.names = self.steps.names
        self.parts: list[Part] = []
        self.sensitivities: dict[str, str] = {}
        self.routine = Routine(title, self.inputs, self.active, "", NUMBER)
        self.block = self.routine.body
        self.items = self._items()
        self.loops = RepeatedBodies(trace, self.items).bodies() if rolls else []

    def gradient(self, command: str, place: str, *, with_value: bool = False) -> str:
        """The text of the file with the gradient.

        Raises:
            UnsupportedError: an operation has no source form; the message names its line.
            ResultError: the result is not a number, or does not depend on the inputs.
        """
        last = self.trace.result_index()
        if last is None:
            raise ResultError(f"{self.user.name} gives a number that does not depend on its inputs")
        self._enter()
        self._refuse_inner_inputs()
        loops = {loop.start: loop for loop in self.loops}
        inside = {index for loop in self.loops for index in range(loop.start, loop.end)}
        for node, index in self.steps.in_order():
            if node is None:
                self._outcome(index, self.trace.program.outcomes[index])
            elif index in loops:
                self._roll(loops[index])
            elif index not in inside:
                self._step(node)
        routine = self.routine
        routine.result, routine.varied = self.names[last], set(routine.kinds)
        assembly = Assembly(routine, self._fresh, lambda _: ())
        self.sensitivities = assembly.reverse.symbols
        body = assembly.gradient(with_value=with_value)
        body = [*self._lengths(body), *body]
        docstring = docstring_text(
            f"The gradient of {self.user.name} ({place}) by {list_text(self.active)}, along the path of one run",
            SENSITIVITY,
        )
        part = Part(f"grad_{self.user.name}", self.user, ", ".join(self.inputs), docstring, body)
        self.parts = [part]
        return file_text(command, self.parts)

    def _add(self, statement: Statement) -> None:
        self.block.append(statement)

    def _enter(self) -> None:
        """Enter the inputs: numbers and arrays under their names, lists by their items."""
        for input_, structure in zip(self.inputs, self.trace.inputs, strict=True):
            if type(structure) is WholeNumber:
                self._assert(expression(f"_x == {structure}", _x=name(input_)), 0)
            elif isinstance(structure, int):
                self.names[structure] = input_
                value = self.trace.nodes[structure].value
                self.routine.kinds[input_] = kind_of(value)
                if shape_of(value):
                    self._assert(expression(f"np.shape(_x) == {shape_of(value)!r}", _x=name(input_)), 0)
            elif _is_flat(structure):
                self._enter_list(input_, structure)
            else:
                point = dict(zip(self.inputs, self.trace.arguments, strict=True))
                raise input_refusal(self.user.file, None, self.user.name, input_, point)

    def _refuse_inner_inputs(self) -> None:
        """Refuse inputs that are entered during the run, because they may depend on those of the function."""
        inner = next((node for node in self.trace.nodes if node.is_input and node.index not in self.names), None)
        if inner is not None:
            solved = next(
                (f"the solution of {solved_equation.solver}" for solved_equation in self.trace.solved_equations),
                "an inner gradient",
            )
            message = f"derive does not know {solved}, which the run does not compute step by step"
            raise UnsupportedError(message, hint=OTHERWISE, file=inner.file, line=inner.line)

    def _items(self) -> dict[int, Item]:
        """The list items among the steps."""
        pairs = zip(self.inputs, self.trace.inputs, strict=True)
        return {
            index: (name, n) for name, structure in pairs if _is_flat(structure) for n, index in enumerate(structure)
        }

    def _enter_list(self, called: str, structure: Sequence[int]) -> None:
        """Assign names to the items of a list; for a list that a loop iterates over, only to items read elsewhere."""
        parts = [self._fresh(f"{called}_{n}") for n in range(len(structure))]
        self.names.update(zip(structure, parts, strict=True))
        self.routine.kinds[called] = ValueKind("list", item=NUMBER)
        if not any(called in self._lists_of(loop) for loop in self.loops):
            kinds = [self.steps.kind(index) for index in structure]
            self.routine.kinds.update(zip(parts, kinds, strict=True))
            self.routine.kinds[called] = ValueKind("list", item=kinds[0] if len(set(kinds)) == 1 else MIXED)
            self._add(Unpacking(tuple(parts), name(called)))
            return
        self._assert(expression("len(_x) == _n", _x=name(called), _n=ast.Constant(len(structure))), 0)
        read = self._read_outside()
        for n, (index, part) in enumerate(zip(structure, parts, strict=True)):
            if index in read:
                self._read_item(part, called, ast.Constant(n), 0)

    def _lengths(self, body: Statements) -> Statements:
        """Assertions on the lengths of lists that the program does not unpack."""
        unpacked = {text_of(statement.value) for statement in body if isinstance(statement, ast.Assign)}
        lists = [
            (called, structure)
            for called, structure in zip(self.inputs, self.trace.inputs, strict=True)
            if _is_flat(structure)
        ]
        return [
            ast.Assert(
                expression(f"len(_x) == {len(items)}", _x=name(called)), ast.Constant("derived for another path")
            )
            for called, items in lists
            if called not in unpacked and not any(called in self._lists_of(loop) for loop in self.loops)
        ]

    def _lists_of(self, loop: RepeatedBody) -> set[str]:
        """The list inputs that a loop iterates over, whose length is asserted already."""
        return {self._run_over(loop, key) for key in loop.steps}

    def _run_over(self, loop: RepeatedBody, key: tuple[int, int]) -> str:
        """The list input that an argument of a loop's last body is an item of; empty if there is none."""
        index, place = key
        return self.items.get(self.trace.program.steps[index].arguments[place], ("", 0))[0]

    def _read_outside(self) -> set[int]:
        """The steps that are read outside the bodies, or by the first body from before."""
        inside = {index for loop in self.loops for index in range(loop.start, loop.end)}
        program = self.trace.program
        numbers = {argument for n, step in enumerate(program.steps) if n not in inside for argument in step.arguments}
        numbers |= {argument for outcome in program.outcomes for argument in outcome.arguments}
        numbers |= {number for loop in self.loops for number in loop.first.values()}
        for loop in self.loops:
            for index in range(loop.last, loop.end):
                arguments = program.steps[index].arguments
                numbers |= {argument for n, argument in enumerate(arguments) if (index, n) not in loop.steps}
        return numbers | {self.trace.result_index() or 0}

    def _read_item(self, target: str, called: str, index: ast.expr, line: int) -> None:
        place = ast.Subscript(name(called), index, ast.Load())
        operation = ElementRead((name(called),), (self.routine.kinds[called],), NUMBER, place)
        self.routine.kinds[target] = NUMBER
        self._add(Assignment(target, place, operation, line))

    def _roll(self, loop: RepeatedBody) -> None:
        """Write repeated bodies as a loop: the last body, with names for the values from earlier bodies."""
        carried = self._carried(loop)
        index = self._fresh("i")
        self.routine.kinds[index] = STATIC
        line = self.trace.nodes[loop.last].line or 0
        outer, self.block = self.block, []
        self._stepping(loop, index)
        for at in range(loop.period):
            names = carried.get(at, [])
            before, node = self.trace.nodes[loop.last - loop.period + at], self.trace.nodes[loop.last + at]
            if not self._is_in_place(loop, at):
                self._step(node, self._stem(before, loop.period))
            elif loop.last - loop.period + at in self.trace.program.steps[node.index].arguments:
                self._step(node, f"t_{node.index}")  # a new name, because a statement does not read the name it binds
                self._copy(names[0], name(self.names[node.index]), node)
                self.names[node.index] = names[0]
            else:
                self._step(node, target=names[0])
        for at, names in carried.items():
            if not self._is_in_place(loop, at):
                sources = [*names[-2::-1], self.names[loop.last + at]]
                for target, source in zip(names[::-1], sources, strict=True):
                    self._copy(target, name(source), self.trace.nodes[loop.last + at])
            for lag, lagged in enumerate(names[1:], 1):
                self.names[loop.last - lag * loop.period + at] = lagged
        body, self.block = self.block, outer
        items = expression("range(_n)", _n=ast.Constant(loop.turns))
        self._add(LoopStatement(body, ast.Name(index, ast.Store()), items, line=line))

    def _carried(self, loop: RepeatedBody) -> dict[int, list[str]]:
        """The names of values carried between bodies, by place and distance, bound to the values for the first body."""
        carried: dict[int, list[str]] = {}
        constants = self.trace.program.constants
        for at, most in loop.lags.items():
            node = self.trace.nodes[loop.last - loop.period + at]
            stem = self._stem(node, loop.period)
            names = carried[at] = [self._fresh(stem if lag == 0 else f"{stem}_before") for lag in range(most)]
            for lag, lagged in enumerate(names, 1):
                first = loop.first[at, lag]
                self.routine.kinds[lagged] = kind_of(node.value)
                if first < 0:
                    self._add(
                        Assignment(lagged, expression(key_text(constants[-1 - first].value)), None, node.line or 0)
                    )
                else:
                    self._copy(lagged, name(self.names[first]), node)
        for at, names in carried.items():
            for lag, lagged in enumerate(names, 1):
                self.names[loop.last - lag * loop.period + at] = lagged
        return carried

    def _copy(self, target: str, source: ast.expr, node: TraceNode) -> None:
        kind = kind_of(node.value)
        self._add(Assignment(target, source, Identity((source,), (kind,), kind), node.line or 0))

    def _is_in_place(self, loop: RepeatedBody, at: int) -> bool:
        """Whether a carried value can be rebound at once, because nothing reads the old value afterwards."""
        if loop.lags.get(at) != 1:
            return False
        old, steps = loop.last - loop.period + at, self.trace.program.steps
        return not any(old in steps[index].arguments for index in range(loop.last + at + 1, loop.end))

    def _stepping(self, loop: RepeatedBody, index: str) -> None:
        """Express integers, indices and items that advance per body by the loop's index."""
        program, back = self.trace.program, loop.turns - 1
        read: dict[tuple[int, int], str] = {}
        for (step, place), by in loop.steps.items():
            argument = program.steps[step].arguments[place]
            if argument < 0:
                self.steps.written[step, place] = moving(program.constants[-1 - argument].value, by, back, index)
                continue
            called, last = self.items[argument]
            if (argument, by) not in read:
                target = read[argument, by] = self._fresh(f"{called}_{index}")
                self.routine.made.add(target)
                self._read_item(target, called, moving(last, by, back, index), self.trace.nodes[step].line or 0)
            self.steps.written[step, place] = name(read[argument, by])

    def _stem(self, node: TraceNode, by: int = 0) -> str:
        """The name stem of a variable in all bodies; without a name, that of a later step."""
        called = (node.name or "").partition("#")[0]
        return called if called.isidentifier() else f"t_{node.index + by}"

    def _step(self, node: TraceNode, called: str | None = None, target: str | None = None) -> None:
        """Write one node as a statement, with a suggested name or a fixed target for its variable."""
        own = f"t_{node.index}"
        if called is None:
            called = (node.name or "").replace("#", "_")
        if target is None:
            target = self._fresh(called if called.isidentifier() else own)
            if not called.isidentifier() or called == own:
                self.routine.made.add(target)
        self.names[node.index] = target
        self.routine.kinds[target] = kind_of(node.value)
        try:
            if node.rule is not None and node.rule.writes:
                self._put(node, target)
                return
            value, operation = self.steps.step(node.index)
        except UnsupportedError as error:
            raise UnsupportedError(error.message, hint=error.hint, file=node.file, line=node.line) from None
        self._add(Assignment(target, value, operation, node.line or 0))

    def _put(self, node: TraceNode, target: str) -> None:
        """A copy of an array with a value written into it."""
        *atoms, written_key = self.steps.operands(node.index)
        key, line = node.static["key"], node.line or 0
        kinds = tuple(map(kind_of, node.operands))
        copied = expression("_x.copy()", _x=atoms[0])
        self._add(Assignment(target, copied, Identity((atoms[0],), kinds[:1], kinds[0]), line))
        place = bracketed(ast.Subscript(name(target), written_key, ast.Load()))
        whole = node.value[key]
        fit = fit_of_run(np.shape(whole), np.shape(node.operands[1]))
        operation = Identity((atoms[1],), kinds[1:], kind_of(whole), fit)
        self._add(Store(target, place, atoms[1], 0, kind_of(whole), operation, line))

    def _outcome(self, number: int, outcome: ProgramOutcome) -> None:
        """Write an outcome: an assertion on a value that Python code received, or the array that was passed on."""
        places = (
            other.place for other in self.trace.outcomes if (other.before, other.name) == (outcome.before, outcome.name)
        )
        file, line = next((place for place in places if place is not None), (None, None))
        try:
            text = self.steps.outcome(number)
            if outcome.guard is not None:
                self._assert(text, line or 0)
                return
            target = self._fresh("chosen")
            self.routine.kinds[target] = STATIC
            self.steps.names[len(self.trace.nodes) + number] = target
            self._add(Assignment(target, text, None, line or 0))
        except UnsupportedError as error:
            raise UnsupportedError(error.message, hint=error.hint, file=file, line=line) from None

    def _assert(self, test: ast.expr, line: int) -> None:
        self._add(PassiveStatement(ast.Assert(test, ast.Constant("derived for another path")), line))


def _is_flat(structure: Any) -> bool:
    return isinstance(structure, (list, tuple)) and all(isinstance(index, int) for index in structure)


def moving(last: Any, by: Any, back: int, index: str) -> ast.expr:
    """A constant of the last body that advances by a fixed step, expressed by the loop's index.

    Args:
        last: an integer, or an index of integers.
        by: the step; for an index, the steps of its parts.
        back: the number of bodies before the last.
        index: the loop variable, which counts from 0.
    """
    if isinstance(last, slice):
        parts = zip((last.start, last.stop, last.step), by, strict=True)
        return ast.Call(name("slice"), [moving(*part, back, index) for part in parts], [])
    if isinstance(last, tuple):
        return ast.Tuple([moving(*pair, back, index) for pair in zip(last, by, strict=True)], ast.Load())
    if not by:
        return expression(key_text(last))
    first = last - by * back
    count = "_i" if by == 1 else "-_i" if by == -1 else f"{by} * _i"
    if first:
        count = f"{first} - {count[1:]}" if by < 0 else f"{count} + {first}" if first > 0 else f"{count} - {-first}"
    return expression(count, _i=name(index))


def runs_at(function: Callable[..., Any], point: Sequence[Any]) -> bool:
    """Whether a program for one path holds at a point."""
    try:
        function(*point)
    except Exception:
        return False
    return True
