"""What a comparison of two functions found."""

from __future__ import annotations

from typing import Literal

from gradcli.errors import Exit
from gradcli.record_base import Frozen
from gradcli.records.base import ByName, Finding, Result

Closeness = Literal["equal", "differ", "roundoff", "kink"]
Likeness = Literal["equal", "differ", "inconclusive", "nonfinite"]
AGREEMENT_EXITS: dict[str, Exit] = {
    "equal": Exit.PASS,
    "differ": Exit.FAIL,
    "inconclusive": Exit.INCONCLUSIVE,
    "nonfinite": Exit.NOT_FINITE,
}


class ComparedNumber(Frozen):
    """The value or a derivative of two functions at a point.

    `tolerance` is how far rounding may move them apart, or more where that was asked for; `ulps` is their distance in
    units in the last place of the larger. Both are None where a number is not finite. A difference that rounding
    explains, but that is large, is `roundoff`; one of derivatives at a kink is `kink`.
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
        point: the first at which they differ, or leave it open; else the one that was given.
        verdict: equal, differ, inconclusive, or nonfinite where neither has a value at any point.
        numbers: the value and each derivative at that point.
        points: how many were compared, the given one among them.
        differing: at how many of these they differ.
        without_value: at how many neither has a finite value, which are not compared.
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
        """The exit code that the verdict stands for."""
        return AGREEMENT_EXITS[self.verdict]
