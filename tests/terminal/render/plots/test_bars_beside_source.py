"""Sensitivities beside the source."""

import math
from xml.etree import ElementTree

from gradcli.shared import records
from gradcli.terminal.render.plots.bars_beside_source import CHARACTER, MOST_AT_A_LINE, MOST_CELLS, quantities, svg

SVG = "{http://www.w3.org/2000/svg}"
FILE = "/home/user/f.py"
LINES = ("def f(x, w):", "    u, v = x, -x < 1  # </text>", "    return u * v")
BARS = records.Bars(
    target="f.py:f",
    point={"x": 1.0, "w": [1.0, 2.0]},
    names=("x", "w[0]", "w[1]", "u", "v", "result"),
    sizes=(2.0, 1.0, -4.0, -2.0, math.nan, 1.0),
    lines=(None, None, None, (FILE, 8), (FILE, 8), (FILE, 9)),
    program=(records.ProgramText(FILE, 7, LINES),),
)


def texts(record: records.Bars) -> list[str]:
    """The texts of a drawing, from the top, without those of the legend."""
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg(record)).findall(f"{SVG}text")]


def test_every_line_of_the_source() -> None:
    """With what it made beside it; the inputs stand above, the numbers of an array by their ends."""
    assert [
        "f.py:f", "at x = 1.0, w = [1.0, 2.0]", "source", "sensitivity of the result",
        "", "inputs", "x", "2", "", "", "w", "-4 … 1",
        "", "f.py", "7", LINES[0], "8", LINES[1].strip(), "u", "-2", "", "", "v", "nan",
        "9", "return u * v", "result", "1",
    ] == texts(BARS)  # fmt: skip


def bars(record: records.Bars) -> list[tuple[str, float, float]]:
    """The class, the left end and the width of each bar or cell."""
    root = ElementTree.fromstring(svg(record))
    return [
        (str(group.get("class")), float(rect.get("x", "")), float(rect.get("width", "")))
        for group in root.findall(f"{SVG}g")
        if group.get("class")
        for rect in group.iter(f"{SVG}rect")
    ]


def test_bars_begin_at_a_common_zero() -> None:
    """Positive ones to the right, negative ones to the left, as long as they are large."""
    x, _, _, u, v, result = bars(BARS)
    zero = x[1]

    assert (x[0], u[0], v[0], result[0]) == ("box p3", "box m3", "box bad", "box p2")
    assert (zero, zero) == (result[1], round(u[1] + u[2], 1))
    assert (round(x[2] / result[2], 1), round(x[2] / u[2], 1)) == (2.0, 1.0)


def test_an_array_is_a_strip() -> None:
    """A cell a number; of many, a cell for several."""
    numbers = tuple(float(n) for n in range(1000))
    record = BARS.changed(names=tuple(f"w[{n}]" for n in range(1000)), sizes=numbers, lines=(None,) * 1000)

    assert [kind for kind, _, _ in bars(BARS)[1:3]] == ["box p2", "box m4"]
    assert len(bars(record)) == MOST_CELLS
    assert "0 … 999" in texts(record)


def test_a_line_of_many_quantities() -> None:
    names = tuple(f"x#{n}" for n in range(30))
    record = BARS.changed(names=names, sizes=(1.0,) * 30, lines=((FILE, 8),) * 30)

    assert len(bars(record)) == MOST_AT_A_LINE
    assert f"{30 - MOST_AT_A_LINE} more of this line" in texts(record)


def test_a_typed_expression() -> None:
    record = BARS.changed(
        target="x * y", reading="f(x, y) = x*y", names=("x", "y"), sizes=(2.0, 1.0), lines=(None,) * 2
    )

    assert [
        "x * y", "at x = 1.0, w = [1.0, 2.0]", "source", "sensitivity of the result",
        "", "x * y", "x", "2", "", "", "y", "1",
    ] == texts(record)  # fmt: skip


def test_no_number_is_clipped() -> None:
    """The picture is as wide as the longest of them needs."""
    record = BARS.changed(names=("w[0]", "w[1]"), sizes=(-1.2345e-100, 1.2345e-100), lines=(None,) * 2)
    root = ElementTree.fromstring(svg(record))
    last = max(root.findall(f"{SVG}text"), key=lambda each: float(each.get("x", "")) + CHARACTER * len(each.text or ""))

    assert last.text == "-1.234e-100 … 1.234e-100"
    assert float(last.get("x", "")) + CHARACTER * len(last.text or "") < float(root.get("width", ""))


def test_the_shades_have_a_legend() -> None:
    assert {"sensitivity s", "-4", "4", "not finite"} <= {
        each.text for each in ElementTree.fromstring(svg(BARS)).iter(f"{SVG}text")
    }


def test_quantities() -> None:
    assert [("x", 1), ("w", 2), ("u", 1), ("v", 1), ("result", 1)] == [
        (each.name, len(each.numbers)) for each in quantities(BARS)
    ]
