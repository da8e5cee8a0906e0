"""A tape as a tree."""

import pytest

from gradcli import queries
from gradcli.terminal.render import Look, record_text

PROGRAM = """
from scipy.interpolate import CubicSpline
def f(x): return CubicSpline([0, 1, 2, 3], [0, 1, 4, 9])(x) * x
"""


def test_a_call_of_a_library_is_one_node(tmp_path) -> None:
    pytest.importorskip("scipy")
    path = tmp_path / "spline.py"
    path.write_text(PROGRAM)
    record = queries.tape(f"{path}:f", "1.5")
    text = record_text(record, Look(), part="tree")

    assert record.nodes[-1].index > len(record.nodes)
    assert "CubicSpline([0, 1, 2, 3], [0, 1, 4, 9])(x)  → 2.25  s 1.5" in text
