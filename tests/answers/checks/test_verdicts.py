"""The table of verdicts, row by row, on evidence made by hand; and the verdict over all components."""

import math
from dataclasses import replace

import pytest

import gradcli
from gradcli.answers.checks.amended_verdicts import overall_verdict
from gradcli.answers.checks.evidence_types import (
    Boundary,
    Dispute,
    Evidence,
    Exact,
    Group,
    IsolatedPath,
    Measured,
    Rounding,
    Solver,
)
from gradcli.answers.checks.verdicts import verdict
from gradcli.engine.tape.solver_notes import SolvedEquation
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.shared.records.checks import OUTCOME_EXITS, Component, Verdict

KINKED = Slope(0.0, 1.0, -1.0, 1e-9, 1.0, 1e-9)
STEEP = Slope(math.nan, math.inf, 0.0, 1e-9, math.inf, 0.0)
STEP = Slope(jump=1.0)
FALLING = Slope(0.0, 1e-11, power=0.5, steepest=1.0)
DISPUTE = Dispute("x", 2.0, 1e-16, 3.0, 1e-9)
SURE = Slope(2.0, 1e-9, 2.0, 1e-6, 2.0, 1e-6)


def fields(kind, facts):
    """The facts that a record of the evidence holds."""
    return {name: facts.pop(name) for name in kind.__dataclass_fields__ if name in facts}


def evidence(candidate=2.0, reference=2.0, slope=SURE, slack=1e-7, value=1.0, error=0.0, dispute=None, **facts):
    """Evidence of a component whose derivative is 2."""
    measured, boundary = Measured(slope, **fields(Measured, facts)), Boundary(**fields(Boundary, facts))
    rounding, solver = Rounding(**fields(Rounding, facts)), Solver(**fields(Solver, facts))
    return Evidence(
        value,
        candidate,
        slack,
        None if reference is None else Exact(reference, error),
        measured,
        boundary,
        lambda: rounding,
        lambda: solver,
        lambda: dispute,
        **facts,
    )


def solved(distance):
    """An equation with the solution 1, which a solver stopped at a distance from."""
    return SolvedEquation("scipy.optimize.brentq", 0, distance, 1.0)


def said(**facts):
    return verdict(evidence(**facts))[0]


