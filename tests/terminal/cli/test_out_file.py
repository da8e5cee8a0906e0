"""`--out FILE`: the form is that of the name, and no file of the user's is replaced."""

import json
from pathlib import Path

import pytest

from tests.terminal.cli.conftest import Call

WRITTEN = {
    "grad": {"md": "| `x` |", "csv": "x,3.0,6.0", "txt": "value  9.0", "json": '"command": "grad"'},
    "tape": {"md": "| %0 |", "csv": "node,", "html": "<!doctype html>", "dot": "digraph", "mmd": "flowchart"},
    "explain": {"md": "s_x", "tex": r"\begin{align*}", "txt": "backwards from the result"},
    "symbolic": {"tex": r"x^{2}", "txt": "value = x**2"},
    "derive": {"py": "return 2 * x"},
    "check": {"md": "PASS", "csv": "PASS,x"},
    "precision": {"csv": "value,"},
    "hessian": {"csv": "2.0"},
    "plot": {"txt": "value by x", "json": '"command": "plot"'},
}


@pytest.mark.parametrize(("command", "ending"), [(word, ending) for word, each in WRITTEN.items() for ending in each])
def test_the_name_says_the_form(command: str, ending: str, call: Call, tmp_path: Path) -> None:
    file = tmp_path / f"answer.{ending.upper()}"
    for _ in range(2):
        assert (0, f"wrote {file}\n", "") == call(command, "x^2", "--at", "3", "-o", str(file))

    assert WRITTEN[command][ending] in file.read_text()


@pytest.mark.parametrize("ending", ["md", "csv", "txt", "html", "svg", "json", "dot", "mmd"])
def test_a_file_of_the_user_is_kept(ending: str, call: Call, tmp_path: Path) -> None:
    file = tmp_path / f"mine.{ending}"
    file.write_text("mine, not written by gradcli\n")
    answer = call("tape", "x^2", "--at", "3", "--out", str(file))

    assert answer[:2] == (2, "")
    assert f"Type --out {tmp_path}/mine_2.{ending}, or another name that is free." == answer.err.splitlines()[-1]
    assert file.read_text() == "mine, not written by gradcli\n"


def test_it_is_written_where_it_was_typed(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program goes to another folder while it is imported."""
    monkeypatch.chdir(tmp_path)
    Path("elsewhere").mkdir()
    Path("goes.py").write_text("import os\nos.chdir('elsewhere')\n\n\ndef f(x):\n    return x * x\n")

    assert call("grad", "goes.py:f", "--at", "1", "-o", "answer.json") == (0, "wrote answer.json\n", "")
    assert Path.cwd() == tmp_path / "elsewhere"
    assert [each.name for each in tmp_path.rglob("*.json")] == ["answer.json"]
    assert (tmp_path / "answer.json").exists()


def test_it_is_refused_before_the_function_runs(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that there is not, and a file that must stay."""
    monkeypatch.chdir(tmp_path)
    Path("loud.py").write_text("def f(x):\n    raise OSError\n")
    Path("mine.md").write_text("mine")

    for file in ("g.gif", "g", "mine.md", "-"):
        assert call("grad", "loud.py:f", "--at", "1", "-o", file)[:2] == (2, "")
    assert {each.name for each in tmp_path.iterdir()} == {"loud.py", "mine.md"}


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("--out writes a .md, .csv, .txt or .json file, not 'g.gif'.\nType --out g.md\n", ("-o", "g.gif")),
        (
            "--out writes a file; without it, the output goes to stdout.\n"
            "Leave out --out; --format md prints another format.\n",
            ("-o", "-"),
        ),
        ("'g.md' is named as md, and --format says csv.\nLeave out --format.\n", ("-o", "g.md", "--format", "csv")),
        ("gradcli grad has no option -v.\n`gradcli grad --help` lists its options.\n", ("-v",)),
    ],
)
def test_what_is_typed_otherwise(said: str, arguments: tuple[str, ...], call: Call) -> None:
    assert (2, "", f"error: {said}") == call("grad", "x^2", "--at", "3", *arguments)


def test_a_form_for_a_name_without_one(call: Call, tmp_path: Path) -> None:
    assert call("grad", "x^2", "--at", "3", "-o", str(tmp_path / "g"), "--format", "csv").code == 0
    assert (tmp_path / "g").read_text() == "name,point,gradient\nx,3.0,6.0\n"


def test_json_on_stdout_beside_a_file(call: Call, tmp_path: Path) -> None:
    answer = call("tape", "x^2", "--at", "3", "-o", str(tmp_path / "t.html"), "--json")

    assert json.loads(answer.out)["command"] == "tape"
    assert (tmp_path / "t.html").exists()
