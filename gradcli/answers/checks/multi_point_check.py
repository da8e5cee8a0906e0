"""A complete check: the function is probed, then compared at the point and at further points, within a time limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any

from gradcli.answers.checks.amended_verdicts import amended, changes_with_draws, unrepeatable
from gradcli.answers.checks.candidate_parsing import GIVEN
from gradcli.answers.checks.comparison import compare, skipped
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.custom_derivatives import custom_findings, own_derivative
from gradcli.answers.checks.problem.reproducibility import Probe, ProbeResults, reused_array_finding
from gradcli.answers.checks.problem.sampled_points import Point, is_in_box, random_points
from gradcli.answers.checks.problem.seeded_timed_calls import PlainCalls, begun_alike, program
from gradcli.answers.checks.problem.time_budget import NoMoreCalls, deferred_interrupt
from gradcli.answers.checks.problem.value_and_gradient_functions import split_value_and_gradient
from gradcli.answers.checks.references import MOST_DIFFERENCES
from gradcli.answers.targets import Target
from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import Generators
from gradcli.errors import GradcliError, OutOfTimeError, ResultError
from gradcli.methods.numerics.coordinates import copied, number_count
from gradcli.methods.numerics.deadline import time_limit
from gradcli.shared.findings import finding
from gradcli.shared.pytree import leaves, point_text
from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.result_and_finding import Finding, is_finite

REACH = 0.1  # relative distance of the neighbouring points
ZERO_HERE = "the gradient is zero here, where many mistakes do not show; also checked at"


def is_zero_gradient(comparison: Comparison) -> bool:
    """Whether every component is zero, or indistinguishable from zero by differences."""
    rows = [row for row in comparison.components if row.verdict in (Verdict.PASS, Verdict.VACUOUS)]
    if len(rows) != len(comparison.components) or {finding.code for finding in comparison.findings} & {"G401", "G403"}:
        return False
    return all(abs(row.candidate or 0.0) <= (row.differences_error or 0.0) for row in rows)


def neighbours(point: Point) -> Iterator[Point]:
    """A random point near `point`, and its mirror image on the other side."""
    for reach in (REACH, -REACH):
        yield next(random_points(point, {}, 1, seed=1, reach=reach))


def nearby_comparison_finding(others: Sequence[tuple[str, Comparison]]) -> Finding:
    """The finding for the comparisons beside the point, each with its point as text; the last one may fail."""
    at, last = others[-1]
    if last.verdict != "fail":
        texts = " and ".join(text for text, _ in others)
        return finding(
            "G305", f"{ZERO_HERE} {texts}: {', '.join(dict.fromkeys(comparison.verdict for _, comparison in others))}"
        )
    wrong = next((f"; {row.name}: {_numbers(row)}" for row in last.components if row.verdict is Verdict.FAIL), "")
    return finding("G305", f"{ZERO_HERE} {at}: fail{wrong}").changed(severity="warning")


def _numbers(row: Component) -> str:
    reference = "none" if row.reference is None else f"{row.reference:.6g}"
    return f"candidate {row.candidate:.6g}, reference {reference}"


CALLS = 40  # calls of the function for the differences of one component
JUDGING = 3e-5  # seconds to judge one of many components
SLOW = 2.0  # expected seconds above which a check is announced
HALF = 0.5  # largest share of the time for exact references, so that some is left for differences
DRAWS = 20  # most draws for each random point in the domain
_UNTIL = {"out of time": "in the time given", "interrupted": "before the interruption"}


def checked(check: BoundCheck, known: Iterable[Finding] = ()) -> Comparison:
    """Check a gradient at the point and at the further points that are asked for, and collect findings.

    Args:
        check: the check.
        known: findings about the point that are known already.

    Raises:
        OutOfTimeError: the time ran out before any component was decided.
        KeyboardInterrupt: Ctrl-C came before any component was decided, or the check does not resume.
    """
    brought = check.target.derivatives.get(check.request.of)
    if check.against is None and brought is not None:
        check = replace(check, against=brought)
    try:
        return _checked(check, known)
    except ResultError:  # the function may return its gradient together with its value
        if check.request.of != "gradient" or not (parts := _parted(check)):
            raise
    return _checked(parts, known)


def _checked(check: BoundCheck, known: Iterable[Finding]) -> Comparison:
    clock, target, against = check.clock, check.target, check.against
    generators = Generators(reachable_objects(target.function))
    calls = PlainCalls(sum(map(number_count, leaves(list(check.point.values())))))
    careful = program(target.function, clock, generators, calls)
    functions = [target.function, *([against.function] if against else [])]
    session = _Session(check.of_function(careful), Probe(target.function, generators, target.name), target)
    with time_limit(HALF * clock.seconds, lambda: clock.stopped is not None):
        try:
            session.probe()
            if generators.frozen and against:
                session.judge_draws(against.changed(function=begun_alike(against.function, generators)))
            with deferred_interrupt(clock, functions) if check.request.resumes else nullcontext():
                comparison = session.run()
                if comparison.verdict == "pass" and (unrepeatable := session.probing.again(careful, calls)):
                    comparison = _unrepeatable(comparison.changed(findings=(unrepeatable, *comparison.findings)))
                elif _is_disputed(comparison) and (unrepeatable := session.probing.state_finding()):
                    comparison = comparison.changed(findings=(unrepeatable, *comparison.findings))
        finally:
            generators.restore()
    if clock.stopped == "interrupted":
        if not check.request.resumes:
            raise KeyboardInterrupt
        comparison = comparison.changed(stopped=clock.stopped)
    return comparison.changed(findings=(*target.findings, *known, *comparison.findings))


def _parted(check: BoundCheck) -> BoundCheck | None:
    """The check of a function that returns its value and its gradient; None for any other function."""
    target, against = check.target, check.against
    with quiet():
        returned = target.function(*copied(tuple(check.point.values())))
    parts = split_value_and_gradient(target, against, check.point, returned)
    return replace(check, target=parts[0], against=parts[1]) if parts else None


class _Session:
    """A check in progress.

    Args:
        check: the check, whose function is called carefully.
        probing: calls the function to learn its properties.
        written: the target as it is.
    """

    def __init__(self, check: BoundCheck, probing: Probe, written: Target) -> None:
        self.check = check
        self.written = written
        self.probing = probing
        self.clock = check.clock
        self.probed = ProbeResults()
        self.judges_draws = False

    def judge_draws(self, against: Target) -> None:
        """Judge `against`, the hand-written gradient of a random function; failures are tried with a second draw."""
        self.check, self.judges_draws = replace(self.check, against=against), True

    def run(self) -> Comparison:
        """The comparison at the point, with the results at further points added."""
        self._announce()
        comparison = self._at(self.check)
        comparison = comparison.changed(findings=(*self.probed.findings, *comparison.findings))
        if not self.probed.repeatable:
            return _unrepeatable(comparison)
        if self.clock.stopped:
            return comparison
        only_here = self.check.against is not None and self.check.against.name == GIVEN
        if comparison.verdict == "pass" and is_zero_gradient(comparison) and not only_here:
            comparison = self._beside(comparison)
        more = self.check.request.points or self.check.others
        return self._others(comparison) if more and comparison.verdict != "fail" else comparison

    def probe(self) -> None:
        """Call the function and the hand-written gradient to learn their properties."""
        point, against = self.check.point, self.check.against

        def arguments() -> list[Any]:
            return [*copied(tuple(point.values()))]

        self.probed = self.probing.run(arguments)
        if against is not None and len(against.parameters) == len(point):
            self.probed.findings += reused_array_finding(against.function, arguments, against.name)
        custom = self.probing.custom
        self.probed.findings += custom_findings(custom)
        if custom and against is None:
            own = own_derivative(self.written, tuple(point), self.check.request.of)
            self.check = replace(self.check, against=own)

    def _announce(self) -> None:
        """Report the expected duration if it is long."""
        times = 1 + self.check.request.points
        every = sum(number_count(leaf) for name in self.check.wanted for leaf in leaves(self.check.point[name]))
        rows = JUDGING * every * times
        calls = self.clock.expected = CALLS * min(every, MOST_DIFFERENCES) * times
        if (seconds := self.probed.seconds * calls + rows) > SLOW:
            text = f"{self.probing.name} takes {self.probed.seconds:.2g} s; about {calls} calls"
            text += f" and {every} components, {seconds:.0f} s" if rows > SLOW else f", {seconds:.0f} s"
            slow = finding("G907", f"{text}; Ctrl-C keeps the finished rows")
            self.clock.listener.say(slow)
            self.probed.findings.append(slow)

    def _at(self, check: BoundCheck) -> Comparison:
        try:
            comparison = _compared(check)
        except NoMoreCalls:
            raise self._nothing_finished() from None
        if self.clock.stopped:
            return self._partial(comparison)
        return (
            self._at_another_draw(check, comparison)
            if self.judges_draws and comparison.verdict == "fail"
            else comparison
        )

    def _at_another_draw(self, check: BoundCheck, comparison: Comparison) -> Comparison:
        """Make failed rows NOISY if the reference changes with the random numbers and the candidate does not."""
        try:
            self.probing.draw(copied(list(check.point.values())))
            with self.probing.generators.begun_elsewhere():
                other = {row.name: row for row in _compared(check.at(check.point)).components}
        except (GradcliError, ArithmeticError, ValueError):  # the failure stands
            return comparison
        again = amended(comparison, lambda row: changes_with_draws(row, other.get(row.name, row)))
        if self.clock.stopped or again.components == comparison.components:
            return comparison
        failed = any(row.verdict is Verdict.FAIL for row in again.components)
        return again.changed(
            findings=tuple(
                finding for finding in comparison.findings if failed or finding.code not in ("G312", "G313", "G317")
            )
        )

    def _partial(self, comparison: Comparison) -> Comparison:
        """Count the rows that were finished; raise an error if none was."""
        why = self.clock.stopped or ""
        every = comparison.components
        rows = [skipped(row.name, why) if row.verdict is Verdict.SKIPPED else row for row in every]
        done = sum(row.verdict is not Verdict.SKIPPED for row in rows)
        if not done:
            raise self._nothing_finished()
        note = f"partial: {why} after {self.clock.calls} calls; {done} of {len(rows)} rows are finished"
        return comparison.changed(components=tuple(rows), notes=(*comparison.notes, note), stopped=why)

    def _nothing_finished(self) -> BaseException:
        """The error for a check that ended before its first row."""
        if self.clock.stopped == "interrupted":
            return KeyboardInterrupt()
        return OutOfTimeError.of_check(self.clock.seconds)

    def _beside(self, comparison: Comparison) -> Comparison:
        """Check also on both sides of the point if the gradient is zero there, where many mistakes do not show."""
        others: list[tuple[str, Comparison]] = []
        for there in neighbours(self.check.point):
            if _is_whole(other := self._in_time(there)) and other is not None:
                others.append((point_text(there), other))
            if self._is_stopped() or (other is not None and other.verdict == "fail"):
                break
        comparison = comparison.changed(stopped=self.clock.stopped)
        if not others:
            return comparison
        nearby = nearby_comparison_finding(others)
        doubtful = nearby.severity == "warning" and (
            self.check.request.strict or (bool(self.check.box) and is_in_box(there, self.check.box))
        )
        return comparison.changed(
            findings=(*comparison.findings, nearby), verdict="inconclusive" if doubtful else comparison.verdict
        )

    def _others(self, comparison: Comparison) -> Comparison:
        """The comparison at the first further point that fails; else the one at the original point."""
        results: dict[str, list[str]] = {}
        check, asked = self.check, self.check.request
        outside, wanted = 0, asked.points + len(check.others)
        random = random_points(check.point, check.box, DRAWS * asked.points, asked.seed)
        for is_random, there in chain(((False, other) for other in check.others), ((True, point) for point in random)):
            if self._is_stopped() or (number := sum(map(len, results.values()))) == wanted:
                break
            other = self._in_time(there)
            if other is not None and other.verdict == "fail":
                text = f"point {number + 1} of {wanted} (seed {asked.seed}) fails, at {point_text(there)}"
                return _noted(other, text).changed(stopped=self.clock.stopped)
            if is_random and not self._is_stopped() and _is_outside(other):
                outside += 1
            elif not self._is_stopped() or _is_whole(other):
                results.setdefault(other.verdict if other else "not computable", []).append(point_text(there))
        return _noted(comparison, self._summary(results, outside)).changed(stopped=self.clock.stopped)

    def _is_stopped(self) -> bool:  # mypy would take a second look at the attribute for a repetition of the first
        return self.clock.stopped is not None

    def _summary(self, results: dict[str, list[str]], outside: int) -> str:
        """Summarise the results at the further points."""
        asked = self.check.request
        wanted = asked.points + len(self.check.others)
        counts = [f"{len(at)} {verdict}" for verdict, at in results.items()]
        if missing := wanted - sum(map(len, results.values())):
            why = "in the domain" if not self.clock.stopped else f"reached {_UNTIL[self.clock.stopped]}"
            counts.append(f"{missing} not {why}")
        first = "".join(f"; the first {verdict}: {at[0]}" for verdict, at in results.items() if verdict != "pass")
        again = f"; {outside} outside the domain, redrawn" if outside else ""
        seed = f" (seed {asked.seed})" if asked.points else ""
        return f"{wanted} more point{'s' if wanted > 1 else ''}{seed}: {', '.join(counts)}{again}{first}"

    def _in_time(self, point: Point) -> Comparison | None:
        """The comparison at a point; None if the function cannot be computed there, or if the check was stopped."""
        try:
            return self._at(self.check.at(point))
        except (GradcliError, ArithmeticError, ValueError):
            pass
        except KeyboardInterrupt:  # Ctrl-C or a time-out, which the comparison at the first point outlives
            self.clock.stopped = self.clock.stopped or ("out of time" if self.clock.over else "interrupted")
        return None


def _compared(check: BoundCheck) -> Comparison:
    if check.request.of == "gradient":
        return compare(check)
    from gradcli.answers.checks.jacobian_rows import compare_rows

    return compare_rows(check)


def _noted(comparison: Comparison, text: str) -> Comparison:
    return comparison.changed(notes=(*comparison.notes, text))


def _is_outside(comparison: Comparison | None) -> bool:
    """Whether the function has no finite value at the point."""
    return comparison is None or not is_finite(comparison.value)


def _is_whole(comparison: Comparison | None) -> bool:
    """Whether the comparison is complete, even if the clock stopped meanwhile."""
    return comparison is not None and all(row.verdict is not Verdict.SKIPPED for row in comparison.components)


def _is_disputed(comparison: Comparison) -> bool:
    return any(row.verdict is Verdict.DISPUTED for row in comparison.components)


def _unrepeatable(comparison: Comparison) -> Comparison:
    """Judge the comparison of a function that gives a different value at each call; each row gives that reason."""
    others = tuple(finding for finding in comparison.findings if finding.code not in ("G301", "G315"))
    return amended(comparison.changed(findings=others), unrepeatable)
