"""`gradcli hessian`: a matrix where it fits, else a list of its entries."""

from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

MATRIX = """\
f.py:g
at x=[1.0, 2.0], k=3.0

value  4.0

component  ∂/∂x[0]  ∂/∂x[1]  ∂/∂k
─────────  ───────  ───────  ────
x[0]       1.0      2.0      0.5
x[1]       2.0      1e-10    7.0
k          0.5      7.0      9.0
"""


def test_a_matrix() -> None:
    """A row and a column for each number of the point."""
    assert record_text(samples.HESSIAN, Look(width=80)) == MATRIX


def test_entries_where_the_matrix_is_too_wide() -> None:
    lines = record_text(samples.HESSIAN, Look(width=32)).splitlines()

    assert lines[5] == "component  by    derivative"
    assert lines[12] == "x[1]       k     7.0"
