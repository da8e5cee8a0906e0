"""Comparison of two functions at a point and at random points, and of one function by several engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import Any

from gradcli.answers.checks.problem.sampled_points import box_of, checked_box, point_in_box, random_points
from gradcli.answers.checks.two_functions import RunResult, compare_functions, is_without_value, measured, verdict_of
from gradcli.answers.targets import Asked, Target, Where, resolve
from gradcli.errors import GradcliError, PointError, TargetError, UsageError, UserCodeError
from gradcli.mathematics.language.syntax import input_names
from gradcli.mathematics.language.tokens import meant
from gradcli.methods.adapters.engines import ENGINES, EngineResult, PlainProgram
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.installed_versions import version
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import list_text
from gradcli.shared.pytree import record_value
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.function_comparisons import Agreement, ComparedNumber, EngineComparison, EngineRun, Likeness

Point = dict[str, Any]

LEAST_CALLS, LEAST_SECONDS = 5, 0.2  # later calls of each engine, and the time that they take together

DEFAULTS = CheckRequest()
WORST_FIRST: tuple[Likeness, ...] = ("differ", "inconclusive", "equal", "nonfinite")


class _Tried(Frozen):
    """The comparison at one point; number 0 is the given point."""

    point: Point
    number: int
    numbers: tuple[ComparedNumber, ...]
    verdict: Likeness


def compare(target: Asked, at: Where, other: Asked, request: CheckRequest = DEFAULTS) -> Agreement:
    """Compare the values and gradients of `target` and `other`, up to rounding, at `at` and at random points.

    Args:
        target, other: the functions; they take inputs of the same names, or as many in the same order.
        at: the point, as typed; by default one in the box.
        request: the random points, in the box or near the point, and the differences allowed beyond rounding, relative
            to the larger number and absolute.

    Raises:
        UsageError: the functions take different inputs.
        ResultError: a result is not one number.
    """
    intervals = box_of(request.box)
    resolved = resolve(target)
    if at is None and intervals:
        at = point_in_box(intervals, resolved)
    first = ask(resolved, at, request.wrt)
    second = _other(first, resolve(other))
    area = checked_box(intervals, first.target, first.point)
    tried = [
        _compared((first, second), point, number, request)
        for number, point in enumerate([first.point, *random_points(first.point, area, request.points, request.seed)])
    ]
    shown = min(tried, key=lambda comparison: WORST_FIRST.index(comparison.verdict))  # the first of the worst
    counts = Counter(comparison.verdict for comparison in tried)
    return Agreement(
        first.target.text,
        second.target.text,
        record_value(shown.point),
        shown.verdict,
        shown.numbers,
        len(tried) - counts["nonfinite"],
        counts["differ"],
        counts["nonfinite"],
        shown.number > 0,
        first.target.reading,
        (*first.target.findings, *second.target.findings),
    )


def _other(first: Question, target: Target) -> Question:
    """Bind the other function to the same point, by name, or in order if its inputs have other names.

    Raises:
        PointError: the other function takes other inputs.
    """
    needed = [parameter.name for parameter in target.parameters if parameter.required]
    known = target.names if target.tree is None else input_names(target.tree)
    alike = [meant(name, known) for name in first.point]
    in_order = len(needed) == len(alike) and target.tree is None and set(needed).isdisjoint(alike)
    names = alike if set(needed) <= set(alike) <= set(known) else needed if in_order else []
    if names:
        wanted = [name for name, ours in zip(names, first.point, strict=True) if ours in first.wanted]
        return ask(target, dict(zip(names, first.point.values(), strict=True)), ",".join(wanted))
    message = f"{first.target.name} takes {', '.join(first.point)}, and {target.name} takes {', '.join(target.names)}."
    raise PointError(message, hint="Give the inputs of the two functions the same names.")


def _compared(both: tuple[Question, Question], point: Point, number: int, request: CheckRequest) -> _Tried:
    names = [part.name for part in coordinates(point, both[0].wanted)]
    one, other = (_measured(question, point, raises=not number) for question in both)
    numbers = tuple(compare_functions(names, one, other, request.rtol, request.atol))
    return _Tried(point, number, numbers, "nonfinite" if is_without_value(numbers) else verdict_of(numbers))


def _measured(question: Question, point: Point, raises: bool) -> RunResult | None:
    """The measurement of a function at a point; None if it raises and `raises` is not set."""
    here = question.changed(point=dict(zip(question.point, point.values(), strict=True)))
    try:
        run = here.record()
    except UserCodeError:
        if raises:
            raise
        return None
    value = float(number_of(here.function, run.value, needed_by="compare"))
    return measured(run, value, coordinates(here.point, here.wanted))


def compare_engines(target: Asked, at: Where, engines: str, wrt: str | None = None) -> EngineComparison:
    """The value and the gradient of `target` at `at` by each engine, compared with gradcli's, and the times of calls.

    Args:
        target: a Python function of NumPy's arrays.
        at: the point, as typed.
        engines: their names, separated by commas.
        wrt: the inputs to differentiate by.

    Raises:
        UsageError: an engine is not known.
        TargetError: the target is a formula or an object of another library.
    """
    names = [name.strip() for name in engines.split(",")]
    if unknown := [name for name in names if name not in ENGINES]:
        raise UsageError(f"{unknown[0]} is no engine.", hint=f"The engines are {list_text([*ENGINES])}.")
    resolved = resolve(target)
    if resolved.tree is not None or resolved.derivatives:
        hint = "Write it as a function of NumPy's arrays: compare file.py:f --engines torch,jax"
        raise TargetError("Engines run a Python function that calls NumPy.", hint=hint)
    question = ask(resolved, at, wrt)
    run = question.record()
    value = float(number_of(question.function, run.value, needed_by="compare"))
    ours = measured(run, value, coordinates(question.point, question.wanted))
    runs = tuple(_run(name, question, ours) for name in names)
    verdicts = {verdict_of(run.numbers) for run in runs if run.numbers}
    worst: Likeness = "differ" if "differ" in verdicts else "inconclusive" if "inconclusive" in verdicts else "equal"
    findings = question.target.findings
    return EngineComparison(question.target.text, record_value(question.point), worst, runs, findings)


def _run(name: str, question: Question, ours: RunResult) -> EngineRun:
    program = PlainProgram(question.function, dict(question.point), question.wanted)
    made = EngineRun(name, version(name) or "")
    try:
        with ignored_float_errors(), question.guard(f"by {name}"):
            prepared = ENGINES[name](program)
            first, returned = _timed(prepared.call)
            later = _least(prepared.call, first)
            result = prepared.result(returned)
    except GradcliError as error:
        return made.changed(note=". ".join(filter(None, (error.message, error.hint))))
    names = [part.name for part in coordinates(question.point, question.wanted)]
    numbers = tuple(compare_functions(names, ours, _as_run(result, ours), 0.0, 0.0))
    return made.changed(numbers=numbers, first_call=first, later_calls=later, note=prepared.note)


def _as_run(result: EngineResult, ours: RunResult) -> RunResult:
    """The result of an engine, whose rounding errors are taken to be those of gradcli's run."""
    errors = (ours.errors[0], *(max(x, y) for x, y in zip(ours.errors[1:], result.errors, strict=True)))
    return RunResult((result.value, *result.slopes), errors, ours.dtype, ours.bends)


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    started = perf_counter()
    returned = call()
    return perf_counter() - started, returned


def _least(call: Callable[[], Any], first: float) -> float:
    """The least time of later calls."""
    times: list[float] = []
    while len(times) < LEAST_CALLS or (sum(times) < LEAST_SECONDS and len(times) < 1000):
        times.append(_timed(call)[0])
        if sum(times) + first > 10 * LEAST_SECONDS:
            break
    return min(times)
