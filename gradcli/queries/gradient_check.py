"""The check of a target's gradient, or of a hand-written one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import Asked, Point, Target, Where, as_point, resolve
from gradcli.errors import PointError, UsageError
from gradcli.queries.bound_target import Question, ask
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison

if TYPE_CHECKING:
    from gradcli.answers.checks.problem.time_budget import Clock, ProgressListener

DEFAULTS = CheckRequest()

OF_THE_BOX = (
    "The box gives the point {}, at 0.735, 0.621, 0.806, … of its intervals. For an array input, give a point with "
    "--at as well."
)


def check(
    target: Asked,
    at: Where,
    request: CheckRequest = DEFAULTS,
    *,
    listener: ProgressListener | None = None,
) -> Comparison:
    """Check the gradient of `target` at `at`, or a hand-written one, by independent methods.

    Without a point, it is one in the box, or the first row of the file of points.

    Args:
        target, at: as typed.
        request: what is asked about them.
        listener: receives the progress.

    Raises:
        UsageError: a device is given for a check that runs only on the host.
        OutOfTimeError: the time ran out before any component was decided.
    """
    from gradcli.answers.checks.problem.time_budget import Clock

    clock = Clock(request.max_seconds, listener)
    return clock.limit(lambda: _checked(target, at, request, clock))


def _checked(target: Asked, at: Where, request: CheckRequest, clock: Clock) -> Comparison:
    from gradcli.answers.checks.candidate_parsing import candidate_target
    from gradcli.answers.checks.multi_point_check import checked
    from gradcli.answers.checks.problem.bound_check import BoundCheck
    from gradcli.answers.checks.problem.compared_case import RunEnvironment
    from gradcli.answers.checks.problem.sampled_points import box_of, checked_box, point_in_box

    intervals = box_of(request.box)
    resolved = resolve(target)
    rows = points_of_file(resolved, request.points_file) if request.points_file else {}
    chosen = point_in_box(intervals, resolved) if at is None and intervals and not rows else None
    if at is None and rows:
        at = rows.pop(min(rows))
    question = ask(resolved, at if chosen is None else chosen, request.wrt, request.device)
    others = [_another(point, question, number) for number, point in rows.items()]
    _refuse_device(request)
    against = None if request.against is None else candidate_target(request.against, question.target)
    area = checked_box(intervals, question.target, question.point)
    guard = question.guarded(None if chosen is None else OF_THE_BOX.format(chosen))
    device = None if request.device == "cpu" else question.device
    host = RunEnvironment(guard, partial(question.on_host().record, names=True), device)
    bound = (question.target, question.point, question.wanted, against)
    return checked(BoundCheck(*bound, request, others, area, host, clock))


def _refuse_device(request: CheckRequest) -> None:
    """Refuse a device for a check that runs only on the host."""
    if request.against is not None and request.device != "cpu":
        raise UsageError("a hand-written gradient runs on the host", hint="Leave out --device, or --against.")
    if request.of != "gradient" and request.device != "cpu":
        raise UsageError(f"the check of a {request.of} runs on the host", hint="Leave out --device, or --of.")


def points_of_file(target: Target, file: str) -> dict[int, Point]:
    """The points of a file, by row."""
    from gradcli.answers.targets.point_files import in_row, read_rows

    points = {}
    for number, row in read_rows(file).items():
        with in_row(file, number):
            points[number] = as_point(row, target)
    return points


def _another(point: Point, question: Question, number: int) -> dict[str, Any]:
    """A further point, with the same inputs as the first."""
    if list(point) != list(question.point):
        raise PointError(
            f"Row {number} of the points gives {', '.join(point)}; the first one gives {', '.join(question.point)}."
        )
    return point.keep_whole(question.wanted)
