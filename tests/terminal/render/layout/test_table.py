"""A table leaves out whole columns where it does not fit, and never cuts a cell."""

import pytest

from gradcli.terminal.render.layout.stream_style import Look, as_text
from gradcli.terminal.render.layout.table import Column, Sheet, fitting, total_width

NAME = Column("name", ["x", "long_name"])
VALUE = Column("value", ["1.0", "-22.125"], right=True)
NOTE = Column("note", ["of little use", ""], rank=2)
LINE = Column("line", ["a.py:1", "a.py:2"], rank=1)
SHEET = Sheet(NAME, VALUE, LINE, NOTE)


def drawn(sheet: Sheet, width: int | None = None, **look: bool) -> str:
    return as_text(sheet, Look(width=width, **look))


def test_all_columns_where_they_fit() -> None:
    """Titles, a thin rule under each, a line a row, nothing at the end of a line."""
    expected = """\
name         value  line    note
─────────  ───────  ──────  ─────────────
x              1.0  a.py:1  of little use
long_name  -22.125  a.py:2
"""

    assert drawn(SHEET) == expected
    assert drawn(SHEET, 41) == expected


def test_the_most_dispensable_column_goes_first() -> None:
    """One column too many: the one of the highest rank is left out, and named."""
    expected = """\
name         value  line
─────────  ───────  ──────
x              1.0  a.py:1
long_name  -22.125  a.py:2
at width 40 left out: note (--width 41
or a pipe shows all)
"""

    assert drawn(SHEET, 40) == expected


LONG = Column("formula", ["max(scores, axis=1, keepdims=True) + 1", "x"], wraps=True)


def test_a_text_is_wrapped_where_the_columns_do_not_fit() -> None:
    expected = """\
name       formula                 value
─────────  ────────────────────  ───────
x          max(scores, axis=1,       1.0
             keepdims=True) + 1
long_name  x                     -22.125
"""

    assert drawn(Sheet(NAME, LONG, VALUE), 41) == expected
    assert "axis=1, keepdims=True) + 1" in drawn(Sheet(NAME, LONG, VALUE), 80)


def test_no_other_column_is_left_out_for_a_text_that_can_be_wrapped() -> None:
    assert "a.py:1" in drawn(Sheet(NAME, LONG, LINE), 47)
    assert "left out: line" in drawn(Sheet(NAME, LONG, LINE), 46)


def test_a_narrow_column_stays_where_a_wide_one_does_not_fit() -> None:
    wide = Column("wide", ["x" * 20], rank=1)
    narrow = Column("narrow", ["y"], rank=2)
    first = Column("name", ["z"])

    assert [first, narrow] == fitting([first, wide, narrow], 20)
    assert [first, wide] == fitting([first, wide, narrow], 26)


def test_rank_zero_stays() -> None:
    """Columns of rank 0 are never left out of a table."""
    assert fitting(SHEET.columns, 1) == [NAME, VALUE]


def test_blocks_where_nothing_more_can_be_left_out() -> None:
    """A row becomes a block of lines, with all its columns, and no number is cut; empty cells are skipped."""
    expected = """\
name   x
value  1.0
line   a.py:1
note   of little use

name   long_name
value  -22.125
line   a.py:2
"""

    assert drawn(SHEET, 15) == expected
    assert drawn(SHEET, 1) == expected


def test_arrays_in_brief_before_a_column_is_left_out() -> None:
    arrays = Column("value", ["[1.0, 2.0, 3.0]"], brief=["3 numbers"])
    expected = """\
value      kind
─────────  ─────
3 numbers  array
at width 20 arrays
by their size
(--width 22 or a
pipe shows all)
"""

    assert drawn(Sheet(arrays, Column("kind", ["array"], rank=1)), 20) == expected


def test_wide_signs_take_two_columns() -> None:
    """The width of a cell is counted in columns of the terminal."""
    sheet = Sheet(Column("n", ["値", "ab"]), Column("v", ["1", "2"]))

    assert drawn(sheet) == "n   v\n──  ─\n値  1\nab  2\n"


def test_ascii_is_aligned_too() -> None:
    sheet = Sheet(Column("differences", ["1.0 ± 0.1", "—"]), Column("v", ["1", "2"]))

    assert drawn(sheet, unicode=False) == "differences  v\n-----------  -\n1.0 +- 0.1   1\n-            2\n"


def test_styles_of_cells() -> None:
    sheet = Sheet(Column("v", ["a", "b"], ["gradcli.good", "gradcli.bad"]), Column("w", ["c", "d"]))

    assert drawn(sheet, coloured=True).endswith("\x1b[32ma\x1b[0m  c\n\x1b[1;31mb\x1b[0m  d\n")


def test_no_rows() -> None:
    assert drawn(Sheet(Column("name", []))) == "name\n────\n"


def test_fits_counts_the_gaps() -> None:
    """The width of a table includes the space between its columns."""
    assert total_width(SHEET.columns) == 41
    assert SHEET.fits(41)
    assert not SHEET.fits(40)


def test_empty_columns_are_left_out() -> None:
    """A column without any content is not drawn, and not worth a remark."""
    sheet = Sheet(Column("name", ["x"]), Column("source", [""]))

    assert drawn(sheet) == "name\n────\nx\n"


@pytest.mark.parametrize("name", ["\u03b1", "\u03b2eta", "\u00e9t\u00e9", "\u53d8\u91cf", "\U0001d465"])
def test_names_without_ascii_are_aligned_too(name: str) -> None:
    table = Sheet(Column("name", (name, "x")), Column("gradient", ("1.0", "2.0")))
    text = as_text(table, Look(unicode=False))

    assert text.isascii()
    assert len({line.index(end) for line, end in zip(text.splitlines()[2:], ("1.0", "2.0"), strict=True)}) == 1


def test_brief_cells_last() -> None:
    full = Column("number", ["1.23456789"], brief=["1.23"])
    other = Column("other", ["12345678"], rank=1)

    def shown(width: int) -> list[str]:
        sheet = Sheet(full, other, brief_as="numbers to 3 digits", brief_first=False)
        return drawn(sheet, width).splitlines()

    assert "1.23456789" in shown(18)[2]
    assert "1.23456789" in shown(12)[2]
    assert "other" not in shown(12)[0]
    assert shown(9)[2] == "1.23"
    assert "at width" in shown(9)[3]