@pytest.mark.parametrize(("facts", "expected"), [
    ({}, Verdict.PASS),
    ({"candidate": 2.0 + 1e-7}, Verdict.PASS),
    ({"candidate": 2.0 + 1e-6}, Verdict.FAIL),
    ({"candidate": -2.0}, Verdict.FAIL),
    ({"candidate": 0.0}, Verdict.FAIL),
    ({"candidate": math.nan}, Verdict.NONFINITE),
    ({"candidate": math.inf}, Verdict.NONFINITE),
    ({"reference": math.inf}, Verdict.NONFINITE),
    ({"value": math.nan}, Verdict.NONFINITE),
    ({"slope": Slope(jump=1.0), "at_switch": True}, Verdict.JUMP),
    ({"slope": Slope(jump=1.0), "at_switch": False}, Verdict.PASS),
    ({"slope": KINKED, "at_switch": True, "candidate": 0.3, "reference": 0.0}, Verdict.KINK),
    ({"slope": KINKED, "at_switch": True, "candidate": -1.0, "reference": 0.0}, Verdict.KINK),
    ({"slope": KINKED, "at_switch": True, "candidate": 1.1, "reference": 0.0}, Verdict.FAIL),
    ({"slope": KINKED, "at_switch": True, "candidate": 1.0 + 1e-6, "reference": 0.0}, Verdict.FAIL),
    ({"slope": KINKED, "at_switch": True, "candidate": 1.0 + 1e-8, "reference": 0.0}, Verdict.KINK),
    ({"slope": KINKED, "at_switch": False, "candidate": 0.3, "reference": 0.0}, Verdict.FAIL),
    ({"slope": KINKED, "at_switch": True, "candidate": 1.1, "range": (-1.0, 1.2)}, Verdict.KINK),
    ({"slope": KINKED, "at_switch": True, "candidate": 1.3, "range": (-1.0, 1.2)}, Verdict.FAIL),
    ({"at_switch": True, "candidate": 1.1, "range": (1.0, 3.0)}, Verdict.KINK),
    ({"at_switch": True, "candidate": 0.9, "range": (1.0, 3.0)}, Verdict.FAIL),
    ({"at_switch": True, "candidate": 1.1, "range": (2.0, 2.0)}, Verdict.FAIL),
    ({"slope": STEEP, "at_switch": True, "candidate": 0.0, "reference": 0.0}, Verdict.NONFINITE),
    ({"slope": STEEP, "at_switch": False, "candidate": 0.0, "reference": 0.0}, Verdict.PASS),
    ({"cut": True, "candidate": 0.0, "reference": 0.0}, Verdict.CUT),
    ({"cut": True, "candidate": 1.0, "reference": 0.0}, Verdict.FAIL),
    ({"cut": True, "candidate": 1.0, "reference": 0.0, "wide": Slope()}, Verdict.NOISY),
    ({"cut": True, "candidate": 1.0, "reference": 0.0, "wide": Slope(1.0, 1e-9)}, Verdict.CUT),
    ({"cut": True, "candidate": 1.0, "reference": 0.0, "wide": Slope(1.1, 1e-9)}, Verdict.FAIL),
    ({"cut": True, "candidate": 1.0, "reference": 0.0, "wide": Slope(1.1, 0.1)}, Verdict.NOISY),
    ({"cut": True, "candidate": 0.0, "reference": 0.0, "wide": Slope(1.1, 1e-9)}, Verdict.CUT),
    ({"cut": True, "candidate": 1.0, "at_switch": True, "slope": STEP, "wide": Slope(1.0, 1e-9)}, Verdict.CUT),
    ({"cut": True, "candidate": 0.0, "at_switch": True, "slope": STEP, "wide": Slope(1.0, 0.5)}, Verdict.JUMP),
    ({"run_difference": "two values"}, Verdict.DISPUTED),
    ({"run_difference": "two values", "candidate": math.nan}, Verdict.DISPUTED),
    ({"dispute": DISPUTE}, Verdict.DISPUTED),
    ({"dispute": DISPUTE, "candidate": 3.0}, Verdict.DISPUTED),
    ({"dispute": DISPUTE, "candidate": 2.1, "own": 0.5, "largest_term": 10.0}, Verdict.ROUNDOFF),
    ({"candidate": 2.1, "own": 0.5, "largest_term": 10.0}, Verdict.ROUNDOFF),
    ({"candidate": 2.1, "own": 0.05, "largest_term": 10.0}, Verdict.FAIL),
    ({"candidate": 4.0, "own": math.inf}, Verdict.FAIL),
    ({"candidate": 4.0, "own": math.inf, "slope": Slope(2.0, 1.0)}, Verdict.ROUNDOFF),
    ({"candidate": 4.0, "own": math.inf, "slope": None}, Verdict.ROUNDOFF),
    ({"candidate": 2.0, "own": 0.5, "largest_term": 10.0}, Verdict.PASS),
    ({"candidate": 2.1, "own": 0.5, "largest_term": 1e8}, Verdict.PASS),
    ({"candidate": 2.1, "own": None, "sweep": 0.5, "largest_term": 10.0}, Verdict.FAIL),
    ({"candidate": 2.1, "own": None, "sweep": 0.5, "largest_term": 1e8}, Verdict.PASS),
    ({"reference": 0.0, "candidate": 0.0, "slope": None}, Verdict.PASS),
    ({"candidate": 2.1, "sweep": 0.5, "largest_term": 1e8, "input_change": 1e-9, "own": 0.5}, Verdict.ROUNDOFF),
    ({"candidate": 2.1, "sweep": 0.5, "largest_term": 1e8, "input_change": 1e-9}, Verdict.FAIL),
    ({"candidate": 2.1, "sweep": 0.5, "largest_term": 1e8, "input_change": 0.2}, Verdict.PASS),
    ({"candidate": 2.1, "own": 0.5, "largest_term": 1e8, "largest_contribution": 1e7}, Verdict.PASS),
    ({"candidate": 0.1, "reference": 0.0, "own": 0.5, "largest_term": 1.0, "largest_contribution": 1e7},
        Verdict.PASS),
    ({"candidate": 0.1, "reference": 0.0, "own": 0.5, "largest_term": 1.0, "largest_contribution": 1e6},
        Verdict.ROUNDOFF),
    ({"candidate": 2.1, "own": 0.5, "largest_term": 1e8, "largest_contribution": 1e6}, Verdict.ROUNDOFF),
    ({"candidate": 2.0, "own": 0.5, "largest_term": 1e8, "largest_contribution": 1e6}, Verdict.PASS),
    ({"candidate": 3.0, "path": IsolatedPath(0.0, Slope(3.0, 1e-9))}, Verdict.PASS),
    ({"candidate": 2.0, "path": IsolatedPath(0.0, Slope(3.0, 1e-9))}, Verdict.FAIL),
    ({"candidate": 3.0, "path": IsolatedPath(1e-9, Slope(3.0, 1e-9))}, Verdict.NOISY),
    ({"candidate": 2.0, "path": IsolatedPath(1e-9, Slope(3.0, 1e-9))}, Verdict.NOISY),
    ({"candidate": 4.0, "path": IsolatedPath(1e-9, Slope(3.0, 1e-9))}, Verdict.FAIL),
    ({"candidate": 2.0 + 1e-6, "equation": solved(1e-7)}, Verdict.NOISY),
    ({"candidate": 2.0 + 1e-5, "equation": solved(1e-7)}, Verdict.FAIL),
    ({"candidate": 2.0 + 1e-8, "equation": solved(1e-7)}, Verdict.PASS),
    ({"equation": solved(1e-7), "path": IsolatedPath(0.0, Slope(2.0 + 1e-3, 1e-9))}, Verdict.PASS),
    ({"equation": solved(1e-7), "path": IsolatedPath(0.0, Slope(2.1, 1e-9))}, Verdict.FAIL),
    ({"equation": solved(1e-12), "path": IsolatedPath(0.0, Slope(2.0 + 1e-3, 1e-9))}, Verdict.FAIL),
    ({"candidate": 2.1, "equation": solved(1.0)}, Verdict.FAIL),
    ({"candidate": 2.0 + 1e-6, "equation": solved(1e-7), "path": IsolatedPath(1e-9, Slope(3.0, 1e-9))},
        Verdict.NOISY),
    ({"reference": None}, Verdict.PASS),
    ({"reference": None, "candidate": 2.0 + 1e-5}, Verdict.FAIL),
    ({"reference": None, "candidate": 0.0, "slope": Slope(0.0, 1e-12), "largest": 1.0}, Verdict.PASS),
    ({"reference": None, "candidate": 1e-13, "slope": Slope(0.0, 1e-12), "largest": 1.0}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 0.0, "slope": Slope(0.0, 1e-6), "largest": 1.0}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 2.1}, Verdict.FAIL),
    ({"reference": None, "candidate": 2.0 + 1e-6, "slope": Slope(2.0, 1e-3)}, Verdict.NOISY),
    ({"reference": None, "candidate": 3.0, "slope": Slope(2.0, 1e-3)}, Verdict.FAIL),
    ({"reference": None, "candidate": 0.0, "slope": Slope(1e-12, 1e-9)}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 0.0, "slope": Slope(0.0, 0.0)}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 0.0, "slope": FALLING}, Verdict.PASS),
    ({"reference": None, "candidate": 1e-9, "slope": FALLING}, Verdict.FAIL),
    ({"reference": None, "candidate": 1e-12, "slope": FALLING}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 1e-15, "slope": replace(FALLING, error=1e-13)}, Verdict.PASS),
    ({"reference": None, "candidate": 1.5e-13, "slope": replace(FALLING, error=1e-13)}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 1.0, "slope": Slope(0.0, 1.0, power=2.0, steepest=1e3)}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 2.0, "slope": Slope(0.0, 1.0, power=2.0, steepest=1e13)}, Verdict.VACUOUS),
    ({"reference": None, "candidate": 2.0 * (1 + 3e-7), "slope": Slope(2.0, 1e-12)}, Verdict.FAIL),
    ({"reference": None, "slope": Slope(reason="its values jump")}, Verdict.NOISY),
    ({"reference": None, "slope": None}, Verdict.NOISY),
    ({"reference": None, "slope": None, "group": Group(9, 1e-10, 1e-9, 1.0)}, Verdict.PASS),
    ({"reference": None, "slope": None, "group": Group(9, 1.0, 1e-9, 1.0)}, Verdict.FAIL),
    ({"reference": None, "slope": None, "group": Group(9, 0.0, 1e-9, 0.0)}, Verdict.NOISY),
    ({"reference": None, "slope": None, "group": Group(9, 0.0, 1e-9, 0.0, flat=True)}, Verdict.PASS),
    ({"reference": None, "slope": None, "group": Group(9, 0.1, 0.5, 1.0)}, Verdict.NOISY),
    ({"reference": None, "slope": None, "group": Group(9, math.nan, math.inf, 1.0)}, Verdict.NOISY),
])  # fmt: skip
def test_the_first_row_that_applies_decides(facts, expected):
    assert said(**facts) is expected


