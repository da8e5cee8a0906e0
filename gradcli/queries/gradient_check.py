"""The check of a target's gradient, or of a hand-written one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli import records
from gradcli.errors import PointError, UsageError
from gradcli.queries.bound_target import Question, ask
from gradcli.targets import Asked, Where, as_point, resolve

if TYPE_CHECKING:
    from gradcli.checks.problem.time_budget import ProgressListener
    from gradcli.records.checks import Kind

OF_THE_BOX = "The point is the middle of the box, {}. For an array input, give a point with --at as well."


def check(  # noqa: PLR0913 - the options of the command
    target: Asked,
    at: Where,
    *,
    against: Asked | None = None,
    of: Kind = "gradient",
    wrt: str | None = None,
    box: Sequence[str] = (),
    points_file: str | None = None,
    device: str = "cpu",
    max_seconds: float | None = None,
    listener: ProgressListener | None = None,
    **run: Any,
) -> records.Comparison:
    """Check the gradient of `target` at `at`, or the hand-written one `against`, by independent methods.

    Args:
        target, at, wrt: as typed.
        against: the target of the gradient to check; without one, gradcli's own is checked.
        of: the derivative to check: gradient, jacobian, hessian or hvp.
        box: intervals as typed, `x=0:1`; without a point, their middle is the first point.
        points_file: the path of a file with one point per row; without a point, its first row is the first point.
        device: the device for gradcli's own gradient if that is checked; everything else runs on the host.
        max_seconds: the time limit in seconds, including loading the target; None or infinity for no limit.
        listener: receives the progress.
        run: further fields of a `Plan`: strict, rtol, atol, points, seed, resumes.

    Raises:
        UsageError: `device` is given for a check that runs only on the host.
        OutOfTimeError: the time ran out before any component was decided.
    """
    from gradcli.checks.problem.time_budget import Clock

    clock = Clock(max_seconds, listener)
    options = {"wrt": wrt, "box": box, "points_file": points_file, "device": device, "clock": clock, **run}
    return clock.limit(lambda: _checked(target, at, against, of, **options))


def _checked(  # noqa: PLR0913 - the same, under the clock
    target: Asked,
    at: Where,
    against: Asked | None,
    of: Kind,
    *,
    wrt: str | None,
    box: Sequence[str],
    points_file: str | None,
    device: str,
    **run: Any,
) -> records.Comparison:
    from gradcli.checks.candidate_parsing import candidate_target
    from gradcli.checks.multi_point_check import Plan, checked
    from gradcli.checks.problem.compared_case import RunEnvironment
    from gradcli.checks.problem.sampled_points import box_of, checked_box, middle
    from gradcli.targets.point_files import read_rows

    intervals = box_of(box)
    found = resolve(target)
    given = read_rows(points_file) if points_file else []
    chosen = middle(intervals, found) if at is None and box and not given else None
    if at is None and given:
        at, *given = given
    question = ask(found, at if chosen is None else chosen, wrt, device)
    others = [_another(row, question, n) for n, row in enumerate(given, 1)]
    if against is not None and device != "cpu":
        raise UsageError("a hand-written gradient runs on the host", hint="Leave out --device, or --against.")
    if of != "gradient" and device != "cpu":
        raise UsageError(f"the check of a {of} runs on the host", hint="Leave out --device, or --of.")
    candidate = candidate_target(against, question.target) if against is not None else None
    area = checked_box(intervals, question.target, question.point)
    plan = Plan(candidate, of, box=area, others=others, **run)
    place = None if device == "cpu" else question.device
    guard = question.guarded(None if chosen is None else OF_THE_BOX.format(chosen))
    host = RunEnvironment(guard, partial(question.on_host().record, names=True), place)
    return checked(question.target, question.point, question.wanted, plan, host=host)


def _another(row: Any, question: Question, number: int) -> dict[str, Any]:
    """A further point, with the same inputs as the first."""
    found = as_point(row, question.target)
    if list(found) != list(question.point):
        names = ", ".join(question.point)
        raise PointError(f"Row {number} of the points gives {', '.join(found)}; the first one gives {names}.")
    return found
