"""What `gradcli verify` checks, and what became of it: cases, their results, the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from gradcli.errors import Exit
from gradcli.record_base import Frozen
from gradcli.records.base import Result
from gradcli.records.checks import Comparison, Verdict

Origin = Literal["listed", "marked", "commented", "paired", "given"]

Outcome = Literal[
    "fail", "error", "nonfinite", "raised", "crashed", "timeout", "inconclusive", "unchecked", "skipped", "pass"
]

# Worst first: the first that a case has, and that is not allowed, is the exit code of the run.
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
UNJUDGED = ("unchecked", "skipped")


class GradientCase(Frozen):
    """One derivative that is to be checked.

    Args:
        name: of the case, unique in a run.
        target: the function, as `gradcli check` takes it, its path relative to `folder`.
        against: the derivative by hand; None where the function returns it as well, or the tape's own is judged.
        options: the options of `check` by their names in Python, texts as they are typed.
        origin: what asks for it: the configuration, a mark, a comment, a pair of names, or a call of the library.
        folder: the folder that paths are relative to.
        file, line: where it is asked for.
        allow: outcomes that do not fail the run.
        skip: why it is not checked, where it is not meant to be.
        missing: what it lacks, where it cannot be checked; with the line to add.
        fault: what is wrong with the mark or the comment that asks for it, or with its file.
        marked: the marked function, as a target, where the mark has to be read from the loaded module.
        parameters: the names that the function takes, as far as its source tells.
    """

    name: str
    target: str
    against: str | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    origin: Origin = "listed"
    folder: str = "."
    file: str | None = None
    line: int | None = None
    allow: tuple[str, ...] = ()
    skip: str | None = None
    missing: str | None = None
    fault: str | None = None
    marked: str | None = None
    parameters: tuple[str, ...] = ()

    @property
    def of(self) -> str:
        """Which derivative it is."""
        return str(self.options.get("of", "gradient"))


class CodeLocation(Frozen):
    """Where a function is defined; lines and columns count from 1."""

    file: str
    line: int
    end_line: int
    column: int = 1


class CaseResult(Frozen):
    """What became of a case.

    Args:
        case: the case.
        outcome: the verdict on it, or what came in between.
        message: why, in a sentence.
        seconds: how long it took.
        comparison: the rows and findings; None where it did not come to that.
        command: what reproduces it.
        derivative, function: where the two are defined, as far as that is known.
        details: lines that say more: the frames of what was raised.
        output: what the user's code printed.
        accepted: by what a failure is accepted: `allow` or `baseline`.
    """

    case: GradientCase
    outcome: Outcome
    message: str = ""
    seconds: float = 0.0
    comparison: Comparison | None = None
    command: str = ""
    derivative: CodeLocation | None = None
    function: CodeLocation | None = None
    details: tuple[str, ...] = ()
    output: str = ""
    accepted: Literal["allow", "baseline"] | None = None

    @property
    def is_failure(self) -> bool:
        """Whether it fails the run."""
        return self.accepted is None and self.outcome not in ("pass", *UNJUDGED)

    @property
    def fingerprint(self) -> str:
        """What tells it from other failures, and stays the same when lines move."""
        from hashlib import sha256

        case = self.case
        words = "\0".join((case.name, case.target, case.against or "", case.of, self.outcome))
        return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def worst(self) -> tuple[Any, ...]:
        """The components that ask for attention, worst first."""
        rows = self.comparison.components if self.comparison else ()
        return tuple(row for row in rows if row.verdict not in (Verdict.PASS, Verdict.SKIPPED))

    @property
    def place(self) -> CodeLocation | None:
        """Where to look first."""
        return self.derivative or self.function


class Verification(Result):
    """The result of `gradcli verify`: what became of every case, in order.

    Args:
        cases: the results.
        seconds: how long it took.
        root: the folder that reports are relative to.
        findings: none; they belong to the cases.
        interrupted: whether Ctrl-C ended it before all was done.
        left_out: how many cases were not begun.
        require_points: whether a case without a point fails the run.
        exit_zero: whether the exit code is 0 whatever was found.
    """

    command = "verify"

    cases: tuple[CaseResult, ...]
    seconds: float = 0.0
    root: str = "."
    findings: tuple[Any, ...] = ()
    interrupted: bool = False
    left_out: int = 0
    require_points: bool = False
    exit_zero: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """How many cases have each outcome, worst first."""
        counted = Counter(result.outcome for result in self.cases)
        return {outcome: counted[outcome] for outcome in OUTCOME_EXITS if counted[outcome]}  # type: ignore[index]

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The results that fail the run, worst first."""
        order = list(OUTCOME_EXITS)
        return tuple(sorted((each for each in self.cases if each.is_failure), key=lambda r: order.index(r.outcome)))

    @property
    def verdict(self) -> str:
        """The worst outcome that is not accepted; `unchecked` where nothing was checked."""
        if failures := self.failures:
            return failures[0].outcome
        bare = self.require_points and any(each.outcome == "unchecked" for each in self.cases)
        return "unchecked" if bare or all(each.outcome in UNJUDGED for each in self.cases) else "pass"

    @property
    def exit(self) -> Exit:
        """The exit code that the run stands for."""
        if self.interrupted:
            return Exit.INTERRUPTED
        return Exit.PASS if self.exit_zero else OUTCOME_EXITS[self.verdict]
