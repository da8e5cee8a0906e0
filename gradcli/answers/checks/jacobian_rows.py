"""Jacobians, Hessians and Hessian-vector products as sets of gradients: each row is checked as a gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.amended_verdicts import FAULTS, amended, of_missing_gradient
from gradcli.answers.checks.candidate_matrix import CandidateMatrix, with_inputs
from gradcli.answers.checks.comparison import compare, skipped, worst_first
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.custom_derivatives import TRANSFORMS
from gradcli.answers.checks.problem.hessian_by_values import HessianByValues, NotFiniteGradientError
from gradcli.answers.checks.problem.sampled_points import generator
from gradcli.answers.checks.problem.time_budget import NoMoreCalls
from gradcli.answers.checks.problem.value_and_gradient_functions import split_value_and_gradient
from gradcli.answers.targets import Target
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.errors import ResultError, TapeError, TargetError, place
from gradcli.methods.diagnose.outcome_margins import at_switch
from gradcli.methods.numerics.coordinates import coordinates, copied
from gradcli.methods.transforms.gradients import grad
from gradcli.methods.transforms.jacobians import jacobian
from gradcli.shared.message_wording import first_items
from gradcli.shared.pytree import all_finite, leaves, map_leaves, record_value
from gradcli.shared.records.checks import Comparison, Verdict
from gradcli.shared.records.result_and_finding import Finding

MOST_ROWS = 16  # rows that are checked one by one; the others are checked together, as one weighted sum
NOTICED = 1e-9  # relative distance from gradcli's own row above which a row is checked first
OTHERS = "[others]"
# Findings about one row that do not apply to the whole: most components of a result omit some inputs
OF_ONE_ROW = frozenset({"G401"})
WORST_FIRST = ("fail", "nonfinite", "inconclusive", "pass")


class Numbers(NamedTuple):
    """The numbers that a function returns."""

    function: Callable[..., Any]

    def number(self, n: int, count: int) -> Callable[..., Any]:
        """The function of one of the numbers, of which there are `count`."""
        return partial(_number, self.function, n)

    def along(self, weights: Any) -> Callable[..., Any]:
        """The function of their weighted sum."""
        return partial(_weighted, self.function, weights)


class ScalarPart(NamedTuple):
    """One component of a result, and its gradient.

    Args:
        label: the prefix of the names of its components.
        target: the function that returns the component.
        against: the function that returns the candidate for its gradient; None if gradcli's own is checked.
    """

    label: str
    target: Target
    against: Target | None


def compare_rows(check: BoundCheck) -> Comparison:
    """Compare a derivative of a target at a point, row by row, with independent references.

    A Jacobian has one row for each number of the result, a Hessian one for each number of the point. A Hessian-vector
    product is one gradient: that of the slope along a random direction.

    Raises:
        ResultError: the candidate's shape is not that of the derivative.
        NoMoreCalls: the time was over before the first row.
    """
    target, point, of, clock = check.target, check.point, check.request.of, check.clock
    with check.host.guard(f"in {target.name}"):
        value = target.function(*copied(tuple(point.values())))
    if of == "jacobian" and (pair := split_value_and_gradient(target, check.against, point, value, is_result=True)):
        (target, against), value = pair, value[0]
        check = replace(check, target=target, against=against)
    parts, notes = _rows(check, value)
    by_name: list[tuple[str, Comparison]] = []
    for part in parts:
        if clock.has_ended:
            break
        explains = check.against is None and all(comparison.verdict != "fail" for _, comparison in by_name)
        try:
            one = compare(replace(check.at(point), target=part.target, against=part.against), explains=explains)
        except (NoMoreCalls, KeyboardInterrupt):  # in the user's code; the finished rows stay
            if not clock.has_ended:
                raise
            break
        if by_name and clock.has_ended and all(row.verdict is Verdict.SKIPPED for row in one.components):
            break  # its findings are about nothing
        by_name.append((part.label, one))
    if not by_name:
        raise NoMoreCalls
    lenient = any(row.verdict.leniency for _, comparison in by_name for row in comparison.components)
    if of != "jacobian" and (lenient or _is_at_switch(target, point)):
        first = compare(replace(check.at(point), against=None), explains=False)
        if lenient or any(row.verdict is Verdict.JUMP for row in first.components):
            by_name = _where_the_gradient_exists(by_name, first, strict=check.request.strict)
    whole = _together(check, record_value(value), by_name, parts[len(by_name) :], notes)
    if check.against is None or whole.verdict != "fail" or clock.has_ended:
        return whole
    with quiet():
        reasons = _reasons(check, parts[0], value)
    return whole.changed(findings=(*reasons, *whole.findings))


def _is_at_switch(target: Target, point: Mapping[str, Any]) -> bool:
    """Whether the function itself may jump at the point, though its gradient goes on unchanged."""
    try:
        with quiet():
            return at_switch(record_trace(target.function, tuple(point.values()), names=False))
    except program_errors():  # the rows say what cannot be recorded
        return False


def _reasons(check: BoundCheck, first: ScalarPart, value: Any) -> list[Finding]:
    """The slip that explains a wrong matrix or product; `first` is its first row, and `value` the function's."""
    # Imported here, because a passing check does not need it
    from gradcli.answers.checks.culprit.culprit import matrix_culprit
    from gradcli.answers.checks.culprit.wrong_derivatives import MatrixCase

    function, point, wanted, of = check.target.function, check.point, check.wanted, check.request.of
    places = tuple(n for n, name in enumerate(point) if name in wanted)
    labels = [f"[{n}]" for n in range(sum(map(np.size, leaves(value))))]
    if of == "hessian":
        labels = [part.name for part in coordinates(point, wanted)]

    def candidate(inputs: list[Any]) -> Any:
        assert check.against is not None
        assert first.against is not None
        if of == "hvp":
            return np.concatenate([np.ravel(leaf) for leaf in leaves(first.against.function(*inputs))])
        return CandidateMatrix(check.against, point, wanted, len(labels)).numbers(inputs)

    def reference(inputs: list[Any]) -> Any:
        if of == "hvp":
            return np.concatenate([np.ravel(leaf) for leaf in leaves(grad(first.target.function, places)(*inputs))])
        columns = jacobian(grad(function, places) if of == "hessian" else function, places)(*inputs)
        return np.concatenate([_rows_by(column, len(labels)) for column in columns], axis=1)

    rows = [] if of == "hvp" else labels
    case = MatrixCase(of, function, point, wanted, rows, candidate, reference, Numbers(function).along)
    try:
        return matrix_culprit(case)
    except program_errors():  # what cannot be computed twice, or not on a tape, is not explained
        return []


