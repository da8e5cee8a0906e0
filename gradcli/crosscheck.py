"""Several independent gradients of one function, compared component by component: one verdict each, and one over all."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli import records
from gradcli.errors import ResultError, UsageError
from gradcli.findings import finding
from gradcli.methods import differences, exact, symbolic
from gradcli.methods.components import Component, components, moved, pick
from gradcli.methods.estimate import Estimate, withdrawn
from gradcli.records import Comparison, Finding, Overall, Verdict
from gradcli.rules.table import Elementwise
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves, map_leaves
from gradcli.tape.sweep import forward
from gradcli.tape.tape import CONSTANT
from gradcli.transforms import name_of, number_of, trace

SLACK = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2}
MOST_DIFFERENCES = 64  # numbers of the point that are differenced one by one
MOST_EXACT = 20_000  # rows of the tape times numbers in them, for 50 digits in a few seconds

Guard = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Case:
    """What is compared: a function, a point, the components, and one recorded run."""

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: list[Component]
    tape: Recording
    value: float
    guard: Guard

    @property
    def dtype(self) -> str:
        """The type in which the program computes, as far as its inputs tell."""
        kinds = {str(getattr(leaf, "dtype", "float64")) for leaf in leaves(dict(self.point))}
        return next((kind for kind in ("float16", "float32") if kind in kinds), "float64")


def compare(
    function: Callable[..., Any],
    point: Mapping[str, Any],
    wanted: Sequence[str],
    *,
    title: str,
    reading: str | None = None,
    against: Callable[..., Any] | None = None,
    against_title: str | None = None,
    strict: bool = False,
    guard: Guard = lambda doing: nullcontext(),
) -> Comparison:
    """Compare the gradient of `function` at `point` with what independent methods say.

    Args:
        function: takes the inputs of `point` in order and returns one number.
        point: by name, numbers, arrays, and lists, tuples and dicts of them.
        wanted: the names of the inputs to differentiate by.
        title, against_title: how the user named the function and the candidate.
        reading: how a typed expression was understood.
        against: a hand-written gradient to judge; the tape's own is judged without it.
        strict: count KINK and CUT as inconclusive.
        guard: turns what the user's code raises into an error of ours.

    Raises:
        ResultError: the function does not return one number, or the candidate does not have the point's structure.
    """
    with guard(f"in {name_of(function)}"):
        tape = trace(function, *point.values())
    value = float(number_of(function, tape.value, tape))
    case = Case(function, point, components(point, wanted), tape, value, guard)
    reverse = _reverse(case)
    candidate = reverse if against is None else _candidate(case, against, wanted)
    precise = _exact(case)
    closed = _symbolic(case, precise)
    sloped = _differences(case)
    rows = [
        _component(case, n, candidate, reverse, precise, closed, sloped, by_program=against is None)
        for n in range(len(case.parts))
    ]
    rows.sort(key=lambda row: list(Verdict).index(row.verdict))
    notes = [_formula(case.dtype), *closed.notes, *sloped.notes]
    found = tuple(_findings(rows, closed))
    return Comparison(
        title, against_title, _plain(point), value, overall(rows, strict), tuple(rows), tuple(notes), reading, found
    )


def _plain(point: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = map_leaves(lambda leaf: leaf.tolist() if hasattr(leaf, "tolist") else leaf, dict(point))
    return plain


def _formula(dtype: str) -> str:
    slack = SLACK[dtype]
    return f"passes when |candidate - reference| <= {slack:g} * |reference|, or within the rounding error of the sweep"


# The methods


def _reverse(case: Case) -> Estimate:
    cotangents = case.tape.sensitivities()
    by_leaf = [cotangents[index] for index in case.tape.input_rows()]
    return Estimate(tuple(pick(by_leaf, part) for part in case.parts))


def _candidate(case: Case, against: Callable[..., Any], wanted: Sequence[str]) -> Estimate:
    """The numbers that a hand-written gradient returns, in the order of the components."""
    with case.guard(f"in {name_of(against)}"):
        returned = against(*moved(case.point, case.parts[0], case.parts[0].value))
    numbers = [x for leaf in leaves(returned) for x in np.ravel(_numeric(leaf, against))]
    shapes = {name: case.point[name] for name in case.point}
    everything = components(shapes)
    if len(numbers) == len(everything) != len(case.parts):
        numbers = [x for x, part in zip(numbers, everything, strict=True) if part in case.parts]
    if len(numbers) != len(case.parts):
        names = ", ".join(part.name for part in case.parts[:6])
        raise ResultError(
            f"{name_of(against)} returned {len(numbers)} numbers; the gradient has {len(case.parts)}: {names}",
            hint="Return one derivative for each number of the point, in the same order.",
        )
    return Estimate(tuple(map(float, numbers)))


def _numeric(leaf: Any, against: Callable[..., Any]) -> Any:
    array = np.asarray(leaf)
    if array.dtype.kind not in "fiub":
        came = "None" if leaf is None else f"a {type(leaf).__name__}"
        raise ResultError(f"{name_of(against)} returned {came}, which is no number", hint="Return the derivatives as numbers.")
    return array


def _exact(case: Case) -> exact.ExactGradient | str:
    """The exact derivative node by node, or why there is none."""
    last = case.tape.result_index()
    if last is None:
        return "the result is constant"
    if sum(int(np.size(row[1])) for row in case.tape.rows) > MOST_EXACT:
        return f"the tape has more than {MOST_EXACT} numbers"
    try:
        return exact.gradient(case.tape, last, list(case.tape.input_rows()))
    except (ArithmeticError, ValueError, TypeError, NotImplementedError, KeyError, AttributeError) as error:
        return f"not defined here: {error}" if isinstance(error, (ArithmeticError, ValueError)) else "no exact form of a step"


def _symbolic(case: Case, precise: exact.ExactGradient | str) -> Estimate:
    """SymPy's derivative of the whole expression where it is small; node by node otherwise."""
    if isinstance(precise, str):
        if case.tape.result_index() is None:
            return Estimate((0.0,) * len(case.parts), exact=("0",) * len(case.parts))
        return withdrawn(len(case.parts), precise)
    everything = components(case.point)
    where = [everything.index(part) for part in case.parts]
    numbers: Sequence[Any] = precise.derivatives
    inputs, last = list(case.tape.input_rows()), case.tape.result_index()
    assert last is not None
    operations = symbolic.size(case.tape, last, inputs)
    notes: tuple[str, ...] = ()
    if operations * len(everything) <= symbolic.LARGEST:
        try:
            form = symbolic.expression(case.tape, last, inputs, everything)
            numbers = symbolic.numbers(form, [part.value for part in everything])
        except (ArithmeticError, ValueError, TypeError, NotImplementedError, NameError, AttributeError, KeyError):
            notes = ("symbolic: SymPy's derivative of the whole expression is not defined here; checked node by node",)
    else:
        notes = (f"symbolic: {operations} operations when written out; checked node by node instead",)
    import mpmath

    chosen = [numbers[n] for n in where]
    return Estimate(
        tuple(map(float, chosen)), exact=tuple(mpmath.nstr(mpmath.mpf(x), 20) for x in chosen), notes=notes
    )


