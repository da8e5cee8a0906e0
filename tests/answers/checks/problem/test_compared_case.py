"""What a check knows of the run that it compares."""

import math
from contextlib import nullcontext

import numpy as np
import pytest

from gradcli import trace
from gradcli.answers.checks.problem.compared_case import MOST_TOUCHED, Case
from gradcli.engine.traces.trace import Trace
from gradcli.methods.numerics.coordinates import coordinates


def branched(x, y):
    return x * y if x + 2.0 * y < 5.0 and x > 0.5 else x


def by_last_sign(x):
    return x[0] * 2.0 if x[-1] > 0.0 else x[0]


@pytest.fixture
def case():
    point = {"x": 1.0, "y": 1.0}
    return Case(branched, point, coordinates(point), trace(branched, 1.0, 1.0), 1.0, lambda doing, **_: nullcontext())


def test_the_reach_through_all_numbers_follows_from_those_by_each(case, monkeypatch):
    """The run is swept forward once for each number, and no more for a direction."""
    swept = []
    tangents = Trace.tangents
    monkeypatch.setattr(Trace, "tangents", lambda *asked: swept.append(asked) or tangents(*asked))

    alone = [case._moving([part], [1.0]) for part in case.parts]
    steps = [0.5, -2.0]
    together = case._moving(case.parts, steps)

    assert together == {node: 0.5 * alone[0][node] - 2.0 * alone[1][node] for node in alone[0]}
    assert len(swept) == 2
    assert 0.0 < case.reach(case.parts, steps) < math.inf


def test_a_smaller_case_examines_its_own_parts():
    """Those of a large case are examined up to `MOST_TOUCHED` alone, and a smaller one does not inherit that."""
    point = {"x": np.ones(MOST_TOUCHED + 2)}
    run = trace(by_last_sign, point["x"])
    case = Case(by_last_sign, point, coordinates(point), run, 2.0, lambda doing, **_: nullcontext())

    before, smaller = case.cut, case.of_parts(case.parts[-1:])

    assert before == set()
    assert smaller.cut == {MOST_TOUCHED + 1}
    assert smaller.arrays is case.arrays
