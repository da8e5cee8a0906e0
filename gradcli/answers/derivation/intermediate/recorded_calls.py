"""Calls of array functions as the operations they consist of, found by recording the observed calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import getitem
from typing import Any

import numpy as np

from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.operands import atom_of, identity
from gradcli.answers.derivation.intermediate.operation_derivatives import Identity, ListDisplay, written_items
from gradcli.answers.derivation.intermediate.statements import PassiveStatement
from gradcli.answers.derivation.intermediate.trace_lowering import RecordedSteps, program_structure
from gradcli.answers.derivation.reading.observed_calls import ObservedCall
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, kind_of, shape_of
from gradcli.answers.derivation.syntax_trees import expression, name, names_in, stored_names, text_of
from gradcli.engine.traces.trace import Trace
from gradcli.errors import GradcliError, UnsupportedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.methods.transforms.gradients import trace
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings

Path = tuple[Any, ...]  # the place of a value among arguments: its position or name, and its positions in lists


def recorded_call(node: ast.Call, owner: ast.expr | None, made: ast.Call, context: LoweringContext) -> Lowered:
    """The operations of a call.

    Args:
        node: the call.
        owner: the array whose method is called.
        made: the call with operands as arguments, for lists that are not taken apart.
    """
    examples = list(context.observation.of(node).examples.values())
    if not examples:
        raise context.refuse(node, f"{text_of(node)}, an operation without a written derivative")
    try:
        inputs = list(inputs_of(node, owner, context))
        runs = [_run(example, [path for path, _ in inputs]) for example in examples]
        parts = [named_operand(operand, context) for _, operand in inputs]
        return recorded_steps(alike_runs(runs, parts, context), parts, made, context)
    except GradcliError as error:
        raise context.refuse(node, f"{text_of(node)}: {error.message}", error.hint or "") from None


def inputs_of(node: ast.Call, owner: ast.expr | None, context: LoweringContext) -> Iterator[tuple[Path, ast.expr]]:
    """The numbers and arrays among the arguments, each with its path.

    Raises:
        UnsupportedError: another argument is computed, so that it may differ in another run.
    """
    if owner is not None:
        yield ("owner",), owner
    given = [*enumerate(node.args), *((k.arg, k.value) for k in node.keywords)]
    for place, part in given:
        if isinstance(part, (ast.List, ast.Tuple)) and context.dependence.of(part):
            items = list(written_items(part))
            if any(context.kind(item).item not in (None, NUMBER) for _, item in items):  # lists that become matrices
                items = [((n,), item) for n, item in enumerate(part.elts)]
            yield from (((place, *path), item) for path, item in items)
        elif context.kind(part).name == "number" and not context.dependence.of(part) and is_fixed(part, context):
            continue
        elif context.kind(part).name in ("number", "array"):
            yield (place,), part
        elif context.dependence.of(part) or not is_fixed(part, context):
            raise context.refuse(node, f"the argument {text_of(part)}")


def is_fixed(node: ast.expr, context: LoweringContext) -> bool:
    """Whether an expression consists of constants, including those of the program, and numbers of axes."""
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return True
    return not names_in(node) & (stored_names(context.user.tree) | set(context.user.parameters))


def alike_runs(runs: list[Trace], parts: Sequence[str], context: LoweringContext) -> list[Trace]:
    """The runs with the same operations as the first; others, for axes of length 1, are excluded by assertions.

    Raises:
        UnsupportedError: other runs have other operations.
    """
    first = program_structure(runs[0])
    answers = [[outcome.guard for outcome in run.program.outcomes] for run in runs]
    runs = [
        run for run, answer in zip(runs, answers, strict=True) if answer == answers[0]
    ]  # the derived program asserts the outcomes
    alike = [run for run in runs if program_structure(run) == first]
    if len(alike) == len(runs):
        return runs
    others = [run for run in runs if run not in alike]
    if all(map(_has_length_one, others)) and not _has_length_one(runs[0]):
        add_assertion(f"1 not in {' + '.join(f'np.shape({part})' for part in parts)}", context)
        return [run for run in alike if not _has_length_one(run)]
    raise UnsupportedError("it does something else at other sizes")


def add_assertion(test: str, context: LoweringContext) -> None:
    """Assert a condition on sizes."""
    context.out.append(
        PassiveStatement(ast.Assert(expression(test), ast.Constant("derived for another size")), context.line)
    )


def recorded_steps(runs: list[Trace], parts: Sequence[str], made: ast.Call, context: LoweringContext) -> Lowered:
    """The steps of recorded runs, one statement each."""
    steps = RecordedSteps(runs)
    for index, part in zip(runs[0].inputs, parts, strict=True):
        steps.names[index] = part
        shapes = {shape_of(run.nodes[index].value) for run in runs}
        if len(shapes) == 1 and shapes != {()}:
            add_assertion(f"np.shape({part}) == {shapes.pop()!r}", context)
    is_single = sum(not node.is_input for node in runs[0].nodes) == 1
    for node, index in steps.in_order():
        if node is None:
            add_outcome(steps, index, len(runs[0].nodes), context)
            continue
        if node.rule is not None and node.rule.writes:
            add_write(steps, index, context)
            continue
        value, operation = steps.step(index)
        is_active = operation is not None and bool(names_in(*operation.operands) & context.dependence.names)
        if runs[0].result == index and is_active:
            return (made if is_single else value), operation
        given = context.temporary(value, operation if is_active else None, steps.kind(index))
        steps.names[index] = given.id  # type: ignore[attr-defined]
    return recorded_result(runs[0].result, steps)


def add_write(steps: RecordedSteps, index: int, context: LoweringContext) -> None:
    """Write a step that writes into an array, as a copy under a name that is written into."""
    target = steps.names[index] = context.made_name()
    context.kinds[target] = steps.kind(index)
    context.written.add(target)
    for statement in steps.written(index, target, context.line):
        if statement.operation and names_in(*statement.operation.operands) & context.dependence.names:
            context.dependence.names.add(target)
        else:
            statement.operation = None
        context.out.append(statement)


def add_outcome(steps: RecordedSteps, number: int, count: int, context: LoweringContext) -> None:
    """Write an outcome: an array of indices or booleans under a name, or an assertion."""
    text = steps.outcome(number)
    if steps.program.outcomes[number].guard is not None:
        context.out.append(PassiveStatement(ast.Assert(text, ast.Constant("derived for other numbers")), context.line))
        return
    given = context.temporary(text, None, STATIC)
    steps.names[count + number] = given.id  # type: ignore[attr-defined]


def recorded_result(result: Any, steps: RecordedSteps) -> Lowered:
    """The value of a call with one or several results."""
    if isinstance(result, int):
        atom = name(steps.names[result])
        kind = steps.kind(result)
        return atom, Identity((atom,), (kind,), kind)
    if not isinstance(result, (list, tuple)) or any(isinstance(part, (list, tuple, dict)) for part in result):
        raise UnsupportedError("it gives no array and no list of arrays")
    values = [run.value for run in steps.runs]
    atoms = tuple(
        name(steps.names[element]) if element is not None else steps.constant([value[n] for value in values], 0)
        for n, element in enumerate(result)
    )
    kinds, kind = tuple(map(kind_of, values[0])), kind_of(tuple(values[0]))
    made = ast.List if isinstance(values[0], list) else ast.Tuple
    return made(list(atoms), ast.Load()), ListDisplay(atoms, kinds, kind)


def named_operand(part: ast.expr, context: LoweringContext) -> str:
    """The name of an operand."""
    atom = atom_of(part, context)
    if not isinstance(atom, ast.Name):
        kind = context.kind(part)
        atom = context.temporary(atom, identity(atom, kind) if context.dependence.of(part) else None, kind)
    return atom.id  # type: ignore[attr-defined,no-any-return]


def _has_length_one(run: Trace) -> bool:
    return any(1 in shape_of(run.nodes[index].value) for index in run.inputs)


def _run(example: ObservedCall, paths: Sequence[Path]) -> Trace:
    """Record one call, with the values at some paths as inputs."""

    def called(*inputs: Any) -> Any:
        owner, arguments, keywords = example.owner, list(example.arguments), dict(example.keywords)
        held: dict[Any, Any] = {**dict(enumerate(arguments)), **keywords}
        for path, given in zip(paths, inputs, strict=True):
            if path == ("owner",):
                owner = given
            else:
                held[path[0]] = _replaced(held[path[0]], path[1:], given)
        ordered = [held[n] for n in range(len(arguments))]
        named = {keyword: held[keyword] for keyword in keywords}
        function = recordable_function(example.function) if owner is None else getattr(owner, example.function.__name__)
        return function(*ordered, **named)

    with ignored_float_errors(), ignored_warnings():
        try:
            return trace(called, *(_at(example, path) for path in paths), names=False)
        except GradcliError:
            raise
        except Exception as error:  # raised by NumPy or SciPy, if the function treats other shapes differently
            raise UnsupportedError(f"it raises {type(error).__name__}: {error} when it is recorded") from None


def _replaced(value: Any, path: Path, given: Any) -> Any:
    """A value, with another one at a path in its lists."""
    if not path:
        return given
    return [_replaced(item, path[1:], given) if n == path[0] else item for n, item in enumerate(value)]


def recordable_function(function: Any) -> Any:
    """The function that replaces a SciPy function when arrays are recorded."""
    module = getattr(function, "__module__", "") or ""
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    called = f"{public}.{getattr(function, '__name__', '')}"
    return FUNCTIONS.get(called, function) if public.startswith("scipy") else function


def _at(example: ObservedCall, path: Path) -> Any:
    if path == ("owner",):
        return example.owner
    value = example.arguments[path[0]] if isinstance(path[0], int) else example.keywords[path[0]]
    value = reduce(getitem, path[1:], value)
    return np.array(value, dtype=float) if isinstance(value, (list, tuple, np.ndarray)) else float(value)
