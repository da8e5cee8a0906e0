"""The independent methods of a check: the tape, SymPy's partials in many digits, and finite differences."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import mpmath
import numpy as np

from gradcli.answers.checks import recorded_rules_check
from gradcli.answers.checks.evidence_types import SAFETY, Group
from gradcli.answers.checks.problem.compared_case import LONGEST_REPLAY, LONGEST_STEP, Case
from gradcli.answers.checks.verdicts import is_flat
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.exact import decimals, gradient
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics import differences, extrapolation, piecewise_constant_slopes, rounding
from gradcli.methods.numerics.coordinates import Coordinate, arguments_with_number, number_count, pick
from gradcli.methods.numerics.deadline import Deadline, TooLongError, is_interrupted
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.methods.transforms.gradients import grad
from gradcli.shared import devices
from gradcli.shared.pytree import leaves

MOST_DIFFERENCES = 64  # most numbers of the point that are differenced one by one
MOST_GROUPS = 200  # most directions through many numbers; one wrong number among a thousand takes some twenty

FOR_DIGITS = 0.7  # share of the time after which the rules are verified instead, which takes far less

UNEVEN = (1.0, -0.7)  # steps to the two sides, unequal so that an even function does not look flat
AWAY = (0.1, 0.01)  # distances, in scales of an input, over which the function is viewed as a whole

Number = Any  # an mpmath number


def reverse(case: Case) -> list[float]:
    """The gradient by the tape: one number for each part. At a kink that the program smooths out, it is a limit."""
    if case.limit is not None:
        return [pick(leaves(case.limit.derivative), part) for part in case.parts]
    sensitivities = case.trace.sensitivities()
    by_leaf = [sensitivities[row] for row in case.trace.input_indices()]
    return [pick(by_leaf, part) for part in case.parts]


def reverse_on(device: devices.device, case: Case) -> list[float]:
    """The gradient by the tape, recorded and swept on a device."""
    with device, case.guard(f"on the device {device.name}"):
        run = record_trace(case.function, tuple(case.point.values()), names=False)
        sensitivities = run.sensitivities()
    by_leaf = [devices.to_host(sensitivities[row]) for row in run.input_indices()]
    return [pick(by_leaf, part) for part in case.parts]


def no_exact_derivatives(case: Case, *notes: str) -> ManyDigitResults:
    """The record for no exact derivatives."""
    zeros = [0.0] * len(case.parts)
    return ManyDigitResults([None] * len(case.parts), zeros, zeros, notes)


@dataclass(frozen=True)
class ManyDigitResults:
    """The results in many digits, for each part.

    Attributes:
        values: the derivatives, or None.
        rounding: bounds on the rounding error of gradcli's own sweep; None until `with_rounding` computes them.
        largest: the largest of the contributions that each derivative is the sum of.
        notes: why there are no exact derivatives, or which other ones there are.
    """

    values: list[Decimal | None]
    rounding: list[float] | None
    largest: list[float]
    notes: tuple[str, ...] = ()

    @cached_property
    def floats(self) -> Any:
        """The derivatives as an array; nan for none, and no negative zero."""
        return np.array([math.nan if x is None else float(x) for x in self.values]) + 0.0

    @cached_property
    def is_complete(self) -> bool:
        """Whether every part has a derivative."""
        return all(value is not None for value in self.values)

    def of_parts(self, places: Sequence[int]) -> ManyDigitResults:
        """The results for some of the parts."""
        rounding = [self.rounding[n] for n in places] if self.rounding else None
        return replace(
            self, values=[self.values[n] for n in places], rounding=rounding, largest=[self.largest[n] for n in places]
        )


def exact_derivatives(case: Case) -> ManyDigitResults:
    """The derivative in many digits, by SymPy's partials of every operation."""
    try:
        return _precise(case)
    except TooLongError as error:
        return no_exact_derivatives(case, f"symbolic: {error}")