def _differences(case: Case) -> Estimate:
    """Finite differences of the plain function, one component at a time."""
    chosen = case.parts[:MOST_DIFFERENCES]
    slopes = [differences.slope(_along(case, part), part.value, _eps(case), _reach(case, part)) for part in chosen]
    rest = len(case.parts) - len(chosen)
    values = [slope.value if math.isfinite(slope.value) else None for slope in slopes]
    notes = (f"differences: the first {MOST_DIFFERENCES} of {len(case.parts)} components only",) if rest else ()
    return Estimate(
        (*values, *[None] * rest),
        (*(slope.error if math.isfinite(slope.value) else None for slope in slopes), *[None] * rest),
        notes=notes,
        slopes=(*(_sides(slope) for slope in slopes), *[None] * rest),
    )


def _sides(slope: differences.Slope) -> tuple[float, float] | None:
    """The one-sided slopes where they differ by more than their errors."""
    apart = abs(slope.left - slope.right)
    sure = slope.left_error + slope.right_error
    return (slope.left, slope.right) if apart > sure and apart > 1e-6 * max(abs(slope.left), abs(slope.right)) else None


def _eps(case: Case) -> float:
    return float(np.finfo(case.dtype).eps)


def _along(case: Case, part: Component) -> Callable[[float], float]:
    def function(x: float) -> float:
        quiet = io.StringIO()
        try:
            with contextlib.redirect_stdout(quiet), np.errstate(all="ignore"):
                return float(case.function(*moved(case.point, part, x)))
        except (ArithmeticError, ValueError, IndexError):
            return math.nan

    return function