@pytest.mark.parametrize("slack", [1e-7, 1e-4, 1e-2])
def test_the_slack_is_relative(slack):
    """Just inside passes, just outside fails, whatever the scale."""
    for scale in (1e-200, 1.0, 1e200):
        reference = 2.0 * scale
        inside, outside = reference * (1 + 0.99 * slack), reference * (1 + 1.01 * slack)

        assert (Verdict.PASS, Verdict.FAIL) == tuple(
            said(candidate=x, reference=reference, slack=slack) for x in (inside, outside)
        )


def test_the_tolerance_is_the_larger_of_slack_and_rounding():
    """Rounding counts while it is below the slack of the largest contribution."""
    assert evidence().tolerance == 2e-7
    assert evidence(own=1e-3, largest_term=1e5).tolerance == 1e-3
    assert evidence(own=1e-3, largest_term=1e3).tolerance == 2e-7


def test_a_kink_is_judged_at_its_own_scale():
    """Slopes of a billionth are told apart like those of 1."""
    small = Slope(0.0, 1e-9, -1e-9, 1e-18, 1e-9, 1e-18)

    assert said(slope=small, at_switch=True, candidate=5e-10, reference=0.0) is Verdict.KINK
    assert said(slope=small, at_switch=True, candidate=5e-9, reference=0.0) is Verdict.FAIL


