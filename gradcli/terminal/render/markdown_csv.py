"""The table of a record as Markdown or CSV, with every row and column and all digits."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.checks import Comparison
from gradcli.shared.records.derivatives import Gradient, Hessian, Jacobian
from gradcli.shared.records.function_comparisons import Agreement
from gradcli.shared.records.json_form import plain
from gradcli.shared.records.precision import Precision
from gradcli.shared.records.propagation import Propagation
from gradcli.shared.records.tapes import TapeListing
from gradcli.terminal.render import jacobian
from gradcli.terminal.render.layout.numbers import by_component, exact
from gradcli.terminal.render.layout.theme import PARTIAL
from gradcli.terminal.render.tapes.listing import question
from gradcli.terminal.render.tapes.node_labels import handle, operation


class Table(Frozen):
    """The titles and rows of a table.

    Args:
        titles: the heading of each column.
        rows: texts, numbers, nested lists of numbers, and None for missing values.
        code: the titles of columns that hold parts of the user's program.
    """

    titles: Sequence[str]
    rows: Sequence[Sequence[Any]]
    code: Sequence[str] = ()


def text(record: object, form: str) -> str:
    """All tables of a record as Markdown, or the first one as CSV."""
    tables = TABLES[type(record)](record)
    if form == "csv":
        return as_csv(next(tables))
    return "\n".join(map(as_markdown, tables))


def as_csv(table: Table) -> str:
    """A table as CSV, with empty cells for missing values."""
    paper = io.StringIO()
    writer = csv.writer(paper, lineterminator="\n")
    writer.writerow(table.titles)
    writer.writerows([[whole(cell) for cell in row] for row in table.rows])
    return paper.getvalue()


def as_markdown(table: Table) -> str:
    """A table as GitHub Markdown, with columns of numbers right-aligned."""
    numeric = [is_numeric([row[place] for row in table.rows]) for place in range(len(table.titles))]
    lines = [
        [escaped(title) for title in table.titles],
        ["---:" if right else "---" for right in numeric],
        *(
            [cell_of(cell, title in table.code) for cell, title in zip(row, table.titles, strict=True)]
            for row in table.rows
        ),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def is_numeric(cells: Sequence[Any]) -> bool:
    """Whether a column holds only numbers and gaps."""
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(isinstance(cell, (int, float)) for cell in present)


def whole(cell: Any) -> str:
    """A cell as text: numbers exactly, arrays as JSON."""
    if cell is None:
        return ""
    if isinstance(cell, (list, tuple, dict)):
        return json.dumps(plain(cell), allow_nan=False)
    return clean(exact(cell))


def cell_of(cell: Any, code: bool) -> str:
    """A cell in Markdown; parts of a program are in backticks, so that asterisks are not read as emphasis."""
    shown = whole(cell).replace("\n", " ")
    if not code or not shown:
        return escaped(shown)
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}".replace("|", "\\|")


def escaped(shown: str) -> str:
    """A text with Markdown's special characters escaped."""
    return "".join("\\" + sign if sign in "\\|*`<" else sign for sign in shown)


def gradient(record: Gradient) -> Iterator[Table]:
    """Name, value at the point and derivative of every number."""
    point = dict(by_component({name: record.point.get(name) for name in record.gradient}))
    rows = [(name, point.get(name), number) for name, number in by_component(record.gradient)]
    yield Table(("name", "point", "gradient"), rows, ("name",))


def matrix(entries: Iterator[jacobian.Entry]) -> Iterator[Table]:
    """A table with a row per row name and a column per column name."""
    titles, rows = jacobian.titles_and_rows(entries)
    yield Table(("component", *titles), [(name, *numbers) for name, numbers in rows.items()], ("component",))


def tape(record: TapeListing) -> Iterator[Table]:
    """A table of nodes, and a table of outcomes if there are any."""
    names = {node.index: node.name for node in record.nodes if node.name}
    titles = ("node", "name", "operation", "value", "sensitivity", "file", "line", "source")
    rows = [
        (
            handle(node.index),
            node.name,
            operation(node, names),
            node.value,
            node.sensitivity,
            node.file,
            node.line,
            (node.source or "").strip(),
        )
        for node in record.nodes
    ]
    yield Table(titles, rows, ("name", "operation", "source"))
    if record.outcomes:
        outcome_rows = [
            (handle(outcome.before), question(outcome), outcome.outcome, outcome.file, outcome.line)
            for outcome in record.outcomes
        ]
        yield Table(("before", "asked", "outcome", "file", "line"), outcome_rows, ("asked",))


def comparison(record: Comparison) -> Iterator[Table]:
    """A row per component, worst first."""
    numbers = ("candidate", "reference", "reverse", "symbolic", "differences", "differences_error", "tolerance")
    rows = [
        (row.verdict.value, row.name, *(getattr(row, name) for name in numbers), row.reason)
        for row in record.components
    ]
    yield Table(("verdict", "component", *(name.replace("_", " ") for name in numbers), "reason"), rows, ("component",))


def precision(record: Precision) -> Iterator[Table]:
    """The accuracy of the value and each derivative, and the nodes that lose digits."""
    names = ["value", *(f"{PARTIAL}/{PARTIAL}{part.name}" for part in record.gradient)]
    known = [record.value, *record.gradient]
    rows = [(name, part.value, part.digits, part.error) for name, part in zip(names, known, strict=True)]
    yield Table(("name", "computed", "good digits", "error up to"), rows, ("name",))
    fields = ("lost", "of_value", "of_gradient", "rewrite", "file", "line", "source")
    lost = [(handle(node.index), node.expression, *(getattr(node, field) for field in fields)) for node in record.nodes]
    if lost:
        titles = ("node", "operation", *(field.replace("_", " ") for field in fields))
        yield Table(titles, lost, ("operation", "rewrite", "source"))


def propagation(record: Propagation) -> Iterator[Table]:
    """The results with their uncertainty, and what the inputs contribute to each."""
    numbers = ("value", "uncertainty", "mean", "second_order", "bend")
    rows = [(result.name, *(getattr(result, name) for name in numbers)) for result in record.results]
    yield Table(("result", *(name.replace("_", " ") for name in numbers)), rows, ("result",))
    parts = [
        (result.name, ", ".join(part.inputs), part.uncertainty, part.derivative, part.share)
        for result in record.results
        for part in result.contributions
    ]
    yield Table(("result", "input", "deviation", "derivative", "share"), parts, ("result", "input"))


def agreement(record: Agreement) -> Iterator[Table]:
    """The value and each derivative of two functions."""
    rows = [(row.verdict, row.name, row.first, row.second, row.ulps, row.tolerance) for row in record.numbers]
    yield Table(("verdict", "number", record.target, record.other, "ulps apart", "allowed"), rows, ("number",))


TABLES: dict[type, Callable[[Any], Iterator[Table]]] = {
    Gradient: gradient,
    Jacobian: lambda record: matrix(jacobian.labelled(record)),
    Hessian: lambda record: matrix(jacobian.labelled(record)),
    TapeListing: tape,
    Comparison: comparison,
    Precision: precision,
    Propagation: propagation,
    Agreement: agreement,
}
