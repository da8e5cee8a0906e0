"""Rows for all points of a file: their forms, their verdicts, and a run that goes on where it was stopped."""

import csv
import json
import math
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli import evaluate_points
from gradcli.answers.compilation.specialisations import Specialisation
from gradcli.errors import PointError, UsageError
from gradcli.many_points import executors, python_api
from gradcli.many_points.row_evaluation import Evaluator

pytestmark = pytest.mark.sampled(2)  # many like cases

PRODUCT = "x^2*y"
POINTS = [(1.0, 2.0), (0.5, -3.0), (2.0, 0.25), (-1.0, 4.0), (3.0, 3.0)]
EXPECTED = [(x * x * y, 2 * x * y, x * x) for x, y in POINTS]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with five points, and chunks of two."""
    monkeypatch.chdir(tmp_path)
    for name in ("FAST", "SLOW", "CHECKED"):
        monkeypatch.setattr(python_api, name, 2)
    np.save("points.npy", np.array(POINTS))


def json_rows(file):
    return [*map(json.loads, Path(file).read_text().splitlines())]


def csv_rows(file):
    return [*csv.reader(Path(file).read_text().splitlines())]


def numbers_of(file):
    """The index, the value and the gradient of each row of a file."""
    ending = os.path.splitext(file)[1]
    if ending == ".jsonl":
        rows = json_rows(file)
        return [(row["index"], row["value"], row["gradient"]["x"], row["gradient"]["y"]) for row in rows]
    if ending == ".csv":
        return [(int(row[0]), *map(float, row[1:4])) for row in csv_rows(file)[1:]]
    if ending == ".npy":
        return [(int(row[0]), *map(float, list(row)[1:4])) for row in np.load(file).tolist()]
    from pyarrow import parquet

    return [tuple(row.values())[:4] for row in parquet.read_table(file).to_pylist()]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".npy", ".parquet"])
def test_a_row_for_each_point(ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")

    run = evaluate_points(PRODUCT, "points.npy", f"rows{ending}")

    assert [row[0] for row in numbers_of(run.out)] == [0, 1, 2, 3, 4]
    assert np.allclose([row[1:] for row in numbers_of(run.out)], EXPECTED, rtol=1e-15)
    assert (run.count, run.verdicts, run.exit) == (5, {"ok": 5}, 0)
    assert sorted(os.listdir()) == sorted(["points.npy", run.out, f"{run.out}.journal"])


def test_the_points_may_be_text(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"y": 2, "x": 1}\n{"x": 0.5, "y": -3}\n[2]\n{"x": 1, "y": NaN}\n')

    run = evaluate_points(PRODUCT, "p.jsonl", "rows.jsonl")
    rows = json_rows("rows.jsonl")

    assert [row["value"] for row in rows] == [2.0, -0.75, None, None]
    assert [row["verdict"] for row in rows] == ["ok", "ok", "error", "nonfinite"]
    assert "p.jsonl, row 3" in rows[2]["message"]
    assert run.exit == 2


def test_rows_at_which_a_recorded_run_has_something_to_say():
    """The program leaves a kink, a pole and an undefined value to recorded runs."""
    np.save("points.npy", [[2.0], [0.0], [-1.0], [3.0]])

    evaluate_points("x*log(x)", "points.npy", "rows.jsonl")
    rows = json_rows("rows.jsonl")

    assert [row["verdict"] for row in rows] == ["ok", "nonfinite", "nonfinite", "ok"]
    assert [bool(row["findings"]) for row in rows] == [False, True, True, False]
    assert rows[3]["gradient"]["x"] == pytest.approx(math.log(3.0) + 1.0, rel=1e-14)


def test_kinks_have_their_codes():
    np.save("points.npy", [[2.0], [0.0]])

    evaluate_points("abs(x)", "points.npy", "rows.csv")

    assert [row[-1] for row in csv_rows("rows.csv")] == ["findings", "", "G201"]


@pytest.mark.parametrize(
    ("of", "names"),
    [
        ("jacobian", ["value", "jacobian.x", "jacobian.y"]),
        ("hessian", ["hessian.x.x", "hessian.x.y", "hessian.y.x", "hessian.y.y"]),
    ],
)
def test_other_derivatives(of, names):
    evaluate_points(PRODUCT, "points.npy", "rows.npy", of=of)

    rows = np.load("rows.npy")

    x, y = np.transpose(POINTS)
    expected = {"value": x * x * y, "jacobian.x": 2 * x * y, "jacobian.y": x * x, "hessian.x.x": 2 * y,
                "hessian.x.y": 2 * x, "hessian.y.x": 2 * x, "hessian.y.y": 0 * x}  # fmt: skip
    assert np.allclose([rows[name] for name in names], [expected[name] for name in names], rtol=1e-14)


@pytest.mark.long
def test_checks():
    run = evaluate_points("x^2*y", "points.npy", "rows.jsonl", of="check", options={"against": "2*x*y, x"})
    rows = json_rows("rows.jsonl")

    assert [row["verdict"] for row in rows] == ["pass", "fail", "fail", "fail", "fail"]
    assert rows[1]["message"] == "FAIL y"
    assert rows[1]["candidate"]["y"] == 0.5
    assert (run.verdicts, run.exit, run.worst[0].index) == ({"fail": 4, "pass": 1}, 1, 4)


def test_a_summary():
    run = evaluate_points(PRODUCT, "points.npy", "rows.npy")

    value = run.quantiles[0]
    assert (value.name, value.least, value.greatest) == ("value", -0.75, 27.0)
    assert value.quantiles[2] == 2.0
    assert [worst.index for worst in run.worst][:2] == [4, 3]
    assert sum(count for *_, count in run.histogram) == 5


def test_the_size_of_a_derivative_that_is_not_finite():
    """None where there is no derivative; infinite where it is infinite with either sign."""
    Path("odd.py").write_text("def f(x, y):\n    return -(x**0.5) * y if y else 1 / 0\n")
    Path("odd.csv").write_text("x,y\n4,3\n0,1\n0,-1\n1,0\n")
    run = evaluate_points("odd.py:f", "odd.csv", "odd.jsonl")

    sizes = {worst.index: (worst.verdict, worst.size) for worst in run.worst}
    assert sizes == {1: ("nonfinite", math.inf), 2: ("nonfinite", math.inf), 3: ("raised", None), 0: ("ok", 2.0)}


class StoppedError(Exception):
    """Stands for the end of the process."""


@contextmanager
def stopping_after(count):
    """A context in which a run stops after so many chunks, in the middle of writing another."""
    add = python_api.OutputFile.add

    def added(journal, chunk, data, counted):
        if len(journal.tallies) == count:
            journal._file.write(data[: len(data) // 2])
            raise StoppedError
        add(journal, chunk, data, counted)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(python_api.OutputFile, "add", added)
        yield


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".npy"])
@pytest.mark.parametrize("chunks", [0, 2])
def test_a_run_goes_on_where_it_stopped(monkeypatch, ending, chunks):
    evaluate_points(PRODUCT, "points.npy", f"whole{ending}")
    with stopping_after(chunks), pytest.raises(StoppedError):
        evaluate_points(PRODUCT, "points.npy", f"rows{ending}")
    computed = []
    answer = python_api._answer
    monkeypatch.setattr(python_api, "_answer", lambda *args: computed.append(args[2].number) or answer(*args))

    run = evaluate_points(PRODUCT, "points.npy", f"rows{ending}")

    assert computed == [*range(chunks, 3)]
    assert Path(f"rows{ending}").read_bytes() == Path(f"whole{ending}").read_bytes()
    assert run.verdicts == {"ok": 5}


def test_a_complete_run_is_only_summarised(monkeypatch):
    first = evaluate_points(PRODUCT, "points.npy", "rows.csv")
    monkeypatch.setattr(python_api, "answers", None)

    assert evaluate_points(PRODUCT, "points.npy", "rows.csv") == first


@pytest.mark.parametrize(
    ("target", "points", "asked", "message"),
    [
        ("x^2*y + x", "points.npy", {}, "belongs to another target"),
        (PRODUCT, "others.npy", {}, "belongs to another set of points"),
        (PRODUCT, "points.npy", {"options": {"wrt": "x"}}, "belongs to another set of options"),
        (PRODUCT, "points.npy", {"of": "jacobian"}, "belongs to another command"),
    ],
)
def test_rows_of_something_else_are_kept(target, points, asked, message):
    np.save("others.npy", np.ones((2, 2)))
    evaluate_points(PRODUCT, "points.npy", "rows.csv")
    before = Path("rows.csv").read_text()

    with pytest.raises(UsageError, match=message):
        evaluate_points(target, points, "rows.csv", **asked)

    assert Path("rows.csv").read_text() == before


def test_another_version_of_the_file_of_the_target(tmp_path):
    (tmp_path / "f.py").write_text("def f(x, y):\n    return x * y\n")
    evaluate_points("f.py:f", "points.npy", "rows.csv")
    (tmp_path / "f.py").write_text("def f(x, y):\n    return x + y\n")

    with pytest.raises(UsageError, match="another version of the target's file"):
        evaluate_points("f.py:f", "points.npy", "rows.csv")


def test_a_file_of_somebody_else_is_kept(tmp_path):
    (tmp_path / "rows.csv").write_text("mine")

    with pytest.raises(UsageError, match="has no journal beside it"):
        evaluate_points(PRODUCT, "points.npy", "rows.csv")

    assert (tmp_path / "rows.csv").read_text() == "mine"


def test_deleted_rows_are_computed_anew():
    evaluate_points(PRODUCT, "points.npy", "rows.csv")
    before = Path("rows.csv").read_text()
    os.remove("rows.csv")

    evaluate_points(PRODUCT, "points.npy", "rows.csv")

    assert Path("rows.csv").read_text() == before


def test_rows_that_were_lost(tmp_path):
    evaluate_points(PRODUCT, "points.npy", "rows.csv")
    (tmp_path / "rows.csv").write_text("index")

    with pytest.raises(UsageError, match="has lost rows"):
        evaluate_points(PRODUCT, "points.npy", "rows.csv")


def test_columns_need_answers_of_one_shape(tmp_path):
    (tmp_path / "p.jsonl").write_text("[1, 2]\n[1, 2, 3]\n")
    (tmp_path / "f.py").write_text("def f(x):\n    return (x * x).sum()\n")

    evaluate_points("f.py:f", "p.jsonl", "rows.jsonl")
    with pytest.raises(PointError, match="point 1 has other numbers"):
        evaluate_points("f.py:f", "p.jsonl", "rows.csv")

    assert [row["gradient"]["x"] for row in json_rows("rows.jsonl")] == [[2.0, 4.0], [2.0, 4.0, 6.0]]


def test_words_and_formulas_among_the_numbers(tmp_path):
    """A number that stands for none of a row is no column."""
    lines = ["pi,1,2,3", "2.5,1,2,3", "pi,4,5,6", "[NaN]", "1/2,1,2,3", "e,e,e,e", "-(1),2,3,4"]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))

    evaluate_points("a*b + c*d", "p.jsonl", "rows.jsonl")
    values = [row["value"] for row in json_rows("rows.jsonl")]

    assert values[:3] == pytest.approx([math.pi + 6, 8.5, 4 * math.pi + 30], rel=1e-15)
    assert values[3] is None
    assert values[4:] == pytest.approx([6.5, 2 * math.e**2, 10.0], rel=1e-15)


def test_without_any_answer(tmp_path):
    (tmp_path / "p.csv").write_text("x,y\n1,one\n")

    with pytest.raises(PointError, match=r"None of the first 1 points has an answer\. p\.csv, row 2"):
        evaluate_points(PRODUCT, "p.csv", "rows.csv")


def test_a_function_of_the_library(tmp_path):
    run = evaluate_points(lambda x, y: x * x * y, "points.npy", "rows.csv")

    assert np.allclose([row[1:] for row in numbers_of(run.out)], EXPECTED)


def test_other_versions_on_a_worker_are_named():
    here = {"python": "3.12.1", "numpy": "2.3.0", "gradcli": "0.1.0"}

    def versions(**others):
        worker = {"packages": {**here, **others}}
        return {"client": {"packages": here}, "workers": {"tcp://a:1": {"packages": here}, "tcp://b:2": worker}}

    executors.check_versions(versions(pandas="9"))
    with pytest.raises(UsageError, match=r"tcp://b:2 has another NumPy: 2\.2\.0, and this machine has 2\.3\.0"):
        executors.check_versions(versions(numpy="2.2.0"))
    with pytest.raises(UsageError, match="has another gradcli: none"):
        executors.check_versions(versions(gradcli=None))


@pytest.mark.filterwarnings("ignore:G204")
@pytest.mark.parametrize("has_compiler", [True, False])
def test_programs_agree_with_recorded_runs(tmp_path, monkeypatch, has_compiler):
    """Arrays and numbers as inputs, with a branch, at random points; and at one on the branch, which is recorded."""
    if not has_compiler:
        monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
        monkeypatch.setattr(Specialisation, "row_kernel", lambda program: None)
    (tmp_path / "f.py").write_text("def f(w, b):\n    s = w[0] * b + w[1] ** 2\n    return s * b if s > 1 else s\n")
    w, b = np.random.default_rng(0).uniform(0, 2, (20, 2)), np.full(20, 0.5)
    w[7], b[7] = (2.0, 0.0), 0.5
    np.savez("p.npz", w=w, b=b)

    evaluate_points("f.py:f", "p.npz", "rows.npy")
    rows = np.load("rows.npy")

    expected = [
        gradcli.value_and_grad(gradcli.queries.resolve("f.py:f").function, (0, 1))(*each)
        for each in zip(w, b, strict=True)
    ]
    assert np.allclose(rows["value"], [value for value, _ in expected], rtol=1e-14)
    assert np.allclose(rows["gradient.w[1]"], [of_w[1] for _, (of_w, _) in expected], rtol=1e-14)
    assert np.allclose(rows["gradient.b"], [of_b for _, (_, of_b) in expected], rtol=1e-14)
    assert [*np.flatnonzero(rows["findings"] != b"")] == [7]


RESIDUALS = """
import numpy as np