def _where_the_gradient_exists(
    rows: list[tuple[str, Comparison]], first: Comparison, *, strict: bool
) -> list[tuple[str, Comparison]]:
    """The rows of second derivatives without those that are excused at a kink where the gradient is at fault itself.

    Where a value jumps, or a slope is infinite, there is no gradient whose derivatives could be right.
    """
    faults = {component.name: component.verdict for component in first.components if component.verdict in FAULTS}

    def without_excuse(label: str, one: Comparison) -> Comparison:
        name = next((name for name in faults if label in (name, "", OTHERS)), None)
        if name is None:
            return one
        return amended(one, lambda row: of_missing_gradient(row, name, faults[name]), strict=strict)

    return [(label, without_excuse(label, one)) for label, one in rows]


def _rows(check: BoundCheck, value: Any) -> tuple[list[ScalarPart], list[str]]:
    """The rows of a derivative, with notes; `value` is that of the function."""
    of, function = check.request.of, check.target.function
    if of == "jacobian":
        return _matrix(check, Numbers(function), [f"[{n}]" for n in range(sum(map(np.size, leaves(value))))])
    places = tuple(n for n, name in enumerate(check.point) if name in check.wanted)
    gradient = grad(function, places)
    numbers: Numbers | HessianByValues = Numbers(gradient)
    try:
        with quiet():
            claimed = gradient(*copied(tuple(check.point.values())))
        if not all_finite(claimed):
            names = [*check.point, *(f"v_{name}" for name in check.point if of == "hvp")]
            own = with_inputs(check.target, TRANSFORMS[of](function, places), names)
            check = replace(check, against=check.against or own)
            raise NotFiniteGradientError("the gradient is not finite here, and its derivatives are not the Hessian")
    except TapeError as error:
        numbers = HessianByValues(function, tuple(check.point), check.wanted, error)
    except program_errors():
        pass  # the check of the first row raises it again, in the right context
    if of == "hessian":
        return _matrix(check, numbers, [part.name for part in coordinates(check.point, check.wanted)])
    return _product(check, numbers)


