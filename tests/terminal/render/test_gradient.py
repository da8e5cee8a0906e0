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

NESTED = """\
model.py:loss
at w=[[0.1, 0.25], [1e-17, 3.0]], b=12345.678

value  -0.1234567890123456

name    point      gradient
──────  ─────────  ────────
w[0,0]      0.1      0.1
w[0,1]      0.25    -0.25
w[1,0]      1e-17    1e-17
w[1,1]      3.0    nan
b       12345.678    1.0
"""

WITHOUT_POINT = """\
x^2 + sin(y)
read as f(x, y) = x**2 + sin(y)
at x=1.0, y=2.0

value  1.9092974268256817

name  gradient
────  ───────────────────
x      2.0
y     -0.4161468365471424
at width 30 left out: point
(--width 32 or a pipe shows
all)
"""

BLOCKS = """\
x^2 + sin(y)
read as f(x, y) = x**2 + sin(y)
at x=1.0, y=2.0

value  1.9092974268256817

name      x
point     1.0
gradient  2.0

name      y
point     2.0
gradient  -0.4161468365471424
"""


@pytest.mark.parametrize("width", [None, 80, 120])
def test_a_vector(width: int | None) -> None:
    """One row a component: its name, the point, the derivative; the same at every width that is enough."""
    assert record_text(samples.GRADIENT, Look(width=width)) == VECTOR


def test_several_inputs_of_any_shape() -> None:
    """Rows of all inputs follow each other, numbers aligned by the decimal point."""
    assert record_text(samples.NESTED, Look()) == NESTED


def test_too_narrow_for_the_point() -> None:
    assert record_text(samples.EXPRESSION, Look(width=30)) == WITHOUT_POINT


def test_too_narrow_for_a_table() -> None:
    """Where not even the gradient fits beside its name, each number has its lines, and is never cut."""
    assert record_text(samples.EXPRESSION, Look(width=20)) == BLOCKS


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


def test_in_colour() -> None:
    """Colour adds to the words: the text under it is the same."""
    expected = (
        "\x1b[1mexamples/hyperbox.py:f4\x1b[0m\n"
        "\x1b[2mat \x1b[0m\x1b[36mside_lengths\x1b[0m=[1.0, 2.0, 3.0, 4.0]\n"
        "\n"
        "\x1b[2mvalue\x1b[0m  \x1b[1m100.0\x1b[0m\n"
    )

    assert record_text(samples.GRADIENT, Look(width=80, coloured=True, terminal=True)).startswith(expected)


def test_names_of_the_user_cannot_steer_a_terminal() -> None:
    """An escape sequence in a target is written out."""
    record = samples.Gradient("\x1b[31mx", {"x": 1.0}, 1.0, {"x": 1.0})

    assert record_text(record, Look()).startswith("\\x1b[31mx\n")
