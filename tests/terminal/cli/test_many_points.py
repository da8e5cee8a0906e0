"""`--points-file`: rows for many points, and what goes with it."""

import json
from pathlib import Path

import pytest

from gradcli.terminal.cli import main
from gradcli.terminal.cli.progress import rate_text


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("x,y\n1,2\n3,4\n")


def test_rows_and_their_summary(capsys):
    assert main(["grad", "x*y", "--points-file", "p.csv", "--out", "rows.jsonl"]) == 0

    assert [json.loads(line)["value"] for line in Path("rows.jsonl").read_text().splitlines()] == [2.0, 12.0]
    assert "2 points: 2 ok" in capsys.readouterr().out


def test_the_summary_as_json(capsys):
    assert main(["grad", "x*y", "--points-file", "p.csv", "--out", "rows.jsonl", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["verdicts"] == {"ok": 2}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("grad x*y --points-file p.csv", "writes a row for each point"),
        ("grad x*y --points-file p.csv --out rows.md", "a row for each point, which rows.md cannot hold."),
        ("grad x*y --at 1,2 -n 2", "are for the points of a file"),
        ("check x*y --at 1,2 --scheduler tcp://a:1", "are for the points of a file"),
        ("grad x*y --at 1,2 --points-file p.csv --out rows.csv", "--at does not go with the points of a file"),
        ("check x*y --points 3 --points-file p.csv --out rows.csv", "--points does not go with the points"),
        ("grad x*y --points-file no.csv --out rows.csv", "cannot be read: No such file"),
        ("plot rows.csv --columns value", "names no two columns"),
        ("plot p.csv --columns x,z", "has no column 'z'"),
        ("plot p.csv --columns x,y --bars", "--columns shows rows of a file"),
    ],
)
def test_what_does_not_go_together(capsys, line, message):
    assert main(line.split()) == 2
    assert message in capsys.readouterr().err


def test_a_plot_of_columns(capsys):
    assert main(["plot", "p.csv", "--columns", "x,y"]) == 0
    assert "y by x" in capsys.readouterr().out


def test_the_rate_is_that_of_this_run():
    assert rate_text(0, 10, "points", (0, 1.0)) == "0 of 10 points"
    assert rate_text(3000, 10000, "points", (1000, 2.0)) == "3,000 of 10,000 points, 500 a second, about 14 s left"
