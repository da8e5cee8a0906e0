"""The results of a check, component by component, and of the check's self-test."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Kind, Result, Structure

Overall = Literal["pass", "fail", "nonfinite", "unchecked", "inconclusive"]
PASSES_WHEN, WOULD_DETECT = "passes when", "would detect"  # the first words of the notes on the tolerance
Outcome = Literal[
    "fail", "error", "nonfinite", "raised", "crashed", "timeout", "inconclusive", "unchecked", "skipped", "pass"
]


class Verdict(Enum):
    """The verdict on one component of a gradient, in the order in which rows are displayed, worst first.

    Attributes:
        counts_as: the overall verdict of a gradient whose components all have this one.
        meaning: when a component has it, in words.
        leniency: what a strict check does not accept, in words; empty for the others.
    """

    counts_as: Overall
    meaning: str
    leniency: str

    def __new__(cls, name: str, counts_as: Overall, meaning: str, leniency: str = "") -> Verdict:
        self = object.__new__(cls)
        self._value_, self.counts_as, self.meaning, self.leniency = name, counts_as, meaning, leniency
        return self

    @property
    def is_wrong(self) -> bool:
        """Whether a component with it makes the gradient wrong or not finite."""
        return self.counts_as in ("fail", "nonfinite")

    FAIL = "FAIL", "fail", "outside the tolerance; the gradient is wrong"
    NONFINITE = "NONFINITE", "nonfinite", "the candidate or its reference is nan or infinite"
    JUMP = "JUMP", "inconclusive", "the value itself jumps at the point, so there is no derivative; undecided"
    DISPUTED = (
        "DISPUTED",
        "inconclusive",
        "the exact derivative and the differences contradict each other; undecided",
    )
    ROUNDOFF = (
        "ROUNDOFF",
        "inconclusive",
        "the rounding in the candidate's own computation exceeds the tolerance; undecided",
    )
    NOISY = "NOISY", "inconclusive", "no reference could decide; undecided"
    VACUOUS = (
        "VACUOUS",
        "inconclusive",
        "only differences are left, and their error is too large to tell the derivative from 0; undecided",
    )
    KINK = (
        "KINK",
        "pass",
        "the slopes on the two sides differ and the candidate lies between them; passes",
        "kinks",
    )
    CUT = (
        "CUT",
        "pass",
        "the input acts only through comparisons, roundings and the like, and the candidate is zero or the slope over "
        "steps wider than the recorded path; passes",
        "cut inputs",
    )
    PASS = "PASS", "pass", "within the tolerance of the reference"
    SKIPPED = "SKIPPED", "unchecked", "not requested, or out of time; not counted"


# Worst first: the exit code of a run is that of the first outcome that a case has and that is not accepted.
OUTCOME_EXITS: dict[str, Exit] = {
    "fail": Exit.FAIL,
    "error": Exit.USAGE,
    "nonfinite": Exit.NOT_FINITE,
    "raised": Exit.USER_CODE,
    "crashed": Exit.USER_CODE,
    "timeout": Exit.OUT_OF_TIME,
    "inconclusive": Exit.INCONCLUSIVE,
    "unchecked": Exit.UNCHECKED,
    "skipped": Exit.UNCHECKED,
    "pass": Exit.PASS,
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

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to say of it: it passes, or was not checked."""
        return self.verdict in (Verdict.PASS, Verdict.SKIPPED)


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
    def remarks(self) -> list[str]:
        """The notes without those on the tolerance."""
        return [note for note in self.notes if not note.startswith((PASSES_WHEN, WOULD_DETECT))]

    @property
    def troubles(self) -> list[Finding]:
        """The findings that are more than notes."""
        return [finding for finding in self.findings if finding.severity != "note"]

    @property
    def is_wrong_beside(self) -> bool:
        """Whether the gradient is right at the point, where it vanishes, but wrong beside it."""
        return any(finding.code == "G305" for finding in self.troubles)

    @property
    def exit(self) -> Exit:
        """The exit code for the overall verdict, or for an interruption."""
        return Exit.INTERRUPTED if self.stopped == "interrupted" else OUTCOME_EXITS[self.verdict]


class Mutant(Frozen):
    """A deliberately wrong rule: argument, kind of mutation, wrong text or program, and outcome."""

    rule: str
    argument: str
    mutation: str
    text: str
    outcome: Literal["caught", "equivalent", "missed"]
    point: str | None


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
