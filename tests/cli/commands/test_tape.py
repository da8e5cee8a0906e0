"""`gradcli tape`: what it asks, what it prints."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Call, Queries
from tests.render import samples


def test_a_tape(call: Call, queries: Queries) -> None:
    """The nodes go to stdout, with the names of the user."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "examples/hyperbox.py:f4", "--at", "2,3,4,5")

    assert 0 == answer.code
    assert "  %3  t_ab          mul t_a, t_b          6.0" in answer.out
    assert [("tape", ("examples/hyperbox.py:f4", "2,3,4,5"), {"device": "cpu"})] == queries.asked


def test_json(call: Call, queries: Queries) -> None:
    """In JSON a node has all its fields."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "2,3,4,5", "--json")
    expected = {
        "index": 3,
        "name": "t_ab",
        "operation": "mul",
        "inputs": [1, 2],
        "value": 6.0,
        "sensitivity": 18.0,
        "file": samples.FILE,
        "line": 12,
        "source": "    t_ab = t_a * t_b",
        "expression": None,
    }

    assert (0, expected) == (answer.code, json.loads(answer.out)["nodes"][3])


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ("└─ t_ab", ["--tree"]),
        ("|value * s|", ["--top", "2"]),
        ("neg t_ab", ["--path", "t_ab..ret"]),
        ("2.0 < 3.0", ["--branches"]),
        ("digraph tape {", ["--format", "dot"]),
        ("flowchart BT", ["--format", "mermaid"]),
    ],
)
def test_parts(expected: str, options: list[str], call: Call, queries: Queries) -> None:
    """Each option shows its part of the same record."""
    queries.answers("tape", samples.TAPE)

    assert expected in call("tape", "f.py:f", "--at", "2,3,4,5", *options).out


def test_parts_that_exclude_each_other(call: Call) -> None:
    """Two of them are refused."""
    answer = call("tape", "f.py:f", "--at", "1", "--tree", "--top", "2")

    assert (2, "error: --tree and --top ask for different things.\nGive one of them.\n") == (answer.code, answer.err)


def test_a_page(call: Call, queries: Queries, tmp_path: Path) -> None:
    """--out writes one file; where it cannot, it says so."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.html"

    assert (0, f"wrote {file}\n") == call("tape", "f.py:f", "--at", "1", "--out", str(file))[:2]
    assert "<td>mul t_a, t_b</td>" in file.read_text(encoding="utf-8")
    assert 2 == call("tape", "f.py:f", "--at", "1", "--out", str(tmp_path / "none" / "x.html")).code


def test_json_beside_a_page(call: Call, queries: Queries, tmp_path: Path) -> None:
    """With --json nothing but JSON comes to stdout, and the file is written all the same."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.html"

    assert "tape" == json.loads(call("tape", "f.py:f", "--at", "1", "--out", str(file), "--json").out)["command"]
    assert file.exists()


def test_a_drawing(call: Call, queries: Queries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .svg file hands the graph to `dot`; without Graphviz it says what to do."""
    queries.answers("tape", samples.TAPE)
    file, program = tmp_path / "tape.svg", tmp_path / "dot"
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = call("tape", "f.py:f", "--at", "1", "--out", str(file))
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1], sys.stdin.read().count('->'))\n")
    program.chmod(0o755)

    assert (2, "error: A .svg graph needs Graphviz, whose program `dot` is not installed here.") == (
        missing.code, missing.err.splitlines()[0],
    )  # fmt: skip
    assert 0 == call("tape", "f.py:f", "--at", "1", "--out", str(file)).code
    assert "<!-- Drawn by gradcli -->\n-Tsvg 7\n" == file.read_text()


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_every_node(call: Call, tmp_path: Path) -> None:
    """The real one: an ellipse or a box for each node, a line for each use."""
    file = tmp_path / "f4.svg"

    assert (0, f"wrote {file}\n", "") == call("tape", "examples/hyperbox.py:f4", "--at", "1,2,3,4", "--out", str(file))
    drawn = [group.get("class") for group in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}g")]
    assert (15, 23) == (drawn.count("node"), drawn.count("edge"))


def test_a_page_is_written_anew(call: Call, queries: Queries, tmp_path: Path) -> None:
    """Over one that gradcli wrote, and over an empty file."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.HTML"
    file.touch()

    assert [0, 0] == [call("tape", "f.py:f", "--at", "1", "--out", str(file)).code for _ in range(2)]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_a_drawing_is_written_anew(call: Call, queries: Queries, tmp_path: Path) -> None:
    """Its mark is found below the declaration of XML, which stays first."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.svg"

    assert [0, 0] == [call("tape", "f.py:f", "--at", "1", "--out", str(file)).code for _ in range(2)]
    assert file.read_text().startswith("<?xml")


def test_a_drawing_on_stdout(call: Call, queries: Queries) -> None:
    """By its form alone."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "1", "--format", "html")

    assert (0, "<!doctype html>", "") == (answer.code, answer.out.splitlines()[0], answer.err)


def test_the_target_is_never_drawn_over(call: Call, tmp_path: Path) -> None:
    """Not even by a link whose ending is right, where its text has the mark of a drawing."""
    source, link = tmp_path / "f.py", tmp_path / "f.html"
    text = 'MARK = \'<meta name="generator" content="gradcli">\'\ndef f(x):\n    return x * x\n'
    source.write_text(text)
    link.symlink_to(source)

    assert 2 == call("tape", f"{source}:f", "--at", "1", "--out", str(link)).code
    assert text == source.read_text()
