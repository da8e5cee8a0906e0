"""The table of what a gradient costs."""

from __future__ import annotations

import pytest

from gradcli.shared.records.derivatives import GradientCost, MeasuredCost
from gradcli.terminal.render import Look, record_text
from gradcli.terminal.render.gradient_cost import duration


def test_each_computation_has_a_row():
    costs = (MeasuredCost("function", 2e-6, 1.0), MeasuredCost("recorded gradient", 3e-3, 1500.0, 1500))
    text = record_text(GradientCost("f", {"x": 1.0}, 2.0, {"x": 3.0}, 1, costs, "it prints"), Look(width=80))
    assert text.splitlines()[:9] == [
        "f",
        "at x=1.0",
        "",
        "                   a call  times the function  beats differences from",
        "─────────────────  ──────  ──────────────────  ──────────────────────",
        "function             2 µs                   1                       —",
        "recorded gradient    3 ms             1.5e+03             1500 inputs",
        "",
        "not compiled: it prints",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (0.25, "250 ms"), (1.5e-6, "1.5 µs"), (3e-9, "3 ns"), (5e-10, "0.5 ns")]
)
def test_a_time_has_the_unit_that_suits_it(seconds, text):
    assert duration(seconds) == text
