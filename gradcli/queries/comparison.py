"""The cross-check of a target's gradient, or of one written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradcli import records
from gradcli.errors import UsageError
from gradcli.queries.question import ask
from gradcli.targets import Asked, Where, resolve

OF_THE_BOX = "The point is the middle of the box, {}. Where an input is an array, give one with --at as well."


def check(  # noqa: PLR0913 - the options of the command
    target: Asked,
    at: Where,
    *,
    against: Asked | None = None,
    wrt: str | None = None,
    strict: bool = False,
    box: Sequence[str] = (),
    device: str = "cpu",
    **run: Any,
) -> records.Comparison:
    """The gradient of `target` at `at`, or the hand-written one `against`, judged by independent methods.

    Args:
        target, at, wrt: as they are typed.
        against: the target of the gradient that is judged; the tape's own is without it.
        strict: count KINK and CUT as inconclusive.
        box: intervals as they are typed, `x=0:1`; without a point the middle of them is the first point.
        device: where the tape's own gradient, when it is judged, is computed; all else runs on the host.
        run: further fields of a `Plan`: points, seed, max_seconds, listener, resumes.

    Raises:
        UsageError: a hand-written gradient is to be judged on a device.
    """
    from gradcli.crosscheck.case import Host
    from gradcli.crosscheck.claims import claimed
    from gradcli.running import Plan, checked
    from gradcli.running.points import box_of, checked_box, middle

    intervals = box_of(box)
    chosen = middle(intervals, resolve(target)) if at is None and box else None
    question = ask(target, at if chosen is None else chosen, wrt, device)
    if against is not None and device != "cpu":
        raise UsageError("a hand-written gradient runs on the host", hint="Leave out --device, or --against.")
    candidate = claimed(against, question.target) if against is not None else None
    plan = Plan(candidate, strict, box=checked_box(intervals, question.target, question.point), **run)
    place = None if device == "cpu" else question.device
    guard = question.guarded(None if chosen is None else OF_THE_BOX.format(chosen))
    host = Host(guard, partial(question.on_host().record, names=True), place)
    return checked(question.target, question.point, question.wanted, plan, host=host)
