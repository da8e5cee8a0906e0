"""The correct digits of the value and of each derivative, and the nodes that lose digits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gradcli.answers.explain import error_contributions
from gradcli.answers.explain.node_formulas import formula, node_texts
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.errors import UnsupportedError
from gradcli.methods.diagnose.input_paths import idle_inputs
from gradcli.methods.diagnose.step_elements import StepElement, applied
from gradcli.methods.exact.special_function_accuracy import inaccuracies
from gradcli.methods.numerics import precision_loss, rounding
from gradcli.methods.numerics.coordinates import Coordinate, coordinates, pick
from gradcli.methods.symbolic.rewrite_trials import Trials, Tried
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.tape_listing import place_of
from gradcli.shared.findings import finding
from gradcli.shared.message_wording import count_text
from gradcli.shared.pytree import record_value
from gradcli.shared.records.precision import DigitLoss, NumberAccuracy, Precision
from gradcli.shared.records.result_and_finding import Finding

LEAST_SHARE = 0.01  # share of an error below which a node is omitted
TELLING = 2.0  # lost digits that deserve a finding


def precision(target: str, at: str | None, *, wrt: str | None = None, libraries: bool = False) -> Precision:
    """Count the correct digits of the value and the gradient of `target` at `at`, and trace the losses.

    The loss of a call of an installed package's function is one row, unless `libraries` is set.
    """
    question = ask(target, at, wrt)
    trace = question.record(names=True, libraries=libraries, numbered=lambda run: ())
    value = float(number_of(question.function, trace.value, needed_by="precision"))
    if trace.has_complex:
        raise UnsupportedError(
            "the program computes with complex numbers, whose rounding is not analysed",
            hint="`gradcli check` judges its gradient.",
        )
    half_ulp = float(np.finfo(precision_loss.dtype_of(trace)).eps) / 2
    parts = coordinates(question.point, question.wanted)
    analysis = rounding.error_analysis(trace.whole, len(trace.whole.nodes) - 1, half_ulp)
    gradient = _gradient(trace.whole, parts, analysis, half_ulp)
    worst = min(range(len(parts)), key=lambda n: gradient[n].digits) if parts else None
    shown = tuple(_losses(question, trace, None if worst is None else parts[worst], analysis, half_ulp))
    last = trace.result_index()
    error = 0.0 if last is None else analysis.of_values([last])[0]
    known = _good("value", value, error, half_ulp)
    return question.answer(
        Precision,
        known,
        tuple(gradient),
        None if worst is None else parts[worst].name,
        shown,
        findings=(
            *_findings(trace, shown, known, None if worst is None else gradient[worst]),
            *_inaccurate_functions(trace),
            *idle_inputs(trace, question.point, question.wanted),
        ),
    )


def _gradient(
    trace: Trace, parts: list[Coordinate], analysis: rounding.ErrorAnalysis, half_ulp: float
) -> list[NumberAccuracy]:
    inputs, last = list(trace.input_indices()), trace.result_index()
    sensitivities = trace.sensitivities()
    errors = [] if last is None else analysis.of_derivatives(last, inputs)
    by_leaf = [sensitivities[index] for index in inputs]
    return [_good(part.name, pick(by_leaf, part), errors[part.number] if errors else 0.0, half_ulp) for part in parts]


def _good(name: str, value: float, error: float, half_ulp: float) -> NumberAccuracy:
    return NumberAccuracy(name, value, error, round(precision_loss.good_digits(value, error, half_ulp), 1))


def _losses(
    question: Question, trace: Trace, worst: Coordinate | None, analysis: rounding.ErrorAnalysis, half_ulp: float
) -> list[DigitLoss]:
    """The nodes with a share in an error, or worth a finding, worst first."""
    whole = trace.whole
    none = error_contributions.RoundingShares([0.0] * len(trace.nodes))
    of_worst = none if worst is None else error_contributions.of_component(whole, worst.leaf, worst.place, half_ulp)
    found_shares = error_contributions.of_value(whole, half_ulp), of_worst
    shares = [found_share.gathered(trace.part_of).fractions for found_share in found_shares]
    writer = Writer(trace.names.values())
    names = node_texts(trace, writer)
    trials = Trials(whole, coordinates(question.point), names, half_ulp)
    bounds = precision_loss.digits_lost(whole, trace.nodes, analysis.errors, half_ulp)
    losses = []
    for node, of_value, of_gradient in zip(trace.nodes, *shares, strict=True):
        if node.index in trace.part_of:
            continue
        bound = bounds[node.index]
        is_folded = node.rule is not None and node.rule.folds
        lost = 0.0 if is_folded else trials.lost(node, bound) if bound >= 1 else bound
        best = trials.best(node.index) if lost >= 1 else None
        if max(of_value, of_gradient) >= LEAST_SHARE or round(lost, 1) >= TELLING or best is not None:
            expression = formula(writer, node, names) or names[node.index]
            losses.append(_loss(node, expression, lost, of_value, of_gradient, best))
    return sorted(losses, key=lambda loss: -max(loss.of_value, loss.of_gradient))


def _loss(
    node: TraceNode, expression: str, lost: float, of_value: float, of_gradient: float, best: Tried | None
) -> DigitLoss:
    return DigitLoss(
        node.index,
        node.name,
        node.operation,
        expression,
        record_value(node.value),
        round(lost, 1),
        of_value,
        of_gradient,
        best.text if best else None,
        *place_of(node),
        rewritten=round(best.after, 1) if best else None,
    )


def _findings(
    trace: Trace,
    losses: tuple[DigitLoss, ...],
    value: NumberAccuracy,
    worst: NumberAccuracy | None,
) -> Iterator[Finding]:
    """One finding for each code and line, on the loss that comes first."""
    by_place: dict[tuple[str, str | None, int | None], list[DigitLoss]] = {}
    for loss in losses:
        code = "G601" if trace.nodes[loss.index].is_sum else "G602"
        if loss.lost >= TELLING:
            place = (code, loss.file, loss.line) if loss.file else (code, None, loss.index)
            by_place.setdefault(place, []).append(loss)
    left = f"the value is good to {value.digits:.0f} digits"
    left += f", the derivative by {worst.name} to {worst.digits:.0f}" if worst else ""
    for (code, *_), (loss, *others) in by_place.items():
        lost = "all digits" if math.isinf(loss.lost) else f"{loss.lost:.0f} digits"
        message = f"{loss.expression} loses {lost}{_also(others)}: {left}"
        advice = f". Write {loss.rewrite}, which is good to {loss.rewritten:.0f} digits here" if loss.rewrite else ""
        yield finding(code, message + advice, file=loss.file, line=loss.line, node=loss.index)


def _inaccurate_functions(trace: Trace) -> Iterator[Finding]:
    """Yield the calls of special functions that are less accurate than their dtype."""
    for inaccuracy in inaccuracies(trace.whole):
        lane = StepElement(trace.whole, inaccuracy.node.index, inaccuracy.place)
        call = applied(inaccuracy.node.operation, lane.operands)
        what = call if inaccuracy.parameter is None else f"the derivative of {call} by {inaccuracy.parameter}"
        text = f"{what} is computed as {inaccuracy.computed:.16g}, where 50 digits give {inaccuracy.exact:.16g}"
        file, line, _ = place_of(inaccuracy.node)
        digits = f"{inaccuracy.digits:.0f} digits are right"
        yield finding("G603", f"{text}: {digits}", file=file, line=line, node=inaccuracy.node.index)


def _also(others: list[DigitLoss]) -> str:
    if not others:
        return ""
    verb = "loses" if len(others) == 1 else "lose"
    return f", and {count_text(others, 'other step')} of this line {verb} some too"
