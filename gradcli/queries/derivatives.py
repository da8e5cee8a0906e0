"""Derivatives at a point: gradient, Jacobian and Hessian."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import Asked, Where
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.diagnose.run_findings import derivative_findings, has_jumps
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.shared.pytree import all_finite, labelled, leaves, map_leaves, record_value
from gradcli.shared.records.derivatives import Gradient, Hessian, Jacobian, SparsityPattern
from gradcli.shared.records.result_and_finding import Finding

if TYPE_CHECKING:
    from gradcli.methods.transforms.limits_beside_point import LimitBesidePoint

ByName = dict[str, Any]


def gradient(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> Gradient:
    """The value and the gradient of `target` at `at`."""
    question = ask(target, at, wrt, device)
    value, by_name, findings = value_and_gradient(question)
    return question.answer(Gradient, value, by_name, findings=findings)


def value_and_gradient(question: Question) -> tuple[float, ByName, tuple[Finding, ...]]:
    """The value, its gradient by each wanted input, and what there is to say of them."""
    run = question.record()
    value = float(number_of(question.function, run.value))
    by_name, of_limit = _by_input(question, run)
    return value, by_name, (*_findings(question, run, (value, by_name)), *of_limit)


def _by_input(question: Question, run: Trace) -> tuple[ByName, list[Finding]]:
    """The gradient by the wanted inputs, and what there is to say of it if it is a limit."""
    if run.tape.run.singular and (limit := _limit_of(run)) is not None:
        derivatives = limit.derivative
        _, findings = _with_findings(question, partial(_warn_of_limit, question, limit))
    else:
        sensitivities, findings = run.sensitivities(), []
        derivatives = [map_leaves(lambda index: sensitivities[index], structure) for structure in run.inputs]
    by_name = dict(zip(question.point, derivatives, strict=True))
    return {name: record_value(by_name[name]) for name in question.wanted}, findings


def _limit_of(run: Trace) -> LimitBesidePoint | None:
    from gradcli.methods.transforms.gradients import limit_of_run

    return limit_of_run(run)


def _warn_of_limit(question: Question, limit: LimitBesidePoint, *arguments: Any) -> None:
    from gradcli.methods.transforms.limits_beside_point import warn_of_limit

    warn_of_limit(BoundCall.of_inputs(question.function, arguments), limit)


def _findings(question: Question, run: Trace, numbers: tuple[Any, ...]) -> list[Finding]:
    """The findings for a run with these values and derivatives; for a run on a device, those of a run on the host."""
    if question.device.number is not None:
        question = question.on_host()
        run = question.record()
    finite, named = all_finite(numbers), partial(_named, question)
    with unchanged(question) if run.outcomes or not finite or has_jumps(run) else nullcontext():
        return derivative_findings(run, named, question.point, question.wanted, finite=finite)


def _named(question: Question) -> Trace:
    """The run with the user's names and lines, recorded in another run, of which the program keeps nothing."""
    with unchanged(question):
        return question.record(names=True)


def unchanged(question: Question) -> AbstractContextManager[None]:
    """A context in which the program may run again; afterwards its state is as before."""
    from gradcli.engine.running import program_state

    return program_state.unchanged(BoundCall.of_inputs(question.function, question.arguments))