def _precise(case: Case) -> ManyDigitResults:
    last = case.trace.result_index()
    if last is None:
        zeros = [0.0] * len(case.parts)
        return ManyDigitResults([decimals.ZERO] * len(case.parts), zeros, zeros)
    try:
        clock = Deadline(FOR_DIGITS * Deadline().seconds)
        exact = gradient.gradient(case.trace, last, list(case.trace.input_indices()), clock)
    except TooLongError as error:
        return by_rules(case, f"symbolic: {error}")
    except RecursionError:
        return no_exact_derivatives(case, "symbolic: the expression is nested too deeply for SymPy")
    except UNABLE as error:
        reason = str(error) if isinstance(error, ArithmeticError) else "a step has no exact form"
        return no_exact_derivatives(case, f"symbolic: {reason}")
    values = list(exact.decimals)
    if case.limit is not None and case.limit.exists and any(value is None for value in values):
        values = [Decimal(x) for leaf in leaves(case.limit.derivative) for x in np.ravel(leaf).tolist()]
    wanted = [part.number for part in case.parts]
    bounds = [0.0] * len(wanted) if exact.wrong else None  # the bound of a wrong rule excuses nothing
    return ManyDigitResults([values[n] for n in wanted], bounds, [float(exact.largest[n]) for n in wanted])


def with_rounding(case: Case, results: ManyDigitResults) -> ManyDigitResults:
    """The results with the bounds on the rounding error of gradcli's own sweep.

    If the time runs out, nothing is known: without these bounds, right gradients would be blamed.
    """
    if results.rounding is not None:
        return results
    try:
        errors = errors_of_sweep(case)
    except TooLongError as error:
        return no_exact_derivatives(case, f"symbolic: {error}")
    return replace(
        results, rounding=[errors[part.number] for part in case.parts] if errors else [0.0] * len(case.parts)
    )


def by_rules(case: Case, reason: str) -> ManyDigitResults:
    """The gradient by the tape, if each rule is verified at its own operands; no values if a rule is wrong."""
    try:
        wrong = next(recorded_rules_check.wrong_rules(case.trace, Deadline()), None)
    except TooLongError as error:
        return no_exact_derivatives(case, reason, f"rules: {error} to verify them node by node")
    if wrong is not None:
        return no_exact_derivatives(case, reason, f"rules: {wrong}")
    swept = reverse(case)
    note = f"{reason}; rules verified node by node, and the reference is that of the sweep"
    return ManyDigitResults(list(map(Decimal, swept)), None, list(map(abs, swept)), (note,))


def errors_of_sweep(case: Case) -> list[float]:
    """Bounds on the rounding error of gradcli's own sweep; an empty list if a step has none."""
    last = case.trace.result_index()
    try:
        inputs = list(case.trace.input_indices())
        return rounding.sweep_errors(case.trace, last, inputs, case.eps / 2, typed=True) if last is not None else []
    except TooLongError:
        raise
    except UNABLE:
        return []


def summands(case: Case) -> list[float]:
    """The size of the terms that gradcli's sweep adds up for each part; zeros if it is unknown."""
    last = case.trace.result_index()
    try:
        sizes = (
            []
            if last is None
            else rounding.sweep_summands(case.trace, last, list(case.trace.input_indices()), case.eps / 2)
        )
        return [sizes[part.number] for part in case.parts] if sizes else [0.0] * len(case.parts)
    except UNABLE:
        return [0.0] * len(case.parts)


def trials(case: Case) -> list[float] | None:
    """The rounding error of gradcli's derivatives, estimated by trial; None if the sweep cannot be recorded.

    A recorded sweep adds up in another order, which is a further trial. It does not contain sums of constants, so a
    derivative that is one has an infinite estimate.
    """
    function, arguments = case.function, case.trace.arguments
    places = tuple(n for n, argument in enumerate(arguments) if leaves(argument))
    try:
        run = record_trace(grad(function, argnums=places), arguments, names=False)
        rows = run.result_indices()
        moved = iter(rounding.moved_by_trial(run, [row for row in rows if row is not None], case.eps / 2))
    except program_errors():  # an optional second opinion: what cannot be recorded twice has no other bound
        return None
    sizes = map(number_count, case.arrays)
    every = [math.inf if row is None else next(moved) for row, n in zip(rows, sizes, strict=True) for _ in range(n)]
    again = list(leaves(run.value))
    distances = [abs(pick(again, part) - swept) for part, swept in zip(case.parts, reverse(case), strict=True)]
    return [max(every[part.number], rounding.SAFETY * off) for part, off in zip(case.parts, distances, strict=True)]


