"""`gradcli explain`: the whole output, at 80 columns and in a pipe."""

from __future__ import annotations

import pytest

from gradcli.render import Look, record_text
from gradcli.render.sums import Headline, Listing, Sum
from tests.render import samples

WHOLE = """\
f.py:f
at x=2.0, y=3.0

value  6.25

backwards from the result, whose own sensitivity is 1

f.py:4  r = p + 0.25  → 6.25
  s_p += 1        1.0 = 0.0 + 1.0

f.py:3  p = x * y  → 6.0
  s_x += y * s_p  3.0 = 0.0 + 3.0
  s_y += x * s_p  2.0 = 0.0 + 2.0

the gradient
name  point  gradient
────  ─────  ────────
x     2.0    3.0
y     3.0    2.0
"""

FOLDED = """\
f.py:f
at x=1.0

value  16.0

backwards from the result, whose own sensitivity is 1

×4 a loop; its last turn (--expand shows all)

  f.py:3  x = 2 * x  → 16.0
    s_x#4 += 2 * s_x#5  2.0 = 0.0 + 2.0

×4 after all turns
  s_x = 16.0

the gradient
name  point  gradient
────  ─────  ────────
x     1.0    16.0
"""


@pytest.mark.parametrize("width", [None, 80])
def test_an_explanation(width: int | None) -> None:
    """The user's line, and below it each addition with its numbers."""
    assert WHOLE == record_text(samples.EXPLANATION, Look(width=width))


def test_a_loop() -> None:
    """One turn stands for all, with what they came to."""
    assert FOLDED == record_text(samples.EXPLAINED_LOOP, Look(width=80))


def test_every_turn() -> None:
    """With `expand` each turn has its own headline."""
    assert 4 == record_text(samples.EXPLAINED_LOOP, Look(width=80), expand=True).count("f.py:3  x = 2 * x")


def drawn(*parts: Headline | Sum, width: int = 80) -> list[str]:
    """Parts as lines of text."""
    lines = Listing(parts).lines(width, False)
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def test_numbers_below_a_long_term() -> None:
    """The numbers keep their column."""
    short, long = (Sum("", "s_x", term, 5.0, 2.0, 3.0) for term in ("y * s_p", "cos(x) * " * 5 + "s_p"))

    assert [
        "s_x += y * s_p  5.0 = 2.0 + 3.0",
        "s_x += cos(x) * cos(x) * cos(x) * cos(x) * cos(x) * s_p",
        "                5.0 = 2.0 + 3.0",
    ] == drawn(short, long)


def test_numbers_that_are_too_wide() -> None:
    """Each stands in a line of its own, whole."""
    wide = Sum("  ", "s_x", "y * s_p", 0.15495899003013724, 0.6550407510131986, -0.5000817609830613)

    assert [
        "  s_x += y * s_p",
        "    0.15495899003013724 = 0.6550407510131986 - 0.5000817609830613",
    ] == drawn(wide, width=70)


def test_an_array() -> None:
    """A short sum of arrays is whole; of a long one what came out is shown."""
    short, long = ([float(n) for n in range(count)] for count in (2, 6))

    assert ["s_x += 1  [0.0, 1.0] = [0.0, 0.0] + [0.0, 1.0]"] == drawn(Sum("", "s_x", "1", short, [0.0, 0.0], short))
    assert ["s_x += 1  [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]"] == drawn(Sum("", "s_x", "1", long, long, long))


def test_a_headline() -> None:
    """The values are left out where they do not fit, and a long line stands below its place."""
    head = Headline("", "f.py:3", "y = x * x * x", "8.0")

    assert ["f.py:3  y = x * x * x  → 8.0"] == drawn(head)
    assert ["f.py:3  y = x * x * x"] == drawn(head, width=24)
    assert ["f.py:3", "y = x * x * x"] == drawn(head, width=16)
