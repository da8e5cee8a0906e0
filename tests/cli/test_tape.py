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
        ("digraph tape {", ["--dot"]),
        ("flowchart BT", ["--mermaid"]),
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
    """--html writes one file; where it cannot, it says so."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.html"

    assert (0, f"wrote {file}: 6 nodes\n") == call("tape", "f.py:f", "--at", "1", "--html", str(file))[:2]
    assert "<td>mul t_a, t_b</td>" in file.read_text(encoding="utf-8")
    assert 2 == call("tape", "f.py:f", "--at", "1", "--html", str(tmp_path / "none" / "x.html")).code


def test_json_beside_a_page(call: Call, queries: Queries, tmp_path: Path) -> None:
    """With --json nothing but JSON comes to stdout, and the file is written all the same."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.html"

    assert "tape" == json.loads(call("tape", "f.py:f", "--at", "1", "--html", str(file), "--json").out)["command"]
    assert file.exists()


def test_a_drawing(call: Call, queries: Queries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--svg hands the graph to `dot`; without Graphviz it says what to do."""
    queries.answers("tape", samples.TAPE)
    file, program = tmp_path / "tape.svg", tmp_path / "dot"
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = call("tape", "f.py:f", "--at", "1", "--svg", str(file))
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1], sys.stdin.read().count('->'))\n")
    program.chmod(0o755)

    assert (2, "error: --svg needs Graphviz, whose program `dot` is not installed here.") == (
        missing.code, missing.err.splitlines()[0],
    )  # fmt: skip
    assert 0 == call("tape", "f.py:f", "--at", "1", "--svg", str(file)).code
    assert "<!-- Drawn by gradcli -->\n-Tsvg 7\n" == file.read_text()


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_every_node(call: Call, tmp_path: Path) -> None:
    """The real one: an ellipse or a box for each node, a line for each use."""
    file = tmp_path / "f4.svg"

    assert (0, f"wrote {file}: 15 nodes\n", "") == call(
        "tape", "examples/hyperbox.py:f4", "--at", "1,2,3,4", "--svg", str(file)
    )
    drawn = [group.get("class") for group in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}g")]
    assert (15, 23) == (drawn.count("node"), drawn.count("edge"))


def test_a_page_is_written_anew(call: Call, queries: Queries, tmp_path: Path) -> None:
    """Over one that gradcli wrote, and over an empty file."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.HTML"
    file.touch()

    assert [0, 0] == [call("tape", "f.py:f", "--at", "1", "--html", str(file)).code for _ in range(2)]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_a_drawing_is_written_anew(call: Call, queries: Queries, tmp_path: Path) -> None:
    """Its mark is found below the declaration of XML, which stays first."""
    queries.answers("tape", samples.TAPE)
    file = tmp_path / "tape.svg"

    assert [0, 0] == [call("tape", "f.py:f", "--at", "1", "--svg", str(file)).code for _ in range(2)]
    assert file.read_text().startswith("<?xml")


def test_a_drawing_on_stdout(call: Call, queries: Queries) -> None:
    """`-` is no file."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "1", "--html", "-")

    assert (0, "<!doctype html>", "") == (answer.code, answer.out.splitlines()[0], answer.err)
    assert not Path("-").exists()


def test_json_and_a_drawing_on_stdout(call: Call) -> None:
    """The two would be one text: refused."""
    answer = call("tape", "x^2", "--at", "1", "--svg", "-", "--json")

    assert (2, "") == answer[:2]
    assert "--json and --svg - both write to stdout." in answer.err


@pytest.mark.parametrize(("option", "name"), [("--svg", "README.md"), ("--html", "victim.py"), ("--svg", "a.html")])
def test_a_file_of_another_format(
    option: str, name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not written over, nor made; what to type is said before anything is computed."""
    monkeypatch.chdir(tmp_path)
    Path("victim.py").write_text("def f(x):\n    raise OSError\n")
    form = option[2:]
    answer = call("tape", "victim.py:f", "--at", "1", option, name)

    assert (2, "", f"error: {option} writes a .{form} file, not {name!r}.\n") == (
        *answer[:2],
        answer.err.splitlines(True)[0],
    )
    assert answer.err.endswith(f"Type {option} {Path(name).stem}.{form}\n")
    assert ["victim.py"] == [each.name for each in tmp_path.iterdir()]


@pytest.mark.parametrize("option", ["--svg", "--html"])
def test_a_drawing_of_the_user_is_kept(option: str, call: Call, tmp_path: Path) -> None:
    """A file that gradcli did not draw is not written over, whatever it is called."""
    file = tmp_path / f"mine.{option[2:]}"
    file.write_text("<p>mine</p>")
    answer = call("tape", "x^2", "--at", "1", option, str(file))

    assert (2, f"Type {option} {tmp_path}/mine_2.{option[2:]}, or another name that is free.") == (
        answer.code,
        answer.err.splitlines()[-1],
    )
    assert "<p>mine</p>" == file.read_text()


def test_the_target_is_never_drawn_over(call: Call, tmp_path: Path) -> None:
    """Not even by a link whose ending is right, where its text has the mark of a drawing."""
    source, link = tmp_path / "f.py", tmp_path / "f.html"
    text = 'MARK = \'<meta name="generator" content="gradcli">\'\ndef f(x):\n    return x * x\n'
    source.write_text(text)
    link.symlink_to(source)

    assert 2 == call("tape", f"{source}:f", "--at", "1", "--html", str(link)).code
    assert text == source.read_text()
