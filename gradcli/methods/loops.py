"""Loops that a comparison of recorded values ends: which outcome ended one, and the run with one more turn of it.

The tape differentiates the turns that were made.  An iteration that converged at its start made none, and its
derivative is that of the starting guess; one that stopped early has a derivative that has not converged.  What one more
turn changes tells how far the derivative depends on where the loop stopped.
"""

from __future__ import annotations

from typing import Any

from gradcli.methods.ways_out import leaves_loop
from gradcli.tape.frames import Place
from gradcli.tape.run import run
from gradcli.tape.tape import OutcomeRow
from gradcli.traces.trace import Trace
from gradcli.transforms import trace

COMPARISONS = frozenset(
    ("lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bool")
)
MORE = 10_000  # outcomes: a loop that asks so many more once it goes on will not end


class EndlessError(RuntimeError):
    """A loop that does not end once it goes on."""


class Inverting(list[OutcomeRow]):
    """The outcomes of a run of which one is told the other way round; `append` says so by returning True."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def append(self, outcome: OutcomeRow) -> Any:
        """Keep an outcome as the program is told of it.

        Raises:
            EndlessError: there are far more than there were.
        """
        inverted = len(self) == self.number
        super().append((*outcome[:5], not outcome[5]) if inverted else outcome)
        if len(self) > 2 * self.number + MORE:
            raise EndlessError
        return True if inverted else None


def ending(tape: Trace) -> int | None:
    """The number of the last outcome that ended a loop; None where no comparison of recorded values did.

    The run has to be recorded with names, for a loop is known by its line: a `while`, an `if` with a way out in a loop,
    or, where that cannot be told, a question that always got the other answer before.
    """
    if tape.watch is None:
        return None
    places = [tape.watch.place_of_outcome(number) for number in range(len(tape.outcomes))]
    answers: dict[tuple[Place | None, Any], set[bool]] = {}
    last = None
    for number, (outcome, place) in enumerate(zip(tape.outcomes, places, strict=True)):
        name, told = outcome[1], outcome[5]
        if name in COMPARISONS and getattr(told, "shape", ()) == ():
            before = answers.setdefault((place, name), set())
            out = leaves_loop(*place, bool(told)) if place else None
            if before == {not told} if out is None else out:
                last = number
            before.add(bool(told))
    return last


def once_more(tape: Trace) -> Trace | None:
    """The run recorded once more with the outcome that ended its last loop inverted, so that the loop turns again.

    Returns:
        None where no loop was ended by a comparison of recorded values, or where it does not end once it goes on.
    """
    if not tape.outcomes or tape.function is None:
        return None
    named = tape if tape.watch is not None else trace(tape.function, *tape.arguments, names=True)
    number = ending(named)
    if number is None:
        return None

    def recording() -> Trace:
        again = Trace()
        again.outcomes = Inverting(number)
        return again

    arguments = tape.arguments
    try:
        again, _, entered, result = run(tape.function, arguments, range(len(arguments)), None, new_tape=recording)
    except Exception:  # off its path the user's function may raise whatever it likes
        return None
    assert isinstance(again, Trace)
    return again.finish(tape.function, arguments, entered, result)
