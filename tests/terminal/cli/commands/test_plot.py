"""`gradcli plot`: curves, the error of differences and bars, in the terminal and in files."""

import json
import math
import sys
from pathlib import Path

import pytest

from gradcli import queries
from gradcli.errors import PointError
from gradcli.terminal.render.plots.terminal import Canvas, ends_of
from tests.terminal.cli.conftest import Call

pytestmark = pytest.mark.sampled(8)  # many like cases


@pytest.mark.parametrize(("expected", "options"), [((-5.0, 5.0, 0.0), {}), ((1.0, 4.0, 2.5), {"within": "1:4"})])
def test_a_formula_of_one_input_needs_no_point(expected: tuple[float, ...], options: dict[str, str]) -> None:
    """It is drawn around the middle of the interval; a formula of two inputs does, and so does a function of a file."""
    found = queries.curve("sin(x)", None, **options)

    assert (found.series[0].x[0], found.series[0].x[-1], found.marked) == expected
    for target in ("x*y", "examples/newton_sqrt.py:newton_sqrt"):
        with pytest.raises(PointError):
            queries.curve(target, None, **options)


def test_a_curve_is_the_function_and_its_derivative() -> None:
    value, slope = queries.curve("y * sin(x)", "x=1,y=3", along="x", within="0:2").series

    assert [3 * math.sin(x) for x in value.x] == pytest.approx(list(value.y), rel=1e-14)
    assert [3 * math.cos(x) for x in slope.x] == pytest.approx(list(slope.y), rel=1e-14, abs=1e-14)
    assert (value.x[0], value.x[-1]) == (0.0, 2.0)


def test_a_curve_along_a_direction(call: Call) -> None:
    """The point plus t times the direction: Rosenbrock's valley from its ground, 100 t^4 + t^2 along 1,2."""
    found = queries.curve("examples/rosenbrock.py:rosen", "[1,1]", along="1,2", within="-0.5:1")
    value, slope = found.series

    assert (found.along, found.marked, found.direction, slope.name) == ("t", 0.0, {"x": [1.0, 2.0]}, "d/dt")
    assert [100 * t**4 + t**2 for t in value.x] == pytest.approx(list(value.y), rel=1e-12, abs=1e-15)
    assert [400 * t**3 + 2 * t for t in slope.x] == pytest.approx(list(slope.y), rel=1e-12, abs=1e-12)
    assert (
        "\nalong t times x=[1.0, 2.0]\n"
        in call("plot", "examples/rosenbrock.py:rosen", "--at", "[1,1]", "--along", "1,2").out
    )


def test_differences_along_a_direction() -> None:
    """All numbers of an array, where its name is given; the slope of x * x + y * y at 1,2 along 1,1 is 6."""
    found = queries.differences("x * x + y * y", "1,2", along="1,1")
    error = dict(zip(found.series[0].x, found.series[0].y, strict=True))

    assert error[1e-2] < 1e-12
    assert error[1e-15] > 1e-2


