"""The records of `gradcli verify`: cases, their results, and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.checks import OUTCOME_EXITS, Comparison, Outcome
from gradcli.shared.records.result_and_finding import Result

Origin = Literal["listed", "marked", "commented", "paired", "given"]

UNJUDGED = ("unchecked", "skipped")
FORMATS = ("junit", "sarif", "gitlab", "json", "markdown", "html")  # the formats of a report
POINTS = ("at", "box", "points_file")  # the options that give the points of a case


class VerifyRequest(Frozen):
    """What `gradcli verify` is asked about the cases that it has collected.

    Args:
        whole: whether they are all cases of the project.
        select: the text that their names were to contain.
        reports: pairs of a format and a path.
        baseline: the path of the accepted failures, which `update_baseline` replaces.
        exitfirst: whether to stop at the first failure.
        workers: the number of processes; 0 for one per processor, None for that of the configuration.
        scheduler: the address of a Dask scheduler, whose workers run the cases; None for this machine.
        max_memory: the memory of each process in bytes.
        exit_zero: whether the exit code is 0 regardless of the results.
        quiet, verbose, as_json, width: how much is printed, and how.
    """

    whole: bool
    select: str | None
    reports: list[tuple[str, str]]
    baseline: str | None
    update_baseline: bool
    exitfirst: bool
    workers: int | None
    scheduler: str | None
    max_memory: int | None
    exit_zero: bool
    quiet: bool
    verbose: bool
    as_json: bool
    width: int | None


class GradientCase(Frozen):
    """One derivative to be checked.

    Args:
        name: the name of the case, unique in a run.
        target: the function, as `gradcli check` takes it, with a path relative to `folder`.
        against: the hand-written derivative; None if the function returns it too, or if gradcli's own is checked.
        options: the options of `check` by their Python names; texts are as typed.
        origin: what asks for the case: the configuration, a mark, a comment, a pair of names, or a library call.
        folder: the folder that paths are relative to.
        file, line: the line that asks for the case.
        allow: outcomes that do not fail the run.
        skip: the reason for not checking the case, if it is to be skipped.
        missing: what the case lacks, if it cannot be checked, with the line to add.
        fault: what is wrong with the mark or comment that asks for the case, or with its file.
        marked: the marked function as a target, if the mark has to be read from the loaded module.
        example: a point of the function as an example: 1 for each required parameter.
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
    example: str = ""

    @property
    def of(self) -> str:
        """The kind of derivative: gradient, jacobian, hessian or hvp."""
        return str(self.options.get("of", "gradient"))


class CodeLocation(Frozen):
    """The definition of a function in its source; lines and columns count from 1."""

    file: str
    line: int
    end_line: int
    column: int = 1


class CaseResult(Frozen):
    """The result of one case.

    Args:
        case: the case.
        outcome: the verdict, or what prevented one.
        message: the reason, in a sentence.
        seconds: the time it took, in seconds.
        comparison: the rows and findings; None if there was no comparison.
        command: the command that reproduces the result.
        derivative, function: the definitions of both, as far as they are known.
        details: further lines: the frames of an exception.
        output: what the user's code printed.
        accepted: what accepts a failure: `allow` or `baseline`.
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
        """Whether the result fails the run."""
        return self.accepted is None and self.outcome not in ("pass", *UNJUDGED)

    @property
    def is_reported(self) -> bool:
        """Whether to show the result in full: it fails the run, or passes though the gradient is wrong beside it."""
        compared = self.comparison
        return self.is_failure or (self.outcome == "pass" and compared is not None and compared.is_wrong_beside)

    @property
    def fingerprint(self) -> str:
        """A hash that tells this failure from others and does not change when lines move."""
        import json
        from hashlib import sha256

        case = self.case
        point = {name: case.options[name] for name in POINTS if name in case.options}
        words = "\0".join(
            (case.name, case.target, case.against or "", case.of, self.outcome, json.dumps(point, default=repr))
        )
        return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def worst(self) -> tuple[Any, ...]:
        """The components that did not pass, worst first."""
        rows = self.comparison.components if self.comparison else ()
        return tuple(row for row in rows if not row.is_settled)

    @property
    def place(self) -> CodeLocation | None:
        """The definition to look at first."""
        return self.derivative or self.function


class Verification(Result):
    """The result of `gradcli verify`: the results of all cases, in order.

    Args:
        cases: the results.
        seconds: the time it took, in seconds.
        root: the folder that reports are relative to.
        findings: always empty; findings belong to the cases.
        interrupted: whether Ctrl-C ended the run early.
        left_out: the number of cases that were not begun.
        require_points: whether a case without a point fails the run.
        exit_zero: whether the exit code is 0 regardless of the results.
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
        """The number of cases with each outcome, worst first."""
        counted = Counter(result.outcome for result in self.cases)
        return {outcome: counted[outcome] for outcome in OUTCOME_EXITS if counted[outcome]}  # type: ignore[index]

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The results that fail the run, worst first."""
        return tuple(case for case in self.reported if case.is_failure)

    @property
    def reported(self) -> tuple[CaseResult, ...]:
        """The results to show in full, worst first: the failures, then what is right at the point alone."""
        reported = (case for case in self.cases if case.is_reported)
        return tuple(sorted(reported, key=lambda case: list(OUTCOME_EXITS).index(case.outcome)))

    @property
    def verdict(self) -> str:
        """The worst outcome not accepted; `unchecked` if nothing was checked, or a required point is missing."""
        if failures := self.failures:
            return failures[0].outcome
        bare = self.require_points and any(case.outcome == "unchecked" for case in self.cases)
        return "unchecked" if bare or all(case.outcome in UNJUDGED for case in self.cases) else "pass"

    @property
    def exit(self) -> Exit:
        """The exit code of the run."""
        if self.interrupted:
            return Exit.INTERRUPTED
        return Exit.PASS if self.exit_zero else OUTCOME_EXITS[self.verdict]