def _matrix(
    check: BoundCheck, numbers: Numbers | HessianByValues, labels: list[str]
) -> tuple[list[ScalarPart], list[str]]:
    """A row for each number; if there are many, the last row is the sum of all others."""
    target, count = check.target, len(labels)
    matrix = None if check.against is None else CandidateMatrix(check.against, check.point, check.wanted, count)
    alone = list(range(count)) if count <= MOST_ROWS else _suspects(check, numbers, matrix, count)
    parts = [
        ScalarPart(labels[n], target.changed(function=numbers.number(n, count)), matrix.row(n) if matrix else None)
        for n in alone
    ]
    if len(alone) == count:
        return parts, []
    weights = generator(check.request.seed).uniform(0.5, 1.5, count)
    weights[alone] = 0.0
    total = target.changed(function=numbers.along(weights))
    parts.append(ScalarPart(OTHERS, total, matrix.weighted(weights) if matrix else None))
    note = f"rows: {len(alone)} of {count} one by one, the others as one weighted sum (seed {check.request.seed})"
    return parts, [note]


def _suspects(
    check: BoundCheck, numbers: Numbers | HessianByValues, matrix: CandidateMatrix | None, count: int
) -> list[int]:
    """The rows to check one by one: those in which the candidate is farthest from gradcli's own, then the first.

    This selection is not a verdict. The independent methods check each of these rows, and all others as one sum.
    """
    distances = np.zeros(count)
    if matrix is not None and isinstance(numbers, Numbers):
        inputs = copied(list(check.point.values()))
        with quiet(), suppress(Exception):  # without a trace, the rows keep their order
            distances = np.nan_to_num(_distances(check, numbers.function, matrix.numbers(inputs), inputs), nan=np.inf)
    order = np.argsort(-distances, kind="stable")[:MOST_ROWS]
    return sorted(map(int, order))


def _distances(check: BoundCheck, function: Callable[..., Any], candidate: Any, inputs: list[Any]) -> Any:
    """The distance of each row of a matrix from the tape's row, relative to the largest number in it."""
    places = tuple(range(len(inputs)))
    columns = jacobian(function, places)(*inputs)
    own = np.concatenate([_rows_by(column, len(candidate)) for column in columns], axis=1)
    wanted = [part.number for part in coordinates(check.point, check.wanted)]
    own = own if own.shape == candidate.shape else own[:, wanted]
    distance, size = np.abs(own - candidate).max(axis=1), np.abs(own).max(axis=1)
    return np.where(distance > NOTICED * size, distance / np.maximum(size, np.finfo(float).tiny), 0.0)


def _rows_by(column: Any, count: int) -> Any:
    """The Jacobian by one input as a matrix; `column` has the structure of the result."""
    parts = [np.ravel(leaf) for leaf in leaves(column)]
    return np.concatenate(parts).reshape(count, -1)