def largest_contribution(case: Case, part: Coordinate) -> float:
    """The largest contribution of a single step to a derivative, or of the slopes farther from the point.

    The contribution of a step is its cotangent times its tangent.
    """
    run = case.trace
    tangents = {row: case.direction([part], [1.0]).get(leaf, 0.0) for leaf, row in enumerate(run.input_indices())}
    sizes = [0.0]
    try:
        pairs = zip(run.cotangents(), run.tangents(tangents), strict=False)
        sizes += [float(np.max(np.abs(ct * t), initial=0.0)) for ct, t in pairs if ct is not UNTOUCHED]
    except UNABLE:
        pass
    f = case.by(part)
    steps = [way * length * scale(part) for way in (1.0, -1.0) for length in AWAY]
    sizes += [abs(f(part.value + step) - case.value) / abs(step) for step in steps]
    return max(filter(math.isfinite, sizes), default=0.0)


def run_differences(case: Case, again: Trace) -> list[float]:
    """The differences between the derivatives of two runs of a case: exact ones, else those of the sweeps."""
    try:
        before, now = (_once(run) for run in (case.trace, again))
        return [float(abs(now[part.number] - before[part.number])) for part in case.parts]
    except UNABLE:
        sweeps = zip(reverse(case), reverse(replace(case, recorded=again)), strict=True)
        return [abs(now - before) for before, now in sweeps]


def _once(run: Trace) -> list[Number]:
    inputs, last = list(run.input_indices()), run.result_index()
    if last is None:
        return [mpmath.mpf(0)] * sum(int(np.size(run.nodes[row].value)) for row in inputs)
    with mpmath.workdps(gradient.PRECISIONS[0]):
        return gradient.derivative_with_digits(run, last, inputs)


def differenced_one_by_one(case: Case, precise: ManyDigitResults) -> list[Coordinate]:
    """The numbers that are differenced one by one: the first few.

    None of a long run without kinks whose exact derivatives are known: one direction through all then shows whether the
    run is the function.
    """
    is_long = case.recorded is not None and len(case.trace.nodes) > LONGEST_REPLAY
    together = is_long and case.parts[1:] and not case.switch and precise.is_complete
    return [] if together else case.parts[:MOST_DIFFERENCES]


def slopes_by_number(case: Case, chosen: Sequence[Coordinate]) -> list[Slope | None]:
    """Finite differences of the plain function by the first few numbers, one at a time.

    None for the others, and for those that an interruption left without all their values.
    """
    return [*(slope_by(case, part) for part in chosen), *[None] * (len(case.parts) - len(chosen))]


def slope_by(case: Case, part: Coordinate) -> Slope | None:
    """Finite differences by one number; None after an interruption."""
    if is_interrupted():
        return None
    if case.jump:
        return piecewise_constant_slopes.over_roughness(case.by(part), part.value, case.eps)
    if case.by_values:
        slope = case.by_values.by(case.point, [part], [1.0], case.eps)
    else:
        size = case.size if case.switch else 0.0
        slope = differences.slope(case.by(part), part.value, case.eps, case.reach([part], [1.0]), size)
    return None if is_interrupted() else slope


def slopes_of_all_rows(case: Case) -> list[Slope | None]:
    """The slopes of a weighted sum of all rows of a Hessian that is found by differences of values."""
    assert case.by_values is not None
    weights = np.random.default_rng(3).uniform(0.5, 1.0, len(case.by_values.weights))
    case = replace(case, function=case.by_values.hessian.along(weights))
    return slopes_by_number(case, case.parts[:MOST_DIFFERENCES])


