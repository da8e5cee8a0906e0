"""A recorded run as a straight-line program, for functions whose source cannot be derived.

The program holds on the path of the run. Each outcome that Python code received becomes an assertion.
"""

from __future__ import annotations

import ast
import builtins
import copy
import linecache
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.derivation.derived_program import Source, verified_source
from gradcli.answers.derivation.file_text import Part, docstring_text, file_text, list_text
from gradcli.answers.derivation.gradient_assembly import Assembly
from gradcli.answers.derivation.intermediate.statements import (
    Assignment,
    PassiveStatement,
    Routine,
    Statement,
    Unpacking,
)
from gradcli.answers.derivation.intermediate.trace_lowering import RecordedSteps
from gradcli.answers.derivation.languages.python_program import PythonProgram, compiled
from gradcli.answers.derivation.languages.translated_programs import Language
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.reading.value_kind import (
    MIXED,
    NUMBER,
    STATIC,
    ValueKind,
    kind_of,
    shape_of,
)
from gradcli.answers.derivation.refusals import OF_NUMBERS, STRAIGHT, input_refusal, refusal_at
from gradcli.answers.derivation.reverse_mode import SENSITIVITY
from gradcli.answers.derivation.syntax_trees import NamesInUse, expression, name, text_of
from gradcli.answers.derivation.trial_points import points_around
from gradcli.answers.derivation.verification import DerivedTrial
from gradcli.answers.targets import Target
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.patching.name_replacement import function_to_run
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.straight_line_program import ProgramOutcome
from gradcli.engine.traces.trace import Trace
from gradcli.errors import ResultError, UnsupportedError, origin
from gradcli.methods.transforms.gradients import trace
from gradcli.shared.pytree import WholeNumber, leaves

OTHERWISE = "`gradcli grad` gives its gradient at a point."


def straight(
    target: Target, point: dict[str, Any], command: str, lang: Language = "python", wrt: Sequence[str] = ()
) -> Source:  # fmt: skip
    """The gradient along the path of one recorded run, independent of the function's source.

    Raises:
        UnsupportedError: an operation of the run has no source form.
    """
    inputs = tuple(point)
    if odd := next((input_ for input_ in inputs if not input_.isidentifier()), None):
        node = ast.Pass(lineno=target.line) if target.line else None
        raise refusal_at(target.file, node, f"the input {odd}, an item", OF_NUMBERS, runs=False)
    function = target.with_inputs(inputs).function
    arguments = list(point.values())
    title = target.name if target.name.isidentifier() else "f"
    is_own = target.file is not None and function_to_run(target.function) is target.function
    where = origin(target.file or "", target.line) if is_own else target.name
    try:
        run = trace(function, *copy.deepcopy(arguments))
    except (IndexError, TypeError):
        whole = [name for name, x in point.items() if any(np.result_type(leaf).kind == "i" for leaf in leaves(x))]
        if not whole:
            raise
        what = f"the integers of {list_text(whole)}, which are floats in a recorded run"
        raise refusal_at(target.file, None, what, OTHERWISE, runs=False) from None
    line = StraightLine(run, inputs, title, wrt)
    try:
        text, name = line.gradient(command, where, with_value=lang == "latex"), f"grad_{title}"
    except UnsupportedError as error:
        hint = (error.hint or "").removesuffix(STRAIGHT).strip() or None
        file, line_number = (error.file, error.line) if error.line else (target.file, target.line)
        raise UnsupportedError(error.message, hint=hint, file=file, line=line_number) from None
    derived = compiled(text, name)
    points = [arguments, *(nearby for nearby in points_around(arguments)[1:] if runs_at(derived, nearby))]
    alone = (lambda *x: derived(*x)[1]) if lang == "latex" else derived
    places = [inputs.index(variable) for variable in line.active]
    ends = partial(runs_at, derived)  # on the same path
    trial = DerivedTrial(function, alone, places, is_along_path=True, ends=ends)
    program = PythonProgram(
        name, text, line.parts, point, inputs, line.active, points, command, "gradient", lang == "latex",
        line.sensitivities, line.routine.kinds,
    )  # fmt: skip
    return verified_source(program, trial, lang)


class RecordedFunction:
    """The properties of a recorded function that the text of a file needs."""

    def __init__(self, trace: Trace, title: str) -> None:
        self.name = title
        self.namespace: dict[str, Any] = vars(builtins)
        self.comments: dict[int, str] = {}
        self.file = next((node.file for node in trace.nodes if node.file), "")
        self.tree = ast.Pass(lineno=1)  # the line of generated statements

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

    Attributes:
        parts: the functions of the file that was written last.
        sensitivities: the name of the sensitivity to each variable.
    """

    def __init__(self, trace: Trace, inputs: Sequence[str], title: str, active: Sequence[str] = ()) -> None:
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
        for node, index in self.steps.in_order():
            if node is None:
                self._outcome(index, self.trace.program.outcomes[index])
            else:
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
        self.routine.body.append(statement)

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

    def _enter_list(self, called: str, structure: Sequence[int]) -> None:
        """Assign names to the items of a list."""
        parts = [self._fresh(f"{called}_{n}") for n in range(len(structure))]
        self.names.update(zip(structure, parts, strict=True))
        kinds = [self.steps.kind(index) for index in structure]
        self.routine.kinds.update(zip(parts, kinds, strict=True))
        self.routine.kinds[called] = ValueKind("list", item=kinds[0] if len(set(kinds)) == 1 else MIXED)
        self._add(Unpacking(tuple(parts), name(called)))

    def _lengths(self, body: Statements) -> Statements:
        """Assertions on the lengths of lists that the program does not unpack."""
        unpacked = {text_of(statement.value) for statement in body if isinstance(statement, ast.Assign)}
        return [
            ast.Assert(
                expression(f"len(_x) == {len(items)}", _x=name(called)), ast.Constant("derived for another path")
            )
            for called, items in zip(self.inputs, self.trace.inputs, strict=True)
            if _is_flat(items) and called not in unpacked
        ]

    def _step(self, node: TraceNode) -> None:
        """Write one node as a statement."""
        own, called = f"t_{node.index}", (node.name or "").replace("#", "_")
        target = self._fresh(called if called.isidentifier() else own)
        if not called.isidentifier() or called == own:
            self.routine.made.add(target)
        self.names[node.index] = target
        self.routine.kinds[target] = kind_of(node.value)
        try:
            if node.rule is not None and node.rule.writes:
                self.routine.body += self.steps.written(node.index, target, node.line or 0)
                return
            value, operation = self.steps.step(node.index)
        except UnsupportedError as error:
            raise UnsupportedError(error.message, hint=error.hint, file=node.file, line=node.line) from None
        self._add(Assignment(target, value, operation, node.line or 0))

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


def runs_at(function: Callable[..., Any], point: Sequence[Any]) -> bool:
    """Whether a program for one path holds at a point."""
    try:
        function(*point)
    except program_errors():
        return False
    return True
