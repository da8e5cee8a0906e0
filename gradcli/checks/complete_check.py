"""A whole check: the function probed, compared at the point, at points beside it, and stopped when it has to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from gradcli.checks.candidate_parsing import GIVEN
from gradcli.checks.comparison import HOST, compare
from gradcli.checks.jacobian_rows import compare_rows
from gradcli.checks.overall_verdict import overall
from gradcli.checks.problem.compared_case import Host
from gradcli.checks.problem.guarded_calls import PlainCalls, begun_alike, program
from gradcli.checks.problem.interrupts import deferred
from gradcli.checks.problem.reproducibility import Probe, Probed, reused
from gradcli.checks.problem.sampled_points import Box, Point, drawn, shown, simplest
from gradcli.checks.problem.time_budget import Clock
from gradcli.checks.problem.value_and_gradient import parted
from gradcli.checks.references import MOST_DIFFERENCES
from gradcli.diagnose.outcome_margins import at_switch
from gradcli.errors import GradcliError, ResultError
from gradcli.findings import finding
from gradcli.numerics.coordinates import coordinates
from gradcli.numerics.deadline import within
from gradcli.pytree import map_leaves
from gradcli.records import Comparison, Component, Finding, Verdict, is_finite
from gradcli.records.checks import Kind
from gradcli.running.muted_reruns import quiet
from gradcli.running.program_state import Generators
from gradcli.targets import Target
from gradcli.traces.trace import recorded

CALLS = 40  # of the function, for the differences of one component
JUDGING = 12  # times as long as to enumerate the components takes all that is done with each
SLOW = 2.0  # seconds from which a run is announced
HALF = 0.5  # of the time goes to exact numbers at the most: differences say something too
DRAWS = 20  # points that are drawn for one in the domain, at the most
BESIDE = 0.1  # how far a point beside another one is, relative
_UNTIL = {"out of time": "in the time given", "interrupted": "before the interruption"}


@dataclass(frozen=True)
class Plan:
    """What a check judges, and how it is run.

    Args:
        against: a hand-written gradient to judge; the tape's own without it.
        of: which derivative is judged.
        strict: count KINK and CUT as inconclusive.
        rtol, atol: widen the tolerance to so much, relative to the reference and absolute.
        points: how many random points are checked besides the one that is given.
        others: points that are checked besides, before those.
        box: the interval of some of the inputs, from which their points are drawn.
        seed: what the points are drawn by, and the direction of a Hessian-vector product.
        clock: how long it may take, and who is told of the progress.
        resumes: whether Ctrl-C leaves the finished rows, in place of a KeyboardInterrupt.
    """

    against: Target | None = None
    of: Kind = "gradient"
    strict: bool = False
    rtol: float = 0.0
    atol: float = 0.0
    points: int = 0
    others: Sequence[Point] = ()
    box: Box = field(default_factory=dict)
    seed: int = 0
    clock: Clock = field(default_factory=Clock)
    resumes: bool = False


def checked(
    target: Target,
    point: Point,
    wanted: Sequence[str],
    plan: Plan,
    *,
    host: Host = HOST,
    known: Iterable[Finding] = (),
) -> Comparison:
    """The comparison of a gradient at a point, and at as many others as the plan has, with what was found on the way.

    Args:
        target, point, wanted, host: as for `compare`.
        plan: what is judged, and how it is run.
        known: findings on the point that are known already.

    Raises:
        OutOfTimeError: the time was over before anything was decided.
        KeyboardInterrupt: so it was when Ctrl-C came, or the plan does not resume.
    """
    try:
        return _checked(target, point, wanted, plan, host=host, known=known)
    except ResultError:  # no number: a function that returns its gradient beside its value has not been run in vain
        if plan.of != "gradient" or not (parts := _parted(target, point, plan)):
            raise
    return _checked(parts[0], point, wanted, parts[1], host=host, known=known)


def _checked(
    target: Target, point: Point, wanted: Sequence[str], plan: Plan, *, host: Host, known: Iterable[Finding]
) -> Comparison:
    clock = plan.clock
    host = replace(host, is_over=lambda: clock.over or clock.stopped is not None)
    generators = Generators(target.function)
    calls = PlainCalls()
    careful = target.changed(function=program(target.function, clock, generators, calls))
    at = partial(
        compare if plan.of == "gradient" else partial(compare_rows, of=plan.of, seed=plan.seed),
        careful,
        wanted=wanted,
        against=plan.against,
        strict=plan.strict,
        rtol=plan.rtol,
        atol=plan.atol,
        host=replace(host, named=None),
    )
    functions = [target.function, *([plan.against.function] if plan.against else [])]
    session = _Session(at, Probe(target.function, generators, target.name), clock, wanted)
    with within(HALF * clock.seconds, lambda: clock.stopped is not None):
        try:
            session.probe(point, plan.against)
            if generators.frozen and plan.against:
                alike = begun_alike(plan.against.function, generators)
                session.judge_draws(partial(at, against=plan.against.changed(function=alike)))
            with deferred(clock, functions) if plan.resumes else nullcontext():
                found = session.run(point, plan, host)
                if found.verdict == "pass" and (said := session.probing.again(careful.function, calls)):
                    found = _unrepeatable(found.changed(findings=(said, *found.findings)))
        finally:
            generators.restore()
    if clock.stopped == "interrupted" and not plan.resumes:
        raise KeyboardInterrupt
    return found.changed(findings=(*target.findings, *known, *found.findings))


def _parted(target: Target, point: Point, plan: Plan) -> tuple[Target, Plan] | None:
    """The target and the plan, where the function returns its gradient beside its value; None of any other."""
    with quiet():
        returned = target.function(*map_leaves(_own, tuple(point.values())))
    parts = parted(target, plan.against, point, returned)
    return (parts[0], replace(plan, against=parts[1])) if parts else None


class _Session:
    """One check, on its way.

    Args:
        compare: the comparison at a point.
        probing: calls the function to see what it is like.
        clock: its time.
        wanted: the names of the inputs to differentiate by.
    """

    def __init__(self, compare: Callable[..., Comparison], probing: Probe, clock: Clock, wanted: Sequence[str]) -> None:
        self.compare = compare
        self.probing = probing
        self.clock = clock
        self.wanted = wanted
        self.probed = Probed()
        self.judges_draws = False

    def judge_draws(self, compare: Callable[..., Comparison]) -> None:
        """Compare a gradient by hand of a random function so from now on, and at a second draw where it fails."""
        self.compare, self.judges_draws = compare, True

    def run(self, point: Point, plan: Plan, host: Host) -> Comparison:
        """The comparison at the point, and what the others add to it."""
        self._announce(point, plan)
        found = self._at(point, host=host)
        found = found.changed(findings=(*self.probed.findings, *found.findings))
        if not self.probed.repeatable:
            return _unrepeatable(found)
        if self.clock.stopped:
            return found
        only_here = plan.against is not None and plan.against.name == GIVEN
        if found.verdict == "pass" and _vanishes(found) and not only_here:
            found = self._beside(point, found)
        more = plan.points or plan.others
        return self._others(point, plan, found) if more and found.verdict != "fail" else found

    def probe(self, point: Point, against: Target | None) -> None:
        """Call the function, and the gradient by hand, to see what they are like."""

        def arguments() -> list[Any]:
            return [map_leaves(_own, value) for value in point.values()]

        self.probed = self.probing.run(arguments)
        if against is not None and len(against.parameters) == len(point):
            self.probed.findings += reused(against.function, arguments, against.name)

    def _announce(self, point: Point, plan: Plan) -> None:
        """Say how long it will take, where that is long."""
        started = time.perf_counter()
        every = len(coordinates(point, self.wanted))
        rows = JUDGING * (time.perf_counter() - started) * (1 + plan.points)
        calls = self.clock.expected = CALLS * min(every, MOST_DIFFERENCES) * (1 + plan.points)
        if (seconds := self.probed.seconds * calls + rows) > SLOW:
            text = f"{self.probing.name} takes {self.probed.seconds:.2g} s; about {calls} calls"
            text += f" and {every} components, {seconds:.0f} s" if rows > SLOW else f", {seconds:.0f} s"
            slow = finding("G907", f"{text}; Ctrl-C keeps the finished rows")
            self.clock.listener.say(slow)
            self.probed.findings.append(slow)

    def _at(self, point: Point, **options: Any) -> Comparison:
        found = self.compare(point, **options)
        if self.clock.stopped:
            return self._partial(found, point)
        return self._at_another_draw(point, found) if self.judges_draws and found.verdict == "fail" else found

    def _at_another_draw(self, point: Point, found: Comparison) -> Comparison:
        """The comparison without the failures of a gradient that draws nothing, of a derivative that is drawn."""
        try:
            self.probing.draw([map_leaves(_own, value) for value in point.values()])
            with self.probing.generators.begun_elsewhere():
                other = {row.name: row for row in self.compare(point).components}
        except (GradcliError, ArithmeticError, ValueError):  # what failed here stands
            return found
        rows = tuple(_undecided(row, other.get(row.name, row)) for row in found.components)
        if self.clock.stopped or rows == found.components:
            return found
        failed = any(row.verdict is Verdict.FAIL for row in rows)
        others = tuple(each for each in found.findings if failed or each.code not in ("G312", "G313"))
        return found.changed(components=rows, findings=others, verdict=overall(rows, found.value, strict=False))

    def _partial(self, found: Comparison, point: Point) -> Comparison:
        """The comparison with the rows that were not finished marked; the error of the time, where none was."""
        early = {part.name for part in coordinates(point, self.wanted)[:MOST_DIFFERENCES]}
        why = self.clock.stopped or ""
        exact_is_enough = not self._at_switch(point)
        rows = [_skipped(row, why) if _is_unfinished(row, early, exact_is_enough) else row for row in found.components]
        done = sum(row.verdict is not Verdict.SKIPPED for row in rows)
        if not done:
            raise KeyboardInterrupt if why == "interrupted" else self.clock.out_of_time()
        note = f"partial: {why} after {self.clock.calls} calls; {done} of {len(rows)} rows are finished"
        verdict = found.verdict if done == len(rows) else _without(found, rows)
        return found.changed(components=tuple(rows), verdict=verdict, notes=(*found.notes, note), stopped=why)

    def _at_switch(self, point: Point) -> bool:
        with quiet():
            return at_switch(recorded(self.probing.function, tuple(map(_own, point.values())), names=False))

    def _beside(self, point: Point, found: Comparison) -> Comparison:
        """The comparison with what it is at a point beside, where the gradient vanishes and hides mistakes."""
        there = next(drawn(point, {}, 1, seed=1, reach=BESIDE))
        try:
            other = self._at(there)
        except (GradcliError, ArithmeticError, ValueError):
            return found
        text = "the gradient vanishes here, where much that is wrong looks right"
        said = finding("G305", f"{text}; also checked at {shown(there)}: {other.verdict}")
        said = said.changed(severity="warning") if other.verdict == "fail" else said
        return found.changed(findings=(*found.findings, said))

    def _others(self, point: Point, plan: Plan, found: Comparison) -> Comparison:
        """The comparison of the first of the other points that fails, made simple; else that of the point itself."""
        told: dict[str, list[str]] = {}
        outside, wanted = 0, plan.points + len(plan.others)
        random = drawn(point, plan.box, DRAWS * plan.points, plan.seed)
        for is_random, there in chain(((False, each) for each in plan.others), ((True, each) for each in random)):
            if self._is_stopped() or (number := sum(map(len, told.values()))) == wanted:
                break
            other = self._in_time(there)
            if other is not None and other.verdict == "fail":
                text = f"point {number + 1} of {wanted} (seed {plan.seed}) fails, at {shown(there)}"
                return self._simple(there, plan, other, text) if is_random else _noted(other, text)
            if is_random and not self._is_stopped() and _is_outside(other):
                outside += 1
            elif not self._is_stopped() or _is_whole(other):
                told.setdefault(other.verdict if other else "not computable", []).append(shown(there))
        return _noted(found, self._told(plan, told, outside)).changed(stopped=self.clock.stopped)

    def _is_stopped(self) -> bool:
        return self.clock.stopped is not None

    def _told(self, plan: Plan, told: dict[str, list[str]], outside: int) -> str:
        """What the other points say, in words."""
        wanted = plan.points + len(plan.others)
        counts = [f"{len(at)} {verdict}" for verdict, at in told.items()]
        if missing := wanted - sum(map(len, told.values())):
            why = "in the domain" if not self.clock.stopped else f"reached {_UNTIL[self.clock.stopped]}"
            counts.append(f"{missing} not {why}")
        first = "".join(f"; the first {verdict}: {at[0]}" for verdict, at in told.items() if verdict != "pass")
        again = f"; {outside} outside of the domain, drawn again" if outside else ""
        seed = f" (seed {plan.seed})" if plan.points else ""
        return f"{wanted} more point{'s' if wanted > 1 else ''}{seed}: {', '.join(counts)}{again}{first}"

    def _verdict(self, point: Point) -> Comparison | None:
        """The comparison at a point; None where the function cannot be computed there."""
        try:
            return self._at(point)
        except (GradcliError, ArithmeticError, ValueError):
            return None

    def _in_time(self, point: Point) -> Comparison | None:
        """The same; None too where Ctrl-C or the alarm comes, also between two calls: no more are made."""
        try:
            return self._verdict(point)
        except KeyboardInterrupt:
            self.clock.stopped = self.clock.stopped or ("out of time" if self.clock.over else "interrupted")
            return None

    def _simple(self, point: Point, plan: Plan, found: Comparison, text: str) -> Comparison:
        """The comparison at the simplest point that is found to fail too; Ctrl-C or the alarm ends the search."""
        simpler = [found]

        def fails(there: Point) -> bool:
            other = None if self.clock.stopped else self._in_time(there)
            if other is None or other.verdict != "fail" or not _is_whole(other):
                return False
            simpler.append(other)
            return True

        simple = simplest(point, plan.box, fails)
        told = f"{text}; it fails at {shown(simple)} too" if simpler[1:] else text
        cut = f"; {self.clock.stopped} while a simpler one was looked for" if self.clock.stopped else ""
        at_last = simpler[-1]
        return at_last.changed(notes=(*at_last.notes, told + cut), stopped=self.clock.stopped)


def _noted(found: Comparison, text: str) -> Comparison:
    return found.changed(notes=(*found.notes, text))


def _is_outside(found: Comparison | None) -> bool:
    """Whether a point is where the function has no value."""
    return found is None or not is_finite(found.value)


def _is_whole(found: Comparison | None) -> bool:
    """Whether a comparison was finished, although no more calls were made from some time on."""
    return found is not None and all(row.verdict is not Verdict.SKIPPED for row in found.components)


def _own(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _is_unfinished(row: Component, early: set[str], exact_is_enough: bool) -> bool:
    """Whether differences are missing for a row that needs them: at a kink, or for want of an exact reference."""
    if row.differences is not None or row.name not in early or row.verdict is Verdict.FAIL:
        return False
    return row.symbolic is None or not exact_is_enough


def _skipped(row: Component, why: str) -> Component:
    return row.changed(verdict=Verdict.SKIPPED, reason=why, tolerance=None)


def _without(found: Comparison, rows: Sequence[Component]) -> Any:
    """The overall verdict over the rows that are finished."""
    return overall([row for row in rows if row.verdict is not Verdict.SKIPPED], found.value, strict=False)


def _undecided(row: Component, other: Component) -> Component:
    """A row that fails, of which the reference follows the random numbers, and the candidate does not."""
    if row.verdict is not Verdict.FAIL or row.candidate != other.candidate or row.reference is None:
        return row
    if other.reference is None or abs(row.reference - other.reference) <= (row.tolerance or 0.0):
        return row
    drawn = f"{row.reference:.6g} with these random numbers, {other.reference:.6g} with others"
    return row.changed(verdict=Verdict.NOISY, reason=f"the derivative is {drawn}", tolerance=None)


def _unrepeatable(found: Comparison) -> Comparison:
    """A comparison of a function that gives other values at each call, of which no derivative is sure."""
    reason = "the function gives another value at each call"
    rows = [
        row if row.verdict is Verdict.NONFINITE else row.changed(verdict=Verdict.NOISY, reason=reason)
        for row in found.components
    ]
    others = tuple(each for each in found.findings if each.code not in ("G301", "G315"))  # told already
    return found.changed(components=tuple(rows), findings=others, verdict=overall(rows, found.value, strict=False))


def _vanishes(found: Comparison) -> bool:
    """Whether every component is zero, or not to be told from zero by differences."""
    rows = [row for row in found.components if row.verdict in (Verdict.PASS, Verdict.VACUOUS)]
    if len(rows) != len(found.components) or {each.code for each in found.findings} & {"G401", "G403"}:
        return False
    return all(abs(row.candidate or 0.0) <= (row.differences_error or 0.0) for row in rows)
