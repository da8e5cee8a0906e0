"""Comparison of two functions, values and gradients, at a point and at random points."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gradcli.answers.checks.problem.sampled_points import box_of, checked_box, point_in_box, random_points
from gradcli.answers.checks.two_functions import RunResult, compare_functions, is_without_value, measured, verdict_of
from gradcli.answers.targets import Asked, Target, Where, resolve
from gradcli.errors import PointError, UserCodeError
from gradcli.mathematics.language.syntax import input_names
from gradcli.mathematics.language.tokens import meant
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import record_value
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.function_comparisons import Agreement, ComparedNumber, Likeness

Point = dict[str, Any]

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
