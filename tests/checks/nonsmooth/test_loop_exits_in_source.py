"""Which answers leave a loop, by the source."""

import linecache

import pytest

from gradcli.checks.nonsmooth.inverted_loop_exit import leaves_loop

SOURCE = """\
def f(x, xs):
    while x > 1:
        x = x / 2
    for t in xs:
        if abs(t - x) < 1e-9:
            break
        if not t > x:
            return x
        if t > 0:
            x = x + t
        x = x if t > x else t
        done = t < x
        best = max(t, x)
    ys = [t for t in xs if t > 0]
    if x > 2:
        return 2 * x
    return x
"""


@pytest.mark.parametrize(
    ("expected", "line", "told"),
    [
        (True, 2, False),
        (False, 2, True),
        (True, 5, True),
        (False, 5, False),
        (True, 7, False),
        (False, 7, True),
        (False, 9, True),
        (False, 11, False),
        (None, 12, True),
        (False, 13, True),
        (False, 14, True),
        (False, 15, True),
    ],
)
def test_what_leaves_a_loop(monkeypatch, expected, line, told):
    """What a `while` asks, and an `if` in a loop with a way out."""
    monkeypatch.setitem(linecache.cache, "<loops>", (len(SOURCE), None, SOURCE.splitlines(True), "<loops>"))

    assert leaves_loop("<loops>", line, told) is expected


def test_a_line_without_its_source():
    assert leaves_loop("<nowhere>", 1, told=True) is None