def _product(check: BoundCheck, numbers: Numbers | HessianByValues) -> tuple[list[ScalarPart], list[str]]:
    """The product of the Hessian with a random direction, as the gradient of the slope along it."""
    random = generator(check.request.seed)

    def drawn(leaf: Any) -> Any:
        steps = np.round(random.uniform(-1.0, 1.0, np.shape(leaf)), 2)
        return steps if np.ndim(leaf) else float(steps)

    vectors = {
        name: map_leaves(drawn if name in check.wanted else np.zeros_like, value) for name, value in check.point.items()
    }
    weights = np.concatenate([np.ravel(leaf) for name in check.wanted for leaf in leaves(vectors[name])])
    slope = check.target.changed(function=numbers.along(weights))
    product = check.against and _along(check.against, vectors)
    shown = first_items([f"{number:g}" for number in weights], 8)
    return [ScalarPart("", slope, product)], [f"the product with v = [{shown}] (seed {check.request.seed})"]


def _along(against: Target, vectors: Mapping[str, Any]) -> Target:
    """A hand-written Hessian-vector product as a function of the inputs alone, which precede the vectors."""
    _check_takes_vectors(against, list(vectors))
    function = against.function
    names = against.names[: len(vectors)]
    return with_inputs(against, lambda *inputs: function(*inputs, *copied(tuple(vectors.values()))), names)


def _check_takes_vectors(against: Target, names: list[str]) -> None:
    """Refuse a hand-written product that does not take one vector for each input.

    Raises:
        TargetError: the parameters do not fit.
    """
    parameters = against.parameters
    in_order = [parameter for parameter in parameters if parameter.kind == "positional"]
    required = [parameter for parameter in parameters if parameter.required]
    if any(parameter.many for parameter in parameters) or len(required) <= 2 * len(names) <= len(in_order):
        return
    wanted = ", ".join([*names, *(["v"] if len(names) == 1 else [f"v_{name}" for name in names])])
    where = f" ({place(against.file, against.line)})" if against.file and against.line else ""
    takes = ", ".join(map(str, parameters)) or "nothing"
    raise TargetError(
        f"{against.name}{where} takes {takes}; a Hessian-vector product must take ({wanted}).",
        hint="The inputs come first, then a vector for each; --of says which derivative it is.",
    )


def _number(function: Callable[..., Any], n: int, *inputs: Any) -> Any:
    """Element number `n` of a function's result."""
    for leaf in leaves(function(*inputs)):
        size = int(np.prod(leaf.shape, dtype=int)) if hasattr(leaf, "shape") else 1
        if n < size:
            return leaf[np.unravel_index(n, leaf.shape)] if getattr(leaf, "shape", ()) else leaf
        n -= size
    raise ResultError("the function returns fewer numbers than at its first call")


def _weighted(function: Callable[..., Any], weights: Any, *inputs: Any) -> Any:
    """The weighted sum of the numbers that a function returns."""
    total, start = 0.0, 0
    for leaf in leaves(function(*inputs)):
        shape = getattr(leaf, "shape", ())
        size = int(np.prod(shape, dtype=int))
        part = weights[start : start + size]
        total = total + (np.sum(leaf * part.reshape(shape)) if shape else leaf * float(part[0]))
        start += size
    return total


def _together(
    check: BoundCheck,
    value: Any,
    named_rows: list[tuple[str, Comparison]],
    missing: Sequence[ScalarPart],
    notes: list[str],
) -> Comparison:
    """Combine the comparisons of all rows into one."""
    judged = [
        row.changed(name=f"{label} {row.name}".strip())
        for label, comparison in named_rows
        for row in comparison.components
    ]
    judged += [skipped(part.label, "out of time") for part in missing]
    verdicts = {comparison.verdict for _, comparison in named_rows}
    verdict = next((verdict_ for verdict_ in WORST_FIRST if verdict_ in verdicts), "unchecked")
    findings = [finding for _, one in named_rows for finding in one.findings if finding.code not in OF_ONE_ROW]
    findings_once = {(finding.code, finding.file, finding.line, finding.message): finding for finding in findings}
    notes_once = dict.fromkeys(note for _, one in named_rows[:1] for note in one.notes)
    first = named_rows[0][1]
    return first.changed(
        target=check.target.text,
        against=check.against.text if check.against else None,
        value=value,
        of=check.request.of,
        verdict=verdict,
        components=tuple(worst_first(judged)),
        notes=(*notes_once, *notes),
        findings=tuple(findings_once.values()),
    )
