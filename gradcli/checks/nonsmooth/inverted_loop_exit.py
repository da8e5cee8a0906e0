"""Loops ended by a comparison of recorded values: the outcome that ended one, and the run with one more iteration.

The tape differentiates the iterations that ran. An iteration that converged at its start ran none, so its derivative is
that of the starting guess; one that stopped early has a derivative that has not converged. The change due to one more
iteration shows how far the derivative depends on where the loop stopped.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gradcli.checks.nonsmooth.loop_exits_in_source import leaves_loop
from gradcli.code.stack_frames import Place
from gradcli.traces.node import inverted
from gradcli.traces.trace import Trace, record_trace

COMPARISONS = frozenset(
    ("lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bool")
)
MORE = 10_000  # outcomes: a continued loop that has so many more will not end


class EndlessError(RuntimeError):
    """A loop does not end once it is continued."""


class Inverting(list[Any]):
    """The outcomes of a run, one of which is inverted; `append` returns True for that one."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def append(self, outcome: Any) -> Any:
        """Append an outcome as the program sees it.

        Raises:
            EndlessError: there are far more outcomes than before.
        """
        is_inverted = len(self) == self.number
        super().append(inverted(outcome) if is_inverted else outcome)
        if len(self) > 2 * self.number + MORE:
            raise EndlessError
        return True if is_inverted else None


def ending(run: Trace) -> int | None:
    """The number of the last outcome that ended a loop, or None if no comparison of recorded values did.

    The run must be recorded with names, because a loop is identified by its line: a `while`, an `if` that leaves a
    loop, or, where neither is known, a comparison whose answers so far were all opposite.
    """
    if not run.is_named:
        return None
    answers: dict[tuple[Place | None, Any], set[bool]] = {}
    last = None
    for number, outcome in enumerate(run.outcomes):
        name, told, place = outcome.name, outcome.told, outcome.place
        if name in COMPARISONS and getattr(told, "shape", ()) == ():
            before = answers.setdefault((place, name), set())
            out = leaves_loop(*place, bool(told)) if place else None
            if before == {not told} if out is None else out:
                last = number
            before.add(bool(told))
    return last


def once_more(run: Trace) -> Trace | None:
    """Record the run again with the outcome that ended its last loop inverted, so that the loop runs once more.

    Returns:
        The new run; None if no comparison of recorded values ended a loop, or if the continued loop does not end.
    """
    if not run.outcomes or run.function is None:
        return None
    named = run if run.is_named else record_trace(run.function, run.arguments, names=True)
    number = ending(named)
    if number is None:
        return None
    try:
        return record_trace(run.function, run.arguments, names=False, outcomes=partial(Inverting, number))
    except Exception:  # off its path, the user's function may raise anything
        return None
