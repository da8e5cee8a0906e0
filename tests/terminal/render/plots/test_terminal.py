"""A curve on the terminal: its axis and its labels."""

import pytest

from gradcli import queries
from gradcli.terminal.render import Look, record_text

pytestmark = pytest.mark.sampled(3)  # many like cases


def below(at: float, width: int = 60) -> tuple[str, str]:
    """The axis and the labels below it, from their first column."""
    record = queries.curve("x^2", str(at), within="0:3")
    lines = record_text(record, Look(width=width)).splitlines()
    place = next(n for n, line in enumerate(lines) if "└" in line)
    start = lines[place].index("└") + 1
    return lines[place][start:], lines[place + 1][start:]


@pytest.mark.parametrize("within", ["1e-320:2e-320", "0:5e-324", "-1e-310:1e-310", "0:1e-300"])
def test_a_point_far_beyond_a_tiny_interval(within: str) -> None:
    text = record_text(queries.curve("x^2", "1", within=within), Look(width=60))

    assert "└" in text
    assert "●" not in text


@pytest.mark.parametrize("at", [0.5, 1.0, 1.5, 2.0, 2.5])
def test_the_name_of_the_point_stands_below_its_sign(at: float) -> None:
    axis, labels = below(at)
    text = f"x = {at:g}"

    assert axis.count("▲") == 1
    assert "▲" not in labels
    assert labels.index(text) <= axis.index("▲") < labels.index(text) + len(text)


@pytest.mark.parametrize("at", [0.0, 0.01, 2.99, 3.0])
def test_at_an_end_it_stands_beside_the_label(at: float) -> None:
    _, labels = below(at)

    assert ["0", f"x = {at:g}", "3"] == [part.strip() for part in labels.split("  ") if part]


@pytest.mark.parametrize(("at", "width"), [(7.0, 60), (1.0, 5)], ids=["outside", "no room"])
def test_no_name(at: float, width: int) -> None:
    _, labels = below(at, width)

    assert labels.split() == ["0", "3"]


@pytest.mark.parametrize(
    ("text", "at", "within"),
    [("x^2", "1", "1e200:1e201"), ("log(x)", "1", "-2:-1"), ("exp(x)", "1", "800:900"), ("sqrt(x)", "1", "-9:-1")],
)
def test_a_curve_without_a_finite_value(text: str, at: str, within: str) -> None:
    shown = record_text(queries.curve(text, at, within=within), Look(width=80))
    low, high = within.split(":")

    assert f"value is not finite anywhere from {float(low):.4g} to {float(high):.4g}" in shown
    assert "└" not in shown


def test_a_curve_is_parted_at_a_pole() -> None:
    found = record_text(queries.curve("1/(x-1)", "1.2"), Look(width=80)).splitlines()
    value = [line.partition("│")[2] for line in found if "│" in line][:9]

    assert any("; cut off at a pole" in line for line in found)
    assert 4 <= sum(1 for row in value if row.strip())
    assert not [column for column in zip(*(row.ljust(80) for row in value), strict=True) if " " not in column]
