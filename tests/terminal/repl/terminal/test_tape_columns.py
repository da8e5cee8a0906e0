"""Columns of the tape: whole where there is room, numbers rounded and texts cut where there is not."""

from typing import Any

import pytest

from gradcli.terminal.repl.terminal.tape_columns import LEAST_TEXT, NodeRow, columns_of, cut, fitted, in_brief

pytestmark = pytest.mark.sampled(4)  # many like cases

TINY, THIRD = 3.903127822765407e-18, -0.3333333333333333


@pytest.mark.parametrize(
    ("expected", "number", "width"),
    [
        ("3.903127822765407e-18", TINY, 21),
        ("3.9031278e-18", TINY, 13),
        ("3.9e-18", TINY, 7),
        ("3.9e-18", TINY, 8),
        ("…", TINY, 6),
        ("-0.33333", THIRD, 8),
        ("-0.333", THIRD, 6),
        ("…", THIRD, 5),
        ("1.23e+15", 1234567890123456.0, 8),
        ("[1.0, 2.0]", [1.0, 2.0], 10),
        ("[2]", [1.0, 2.0], 9),
        ("…", [1.0, 2.0], 2),
        ("", None, 0),
        ("", 1.5, 0),
    ],
)
def test_numbers_that_fit(expected: str, number: Any, width: int) -> None:
    """As many significant digits as the column holds, three at least; otherwise no number at all."""
    assert fitted(number, width) == expected


def test_arrays_are_shown_by_their_shape() -> None:
    assert ["1.0", "[1.0, 2.0]", "[5]", "[2×3]"] == [
        in_brief(each) for each in (1.0, [1.0, 2.0], [1.0] * 5, [[1.0] * 3] * 2)
    ]


def test_a_text_is_cut_with_a_mark() -> None:
    assert [cut("abc", width) for width in (3, 2, 1, 0)] == ["abc", "a…", "…", ""]


@pytest.mark.parametrize("room", range(40, 90))
def test_the_room_is_used(room: int) -> None:
    """Never more of it than there is; the formula gives way before the name, and numbers keep their width."""
    row = NodeRow("%1", "longish_name", THIRD, TINY, "sin(x) * cos(y) + 1.0")
    whole = columns_of([row])
    columns = whole.within(room)

    assert room - LEAST_TEXT < columns.total <= room or whole.total == columns.total
    assert columns.formula == 0 or columns.formula >= LEAST_TEXT
    assert (columns.value, columns.sensitivity) == (12, 12)
    assert len("".join(columns.texts(row))) <= columns.total
