"""`gradcli tape`: what it asks, what it prints."""

import json
import sys
from pathlib import Path

import pytest

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--tree --top 2", "--tree and --top ask for different things."),
        ("--top 2 --format dot", "A graph has all nodes or those of a path, not --top."),
        ("--tree --format csv", "csv has the whole tape, not --tree."),
    ],
)
def test_parts_that_exclude_each_other(options: str, said: str, call: Call, queries: Queries) -> None:
    queries.answers("tape_graph", samples.GRAPH)
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "1", *options.split())

    assert (answer.code, answer.err.splitlines()[0]) == (2, f"error: {said}")


def test_a_page(call: Call, queries: Queries, tmp_path: Path) -> None:
    """--out writes one file, anew too; where it cannot, it says so; with --json only JSON comes to stdout."""
    queries.answers("tape_graph", samples.GRAPH)
    file = tmp_path / "tape.HTML"
    file.touch()
    typed = ("tape", "f.py:f", "--at", "1", "--out")

    for _ in range(2):
        assert call(*typed, str(file))[:2] == (0, f"wrote {file}\n")
    assert "<td>mul t_a, t_b</td>" in file.read_text(encoding="utf-8")
    file.unlink()
    assert json.loads(call(*typed, str(file), "--json").out)["command"] == "tape"
    assert file.exists()
    assert call(*typed, str(tmp_path / "none" / "x.html")).code == 2


def test_a_drawing_on_stdout(call: Call, queries: Queries) -> None:
    queries.answers("tape_graph", samples.GRAPH)
    answer = call("tape", "f.py:f", "--at", "1", "--format", "dot")
    path = call("tape", "f.py:f", "--at", "1", "--path", "t_ab..ret", "--format", "mermaid").out

    assert (answer.code, answer.out.splitlines()[0], answer.err) == (0, "digraph tape {", "")
    assert [f"n{index}[" in path for index in range(6)] == [False, False, False, True, True, True]


def test_a_picture_of_dots(call: Call, tmp_path: Path) -> None:
    """A .png file; gradcli knows its own and draws it anew."""
    pytest.importorskip("grandalf")
    pytest.importorskip("resvg_py")
    file = tmp_path / "f4.png"

    assert [call("tape", "x^2", "--at", "3", "--out", str(file)).code for _ in range(2)] == [0, 0]
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("ending", ["svg", "html", "png"])
def test_a_drawing_needs_a_layout(
    ending: str, call: Call, queries: Queries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries.answers("tape_graph", samples.GRAPH)
    monkeypatch.setitem(sys.modules, "grandalf.layouts", None)
    answer = call("tape", "f.py:f", "--at", "1", "--out", str(tmp_path / f"tape.{ending}"))

    assert (answer.code, *answer.err.splitlines()) == (
        2,
        "error: A graph needs the library grandalf, which is not installed.",
        "pip install 'gradcli[plot]', or write a .dot file for Graphviz.",
    )
