"""Loops that a comparison of recorded values ends: which outcome ended one, and the run with one more turn of it.

The tape differentiates the turns that were made.  An iteration that converged at its start made none, and its
derivative is that of the starting guess; one that stopped early has a derivative that has not converged.  What one more
turn changes tells how far the derivative depends on where the loop stopped.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gradcli.checks.nonsmooth.loop_exits import leaves_loop
from gradcli.code.stack_frames import Place
from gradcli.traces.node import inverted
from gradcli.traces.trace import Trace, recorded

COMPARISONS = frozenset(
    ("lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bool")
)
MORE = 10_000  # outcomes: a loop that asks so many more once it goes on will not end


class EndlessError(RuntimeError):
    """A loop that does not end once it goes on."""


class Inverting(list[Any]):
    """The outcomes of a run of which one is told the other way round; `append` says so by returning True."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def append(self, outcome: Any) -> Any:
        """Keep an outcome as the program is told of it.

        Raises:
            EndlessError: there are far more than there were.
        """
        is_inverted = len(self) == self.number
        super().append(inverted(outcome) if is_inverted else outcome)
        if len(self) > 2 * self.number + MORE:
            raise EndlessError
        return True if is_inverted else None


def ending(run: Trace) -> int | None:
    """The number of the last outcome that ended a loop; None where no comparison of recorded values did.

    The run has to be recorded with names, for a loop is known by its line: a `while`, an `if` with a way out in a loop,
    or, where that cannot be told, a question that always got the other answer before.
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
    """The run recorded once more with the outcome that ended its last loop inverted, so that the loop turns again.

    Returns:
        None where no loop was ended by a comparison of recorded values, or where it does not end once it goes on.
    """
    if not run.outcomes or run.function is None:
        return None
    named = run if run.is_named else recorded(run.function, run.arguments, names=True)
    number = ending(named)
    if number is None:
        return None
    try:
        return recorded(run.function, run.arguments, names=False, outcomes=partial(Inverting, number))
    except Exception:  # off its path the user's function may raise whatever it likes
        return None
