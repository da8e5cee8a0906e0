"""`gradcli jacobian`: a matrix where it fits, else a list of its entries."""

from gradcli.shared.records.derivatives import Jacobian
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

ENTRIES = """\
f.py:g
at x=[1.0, 2.0], k=3.0

value  [3.0, 4.0, 5.0]

component  by    derivative
─────────  ────  ──────────
value[0]   x[0]   1.0
value[0]   x[1]   2.0
value[0]   k      0.0
value[1]   x[0]   0.5
value[1]   x[1]  -0.25
value[1]   k      7.0
value[2]   x[0]   1e-10
value[2]   x[1]   3.0
value[2]   k      8.0
"""


def test_entries_where_the_matrix_is_too_wide() -> None:
    """A matrix has no dispensable column: it becomes a list, one entry a row."""
    assert record_text(samples.JACOBIAN, Look(width=32)) == ENTRIES


def test_a_value_that_is_one_number() -> None:
    """The Jacobian of a number has a single row."""
    record = Jacobian("f.py:f", {"x": [1.0, 2.0]}, 3.0, {"x": [4.0, 5.0]})

    assert record_text(record, Look()).splitlines()[-1] == "value      4.0      5.0"


def test_a_value_that_is_a_matrix() -> None:
    record = Jacobian("f.py:f", {"x": 1.0}, [[1.0, 2.0]], {"x": [[3.0, 4.0]]})

    assert record_text(record, Look()).splitlines()[-2:] == ["value[0,0]  3.0", "value[0,1]  4.0"]


def test_an_empty_value() -> None:
    record = Jacobian("f.py:f", {"x": 1.0}, [], {"x": []})

    assert record_text(record, Look()).split("\n\n")[-1] == "component\n─────────\n"


def test_a_large_matrix_on_a_terminal() -> None:
    record = Jacobian("f.py:f", {"x": 1.0}, [0.0] * 1000, {"x": [1.0] * 1000})
    lines = record_text(record, Look(width=80, terminal=True)).splitlines()

    assert lines[-1] == "… 960 more (a pipe or --json shows all)"


def test_a_value_of_named_and_nested_parts() -> None:
    """A dict or an uneven list as the value has a row for each number, too."""
    record = Jacobian("f", {"x": 2.0}, {"u": 4.0, "v": [1.0, [2.0]]}, {"x": {"u": 4.0, "v": [2.0, [3.0]]}})
    rows = [line.split() for line in record_text(record, Look(width=80)).splitlines()[-3:]]

    assert [row[1] for row in rows] == ["4.0", "2.0", "3.0"]
