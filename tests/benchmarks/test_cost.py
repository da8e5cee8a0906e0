"""The table of what gradients cost."""

from __future__ import annotations

import numpy as np
import pytest

import gradcli
from benchmarks import cost


def test_a_line_shows_each_way_and_the_break_even():
    measured = {"function": 2e-6, "recorded": 30.0, "derived": 5.5, "compiled": 3.25}
    assert cost.line(10, measured).split() == ["10", "2", "30*", "5.5", "3.25", "11", "3"]


@pytest.mark.parametrize("family", cost.FAMILIES)
def test_each_way_gives_the_gradient(family):
    f, x = cost.FAMILIES[family], cost.point(family, 7)
    expected = gradcli.grad(f)(x)
    for gradient in cost.gradients(f, x).values():
        np.testing.assert_allclose(gradient(x), expected, 1e-12)


def test_it_prints_a_table_of_each_family(capsys):
    assert cost.main(["--quick", "--only", "elements"]) == 0
    assert [line.split()[:1] for line in capsys.readouterr().out.splitlines()][2:] == [
        ["elements:"],
        ["inputs"],
        ["1"],
        ["10"],
    ]