def test_a_gap(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("import math\ndef f(x):\n    return math.sqrt(x)\n")
    value, _ = queries.curve(f"{tmp_path}/f.py:f", "1", within="-1:1").series

    assert [x < 0 for x in value.x] == [math.isnan(y) for y in value.y]


@pytest.mark.parametrize("expression", ["log(x)", "sqrt(x)"])
def test_no_derivative_where_there_is_no_value(expression: str) -> None:
    """The rule of a logarithm has a number left of 0 too, which is the slope of nothing."""
    value, slope = queries.curve(expression, "1", within="-1:2").series

    assert [x <= 0 for x in slope.x] == [not math.isfinite(y) for y in slope.y]
    assert all(math.isnan(slope.y[n]) for n, y in enumerate(value.y) if not math.isfinite(y))


def test_a_point_in_a_gap(call: Call, tmp_path: Path) -> None:
    """A note says that the mark stands where nothing is drawn, and why; a point outside of the gap needs none."""
    (tmp_path / "f.py").write_text("import math\ndef f(x):\n    return math.sqrt(x)\n")

    assert "x = -1 lies where nothing is drawn: the value there is nan" in call("plot", "log(x)", "--at=-1").err
    assert (
        "nothing is drawn: the function raises there"
        in call("plot", f"{tmp_path}/f.py:f", "--at=-1", "--range=-2:2").err
    )
    assert call("plot", "log(x)", "--at", "1", "--range=-1:2").err == ""


def test_the_numbers_at_the_point() -> None:
    """The value, the slope, and what does not vary."""
    found = queries.curve("y * x^2 + z", "x=3,y=2,z=1", along="x")

    assert (*(series.marked for series in found.series), found.fixed) == (19.0, 12.0, {"y": 2.0, "z": 1.0})
    assert queries.curve("x * y + z", "x=3,y=2,z=1", along="1,2,0").fixed == {"z": 1.0}


def test_where_each_bar_was_made() -> None:
    found = queries.bars("examples/hyperbox.py:f3", "1,-2,3")

    assert [line and line[1] for line in found.lines] == [None, None, None, 6]


def test_the_error_of_differences() -> None:
    """It falls with the square of the step, then grows as rounding takes over; the chosen step is near the least."""
    found = queries.differences("exp(x)", "1")
    error = dict(zip(found.series[0].x, found.series[0].y, strict=True))

    assert pytest.approx(error[1e-2], rel=1e-3) == math.e / 6 * 1e-4
    assert error[1e-12] > 1e-6
    assert found.marked is not None
    assert 1e-6 < found.marked < 1.0


def test_json(call: Call) -> None:
    found = json.loads(call("plot", "sin(x)/x", "--at", "1", "--range", "-1:1", "--json").out)

    assert (found["command"], [each["name"] for each in found["series"]]) == ("plot", ["value", "∂/∂x"])
    assert "NaN" in found["series"][0]["y"]


def test_a_stream_without_braille(call: Call) -> None:
    answer = call("plot", "x**2", "--at", "1", encoding="ascii")

    assert answer.code == 0
    assert "*" in answer.out
    assert "\\u" not in answer.out


def test_the_first_number_is_varied(call: Call) -> None:
    assert "value by x[0]" in call("plot", "sum(x^2)", "--at", "[1,2]").out


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("'z' is not a direction among the inputs.", ("x*y", "--at", "1,2", "--along", "z")),
        ("have to ascend.\nType --range 0:1.", ("x", "--range", "pi:sqrt(2)")),
        ("have to ascend.\nType --range 0:1.", ("x", "--at", "1", "--range", "2:2")),
        ("longer than a float can hold.\nType --range 0:1.", ("x^2", "--range", "-1e308:1e308")),
        ("longer than a float can hold", ("x", "--at", "1", "--range", "0:1.5e308")),
        ("--range 2 is not an interval.\nType --range 0:1.", ("x", "--at", "1", "--range", "2")),
        ("--range a:b is not an interval: 'a' is not a finite number.\nType two", ("x", "--range", "a:b")),
        ("--range 1:2j is not an interval: '2j' is not a finite number.", ("x", "--range", "1:2j")),
        ("--range 1:2:3 is not an interval: '2:3' is not a finite number.", ("x", "--at", "1", "--range", "1:2:3")),
        ("--range 1: is not an interval: a number is missing.", ("x", "--at", "1", "--range", "1:")),
        ("--range x=1:4 is not an interval: 'x=1' is not a finite number.", ("x", "--range", "x=1:4")),
        ("--differences varies the step", ("x", "--at", "1", "--range", "1:2", "--differences")),
        ("--bars shows all numbers", ("x", "--at", "1", "--along", "x", "--bars")),
        ("--out writes a .svg, .png, .txt or .json file, not 'plot.gif'.", ("x", "--at", "1", "--out", "plot.gif")),
        ("Leave out --out; --format svg prints another format.", ("x", "--at", "1", "--out", "-")),
        ("Type --out plot.png", ("x", "--at", "1", "--format", "png")),
    ],
)
def test_what_cannot_be_drawn(said: str, arguments: tuple[str, ...], call: Call) -> None:
    answer = call("plot", *arguments)

    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_without_matplotlib(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    assert "pip install 'gradcli[plot]'" in call("plot", "x", "--at", "1", "--out", "plot.svg").err


@pytest.mark.parametrize("options", [(), ("--differences",), ("--bars",)])
@pytest.mark.parametrize(("ending", "begin"), [("png", b"\x89PNG"), ("svg", b"<")])
def test_a_picture(options: tuple[str, ...], ending: str, begin: bytes, call: Call, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    answer = call("plot", "x**2", "--at", "1", *options, "--out", str(tmp_path / f"plot.{ending}"))

    assert (0, f"wrote {tmp_path / f'plot.{ending}'}\n", "") == answer
    assert (tmp_path / f"plot.{ending}").read_bytes().startswith(begin)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_of_ours_is_drawn_anew(ending: str, call: Call, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = str(tmp_path / f"plot.{ending}")

    assert [call("plot", "x**2", "--at", at, "--out", file).code for at in "12"] == [0, 0]


def test_a_canvas() -> None:
    canvas = Canvas(2, 1)
    canvas.stroke((0, 3), (3, 0))
    canvas.dot(9, 9)

    assert canvas.lines(in_ascii=False) == ["⡠⠊"]
    assert canvas.lines(in_ascii=True) == ["**"]


@pytest.mark.parametrize(
    ("expected", "numbers"),
    [((1.0, 3.0), [1.0, math.nan, 3.0]), ((-1.0, 1.0), [0.0]), ((0.0, 4.0), [2.0, 2.0]), ((-1.0, 1.0), [math.inf])],
)
def test_the_ends_of_a_scale(expected: tuple[float, float], numbers: list[float]) -> None:
    assert ends_of(numbers) == expected
