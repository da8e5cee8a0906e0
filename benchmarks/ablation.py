"""`python -m benchmarks.ablation`: the verdicts on the corpus that depend on each mechanism of `check`.

Each mechanism is switched off in turn, and the claims whose verdicts change are counted. A mechanism that changes no
verdict must be justified in another way, or be removed. Only claims on which a mechanism has an effect are judged
again, so the whole run takes a few times as long as the corpus itself.
"""

from __future__ import annotations

import argparse
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import numpy as np

import gradcli
from gradcli.answers.checks import references, verdicts
from tests.corpus import CLAIMS, NAMED, OVERALL, Claim

SHOWN = 3  # claims whose names are printed
Judged = tuple[str, frozenset[str]]  # the overall verdict, and those of the components


def _nothing(*_: Any) -> None:
    """Find nothing."""


def _no(*_: Any, **__: Any) -> bool:
    return False


def _unchanged(_: Any, evidence: Any, *__: Any) -> Any:
    """The unchanged evidence."""
    return evidence


@dataclass(frozen=True)
class Mechanism:
    """A function of `check` that can be switched off.

    Attributes:
        place: the module in which the function is looked up, and its name there, which may be that of a method.
        off: the replacement, with the same arguments.
    """

    place: str
    off: Callable[..., Any] = _nothing

    @property
    def owner(self) -> Any:
        """The module or class in which the function is looked up."""
        *modules, last = self.place.split(".")[:-1]
        if last[0].islower():
            return import_module(".".join(["gradcli", *modules, last]))
        return getattr(import_module(".".join(["gradcli", *modules])), last)

    @property
    def name(self) -> str:
        """The name of the function in its owner."""
        return self.place.rpartition(".")[2]

    @property
    def lines(self) -> int:
        """The number of its own lines, without those of functions that it calls."""
        member = inspect.getattr_static(self.owner, self.name)
        return len(inspect.getsource(member.func if isinstance(member, cached_property) else member).splitlines())

    @contextmanager
    def replaced(self, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
        """Replace the function by one made from it, within a context."""
        before = inspect.getattr_static(self.owner, self.name)
        table = verdicts.TABLE
        if isinstance(before, cached_property):
            now: Any = cached_property(wrap(before.func))
            now.__set_name__(self.owner, self.name)
        else:
            now = wrap(before)
        setattr(self.owner, self.name, now)
        verdicts.TABLE = tuple(now if row is before else row for row in table)
        try:
            yield
        finally:
            setattr(self.owner, self.name, before)
            verdicts.TABLE = table


MECHANISMS = [
    # the exact reference
    Mechanism("answers.checks.references.exact_derivatives", references.no_exact_derivatives),
    # For runs that are too long for the exact reference; no claim is that slow, so it decides none.
    Mechanism(
        "answers.checks.references.by_rules", lambda case, last, reason: references.no_exact_derivatives(case, reason)
    ),
    Mechanism("answers.checks.references.errors_of_sweep", lambda *_: []),
    # differences, and their step lengths
    Mechanism("methods.diagnose.outcome_margins.nearest_change", lambda *_: math.inf),
    Mechanism("methods.diagnose.outcome_margins.confirmed", lambda tape, at, distance, longest: distance),
    Mechanism("methods.numerics.differences.scatter", lambda *_: 0.0),
    Mechanism("methods.numerics.difference_quotients.growing", lambda *_: 0.0),
    Mechanism("methods.numerics.differences.with_surer_sides", lambda short, long: short),
    Mechanism("methods.numerics.differences.Ladder.flattens", _no),
    Mechanism("methods.numerics.differences.Ladder.falls", lambda *_: (None, None)),
    Mechanism("methods.numerics.extrapolation.slow_limit"),
    # facts that a single recorded run does not show
    Mechanism("answers.checks.evidence._without_texts", lambda case: case),
    Mechanism("answers.checks.slopes_by_array.with_small_jump", lambda case, part, slope: slope),
    Mechanism("answers.checks.nonsmooth.isolated_paths.isolated_path"),
    Mechanism("answers.checks.evidence.form_a_gradient", lambda *_: True),
    Mechanism("answers.checks.evidence.nonadditive_direction", lambda *_: ""),
    Mechanism("answers.checks.nonsmooth.isolated_paths.stands_alone", _no),
    Mechanism("answers.checks.references.on_the_whole"),
    Mechanism("answers.checks.references.falling_beside"),
    Mechanism("answers.checks.problem.compared_case.only_through_outcomes", lambda *_: []),
    Mechanism("answers.checks.late_evidence.iteration_changes", lambda case, evidence: [None] * len(evidence)),
    Mechanism("answers.checks.nonsmooth.inverted_loop_exit.leaves_loop"),
    # pieces that meet at a kink
    Mechanism("answers.checks.evidence.with_pieces", _unchanged),
    Mechanism("answers.checks.evidence.with_agreed", lambda e, *_: e),
    Mechanism("answers.checks.evidence.turning_alike", lambda *_: []),
    Mechanism("answers.checks.evidence.membership", lambda *_: "undecided"),
    Mechanism("answers.checks.nonsmooth.subgradient_membership.MembershipSearch.separation_by_one_component", _no),
    Mechanism("answers.checks.nonsmooth.subgradient_membership.MembershipSearch.separation_by_slopes", _no),
    Mechanism("answers.checks.nonsmooth.subgradient_membership.MembershipSearch.bends_one_way", lambda *_: True),
    Mechanism("answers.checks.nonsmooth.subgradient_membership.explore", _no),
    Mechanism("methods.numerics.smooth_pieces.Pieces.bounded", lambda *_: True),
    # errors explained by rounding
    Mechanism("answers.checks.evidence.steepest_alike", lambda case, slopes: [0.0] * len(slopes)),
    Mechanism(
        "answers.checks.evidence.own_roundings",
        lambda case, evidence, by_hand: [replace(e.rounding, own=None) for e in evidence],
    ),
    Mechanism("answers.checks.late_evidence.with_summands", _unchanged),
    Mechanism("answers.checks.late_evidence.with_input_change", _unchanged),
    Mechanism("answers.checks.late_evidence.with_trials", _unchanged),
    Mechanism("answers.checks.late_evidence.with_largest_contribution", _unchanged),
    # contradictions
    Mechanism("answers.checks.evidence.disputed_components", lambda case, evidence: [None] * len(evidence)),
    Mechanism("answers.checks.evidence.of_values"),
    Mechanism("answers.checks.contradictory_evidence.joint_contradiction"),
    Mechanism("answers.checks.many_components.joint_contradiction"),
    Mechanism("answers.checks.contradictory_evidence.is_explained", _no),
    # rows of the table of verdicts, and the functions they use
    *(Mechanism(f"answers.checks.verdicts.{row.__name__}") for row in verdicts.TABLE[:-1]),
    Mechanism("answers.checks.verdicts.is_refuted", _no),
    Mechanism("answers.checks.verdicts.is_flat", _no),
]


def judged(claim: Claim) -> Judged:
    """The verdicts on a claim; an error counts as a verdict."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            report = gradcli.check(claim.f, at=claim.at, against=claim.gradient, of=claim.of)
        except Exception as error:  # a missing result may be needed later
            return type(error).__name__, frozenset()
    return report.verdict, frozenset(row.verdict.value for row in report.components)


def is_right(claim: Claim, verdicts_of_claim: Judged) -> bool:
    """Whether the verdict is the right one for the claim, with the required component verdict."""
    overall, named = verdicts_of_claim
    return overall == OVERALL[claim.truth] and NAMED.get(claim.truth, overall) in {overall, *named}


def baseline(claims: Sequence[Claim]) -> tuple[list[Judged], dict[str, list[int]]]:
    """The verdicts with every mechanism, and the claims on which each mechanism has an effect."""
    before, acts_on = [], {mechanism.place: [] for mechanism in MECHANISMS}
    active: set[str] = set()
    with ExitStack() as replaced:
        for mechanism in MECHANISMS:
            replaced.enter_context(mechanism.replaced(partial(_recording_effect, mechanism, active)))
        for number, claim in enumerate(claims):
            active.clear()
            before.append(judged(claim))
            for place in active:
                acts_on[place].append(number)
    return before, acts_on


def _recording_effect(mechanism: Mechanism, active: set[str], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which adds its mechanism to the active ones if a result differs from that of its replacement."""

    def recording(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        if mechanism.place not in active and not _is_same(result, mechanism.off(*arguments, **options)):
            active.add(mechanism.place)
        return result

    return recording


def _is_same(result: Any, without: Any) -> bool:
    try:
        return bool(result is without or result == without)
    except ValueError:  # arrays
        return False


@dataclass(frozen=True)
class Decided:
    """The verdicts that depend on a mechanism.

    Attributes:
        mechanism: the mechanism.
        acts_on: the number of claims on which it has an effect.
        worse: the claims whose verdict is wrong only without it.
        better: the claims whose verdict is right only without it.
        other: the claims whose verdict changes but stays right, or stays wrong.
    """

    mechanism: Mechanism
    acts_on: int
    worse: list[Claim]
    better: list[Claim]
    other: list[Claim]

    def text(self) -> str:
        """The row of the table, with the names of some claims."""
        counts = "".join(f"{len(some):>8}" for some in (self.worse, self.better, self.other))
        names = "; ".join(claim.name for claim in (*self.worse, *self.better, *self.other)[:SHOWN])
        return f"{self.mechanism.place:46}{self.mechanism.lines:>6}{self.acts_on:>8}{counts}  {names}".rstrip()


def without(mechanism: Mechanism, claims: Sequence[Claim], before: Sequence[Judged], acts_on: list[int]) -> Decided:
    """The changes without a mechanism, on the claims on which it has an effect."""
    decided = Decided(mechanism, len(acts_on), [], [], [])
    with mechanism.replaced(lambda _: mechanism.off):
        for number in acts_on:
            claim, now = claims[number], judged(claims[number])
            if now == before[number]:
                continue
            was_right, is_right_now = is_right(claim, before[number]), is_right(claim, now)
            if was_right == is_right_now:
                decided.other.append(claim)
            else:
                (decided.worse if was_right else decided.better).append(claim)
    return decided


def main(arguments: list[str] | None = None) -> int:
    """Print a row per mechanism."""
    build = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=sys.modules[__name__].__doc__)
    build.add_argument("--quick", action="store_true", help="every twentieth claim: shows that it runs, no more")
    build.add_argument("--only", metavar="TEXT", nargs="+", default=[""], help="mechanisms with TEXT in their name")
    options = build.parse_args(arguments)
    claims = CLAIMS[::20] if options.quick else CLAIMS
    before, acts_on = baseline(claims)
    print(f"{len(claims)} claims, {sum(map(is_right, claims, before))} judged rightly; without a mechanism become")
    print(f"{'':46}{'lines':>6}{'claims':>8}{'wrong':>8}{'right':>8}{'other':>8}")
    for mechanism in MECHANISMS:
        if any(text in mechanism.place for text in options.only):
            print(without(mechanism, claims, before, acts_on[mechanism.place]).text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
