"""Records as Markdown and CSV: whole, and read back as what they were."""

import csv
import io
import math

import pytest

from gradcli.shared.records.derivatives import Gradient
from gradcli.terminal.render import Look, form_text
from gradcli.terminal.render.markdown_csv import TABLES
from tests.terminal.render import samples


def table_text(record: object, form: str, look: Look) -> str:
    return str(form_text(record, form, look))


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_nothing_is_cut() -> None:
    """A terminal of twenty columns gets all thousand rows, and every number reads back as itself."""
    _, *rows = read(table_text(samples.LONG, "csv", Look(width=20, terminal=True)))

    assert samples.LONG.gradient["x"] == [float(row[2]) for row in rows]


def test_a_tape_has_its_outcomes_in_markdown() -> None:
    assert "\n\n| before | asked | outcome | file | line |\n" in table_text(samples.TAPE, "md", Look())
    assert len(samples.TAPE.nodes) + 1 == len(read(table_text(samples.TAPE, "csv", Look())))


def test_what_is_not_there_is_a_gap() -> None:
    """A method that withdrew leaves its cell empty, not filled with a sign."""
    titles, *rows = read(table_text(samples.FAILING, "csv", Look()))
    symbolic = [row[titles.index("symbolic")] for row in rows]

    assert [component.symbolic is None for component in samples.FAILING.components] == [not each for each in symbolic]


@pytest.mark.parametrize(
    "record", [samples.GRADIENT, samples.HESSIAN, samples.TAPE, samples.FAILING, samples.PRECISION]
)
def test_every_row_is_as_wide_as_the_heading(record: object) -> None:
    assert type(record) in TABLES
    assert len({len(row) for row in read(table_text(record, "csv", Look()))}) == 1
    for table in table_text(record, "md", Look()).split("\n\n"):
        assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1


def test_signs_of_markdown_are_kept_from_it() -> None:
    """A bar in a name does not open a column, a backtick does not end the name."""
    odd = Gradient("f", {"a|b`": 1.0}, 1.0, {"a|b`": math.nan})

    assert "| ``a\\|b``` | 1.0 | nan |\n" in table_text(odd, "md", Look()).replace("`` `", "```")


def test_a_stream_without_the_signs() -> None:
    assert table_text(samples.JACOBIAN, "csv", Look(unicode=False)).startswith("component,d/dx[0],")
