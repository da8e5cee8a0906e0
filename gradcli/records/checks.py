"""The results of a check, component by component, and of the check's self-test."""

from __future__ import annotations

from enum import Enum
from typing import Literal, get_args

from gradcli.errors import Exit
from gradcli.frozen_record import Frozen
from gradcli.records.result_and_finding import ByName, Finding, Result, Structure


class Verdict(Enum):
    """The verdict on one component of a gradient, in the order in which rows are displayed, worst first."""

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
KINDS: tuple[Kind, ...] = get_args(Kind)
Overall = Literal["pass", "fail", "nonfinite", "unchecked", "inconclusive"]

OVERALL_EXITS: dict[str, Exit] = {
    "pass": Exit.PASS,
    "fail": Exit.FAIL,
    "nonfinite": Exit.NOT_FINITE,
    "unchecked": Exit.UNCHECKED,
    "inconclusive": Exit.INCONCLUSIVE,
}


class Component(Frozen):
    """One row of a comparison: one component of the candidate gradient, with the results of the independent methods.

    A method that withdrew is None. `exact` is the symbolic derivative with 20 digits. `tolerance` is absolute.
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
    """The result of `gradcli check`: one row per component, worst first, and the overall verdict.

    `value` is a number, or the whole result of a function whose Jacobian is checked. `stopped` is "out of time" or
    "interrupted" if some components were not checked. `of` is the kind of derivative that was checked.
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
        """The exit code for the overall verdict, or for an interruption."""
        return Exit.INTERRUPTED if self.stopped == "interrupted" else OVERALL_EXITS[self.verdict]


class Mutant(Frozen):
    """A deliberately wrong rule: argument, kind of mutation, wrong text or program, and outcome."""

    rule: str
    argument: str
    mutation: str
    text: str
    outcome: Literal["caught", "equivalent", "missed"]
    point: str | None


class DeviceAnswer(Frozen):
    """Whether a device gives the host's numbers: the group and name of the case, the outcome, and why not."""

    group: str
    name: str
    outcome: Literal["agrees", "differs", "absent"]
    reason: str


class DeviceTest(Result):
    """The result of `gradcli check --selftest --device gpu`.

    Attributes:
        device: the name of the device.
        answers: one for each case that the host computes.
        unavailable: why there is no device; None if there is one.
        seconds: the time that the test took.
        card: the hardware, and the library that drives it.
    """

    command = "check"

    device: str
    answers: tuple[DeviceAnswer, ...]
    unavailable: str | None
    seconds: float
    card: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """The exit code: a failure if a number differs, nothing checked if there is no device."""
        if self.unavailable is not None:
            return Exit.UNCHECKED
        return Exit.FAIL if any(each.outcome == "differs" for each in self.answers) else Exit.PASS


class SelfTest(Result):
    """The result of `gradcli check --selftest`; `unexercised` names the array rules without a program."""

    command = "check"

    mutants: tuple[Mutant, ...]
    unexercised: tuple[str, ...]
    seconds: float
    findings: tuple[Finding, ...] = ()

    @property
    def missed(self) -> tuple[Mutant, ...]:
        """The mutants that the check accepted."""
        return tuple(mutant for mutant in self.mutants if mutant.outcome == "missed")

    @property
    def exit(self) -> Exit:
        """The exit code: a failure if a mutant was missed."""
        return Exit.FAIL if self.missed else Exit.PASS
