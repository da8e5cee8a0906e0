"""The table of `gradcli compare`."""

from __future__ import annotations

import pytest

from gradcli.shared.records.function_comparisons import Agreement, ComparedNumber
from gradcli.terminal.render.layout.stream_style import Look, as_text
from gradcli.terminal.render.two_functions import view

ROW = ComparedNumber("value", 1.0, 1.0, 1e-15, 0.0, "equal")


def shown(count, changed, **how):
    """The lines for a comparison of `count` derivatives, of which some have another verdict."""
    rows = [ROW.changed(name=f"x[{n}]", verdict=changed.get(n, "equal")) for n in range(count)]
    record = Agreement("f", "g", {"x": [0.0] * count}, "differ", (ROW, *rows), 1, 1, 0, False)
    return as_text(view(record, Look(width=80, terminal=True), **how), Look(width=80)).splitlines()


@pytest.mark.parametrize(("count", "rows"), [(19, 20), (20, 10)])
def test_few_rows_are_all_shown(count, rows):
    """Up to 20, as of a check; the value first, then the worst."""
    lines = shown(count, {2: "roundoff", 5: "differ"})

    body = [line.split()[:3] for line in lines if line.startswith(("equal   ", "differ  ", "roundoff "))]
    assert rows == len(body)
    assert body[:3] == [["equal", "value", "1.0"], ["differ", "by", "x[5]"], ["roundoff", "by", "x[2]"]]


def test_many_rows_are_counted_and_in_blocks():
    """A terminal and a pipe show the same."""
    lines = shown(50, {2: "roundoff", 5: "differ"})

    assert "… 41 more: 41 equal (--all shows them)" in lines
    assert {"x[5]: differ", "x[2]: roundoff", "value, x[0..1], x[3..4], x[6..49]: equal"} <= set(lines)


def test_all_rows():
    """In the order of the point."""
    lines = shown(50, {5: "differ"}, every=True)

    assert sum(line.startswith(("equal   ", "differ  ")) for line in lines) == 51
    assert not any("more" in line for line in lines)