def f(w, b):
    return np.array([w[0] * b, w[1] ** 3 + b, np.log(w[0]) * w[2]])

def g(w, b):
    return np.sum(f(w, b) ** 2) * b
"""


@pytest.mark.parametrize(("of", "name"), [("jacobian", "f"), ("jacobian", "g"), ("hessian", "g")])
def test_programs_of_other_derivatives_agree_with_recorded_runs(tmp_path, monkeypatch, of, name):
    """At random points, and at one where the program stops; nearly all rows are the program's."""
    (tmp_path / "f.py").write_text(RESIDUALS)
    w, b = np.random.default_rng(0).uniform(0.5, 2, (20, 3)), np.linspace(0.5, 1.0, 20)
    w[7] = 0.0
    np.savez("p.npz", w=w, b=b)
    recorded, remark = [], Evaluator.remark
    monkeypatch.setattr(Evaluator, "remark", lambda self, *args: recorded.append(args) or remark(self, *args))
    evaluate_points(f"f.py:{name}", "p.npz", "rows.npy", of=of)
    count = len(recorded)
    monkeypatch.setattr("gradcli.many_points.row_evaluation.KINDS", {})
    evaluate_points(f"f.py:{name}", "p.npz", "expected.npy", of=of)
    rows, expected = np.load("rows.npy"), np.load("expected.npy")

    assert rows.dtype == expected.dtype
    for column in rows.dtype.names:
        if rows[column].dtype.kind == "f":
            np.testing.assert_allclose(rows[column], expected[column], rtol=1e-11, err_msg=column)
        else:
            np.testing.assert_array_equal(rows[column], expected[column])
    assert count < 5


@pytest.mark.parametrize(
    ("of", "option", "words"),
    [("grad", "wtr", "write wrt="), ("grad", "strict", "it has wrt"), ("check", "agianst", "write against=")],
)
def test_an_unknown_option_is_named(of, option, words):
    with pytest.raises(UsageError, match=f"evaluate_points has no argument '{option}'; {words}"):
        evaluate_points(PRODUCT, "points.npy", "rows.csv", of=of, options={option: True})
    assert not Path("rows.csv").exists()