def test_the_reason_of_a_failure_says_by_how_much():
    assert verdict(evidence(candidate=2.5))[1] == "off by 0.5, where 2e-07 is allowed"


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        (2.0 * (1 + 1.0000001e-7), 2.0, "off by 2.0000002e-07, where 2e-07 is allowed"),
        (2.0 * (1 + 1.004e-7), 2.0, "off by 2.008e-07, where 2e-07 is allowed"),
        (5.98 * (1 + 1.001e-7), 5.98, "off by 5.98598e-07, where 5.98e-07 is allowed"),
        (-6.0, 6.0, "off by 12, where 6e-07 is allowed"),
        (7e-9, 0.0, "off by 7e-09"),
    ],
)
def test_a_distance_is_seen_to_be_beyond_the_tolerance(candidate, reference, expected):
    slope = Slope(reference, 1e-12, reference, 1e-9, reference, 1e-9)

    assert verdict(evidence(candidate=candidate, reference=reference, slope=slope))[1] == expected


def row(verdict, candidate=2.0, symbolic=2.0):
    return Component("x", verdict, candidate, symbolic, 2.0, symbolic, 2.0, 1e-9, 1e-7, "")


@pytest.mark.parametrize(
    ("verdicts", "strict", "expected", "exit"),
    [
        (["PASS", "PASS"], False, "pass", 0),
        (["FAIL", "NONFINITE", "ROUNDOFF"], False, "fail", 1),
        (["NONFINITE", "ROUNDOFF", "PASS"], False, "nonfinite", 4),
        (["SKIPPED", "SKIPPED"], False, "unchecked", 6),
        ([], False, "unchecked", 6),
        (["SKIPPED", "PASS"], False, "pass", 0),
        (["ROUNDOFF", "PASS"], False, "inconclusive", 3),
        (["DISPUTED", "PASS"], False, "inconclusive", 3),
        (["JUMP", "PASS"], False, "inconclusive", 3),
        (["NOISY", "PASS"], False, "inconclusive", 3),
        (["VACUOUS", "PASS"], False, "inconclusive", 3),
        (["KINK", "CUT", "PASS"], False, "pass", 0),
        (["KINK", "PASS"], True, "inconclusive", 3),
        (["CUT", "PASS"], True, "inconclusive", 3),
        (["PASS"], True, "pass", 0),
    ],
)
def test_the_verdict_over_all(verdicts, strict, expected, exit):
    """The first that applies, and the exit code that it stands for."""
    rows = [row(Verdict[name], math.nan if name == "NONFINITE" else 2.0, None) for name in verdicts]
    found = overall_verdict(rows, 1.0, strict)

    assert (expected, exit) == (found, int(OUTCOME_EXITS[found]))


@pytest.mark.parametrize(
    ("candidate", "symbolic", "value", "expected"),
    [
        (math.nan, 2.0, 1.0, "fail"),
        (math.nan, None, 1.0, "nonfinite"),
        (math.nan, math.inf, 1.0, "nonfinite"),
        (math.nan, 2.0, math.nan, "nonfinite"),
        (2.0, 2.0, math.nan, "nonfinite"),
    ],
)
def test_where_only_the_candidate_is_not_finite_it_is_wrong(candidate, symbolic, value, expected):
    """A derivative that exists, of a value that exists, has to be found."""
    assert overall_verdict([row(Verdict.NONFINITE, candidate, symbolic)], value, strict=False) == expected


@pytest.mark.parametrize("at", [1.3, 1.8, 2.9])
def test_a_derivative_that_is_0_everywhere(at):
    """What rounding leaves of it is right; a number from elsewhere is not, however small."""
    f = lambda x: math.sin(x) ** 2 + math.cos(x) ** 2
    by_hand = lambda x: 2 * math.sin(x) * math.cos(x) - math.sin(2 * x)

    assert gradcli.check(f, at=at).verdict == "pass"
    assert gradcli.check(f, at=at, against=by_hand).verdict == "pass"
    assert gradcli.check(f, at=at, against=lambda x: 1e-17).verdict == "fail"
