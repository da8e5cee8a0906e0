"""Curves as pictures: the point, the tangent, what is fixed, gaps, poles, and both themes."""

import math
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from gradcli.shared.records.plots import Bars, Contour, Curves, Plot, Series
from gradcli.terminal.render.palette import DARK, LIGHT
from gradcli.terminal.render.plots.figure import MOST_BARS, Record, data, in_notebook, power
from gradcli.terminal.render.plots.poles import with_poles

matplotlib = pytest.importorskip("matplotlib")

XS = tuple(n / 10 for n in range(-20, 21))
CURVE = Plot(
    target="x^2 * y & <b>$z_1$",
    point={"x": 1.0, "y": 2.0},
    along="x",
    series=(
        Series("value", XS, tuple(2 * x * x for x in XS), 2.0),
        Series("∂/∂x", XS, tuple(4 * x for x in XS), 4.0),
    ),
    marked=1.0,
    fixed={"y": 2.0},
)
STEPS = tuple(10.0**-n for n in range(12))
ERRORS = Plot(
    target="exp(x)",
    point={"x": 1.0},
    along="x",
    series=(Series("error", STEPS, (1e-2, 1e-4, 1e-6, 0.0, 1e-9, math.nan, *[1e-8] * 6), 1e-9),),
    marked=1e-4,
    logarithmic=True,
    across="step",
)


BARS = Bars(
    target="f.py:f",
    point={"x": 1.0, "w": [1.0, 2.0]},
    names=("x", "w[0]", "w[1]", "$u_1$", "v", "result"),
    sizes=(2.0, 1.0, -4.0, -2.0, math.nan, 1.0),
    lines=(None, None, None, ("/home/user/f.py", 8), ("/home/user/f.py", 8), ("/home/user/f.py", 9)),
)


@cache
def drawing_of_curve() -> bytes:
    """One drawing for all tests of it."""
    return data(CURVE, "svg")