def jacobian(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> Jacobian:
    """The value of `target` at `at`, and the partial derivatives of all its results."""
    question = ask(target, at, wrt, device)
    value, derivatives, findings = first_derivatives(question)
    by_name = dict(zip(question.wanted, map(record_value, derivatives), strict=True))
    return question.answer(Jacobian, record_value(value), by_name, findings=findings)


def first_derivatives(question: Question) -> tuple[Any, tuple[Any, ...], tuple[Finding, ...]]:
    """The value, its Jacobian by each wanted input, and what there is to say of them."""
    from gradcli.methods.transforms.jacobians import jacobian as jacobian_of

    take = jacobian_of(question.function, question.places, with_value=True)
    (value, derivatives), findings = _with_findings(question, take)
    return value, derivatives, (*findings, *_notes_of_all(question, findings))


def _notes_of_all(question: Question, known: list[Finding]) -> Iterator[Finding]:
    """Yield the notes and branch boundaries of any number of results, as of the gradient of their sum with weights."""
    from gradcli.engine.running.muted_reruns import quiet
    from gradcli.methods.transforms.one_number import weighted_sum

    function = question.function
    with question.on_host().running(), quiet(), unchanged(question):
        record = partial(record_trace, weighted_sum(function), tuple(question.arguments))
        run = record(names=False)
        findings = derivative_findings(
            run, lambda: record(names=True), question.point, question.wanted, finite=not known
        )
    typed = _is_typed(question)
    codes = {note.code for note in known}
    notes = (
        finding
        for finding in findings
        if finding.code not in codes and (finding.severity == "note" or finding.code == "G206")
    )
    yield from (note.changed(file=None, line=None) if typed else note for note in notes)


def _with_findings(question: Question, take: Callable[..., Any]) -> tuple[Any, list[Finding]]:
    """A derivative at the point, and what the library would warn of; typed expressions have no lines."""
    from gradcli.methods.transforms.derivative_warnings import collected

    with question.running(), collected() as findings:
        derivative = take(*question.arguments)
    typed = _is_typed(question)
    return derivative, [finding.changed(file=None, line=None) if typed else finding for finding in findings]


def _is_typed(question: Question) -> bool:
    """Whether the target is an expression, which has no lines."""
    from gradcli.answers.targets.expressions import Formula

    return isinstance(question.function, Formula)


def hessian(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> Hessian:
    """The value, the gradient and the matrix of second derivatives of `target` at `at`."""
    from gradcli.methods.transforms.gradients import grad
    from gradcli.methods.transforms.jacobians import jacobian as jacobian_of

    question = ask(target, at, wrt, device)
    run = question.record()
    value = float(number_of(question.function, run.value, needed_by="hessian"))
    labels = labels_of(question)
    second = jacobian_of(grad(question.function, question.places), question.places)
    columns, of_second = _with_findings(question, second)
    by_name, of_limit = _by_input(question, run)
    of_first = *_findings(question, run, (value, by_name)), *of_limit
    codes = {finding.code for finding in of_first}
    findings = (*of_first, *(finding for finding in of_second if finding.code not in codes))
    return question.answer(Hessian, value, by_name, blocks_by_name(labels, columns), findings=findings)


def labels_of(question: Question) -> list[str]:
    """The names of the numbers and arrays that a question is about."""
    return [label for name in question.wanted for label, _ in labelled(name, question.point[name])]


def blocks_by_name(labels: list[str], columns: tuple[Any, ...]) -> dict[str, ByName]:
    """The second derivatives by the names of two numbers or arrays of the point.

    `columns` holds, for each input, the Jacobian of the whole gradient by it: row by row, with the parts of that input
    in each row.
    """
    rows: list[list[Any]] = [[] for _ in labels]
    for column in columns:
        parts = leaves(column)
        width = len(parts) // len(labels)
        for n, row in enumerate(rows):
            row.extend(parts[n * width : (n + 1) * width])
    return {
        label: dict(zip(labels, map(record_value, row), strict=True)) for label, row in zip(labels, rows, strict=True)
    }


def jacobian_pattern(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> SparsityPattern:
    """The entries of the Jacobian of `target` at `at` that may differ from 0."""
    question = ask(target, at, wrt, device)
    return _pattern(question, "jacobian", question.function)


def hessian_pattern(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> SparsityPattern:
    """The entries of the Hessian of `target` at `at` that may differ from 0."""
    from gradcli.methods.transforms.gradients import grad

    question = ask(target, at, wrt, device)
    return _pattern(question, "hessian", grad(question.function, question.places))


def _pattern(question: Question, command: str, function: Callable[..., Any]) -> SparsityPattern:
    from gradcli.engine.traces.element_dependence import pattern
    from gradcli.methods.transforms.sparse_jacobians import colour_count

    with question.running():
        run = record_trace(function, tuple(question.arguments), names=False)
    inputs = leaves([run.inputs[place] for place in question.places])
    matrix = pattern(run.nodes, inputs, zip(run.result_indices(), leaves(run.value), strict=True))
    return SparsityPattern(
        command,
        question.target.text,
        record_value(question.point),
        matrix.shape,
        tuple(zip(*(indices.tolist() for indices in matrix.nonzero()), strict=True)),
        (colour_count(matrix), colour_count(matrix.T.tocsr())),
        question.target.reading,
        question.target.findings,
    )
