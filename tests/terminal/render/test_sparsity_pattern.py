"""The picture of a sparsity pattern, entry by entry or in blocks."""

from __future__ import annotations

from gradcli.shared.records.derivatives import SparsityPattern
from gradcli.terminal.render import Look, record_text


def drawn(size: int, entries, width: int = 80) -> list[str]:
    record = SparsityPattern("jacobian", "f", {}, (size, size), tuple(entries), (2, 2))
    return record_text(record, Look(width=width)).splitlines()


def test_each_entry_of_a_small_pattern_is_marked():
    assert drawn(3, [(0, 0), (1, 0), (1, 1), (2, 2)]) == [
        "f",
        "",
        "3 by 3, 4 entries (44.4 %); colours: 2 of the columns, 2 of the rows",
        "",
        "x . .",
        "x x .",
        ". . x",
    ]


def test_a_wide_pattern_is_drawn_in_blocks_that_fit():
    lines = drawn(80, [(n, n) for n in range(80)] + [(40, 0)], width=40)
    assert lines[4] == "2 " + " ".join("." * 19)
    assert lines[14] == "1 . . . . . . . . . 2 . . . . . . . . ."
    assert " ".join(lines[25:]) == "each mark is a block of 4 by 4: x if full, else the tenths of it that are entries"


def test_a_full_block_is_marked_as_an_entry():
    assert drawn(4, [(m, n) for m in range(2) for n in range(2)], width=4)[4:6] == ["x .", ". ."]


def test_one_entry():
    assert drawn(1, [(0, 0)])[2].startswith("1 by 1, 1 entry (100 %);")
