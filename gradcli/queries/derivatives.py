"""Derivatives at a point: gradient, Jacobian and Hessian."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli import records
from gradcli.diagnose.run_findings import run_findings
from gradcli.findings import finding
from gradcli.pytree import all_finite, labelled, leaves, map_leaves, record_value
from gradcli.queries.bound_target import Question, ask
from gradcli.running.bound_call import BoundCall
from gradcli.running.muted_reruns import quiet
from gradcli.running.program_state import unchanged
from gradcli.targets import Asked, Where
from gradcli.traces.trace import Trace, record_trace
from gradcli.transforms.scalar_results import number_of

if TYPE_CHECKING:
    from gradcli.code.stack_frames import Place

ByName = dict[str, Any]


def gradient(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> records.Gradient:
    """The value and the gradient of `target` at `at`."""
    question = ask(target, at, wrt, device)
    run = question.record()
    value = float(number_of(question.function, run.value))
    found = _by_input(question, run)
    return records.Gradient(
        question.target.text,
        record_value(question.point),
        value,
        found,
        question.target.reading,
        _findings(question, run, (value, found)),
    )


def _by_input(question: Question, run: Trace) -> ByName:
    sensitivities = run.sensitivities()
    inputs = dict(zip(question.point, run.inputs, strict=True))
    return {
        name: record_value(map_leaves(lambda index: sensitivities[index], inputs[name])) for name in question.wanted
    }


def _findings(question: Question, run: Trace, numbers: tuple[Any, ...]) -> tuple[records.Finding, ...]:
    """The findings for a run with these values and derivatives; for a run on a device, those of a run on the host."""
    if question.device.number is not None:
        question = question.on_host()
        run = question.record()
    named = partial(question.record, names=True)
    with unchanged(BoundCall.of_inputs(question.function, question.arguments)):
        found = run_findings(run, named, question.point, question.wanted, finite=all_finite(numbers))
        turning = _switch(question, run, named)
        # The function is flat only on the side taken
        found = [each for each in found if not turning or each.code != "G205"]
        return (*question.target.findings, *found, *turning, *_removable(question, run, found))


def _switch(question: Question, run: Trace, named: Callable[[], Trace]) -> list[records.Finding]:
    """The finding for a run that stands exactly on a branch boundary."""
    if not run.outcomes:
        return []
    from gradcli.checks.nonsmooth.branch_boundary import on_switch

    found = on_switch(run, named, question.function, question.point, question.wanted)
    return [found] if found else []


def _removable(question: Question, run: Trace, found: list[records.Finding]) -> list[records.Finding]:
    """The findings for undefined values that have a limit. Computing in many digits is imported only for that."""
    if not any(each.code == "G101" for each in found):
        return []
    from gradcli.checks.nonsmooth.removable_singularities import removable_singularity_findings

    return removable_singularity_findings(run, found, question.function, question.point)


def jacobian(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> records.Jacobian:
    """The value of `target` at `at`, and the partial derivatives of all its results."""
    from gradcli.transforms.gradient_warnings import collected
    from gradcli.transforms.jacobians import jacobian as jacobian_of

    question = ask(target, at, wrt, device)
    with question.running(), collected() as told_of:
        value, found = jacobian_of(question.function, question.places, with_value=True)(*question.arguments)
    return records.Jacobian(
        question.target.text,
        record_value(question.point),
        record_value(value),
        dict(zip(question.wanted, map(record_value, found), strict=True)),
        question.target.reading,
        (*question.target.findings, *_as_findings(question, told_of)),
    )


def _as_findings(question: Question, told_of: list[tuple[str, str, Place]]) -> Iterator[records.Finding]:
    """The warnings of a transform as findings, each once; typed expressions have no lines."""
    from gradcli.targets.expressions import Formula

    for code, message, (file, line) in dict.fromkeys(told_of):
        typed = isinstance(question.function, Formula)
        yield finding(code, message, file=None if typed else file, line=None if typed else line)


def hessian(target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu") -> records.Hessian:
    """The value, the gradient and the matrix of second derivatives of `target` at `at`."""
    from gradcli.transforms.gradient_warnings import collected
    from gradcli.transforms.gradients import grad
    from gradcli.transforms.jacobians import jacobian as jacobian_of

    question = ask(target, at, wrt, device)
    run = question.record()
    value = float(number_of(question.function, run.value, needed_by="hessian"))
    labels = [label for name in question.wanted for label, _ in labelled(name, question.point[name])]
    with question.running(), collected():  # the findings below report the same
        columns = jacobian_of(grad(question.function, question.places), question.places)(*question.arguments)
    found = _by_input(question, run)
    findings = _findings(question, run, (value, found))
    if all_finite(found) and not all_finite(record_value(list(columns))):
        findings = (*findings, *_births_of_second(question))
    return records.Hessian(
        question.target.text,
        record_value(question.point),
        value,
        found,
        _blocks(labels, columns),
        question.target.reading,
        findings,
    )


def _births_of_second(question: Question) -> list[records.Finding]:
    """Where the second derivatives became non-finite, in a recorded run of the sum of the gradient's components."""
    from gradcli.diagnose.nonfinite import first_nonfinite_findings
    from gradcli.transforms.gradients import grad

    def total(*inputs: Any) -> Any:
        first = grad(question.function, question.places)(*inputs)
        return sum(leaf.sum() if getattr(leaf, "shape", ()) else leaf for leaf in leaves(list(first)))

    with question.on_host().running(), quiet():
        return first_nonfinite_findings(record_trace(total, tuple(question.arguments), names=True))


def _blocks(labels: list[str], columns: tuple[Any, ...]) -> dict[str, ByName]:
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