def texts(record: Record) -> list[str]:
    root = ElementTree.fromstring(drawing_of_curve() if record is CURVE else data(record, "svg"))
    return ["".join(each.itertext()).strip() for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_curve_says() -> None:
    """What is drawn, the point and its numbers, and what does not vary; the user's signs are no formula of TeX."""
    assert {
        "x^2 * y & <b>$z_1$", "x = 1.0: 2.0", "x = 1.0: 4.0", "tangent, slope 4.0", "fixed: y = 2.0", "value"
    } <= set(texts(CURVE))  # fmt: skip


def test_errors_say() -> None:
    """The chosen step, the steps that have no place on a logarithmic scale, and the point."""
    assert {
        "chosen step = 0.0001: 1e-09", "no error at 1 step: a gap", "derivative along x at x = 1.0", "10⁻⁸", "step"
    } <= set(texts(ERRORS))  # fmt: skip


def test_bars_say() -> None:
    """Each number with its line and its sensitivity, which may be none."""
    assert {
        "f.py:f", "at x = 1.0, w = [1.0, 2.0]", "x", "line 8: $u_1$", "line 9: result", "-2.0", "nan",
        "sensitivity of the result",
    } <= {" ".join(text.split()) for text in texts(BARS)}  # fmt: skip


def test_the_first_of_many_bars() -> None:
    many = BARS.changed(names=tuple(f"w[{n}]" for n in range(1000)), sizes=(1.0,) * 1000, lines=(None,) * 1000)
    shown = texts(many)

    assert f"w[{MOST_BARS - 1}]" in shown
    assert f"w[{MOST_BARS}]" not in shown
    assert f"at x = 1.0, w = [1.0, 2.0]; {1000 - MOST_BARS} more are not shown" in shown


def lines_of(record: Plot) -> list[Any]:
    """The curves of the first panel."""
    from matplotlib.figure import Figure

    from gradcli.terminal.render.plots.figure import draw

    figure = Figure()
    draw(record, figure)
    return list(figure.axes[0].get_lines())


def test_the_tangent() -> None:
    """It goes through the point with the slope, and does not change what is shown of the curve."""
    tangent = lines_of(CURVE)[-1]
    (left, right), (low, high) = tangent.get_xdata(), tangent.get_ydata()

    assert (left, right, low, high) == (-2.0, 2.0, -10.0, 6.0)
    assert tangent.axes.get_ylim()[0] > -1.0


def test_zero_errors_are_gaps() -> None:
    """No plunge is drawn: a zero has no logarithm."""
    ys = lines_of(ERRORS)[0].get_ydata()

    assert [math.isnan(y) for y in ys[:6]] == [False, False, False, True, False, True]
    assert (lines_of(ERRORS)[0].axes.get_xscale(), lines_of(ERRORS)[0].axes.get_yscale()) == ("log", "log")


def test_a_point_in_a_gap() -> None:
    value, slope = CURVE.series
    record = CURVE.changed(series=(value.changed(marked=math.nan), slope.changed(marked=None)))

    assert not [text for text in texts(record) if "tangent" in text or "x = 1.0" in text]


def test_a_pole() -> None:
    """The numbers near it do not flatten the rest, and the curve does not pass through it."""
    series = Series("value", XS, tuple(1 / x if x else math.inf for x in XS), 1.0)
    steep = series.changed(y=tuple(1 / (x - 0.0001) for x in XS))
    xs, ys, limits = with_poles(steep)

    assert limits is not None
    assert -40 < limits[0] < -2 < 2 < limits[1] < 40
    assert [math.isnan(y) for y in ys].count(True) >= 1
    assert len(xs) == len(ys)
    assert (with_poles(CURVE.series[0])[0], with_poles(CURVE.series[0])[2]) == (list(XS), None)


def test_long_names_are_cut() -> None:
    name = "an_input_with_a_name_that_is_far_too_long_for_the_side_of_a_panel"
    value, slope = CURVE.series
    long = CURVE.changed(target=f"f({name}, {name})", along=name, series=(value, slope.changed(name=f"∂/∂{name}")))

    shown = texts(long)

    assert [text for text in shown if len(text) > 80] == []
    assert [text for text in shown if text.startswith("∂/∂") and len(text) > 32] == []


def test_a_direction_is_named() -> None:
    found = texts(CURVE.changed(along="t", direction={"x": 1.0, "y": -2.0}))

    assert "t, along t times x = 1.0, y = -2.0" in found
    assert "at x = 1.0, y = 2.0" in found


def test_a_gap_is_named() -> None:
    value, slope = CURVE.series
    gapped = CURVE.changed(series=(value.changed(y=(math.nan, *value.y[1:])), slope))

    assert "a gap where it is not finite" in texts(gapped)
    assert "a gap where it is not finite" not in texts(CURVE)


def test_a_step_function_is_whole() -> None:
    series = Series("value", XS, tuple(float(x > 0) for x in XS), 1.0)

    assert (list(XS), list(series.y), None) == with_poles(series)


def test_both_themes() -> None:
    text = str(drawing_of_curve())
    style = text[text.index("@media (prefers-color-scheme:dark)") : text.index("</style>")]

    for role in ("paper", "ink", "quiet", "line", "accent", "curve", "second"):
        light, dark = getattr(LIGHT, role), getattr(DARK, role)
        assert f'[style*="stroke: {light}"]{{stroke:{dark}!important}}' in style
        assert f": {light}" in text.replace(style, "")


def test_the_same_drawing_twice() -> None:
    assert data(CURVE, "svg") == drawing_of_curve()


def test_powers_of_ten() -> None:
    assert [power(1.0), power(1e-12), power(1000.0)] == ["10⁰", "10⁻¹²", "10³"]


BOWL = Contour(
    target="f.py:f",
    point={"x": 0.5, "y": -0.5, "z": 3.0},
    along=("x", "y"),
    x=XS,
    y=XS,
    values=tuple(tuple(x * x + 2 * y * y for x in XS) for y in XS),
    marked=(0.5, -0.5),
    path=((0.5, -0.5), (0.0, 0.0)),
    fixed={"z": 3.0},
)


@pytest.mark.parametrize("surface", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_contour_says(surface: bool) -> None:
    """The inputs that vary and those that are fixed; the levels part the values evenly."""
    shown = set(texts(BOWL.changed(surface=surface)))

    assert {"f.py:f", "x", "y", "value", "fixed: z = 3.0"} <= shown
    assert {"path of 2 points", "the point"} <= shown
    assert surface or {"0", "12"} <= shown


@pytest.mark.long
@pytest.mark.parametrize("values", [math.nan, 1.0])
def test_a_flat_contour_with_holes(values: float) -> None:
    record = BOWL.changed(values=((values, *(1.0 for _ in XS[1:])), *(tuple(1.0 for _ in XS) for _ in XS[1:])), path=())

    assert "the point" in texts(record)


def test_small_multiples_say() -> None:
    shown = texts(Curves("f.py:f", {"x": 1.0, "y": 2.0}, (CURVE, CURVE.changed(along="y"))))

    assert {"f.py:f", "x", "y"} <= set(shown)


def test_a_notebook_has_the_picture_in_its_own_theme() -> None:
    drawn = in_notebook(CURVE)

    assert drawn.startswith("<svg")
    assert '[data-jp-theme-light="false"]' in drawn
    assert DARK.curve in drawn


def test_a_surface_leaves_out_what_lies_beside_it():
    beside = BOWL.changed(surface=True, marked=(BOWL.x[-1] + 1.0, 0.0))
    assert "the point" not in texts(beside)
