"""Calls of functions of arrays as the operations that they are made of: seen by recording them as they were called."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.derivation.intermediate.expressions import Expressions
from gradcli.derivation.intermediate.operation_derivatives import Differentiated, Identity, Listed
from gradcli.derivation.intermediate.recorded_steps import RecordedSteps, skeleton
from gradcli.derivation.intermediate.statements import Keep
from gradcli.derivation.intermediate.templates import expression, name, names_in, text_of
from gradcli.derivation.reading.observed_values import Example
from gradcli.derivation.reading.value_kinds import STATIC, kind_of, shape_of
from gradcli.errors import GradcliError, UnsupportedError
from gradcli.traces.trace import Trace
from gradcli.transforms.gradients import trace

Path = tuple[Any, ...]  # of a value among arguments: its place or its name, then its place in a list


class RecordedCalls(Expressions):
    """What turns calls of functions of arrays into statements, one for each operation of the rule table."""

    def _recorded(
        self, node: ast.Call, owner: ast.expr | None, made: ast.Call
    ) -> tuple[ast.expr, Differentiated | None]:
        """The operations of a call.

        Args:
            node: the call.
            owner: the array whose method is called.
            made: the call of the operands, if their lists are not taken apart.
        """
        examples = list(self.observation.of(node).examples.values())
        if not examples:
            raise self.refuse(node, f"{text_of(node)}, an operation without a written derivative")
        try:
            inputs = list(self._inputs(node, owner, examples[0]))
            runs = [_run(each, [path for path, _ in inputs]) for each in examples]
            parts = [self._named(each) for _, each in inputs]
            return self._steps(self._alike(runs, parts), parts, made)
        except GradcliError as error:
            raise self.refuse(node, f"{text_of(node)}: {error.message}") from None

    def _inputs(self, node: ast.Call, owner: ast.expr | None, example: Example) -> Iterator[tuple[Path, ast.expr]]:
        """The numbers and arrays among the arguments, each with its path.

        Raises:
            UnsupportedError: another argument is computed, so that it may be another one in another run.
        """
        if owner is not None:
            yield ("owner",), owner
        given = [*enumerate(node.args), *((k.arg, k.value) for k in node.keywords)]
        for place, part in given:
            if isinstance(part, (ast.List, ast.Tuple)) and self.dependence.of(part):
                yield from (((place, n), each) for n, each in enumerate(part.elts))
            elif self.kind(part).name in ("number", "array") and not isinstance(part, ast.Constant):
                yield (place,), part
            elif self.dependence.of(part) or not self._is_fixed(part):
                raise self.refuse(node, f"the argument {text_of(part)}")

    def _is_fixed(self, node: ast.expr) -> bool:
        """Whether an expression is made of constants, the program's own among them."""
        bound = {each.id for each in ast.walk(self.user.tree) if isinstance(each, ast.Name) and is_stored(each)}
        return not names_in(node) & (bound | set(self.user.parameters))

    def _alike(self, runs: list[Trace], parts: Sequence[str]) -> list[Trace]:
        """The runs that do what the first one does; that an axis of length 1 asks for something else is asserted.

        Raises:
            UnsupportedError: other runs do something else.
        """
        first = skeleton(runs[0])
        alike = [run for run in runs if skeleton(run) == first]
        if len(alike) == len(runs):
            return runs
        others = [run for run in runs if run not in alike]
        for index, part in zip(runs[0].inputs, parts, strict=True):
            if all(1 in shape_of(run.nodes[index].value) for run in others) and not any(
                1 in shape_of(run.nodes[index].value) for run in alike
            ):
                self._assert(f"1 not in np.shape({part})")
                return alike
        raise UnsupportedError("it does something else at other sizes")

    def _assert(self, test: str) -> None:
        self.out.append(Keep(ast.Assert(expression(test), ast.Constant("derived for another size")), self.line))

    def _steps(self, runs: list[Trace], parts: Sequence[str], made: ast.Call) -> tuple[ast.expr, Differentiated | None]:
        steps = RecordedSteps(runs)
        count = len(runs[0].nodes)
        for index, part in zip(runs[0].inputs, parts, strict=True):
            steps.names[index] = part
            shapes = {shape_of(run.nodes[index].value) for run in runs}
            if len(shapes) == 1 and shapes != {()}:
                self._assert(f"np.shape({part}) == {shapes.pop()!r}")
        done = [node.index for node in runs[0].nodes if not node.is_input]
        waiting = list(enumerate(steps.program.outcomes))
        for index in done:
            while waiting and waiting[0][1].before <= index:
                number = waiting.pop(0)[0]
                given = self.temporary(steps.outcome(number), None, STATIC)
                steps.names[count + number] = given.id  # type: ignore[attr-defined]
            value, operation = steps.step(index)
            is_active = operation is not None and bool(names_in(list(operation.operands)) & self.dependence.names)
            if runs[0].result == index and is_active:
                return (made if len(done) == 1 else value), operation
            given = self.temporary(value, operation if is_active else None, steps.kind(index))
            steps.names[index] = given.id  # type: ignore[attr-defined]
        return self._result(runs[0].result, steps)

    def _result(self, result: Any, steps: RecordedSteps) -> tuple[ast.expr, Differentiated]:
        """The value of several results."""
        if isinstance(result, int):
            atom = name(steps.names[result])
            kind = steps.kind(result)
            return atom, Identity(operands=(atom,), kinds=(kind,), kind=kind, fits=())
        atoms = tuple(name(steps.names[each]) for each in result)
        kinds = tuple(steps.kind(each) for each in result)
        kind = kind_of(tuple(steps.nodes[each][0].value for each in result))
        return ast.Tuple(list(atoms), ast.Load()), Listed(operands=atoms, kinds=kinds, kind=kind, fits=())

    def _named(self, part: ast.expr) -> str:
        """The name of an operand."""
        atom = self.atom(part)
        if not isinstance(atom, ast.Name):
            kind = self.kind(part)
            atom = self.temporary(atom, self.move(atom, kind) if self.dependence.of(part) else None, kind)
        return atom.id  # type: ignore[attr-defined,no-any-return]


def is_stored(node: ast.Name) -> bool:
    """Whether a name is bound where it stands."""
    return isinstance(node.ctx, ast.Store)


def _run(example: Example, paths: Sequence[Path]) -> Trace:
    """One call, recorded, with the values at some paths as inputs."""

    def called(*inputs: Any) -> Any:
        owner, arguments, keywords = example.owner, list(example.arguments), dict(example.keywords)
        held: dict[Any, Any] = {**dict(enumerate(arguments)), **keywords}
        for path, given in zip(paths, inputs, strict=True):
            if path == ("owner",):
                owner = given
            elif len(path) == 1:
                held[path[0]] = given
            else:
                items = list(held[path[0]])
                items[path[1]] = given
                held[path[0]] = items
        ordered = [held[n] for n in range(len(arguments))]
        named = {each: held[each] for each in keywords}
        function = example.function if owner is None else getattr(owner, example.function.__name__)
        return function(*ordered, **named)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(called, *(_at(example, path) for path in paths), names=False)


def _at(example: Example, path: Path) -> Any:
    if path == ("owner",):
        return example.owner
    value = example.arguments[path[0]] if isinstance(path[0], int) else example.keywords[path[0]]
    value = value[path[1]] if len(path) > 1 else value
    return value if isinstance(value, np.ndarray) else float(value)