def _reach(case: Case, part: Component) -> float:
    """How far the input can move before a comparison of the recorded run comes out otherwise, to first order."""
    if not case.tape.outcomes:
        return math.inf
    rows = list(case.tape.input_rows())
    value = case.tape.rows[rows[part.leaf]][1]
    tangent: Any = 1.0
    if part.place:
        tangent = np.zeros(np.shape(value))
        tangent[part.place] = 1.0
    tangents: dict[int, Any] = dict.fromkeys(rows, 0.0)
    tangents[rows[part.leaf]] = tangent
    try:
        moving = forward(case.tape, tangents, len(case.tape.rows) - 1)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return math.inf
    return min((_distance(outcome, moving) for outcome in case.tape.outcomes), default=math.inf)


def _distance(outcome: tuple[Any, ...], moving: list[Any]) -> float:
    """How far until the two operands of a comparison meet; 0 where they do already."""
    indices, operands = outcome[3], outcome[4]
    if len(operands) != 2 or any(np.ndim(x) for x in operands):  # noqa: PLR2004 - a comparison has two
        return math.inf
    speed = [0.0 if index == CONSTANT else float(moving[index]) for index in indices]
    margin = float(operands[0]) - float(operands[1])
    apart = speed[0] - speed[1]
    return abs(margin / apart) if apart and math.isfinite(apart) and margin else math.inf


# The verdicts


def _component(
    case: Case,
    n: int,
    candidate: Estimate,
    reverse: Estimate,
    precise: exact.ExactGradient | str,
    closed: Estimate,
    sloped: Estimate,
    *,
    by_program: bool,
) -> records.Component:
    part = case.parts[n]
    tested = candidate.values[n]
    assert tested is not None
    reference = closed.values[n] if closed.values[n] is not None else sloped.values[n]
    tolerance, rounding = _tolerance(case, part, closed.values[n], precise, sloped, n)
    verdict, reason = _verdict(case, part, tested, reference, tolerance, rounding, closed, sloped, n, by_program)
    return records.Component(
        part.name,
        verdict,
        tested,
        reference,
        reverse.values[n],
        closed.values[n],
        sloped.values[n],
        sloped.errors[n],
        tolerance,
        reason,
        closed.exact[n] if closed.exact else None,
    )


def _tolerance(
    case: Case, part: Component, truth: float | None, precise: exact.ExactGradient | str, sloped: Estimate, n: int
) -> tuple[float | None, float]:
    """The tolerance of a component, and its rounding bound where that exceeds the slack of the largest contribution."""
    slack = SLACK[case.dtype]
    if truth is None:
        return sloped.errors[n], 0.0
    if isinstance(precise, str):
        return slack * abs(truth), 0.0
    place = components(case.point).index(part)
    scale = float(np.finfo(case.dtype).eps / np.finfo(np.float64).eps)
    rounding, largest = float(precise.rounding[place]) * scale, float(precise.largest[place])
    tolerable = rounding <= slack * largest
    return max(slack * abs(truth), rounding if tolerable else 0.0), 0.0 if tolerable else rounding


