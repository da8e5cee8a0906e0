"""`gradcli grad`: target, point, value, and a row for each number."""

import pytest

from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

VECTOR = """\
examples/hyperbox.py:f4
at side_lengths=[1.0, 2.0, 3.0, 4.0]

value  100.0

name             point  gradient
───────────────  ─────  ────────
side_lengths[0]  1.0    52.0
side_lengths[1]  2.0    38.0
side_lengths[2]  3.0    28.0
side_lengths[3]  4.0    22.0
"""


@pytest.mark.parametrize("width", [None, 80, 120])
def test_a_vector(width: int | None) -> None:
    """One row a component: its name, the point, the derivative; the same at every width that is enough."""
    assert record_text(samples.GRADIENT, Look(width=width)) == VECTOR


def test_a_long_vector_on_a_terminal() -> None:
    """On a terminal the first rows are shown and the others counted; the point is short."""
    lines = record_text(samples.LONG, Look(width=80, terminal=True)).splitlines()

    assert lines[1] == "at x=[0.0, 0.3333333333333333, 0.6666666666666666, … 1000 numbers]"
    assert lines[-1] == "… 960 more (a pipe or --json shows all)"
    assert len(lines) == 48


def test_a_long_vector_in_a_pipe() -> None:
    lines = record_text(samples.LONG, Look()).splitlines()

    assert len(lines) == 1007
    assert lines[-1] == "x[999]  333.0                 142.71428571428572"
    assert "… 1000 numbers]" in lines[1]
    assert "…" not in "".join(lines[2:])


def test_names_of_the_user_cannot_steer_a_terminal() -> None:
    """An escape sequence in a target is written out."""
    record = samples.Gradient("\x1b[31mx", {"x": 1.0}, 1.0, {"x": 1.0})

    assert record_text(record, Look()).startswith("\\x1b[31mx\n")
