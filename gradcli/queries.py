"""One call for each command: a target and a point as typed in, a record out.

The user's code runs inside `user_code`, so that what it raises leaves here as an error of ours with the user's frames
only; whatever else gets out is a fault of ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli import records
from gradcli.errors import GradcliError, UsageError
from gradcli.findings import finding
from gradcli.methods.components import components, labelled, pick
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves, map_leaves
from gradcli.targets import Target, parse_point, resolve, select, user_frames
from gradcli.targets.expressions import Formula
from gradcli.targets.frames import raised
from gradcli.transforms import jacobian as jacobian_of
from gradcli.transforms import grad, number_of, trace


@contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn what the user's code raises into a UserCodeError; a failure without a frame of the user's is ours."""
    try:
        yield
    except (GradcliError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if not user_frames(error):
            raise
        raise raised(error, doing) from None


@dataclass(frozen=True)
class Question:
    """A target bound to a point: what every query starts from."""

    target: Target
    point: dict[str, Any]
    wanted: tuple[str, ...]

    @property
    def function(self) -> Callable[..., Any]:
        """The function of exactly the inputs that the point names."""
        return self.target.function

    @property
    def arguments(self) -> list[Any]:
        """The values of the inputs, in order."""
        return list(self.point.values())

    def record(self, names: bool) -> Recording:
        """One recorded run at the point."""
        function = self.function
        named: dict[int, str] = {}
        if names and isinstance(function, Formula):
            function = functools.partial(function, visit=functools.partial(_name_part, self.target.text, named))
        with user_code(f"in {self.target.name}"):
            tape = trace(function, *self.arguments, names=names)
        if tape.watch is not None:
            inputs = [label for name, item in self.point.items() for label, _ in labelled(name, item)]
            tape.watch.names.update(named)
            tape.watch.names.update(zip(tape.input_rows(), inputs, strict=True))
        return tape


def _name_part(text: str, named: dict[int, str], node: Any, result: Any) -> None:
    """Name a node of a typed expression by its own text."""
    index = getattr(result, "index", None)
    if isinstance(index, int):
        named.setdefault(index, " ".join(text[node.start : node.end].split()))


def ask(target: str, at: str | None, wrt: str | None = None) -> Question:
    """Read a target and a point.

    Raises:
        UsageError: either cannot be understood, found or fitted.
        NotFiniteError: the point holds a nan or an infinity.
        UserCodeError: the user's file raised when it was imported.
    """
    found = resolve(target)
    point = parse_point(at, found)
    return Question(found.with_inputs(point), point, select(wrt, point))


def to_plain(value: Any) -> Any:
    """A value as records hold it: Python floats in nested lists."""
    return map_leaves(lambda leaf: leaf.tolist() if hasattr(leaf, "tolist") else leaf, value)


def refuse_device(device: str) -> None:
    """Raise for a device that cannot be used yet."""
    if device != "cpu":
        raise UsageError(f"--device {device} is not available yet", hint="Leave it out: --device cpu is what runs.")


def gradient(target: str, at: str | None, *, wrt: str | None = None, device: str = "cpu") -> records.Gradient:
    """The value and the gradient of `target` at `at`."""
    refuse_device(device)
    question = ask(target, at, wrt)
    tape = question.record(names=False)
    value = float(number_of(question.function, tape.value, tape))
    found = _gradient(question, tape)
    return records.Gradient(
        question.target.text,
        to_plain(question.point),
        value,
        {name: to_plain(item) for name, item in found.items()},
        question.target.reading,
        findings(question, tape, value, found),
    )


def _gradient(question: Question, tape: Recording) -> dict[str, Any]:
    sensitivities = tape.sensitivities()
    by_input = zip(question.point, tape.inputs, strict=True)
    return {
        name: map_leaves(lambda index: sensitivities[index], rows) for name, rows in by_input if name in question.wanted
    }


def findings(
    question: Question, tape: Recording, value: float, gradient: Mapping[str, Any]
) -> tuple[records.Finding, ...]:
    """What is worth knowing of a gradient: inputs without a part in the result, and where it ceased to be finite."""
    found = [*_unused(question, tape)]
    numbers = [np.asarray(leaf, dtype=float) for leaf in leaves(dict(gradient))]
    if not np.isfinite(value) or not all(np.isfinite(number).all() for number in numbers):
        found += not_finite(question.record(names=True))
    return tuple(found)


def _unused(question: Question, tape: Recording) -> Iterator[records.Finding]:
    cotangents = tape.cotangents()
    asked = {index for outcome in tape.outcomes for index in outcome[3]}
    for name, rows in zip(question.point, tape.inputs, strict=True):
        indices = leaves(rows)
        if name not in question.wanted or any(cotangents[index] is not UNTOUCHED for index in indices):
            continue
        decided = asked & _descendants(tape, indices)
        code = "G205" if decided else "G401"
        how = "acts only through comparisons, rounding or indices" if decided else "has no part in the result"
        yield finding(code, f"{name} {how}: its derivative is exactly 0")


def _descendants(tape: Recording, indices: list[int]) -> set[int]:
    reached = set(indices)
    for index, row in enumerate(tape.rows):
        if not reached.isdisjoint(row[2::2]):
            reached.add(index)
    return reached


def not_finite(tape: Recording) -> list[records.Finding]:
    """Where the first value, or else the first sensitivity, that is not finite was born."""
    nodes = tape.nodes
    for node in nodes:
        if not np.isfinite(np.asarray(node.value, dtype=float)).all():
            operands = ", ".join(str(to_plain(x)) for x in node.operands)
            text = f"{node.name or node.operation} is the first value that is not finite: {node.operation}({operands})"
            return [finding("G101", text, file=node.file, line=node.line, node=node.index)]
    for node, sensitivity in reversed(list(zip(nodes, tape.sensitivities(), strict=True))):
        if not np.isfinite(np.asarray(sensitivity, dtype=float)).all():
            text = f"the sensitivity on {node.name or node.operation} = {to_plain(node.value)} is the first that is not finite"
            return [finding("G102", text, file=node.file, line=node.line, node=node.index)]
    return []


def jacobian(target: str, at: str | None, *, wrt: str | None = None, device: str = "cpu") -> records.Jacobian:
    """The value and all partial derivatives of all results of `target` at `at`."""
    refuse_device(device)
    question = ask(target, at, wrt)
    places = tuple(n for n, name in enumerate(question.point) if name in question.wanted)
    with user_code(f"in {question.target.name}"):
        value, found = jacobian_of(question.function, places, with_value=True)(*question.arguments)
    by_name = dict(zip((name for name in question.point if name in question.wanted), found, strict=True))
    return records.Jacobian(
        question.target.text,
        to_plain(question.point),
        to_plain(value),
        {name: to_plain(item) for name, item in by_name.items()},
        question.target.reading,
    )


def hessian(target: str, at: str | None, *, wrt: str | None = None, device: str = "cpu") -> records.Hessian:
    """The value, the gradient and the matrix of second derivatives of `target` at `at`."""
    refuse_device(device)
    question = ask(target, at, wrt)
    tape = question.record(names=False)
    value = float(number_of(question.function, tape.value, tape))
    labels = [label for name in question.wanted for label, _ in labelled(name, question.point[name])]
    places = tuple(n for n, name in enumerate(question.point) if name in question.wanted)
    with user_code(f"in {question.target.name}"):
        columns = jacobian_of(grad(question.function, places), places)(*question.arguments)
    return records.Hessian(
        question.target.text,
        to_plain(question.point),
        value,
        {name: to_plain(item) for name, item in _gradient(question, tape).items()},
        _blocks(labels, columns),
        question.target.reading,
    )


def _blocks(labels: list[str], columns: tuple[Any, ...]) -> dict[str, dict[str, Any]]:
    """The second derivatives by the names of two numbers or arrays of the point.

    `columns` holds for each input the Jacobian of the whole gradient by it: row by row, and in each row the parts of
    that input.
    """
    rows: list[list[Any]] = [[] for _ in labels]
    for column in columns:
        parts = leaves(column)
        width = len(parts) // len(labels)
        for n, row in enumerate(rows):
            row += parts[n * width : (n + 1) * width]
    return {a: {b: to_plain(x) for b, x in zip(labels, row, strict=True)} for a, row in zip(labels, rows, strict=True)}


def tape(target: str, at: str | None) -> records.TapeListing:
    """Every node of a run of `target` at `at`, with the sensitivity of the result on it."""
    question = ask(target, at)
    recording = question.record(names=True)
    number_of(question.function, recording.value, recording)
    pairs = zip(recording.nodes, recording.sensitivities(), strict=True)
    return records.TapeListing(
        question.target.text,
        to_plain(question.point),
        to_plain(recording.value),
        tuple(_node(node, sensitivity) for node, sensitivity in pairs),
        tuple(_outcome(recording, number, row) for number, row in enumerate(recording.outcomes)),
        question.target.reading,
        tuple(_unused(question, recording)),
    )


def _node(node: Any, sensitivity: Any) -> records.Node:
    return records.Node(
        node.index,
        node.name,
        node.operation,
        node.inputs,
        to_plain(node.value),
        to_plain(sensitivity),
        node.file,
        node.line,
        _source(node.file, node.line),
    )


def _outcome(recording: Recording, number: int, row: tuple[Any, ...]) -> records.Outcome:
    before, name, _, _, operands, told = row
    file, line = (recording.watch.place_of_outcome(number) if recording.watch else None) or (None, None)
    return records.Outcome(name, tuple(map(_told, operands)), _told(told), before, file, line)


def _told(value: Any) -> Any:
    value = to_plain(value)
    return value if isinstance(value, (bool, int, float, str, list)) or value is None else str(value)


def _source(file: str | None, line: int | None) -> str | None:
    import linecache

    return linecache.getline(file, line).strip() or None if file and line else None


def symbolic(target: str, at: str | None = None) -> records.ClosedForm:
    """The closed forms of `target` and of its derivatives along the path that it takes at `at`."""
    import sympy

    from gradcli.methods import symbolic as method

    question = ask(target, at if at is not None else _default_point(target))
    recording = question.record(names=False)
    number_of(question.function, recording.value, recording)
    parts = components(question.point)
    last = recording.result_index()
    if last is None:
        return _constant_form(question, recording, [part.name for part in parts])
    inputs = list(recording.input_rows())
    operations = method.size(recording, last, inputs)
    if operations > method.LARGEST:
        raise UsageError(
            f"the closed form has {operations} operations, too many to read",
            hint="`gradcli check` verifies it node by node; `gradcli tape` shows the steps.",
        )
    form = method.expression(recording, last, inputs, parts)
    derivatives = method.closed_forms(form)
    return records.ClosedForm(
        question.target.text,
        tuple(part.name for part in parts),
        method.text(form.value),
        {name: method.text(expression) for name, expression in derivatives.items()},
        {"value": sympy.latex(form.value), **{name: sympy.latex(item) for name, item in derivatives.items()}},
        _path_note(recording),
        question.target.reading,
    )


def _constant_form(question: Question, recording: Recording, names: list[str]) -> records.ClosedForm:
    value = str(recording.value)
    zeros = dict.fromkeys(names, "0")
    return records.ClosedForm(
        question.target.text, tuple(names), value, zeros, {"value": value, **zeros}, None, question.target.reading
    )


def _default_point(target: str) -> str | None:
    """A point for a target that takes single numbers, when only the closed form is wanted."""
    needed = [parameter for parameter in resolve(target).parameters if parameter.required]
    if resolve(target).tree is None and len(needed) < 2:  # noqa: PLR2004 - one parameter may be a number or an array
        return None
    return ",".join(["1.0"] * len(needed))


def _path_note(recording: Recording) -> str | None:
    count = len(recording.outcomes)
    if not count:
        return None
    facts = "1 comparison or rounding" if count == 1 else f"{count} comparisons and roundings"
    return f"holds along the path of this point, which {facts} decided"


def operations() -> list[str]:
    """The names of all operations that have a rule or are zero by declaration."""
    from gradcli import rules
    from gradcli.rules import numpy_functions

    words = set(rules.functions()) | set(rules.RULES)
    return sorted(words) + sorted(f"numpy.{name}" for name in numpy_functions.FUNCTIONS)


def check(
    target: str, at: str | None, *, against: str | None = None, wrt: str | None = None, strict: bool = False
) -> records.Comparison:
    """The gradient of `target` at `at`, or the hand-written one `against`, judged by independent methods."""
    from gradcli import crosscheck

    question = ask(target, at, wrt)
    candidate = resolve(against) if against is not None else None
    return crosscheck.compare(
        question.function,
        question.point,
        question.wanted,
        title=question.target.text,
        reading=question.target.reading,
        against=candidate.function if candidate else None,
        against_title=against,
        strict=strict,
        guard=user_code,
    )


__all__ = ["check", "gradient", "jacobian", "operations", "pick", "symbolic", "tape"]