def _verdict(
    case: Case,
    part: Component,
    tested: float,
    reference: float | None,
    tolerance: float | None,
    rounding: float,
    closed: Estimate,
    sloped: Estimate,
    n: int,
    by_program: bool,
) -> tuple[Verdict, str]:
    """The first row of the table of verdicts that applies, with its reason."""
    if not math.isfinite(tested):
        return Verdict.NONFINITE, "the candidate is not finite"
    if (sides := sloped.slopes[n]) is not None and _at_kink(case):
        low, high = sorted(sides)
        between = low - sloped_slack(low) <= tested <= high + sloped_slack(high)
        text = f"the slopes are {sides[0]:.6g} to the left and {sides[1]:.6g} to the right"
        return (Verdict.KINK, text) if between else (Verdict.FAIL, f"{text}; the candidate is not between them")
    if _is_cut(case, part):
        if tested == 0:
            return Verdict.CUT, "acts only through comparisons, rounding or indices"
        return Verdict.FAIL, "acts only through comparisons, rounding or indices, so the derivative is 0"
    if reference is None or tolerance is None:
        return Verdict.NOISY, "no method gives a reference here"
    if rounding > abs(tested - reference) and by_program and rounding > 0:
        return Verdict.ROUNDOFF, f"rounding alone may change it by {rounding:.2g}"
    off = abs(tested - reference)
    if closed.values[n] is None:
        return _by_differences(off, reference, tolerance)
    if off <= tolerance:
        return Verdict.PASS, f"off by {off:.2g}" if off else "exact"
    return Verdict.FAIL, f"off by {off:.6g}, {off / tolerance:.3g} times the tolerance" if tolerance else f"off by {off:.6g}"


def sloped_slack(slope: float) -> float:
    """How far beside a one-sided slope a candidate still counts as at it."""
    return 1e-5 * max(1.0, abs(slope))


def _by_differences(off: float, reference: float, error: float) -> tuple[Verdict, str]:
    if error > 1e-4 * max(abs(reference), 1e-300):
        return Verdict.NOISY, f"only differences are left, and their error is {error:.2g}"
    if off <= 2 * error:
        return Verdict.PASS, f"off by {off:.2g}, within the error of differences"
    return Verdict.FAIL, f"off by {off:.6g}, {off / error:.3g} times the error of differences"


def _at_kink(case: Case) -> bool:
    """Whether the recorded run touches a kink of a rule, or a comparison whose two sides are equal."""
    if any(len(o[4]) == 2 and np.ndim(o[4][0]) == 0 and bool(np.any(o[4][0] == o[4][1])) for o in case.tape.outcomes):  # noqa: PLR2004
        return True
    return any(_row_at_kink(row) for row in case.tape.rows)


def _row_at_kink(row: tuple[Any, ...]) -> bool:
    rule = row[0].rule
    if not isinstance(rule, Elementwise):
        return rule is not None and rule.name in ("max", "min") and bool(np.sum(row[3] == row[1]) > 1)
    return bool(rule.kink) and bool(np.any(rule.at_kink(row[1], *row[3::2])))


def _is_cut(case: Case, part: Component) -> bool:
    row = list(case.tape.input_rows())[part.leaf]
    if case.tape.cotangents()[row] is not UNTOUCHED:
        return False
    return any(row in outcome[3] for outcome in case.tape.outcomes) or _reaches_outcome(case.tape, row)


def _reaches_outcome(tape: Recording, start: int) -> bool:
    reached = {start}
    for index, row in enumerate(tape.rows):
        if not reached.isdisjoint(row[2::2]):
            reached.add(index)
    return any(not reached.isdisjoint(outcome[3]) for outcome in tape.outcomes)


def overall(rows: Sequence[records.Component], strict: bool) -> Overall:
    """The verdict over all components."""
    verdicts = {row.verdict for row in rows}
    if Verdict.FAIL in verdicts:
        return "fail"
    if Verdict.NONFINITE in verdicts:
        return "nonfinite"
    inconclusive = {Verdict.JUMP, Verdict.ROUNDOFF, Verdict.NOISY, Verdict.VACUOUS}
    inconclusive |= {Verdict.KINK, Verdict.CUT} if strict else set()
    if not verdicts - {Verdict.SKIPPED}:
        return "unchecked"
    return "inconclusive" if verdicts & inconclusive else "pass"


def _findings(rows: Sequence[records.Component], closed: Estimate) -> list[Finding]:
    found = [finding("G201", f"{row.name}: {row.reason}") for row in rows if row.verdict is Verdict.KINK]
    found += [finding("G205", f"{row.name} {row.reason}") for row in rows if row.verdict is Verdict.CUT]
    if any("node by node" in note for note in closed.notes):
        found.append(finding("G805", closed.notes[0].removeprefix("symbolic: ")))
    return found


__all__ = ["UsageError", "compare", "overall"]
