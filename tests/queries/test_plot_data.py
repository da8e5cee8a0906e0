"""The samples of a plot."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import Exit, UserCodeError
from gradcli.queries import plot_data


@pytest.mark.parametrize("query", ["curve", "differences"])
@pytest.mark.parametrize("only_elsewhere", [False, True])
def test_a_plot_ends_when_memory_runs_out(tmp_path, query, only_elsewhere):
    path = tmp_path / "m.py"
    path.write_text(f"def f(x):\n    if not ({only_elsewhere} and x == 2):\n        raise MemoryError\n    return x\n")

    with pytest.raises(UserCodeError, match="MemoryError in f") as caught:
        getattr(queries, query)(f"{path}:f", "2")

    assert Exit.USER_CODE == caught.value.exit


PIECES = """
import math

def f(x, y):
    total = 0.0
    for i in range(20):
        total = total + math.sin(x * i) * y
    return math.log(x) * total if x < 1.5 else total
"""


@pytest.mark.parametrize("target", ["{}:f", "log(x) * sin(3*x) * y + abs(y)", "sqrt(x) * y"])
def test_a_derived_program_draws_the_same_curve(tmp_path, monkeypatch, target):
    """With a gap where the logarithm raises, and a jump."""
    (tmp_path / "f.py").write_text(PIECES)
    target, at, runs, sample = target.format(tmp_path / "f.py"), "x=1,y=2", [], plot_data.sample
    monkeypatch.setattr(plot_data, "sample", lambda *arguments: runs.append(1) or sample(*arguments))
    expected = queries.curve(target, at, within="-0.25:2")
    recorded = len(runs)
    monkeypatch.setattr(plot_data, "WORTH", 0.0)
    monkeypatch.setattr(plot_data, "TRIED", 40)  # those before lie in the gap
    drawn = queries.curve(target, at, within="-0.25:2")

    for ours, theirs in zip(drawn.series, expected.series, strict=True):
        assert (ours.x, ours.name, ours.jumps) == (theirs.x, theirs.name, theirs.jumps)
        np.testing.assert_allclose(ours.y, theirs.y, rtol=1e-11)
    assert drawn.changed(series=()) == expected.changed(series=())
    assert len(runs) - recorded < recorded or "abs" in target