def on_the_whole(case: Case, part: Coordinate) -> Slope | None:
    """The slope over steps wider than the recorded path, for an input that acts only through outcomes.

    None if it acts in another way next to the path, on at least one side: the function is then not a staircase.
    """
    f = case.by(part)
    ends = piecewise_constant_slopes.stair_ends(f, part.value)
    if len(ends) < 2 or not all(_is_cut(case, part, end) for end in ends):
        return None
    return piecewise_constant_slopes.on_the_whole(f, part.value, case.eps, ends)


def _is_cut(case: Case, part: Coordinate, step: float) -> bool:
    """Whether an input acts only through outcomes at a neighbouring point."""
    try:
        there = record_trace(
            case.function, tuple(arguments_with_number(case.point, part, part.value + step)), names=False
        )
    except program_errors():
        return False
    return part.number in replace(case, recorded=there, parts=[part]).cut


def falling_beside(case: Case, part: Coordinate) -> extrapolation.QuotientDecay | None:
    """The rate at which the slope by one number falls to 0 as the others approach the point, as when a factor vanishes.

    None if the slope does not fall, or if it is 0 next to the point too.
    """
    others = [other for other in case.every if other.number != part.number]
    steps = case.random_steps(others, seed=2)
    step, quotients, rounding = LONGEST_STEP * scale(part), [], []
    for level in range(differences.LEVELS):
        aside = [LONGEST_STEP * length / extrapolation.SHRINK**level for length in steps]
        ends = [case.direction([*others, part], [*aside, way * step]) for way in UNEVEN]
        above, below = (case.towards(end)(1.0) for end in ends)
        quotients.append((above - below) / ((UNEVEN[0] - UNEVEN[1]) * step))
        rounding.append(case.eps * (abs(above) + abs(below)) / step)
    decay = extrapolation.quotient_decay(quotients, rounding)
    return decay if decay and math.isfinite(decay.power) else None


Witnesses = tuple[list[Slope | None], list[Group | None]]


def slopes_by_direction(case: Case, tested: list[float], slopes: list[Slope | None], slack: float) -> Witnesses:
    """Differences along directions through all the numbers that are too many to be differenced one by one.

    A direction along which the candidate is off is bisected until the wrong numbers are found. Each of these then gets
    differences of its own.

    Returns:
        The slopes, including those of single numbers; and for each number the group in which it was differenced.
    """
    slopes = list(slopes)
    groups: list[Group | None] = [None] * len(slopes)
    waiting = [[n for n, slope in enumerate(slopes) if slope is None]]
    asked = 0
    while waiting and waiting[-1] and not is_interrupted():
        some = waiting.pop()
        if len(some) == 1:
            slopes[some[0]] = slope_by(case, case.parts[some[0]])
            continue
        group, asked = _group(case, tested, some, slack), asked + 1
        if is_interrupted():
            break
        if group.off > SAFETY * group.error and asked < MOST_GROUPS:
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]
        for n in some:
            groups[n] = group
    return slopes, groups


def _group(case: Case, tested: list[float], some: list[int], slack: float) -> Group:
    """One difference for several numbers together, along a direction in which their errors do not cancel.

    Its signs are random, so that the errors which `slack` allows to right numbers add up like random ones.
    """
    parts, numbers = [case.parts[n] for n in some], [tested[n] for n in some]
    generator = np.random.default_rng(0)
    signs = generator.choice([-1.0, 1.0], len(parts)) * generator.uniform(0.5, 1.0, len(parts))
    steps = [float(sign) * (abs(part.value) or 1.0) for sign, part in zip(signs, parts, strict=True)]
    if case.by_values:
        slope = case.by_values.by(case.point, parts, steps, case.eps)
    else:
        slope = differences.slope(case.towards(case.direction(parts, steps)), 0.0, case.eps, case.reach(parts, steps))
    shares = [number * step for number, step in zip(numbers, steps, strict=True)]
    off, share = abs(math.fsum(shares) - slope.value), statistics.median(map(abs, shares))
    return Group(len(parts), off, slope.error + slack * math.hypot(*shares), share, is_flat(slope))
