"""What a check found, component by component, and what the check of the check did."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from gradcli.errors import Exit
from gradcli.record_base import Frozen
from gradcli.records.base import ByName, Finding, Result, Structure


class Verdict(Enum):
    """What is said of one component of a gradient; the order is the order in which rows are shown, worst first."""

    FAIL = "FAIL"
    NONFINITE = "NONFINITE"
    JUMP = "JUMP"
    DISPUTED = "DISPUTED"
    ROUNDOFF = "ROUNDOFF"
    NOISY = "NOISY"
    VACUOUS = "VACUOUS"
    KINK = "KINK"
    CUT = "CUT"
    PASS = "PASS"
    SKIPPED = "SKIPPED"


Kind = Literal["gradient", "jacobian", "hessian", "hvp"]
Overall = Literal["pass", "fail", "nonfinite", "unchecked", "inconclusive"]

OVERALL_EXITS: dict[str, Exit] = {
    "pass": Exit.PASS,
    "fail": Exit.FAIL,
    "nonfinite": Exit.NOT_FINITE,
    "unchecked": Exit.UNCHECKED,
    "inconclusive": Exit.INCONCLUSIVE,
}


class Component(Frozen):
    """One row of a comparison: one number of the gradient under test beside what the independent methods say.

    A method that withdrew is None.  `exact` is the symbolic derivative to 20 digits.  `tolerance` is absolute.
    """

    name: str
    verdict: Verdict
    candidate: float | None
    reference: float | None
    reverse: float | None
    symbolic: float | None
    differences: float | None
    differences_error: float | None
    tolerance: float | None
    reason: str
    exact: str | None = None


class Comparison(Result):
    """The result of `gradcli check`: one component a row, worst first, and the overall verdict.

    `value` is a number, or of a function whose Jacobian is judged all that it returns.  `stopped` says why not all was
    asked: "out of time" or "interrupted".  `of` is the derivative that was judged.
    """

    command = "check"

    target: str
    against: str | None
    point: ByName
    value: Structure
    verdict: Overall
    components: tuple[Component, ...]
    notes: tuple[str, ...] = ()
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    stopped: str | None = None
    of: Kind = "gradient"

    @property
    def exit(self) -> Exit:
        """The exit code that the overall verdict stands for, or the interruption."""
        return Exit.INTERRUPTED if self.stopped == "interrupted" else OVERALL_EXITS[self.verdict]


class Mutant(Frozen):
    """A rule made wrong: by which argument, how, the wrong text or the program, and what became of it."""

    rule: str
    argument: str
    mutation: str
    text: str
    outcome: Literal["caught", "equivalent", "missed"]
    point: str | None


class SelfTest(Result):
    """The result of `gradcli check --selftest`; `unexercised` names the array rules that no program of it uses."""

    command = "check"

    mutants: tuple[Mutant, ...]
    unexercised: tuple[str, ...]
    seconds: float
    findings: tuple[Finding, ...] = ()

    @property
    def missed(self) -> tuple[Mutant, ...]:
        """The mutants that were not found to be wrong."""
        return tuple(mutant for mutant in self.mutants if mutant.outcome == "missed")

    @property
    def exit(self) -> Exit:
        """Whether the check can be believed."""
        return Exit.FAIL if self.missed else Exit.PASS
