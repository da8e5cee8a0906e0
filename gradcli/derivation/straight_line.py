"""A recorded run as a straight-line program: what the source of a function hides, its tape has.

The program holds for the path of the run.  Each comparison that the run was told the outcome of becomes an assertion.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.derivation.assembly import Assembly
from gradcli.derivation.derived_text import SENSITIVITY, Part, file_text, listed, told
from gradcli.derivation.intermediate.operation_derivatives import Identity
from gradcli.derivation.intermediate.recorded_steps import RecordedSteps, bracketed, guard, outcome_text
from gradcli.derivation.intermediate.statements import Keep, Let, Routine, Statement, Store, Unpack
from gradcli.derivation.intermediate.templates import expression, name
from gradcli.derivation.reading.value_kinds import NUMBER, STATIC, ValueKind, kind_of, shape_of
from gradcli.derivation.refusals import refuse
from gradcli.errors import ResultError, UnsupportedError
from gradcli.traces.node import TraceNode
from gradcli.traces.program import ProgramOutcome
from gradcli.traces.trace import Trace


class RecordedFunction:
    """What the text of a file needs to know of a function whose source is not read."""

    def __init__(self, trace: Trace, title: str) -> None:
        self.name = title
        self.namespace: dict[str, Any] = vars(builtins)
        self.comments: dict[int, str] = {}
        self.file = next((node.file for node in trace.nodes if node.file), "")
        self.tree = ast.Pass(lineno=0)

    def text(self, node: Any) -> str:
        """The line of the user's source on which a node stands."""
        return linecache.getline(self.file, node.lineno).strip()


class StraightLine:
    """The straight-line program of a recorded run.

    Args:
        trace: the run, with the user's names.
        inputs: the names of its inputs.
        title: the name of the function, which has to be an identifier.

    Attributes:
        parts: the functions of the file that was written last.
        sensitivities: by variable what the sensitivity on it is called.
    """

    def __init__(self, trace: Trace, inputs: Sequence[str], title: str) -> None:
        self.trace = trace
        self.inputs = tuple(inputs)
        self.user = RecordedFunction(trace, title)
        self.taken = set(inputs)
        self.steps = RecordedSteps([trace])
        self.names = self.steps.names
        self.parts: list[Part] = []
        self.sensitivities: dict[str, str] = {}
        self.routine = Routine(title, self.inputs, self.inputs, "", NUMBER)

    def gradient(self, command: str, place: str, *, with_value: bool = False) -> str:
        """The text of the file of the gradient.

        Raises:
            UnsupportedError: an operation without a written form, by its line.
            ResultError: the result is no number, or does not depend on the inputs.
        """
        last = self.trace.result_index()
        if last is None:
            raise ResultError(f"{self.user.name} gives a number that does not depend on its inputs")
        self._enter()
        waiting = list(enumerate(self.trace.program.outcomes))
        for node in self.trace.nodes:
            while waiting and waiting[0][1].before <= node.index:
                self._outcome(*waiting.pop(0))
            if not node.is_input:
                self._step(node)
        for number, outcome in waiting:
            self._outcome(number, outcome)
        routine = self.routine
        routine.result, routine.varied = self.names[last], set(routine.kinds)
        assembly = Assembly(routine, self._fresh, lambda _: ())
        self.sensitivities = assembly.reverse.symbols
        body = assembly.gradient(with_value=with_value)
        docstring = told(
            f"The gradient of {self.user.name} ({place}) by {listed(self.inputs)}, along the path of one run",
            SENSITIVITY,
        )
        part: Part = (f"grad_{self.user.name}", self.user, ", ".join(self.inputs), docstring, body)
        self.parts = [part]
        return file_text(command, self.parts)

    def _fresh(self, stem: str) -> str:
        found, count = stem, 0
        while found in self.taken:
            count += 1
            found = f"{stem}_{count}"
        self.taken.add(found)
        return found

    def _add(self, statement: Statement) -> None:
        self.routine.body.append(statement)

    def _enter(self) -> None:
        """The inputs: numbers and arrays under their names, lists taken apart."""
        for each, structure in zip(self.inputs, self.trace.inputs, strict=True):
            if isinstance(structure, int):
                self.names[structure] = each
                value = self.trace.nodes[structure].value
                self.routine.kinds[each] = kind_of(value)
                if shape_of(value):
                    self._assert(expression(f"np.shape(_x) == {shape_of(value)!r}", _x=name(each)), 0)
            elif isinstance(structure, (list, tuple)) and all(isinstance(index, int) for index in structure):
                parts = [self._fresh(f"{each}_{n}") for n in range(len(structure))]
                self.names.update(zip(structure, parts, strict=True))
                self.routine.kinds.update(dict.fromkeys(parts, NUMBER))
                self.routine.kinds[each] = ValueKind("list", item=NUMBER)
                self._add(Unpack(tuple(parts), name(each), is_active=True))
            else:
                raise refuse(self.user.file, None, f"the input {each}, which is no number, array or list of numbers")

    def _step(self, node: TraceNode) -> None:
        """One node as a statement."""
        called = (node.name or "").replace("#", "_")
        is_own = not called.isidentifier()
        target = self._fresh(f"t_{node.index}" if is_own else called)
        if is_own:
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
        self._add(Let(target, value, operation, node.line or 0))

    def _put(self, node: TraceNode, target: str) -> None:
        """A copy of an array with something written into it."""
        *atoms, written_key = self.steps.operands(node.index)
        key, line = node.static["key"], node.line or 0
        kinds = tuple(map(kind_of, node.operands))
        copied = expression("_x.copy()", _x=atoms[0])
        self._add(Let(target, copied, Identity(operands=(atoms[0],), kinds=kinds[:1], kind=kinds[0], fits=()), line))
        place = bracketed(ast.Subscript(name(target), written_key, ast.Load()))
        whole = node.value[key]
        fits = (_fit(np.shape(whole), np.shape(node.operands[1])),)
        operation = Identity(operands=(atoms[1],), kinds=kinds[1:], kind=kind_of(whole), fits=fits)
        self._add(Store(target, place, atoms[1], 0, kind_of(whole), operation, line))

    def _outcome(self, number: int, outcome: ProgramOutcome) -> None:
        """An outcome: of what the program was told an assertion, of what it handed on the array."""
        places = (
            each.place for each in self.trace.outcomes if (each.before, each.name) == (outcome.before, outcome.name)
        )
        file, line = next((each for each in places if each is not None), (None, None))
        try:
            atoms = self.steps.outcome_operands(number)
            if outcome.told is not None:
                self._assert(guard(outcome, atoms), line or 0)
                return
            target = self._fresh("chosen")
            self.routine.kinds[target] = STATIC
            self.steps.names[len(self.trace.nodes) + number] = target
            self._add(Let(target, outcome_text(outcome.name, outcome.function, atoms), None, line or 0))
        except UnsupportedError as error:
            raise UnsupportedError(error.message, hint=error.hint, file=file, line=line) from None

    def _assert(self, test: ast.expr, line: int) -> None:
        self._add(Keep(ast.Assert(test, ast.Constant("derived for another path")), line))


def _fit(whole: tuple[int, ...], part: tuple[int, ...]) -> str:
    if whole == part:
        return ""
    return "to" if part else "all"


def runs_at(function: Callable[..., Any], point: Sequence[Any]) -> bool:
    """Whether a program along one path holds at a point."""
    try:
        function(*point)
    except Exception:
        return False
    return True
