"""The result of comparing two functions."""

from __future__ import annotations

from typing import Literal

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result

Closeness = Literal["equal", "differ", "roundoff", "kink"]
Likeness = Literal["equal", "differ", "inconclusive", "nonfinite"]
AGREEMENT_EXITS: dict[str, Exit] = {
    "equal": Exit.PASS,
    "differ": Exit.FAIL,
    "inconclusive": Exit.INCONCLUSIVE,
    "nonfinite": Exit.NOT_FINITE,
}


class ComparedNumber(Frozen):
    """The values, or a derivative, of two functions at a point.

    `tolerance` is the difference that rounding can cause, or the larger one that the user allowed. `ulps` is the
    distance in units in the last place of the larger number. Both are None if a number is not finite. The verdict is
    `roundoff` for a large difference that rounding explains, and `kink` for derivatives that differ at a kink.
    """

    name: str
    first: float
    second: float
    tolerance: float | None
    ulps: float | None
    verdict: Closeness


class Agreement(Result):
    """The result of `gradcli compare`.

    Args:
        target, other: the two functions.
        point: the first point at which the verdict is not `equal`; the given point if there is none.
        verdict: equal, differ, inconclusive, or nonfinite if neither function has a finite value at any point.
        numbers: the value and each derivative at that point.
        points: the number of points compared, including the given one.
        differing: the number of points at which the functions differ.
        without_value: the number of points at which neither function has a finite value; these are not compared.
        drawn: whether the point was drawn at random.
    """

    command = "compare"

    target: str
    other: str
    point: ByName
    verdict: Likeness
    numbers: tuple[ComparedNumber, ...]
    points: int
    differing: int
    without_value: int
    drawn: bool
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """The exit code for the verdict."""
        return AGREEMENT_EXITS[self.verdict]


class EngineRun(Frozen):
    """One program by one engine of differentiation.

    Attributes:
        engine: its name.
        version: its version; empty for differences.
        numbers: the value and each derivative, compared with gradcli's; none if the engine could not run the program.
        first_call, later_calls: seconds of the first call, with what is compiled for it, and the least of later ones,
            each until the numbers are there.
        note: why it could not run the program, or how it did.
    """

    engine: str
    version: str
    numbers: tuple[ComparedNumber, ...] = ()
    first_call: float | None = None
    later_calls: float | None = None
    note: str = ""


class EngineComparison(Result):
    """The result of `gradcli compare --engines`.

    Args:
        target: the function.
        point: the point.
        verdict: the worst over the engines.
        engines: what each gives.
    """

    command = "compare"

    target: str
    point: ByName
    verdict: Likeness
    engines: tuple[EngineRun, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """The exit code for the verdict."""
        return AGREEMENT_EXITS[self.verdict]
