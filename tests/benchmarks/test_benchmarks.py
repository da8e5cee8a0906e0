"""The benchmarks run, with no neighbour installed too, and fail only on what holds on every machine."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import compiled, derived_programs, functions_at_size, neighbours, on_gpu, pullbacks
from benchmarks.bounds import AsLong, Budget, Faster, amount
from benchmarks.pullbacks import Measured
from benchmarks.report import judged
from benchmarks.row import Row
from benchmarks.rows import ELEMENTS, GPU_ROWS, ROWS
from benchmarks.workloads import rosenbrock
from gradcli import queries
from gradcli.mathematics.rules.array_rule import array_rule
from tests.standin.library import installed

pytestmark = pytest.mark.sampled(8)  # many like cases

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
TARGET = re.compile(r"^    (\S.*?)  .*((?:at least|at most|under) \S+(?: \w+)?)", re.MULTILINE)


def row(**what_must_hold):
    return Row("x", "some work", lambda effort: {}, **what_must_hold)


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setattr(neighbours, "NEIGHBOURS", ())


@pytest.mark.parametrize("name", ["f4", "product", "loop", "hessian", "memory", "million"])
def test_a_tiny_run_of_a_row_works_without_neighbours(alone, capsys, name):
    assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

    data = json.loads(capsys.readouterr().out)
    assert {entry["who"] for entry in data["rows"][0]["entries"]} == {"gradcli"}
    assert data["rows"][0]["entries"][0]["number"] > 0


@pytest.mark.parametrize("name", ["rosenbrock", "perceptron", "mixture", "logistic", "recurrent", "fill"])
def test_a_program_of_arrays_is_timed_beside_the_same_calls_by_hand(alone, capsys, name):
    """The row insists that both gradients are the same, and times the function alone too."""
    assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

    data = json.loads(capsys.readouterr().out)
    who = [entry["who"] for entry in data["rows"][0]["entries"]]
    shown = ["gradcli", "the same calls by hand", "the function alone"]
    assert [each for each in who if "good" not in each] == shown


@pytest.mark.parametrize("row", compiled.ROWS, ids=lambda row: row.name)
def test_a_compiled_program_is_timed_without_neighbours(alone, capsys, row):
    """The row insists that the program is called, and that it gives what the eager gradient gives."""
    assert benchmarks.main(["--quick", "--json", "--only", row.name]) == 0

    data = json.loads(capsys.readouterr().out)
    eager = ["gradcli"] if row.name.startswith(("derived", "kernel")) else []
    assert [entry["who"] for entry in data["rows"][0]["entries"]] == ["gradcli compiled", *eager]


@pytest.mark.parametrize("row", derived_programs.ROWS, ids=lambda row: row.name)
def test_a_derived_program_is_timed_beside_its_function(alone, capsys, row):
    """The row insists that it gives what the gradient by hand gives, where there is one."""
    if reason := row.why_not():
        pytest.skip(reason)
    assert benchmarks.main(["--quick", "--json", "--only", row.name]) == 0

    data = json.loads(capsys.readouterr().out)
    assert {entry["who"] for entry in data["rows"][0]["entries"]} == {"derived", *row.bounds}


def test_joins_are_timed_beside_the_sum_of_the_pieces(alone, capsys):
    assert benchmarks.main(["--quick", "--json", "--only", "joins"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [entry["who"] for entry in data["rows"][0]["entries"]] == ["gradcli", "their sum"]


@pytest.mark.parametrize(
    "name",
    [
        "derive-array",
        "derive-matrices",
        "check-numbers",
        "check-steps",
        "explain-scipy",
        "precision-scipy",
        "tape-scipy",
    ],
)
def test_a_command_is_timed_beside_one_gradient(alone, capsys, name):
    assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [entry["who"] for entry in data["rows"][0]["entries"]] == ["gradcli", "one gradient"]


@pytest.mark.long
def test_gradients_out_of_proportion_are_counted(alone, capsys):
    assert benchmarks.main(["--quick", "--json", "--only", "pullbacks"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [(entry["who"], entry["unit"]) for entry in data["rows"][0]["entries"]] == [("gradcli", "functions")]


def test_a_gradient_is_in_proportion_by_its_time_at_the_largest_sizes():
    assert Measured("f", {100: (1.0, 90.0), 10_000: (1.0, 30.0), 1_000_000: (1.0, 9.0)}).is_proportionate
    assert not Measured("f", {100: (1.0, 1.0), 10_000: (1.0, 5.0), 1_000_000: (1.0, 11.0)}).is_proportionate
    assert not Measured("f", {10_000: (1.0, 1.0), 1_000_000: (1.0, 9.0)}).is_proportionate


def test_a_gradient_grows_with_its_share_alone():
    assert Measured("f", {300: (1.0, 30.0), 30_000: (100.0, 12_001.0)}).grows
    assert not Measured("f", {300: (1.0, 30.0), 30_000: (100.0, 11_999.0)}).grows
    assert not Measured("f", {300: (1.0, 0.5), 30_000: (100.0, 399.0)}).grows


def test_a_quadratic_gradient_grows_in_the_row(monkeypatch):
    summed = array_rule("sum", "x: np.sum(x)", lambda ct, v, x: ct * np.convolve(x, x)[: len(x)])
    monkeypatch.setattr(pullbacks.Subject, "function", lambda self, size: (lambda x, y: summed(x), np.ones(size), None))
    program = pullbacks.Subject("np.sum(x)", "line")

    assert Measured(program.text, pullbacks.measured(program, (100, 10_000))).grows


@pytest.mark.long
def test_every_served_function_is_swept_or_left_out_for_a_reason():
    written = " ".join([text for text, _ in functions_at_size.forms()] + [*functions_at_size.LEFT_OUT.values()])
    swept = set(re.findall(r"[^\W_]\w*", written))
    served = [
        name.rpartition(".")[2]
        for family, names in queries.operations()
        for name in names
        if family.startswith(("numpy", "scipy"))
    ]

    assert set(served) - swept == set()
    assert set(functions_at_size.EXCEPTIONS) - {text for text, _ in functions_at_size.forms()} == set()


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", [row.name for row in ROWS if row.bounds is ELEMENTS])
def test_a_program_that_reads_numbers_is_timed_beside_itself(alone, capsys, name):
    assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [entry["who"] for entry in data["rows"][0]["entries"]] == ["gradcli", "the function alone"]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", ["forward", "jacobian-rows"])
def test_a_forward_sweep_is_timed_beside_recording(alone, capsys, name):
    assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

    data = json.loads(capsys.readouterr().out)
    assert [entry["who"] for entry in data["rows"][0]["entries"]] == ["gradcli", "recording"]


@pytest.mark.long
def test_programs_on_a_device_are_timed_beside_the_host(capsys, monkeypatch):
    """Each row insists that both gradients are the same; here on the stand-in for a device."""
    monkeypatch.setattr(on_gpu, "find_spec", lambda name: None)
    with installed():
        assert benchmarks.main(["--quick", "--json", "--gpu"]) == 0

    data = json.loads(capsys.readouterr().out)
    who = {row["name"]: [entry["who"] for entry in row["entries"]] for row in data["rows"]}
    assert who.pop("copies-gpu") == ["gradcli, GPU"]
    assert set(map(tuple, who.values())) == {("gradcli, GPU", "gradcli, CPU", "the function alone, GPU")}
    assert list(who) == [row.name for row in GPU_ROWS[:-1]]
    assert data["gpu"] == "stand-in, CuPy 14.2.0"


def test_a_gradient_on_a_device_copies_nothing_but_whether_it_is_finite(capsys):
    with installed():
        assert benchmarks.main(["--json", "--only", "copies-gpu"]) == 0

    assert json.loads(capsys.readouterr().out)["rows"][0]["entries"][0]["number"] == 0


def test_neighbours_without_a_card_are_left_out():
    work = rosenbrock(4)

    assert on_gpu.neighbours(work) == {}


def test_a_program_of_a_neighbour_on_its_device():
    torch = pytest.importorskip("torch")
    work = rosenbrock(4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda, "is_available", lambda: True)
        patch.setattr(torch.cuda, "synchronize", lambda: None)
        patch.setattr(torch, "tensor", lambda x, device, right=torch.tensor, **options: right(x, **options))
        found = on_gpu.with_torch(work)[on_gpu.TORCH]()

    np.testing.assert_allclose(found[0], work.straight()(*work.point)[1], rtol=1e-12)


def test_without_a_device_its_rows_are_skipped(alone, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert benchmarks.main(["--quick", "--gpu"]) == 0

    shown = capsys.readouterr()
    assert "mixture-gpu: skipped: the GPU needs CuPy, which is not installed\n\n" in shown.err
    assert "no GPU" in shown.out


@pytest.mark.long
def test_a_start_is_timed_beside_its_baseline(alone, capsys):
    """A start-up row runs whole processes, and its table has a line for each."""
    assert benchmarks.main(["--quick", "--only", "help"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2:3] == ["help: start of gradcli --help"]
    assert [line[4:30].strip() for line in lines[3:5]] == ["gradcli --help", "import click"]


@pytest.mark.long
def test_a_prompt_is_timed_on_a_terminal_of_its_own(alone, capsys):
    for name, who in (("prompt", ["gradcli", "these imports alone"]), ("preview", ["gradcli"])):
        assert benchmarks.main(["--quick", "--json", "--only", name]) == 0

        data = json.loads(capsys.readouterr().out)
        assert who == [entry["who"] for entry in data["rows"][0]["entries"]]
        assert all(0.001 < entry["number"] < 30 for entry in data["rows"][0]["entries"])


def test_a_missed_ratio_counts_and_a_missed_time_does_not():
    assert judged(row(bounds={"torch": Faster(7)}), {"gradcli": 1.0, "torch": 6.9}).missed
    assert not judged(row(bounds={"torch": Faster(7)}), {"gradcli": 1.0, "torch": 7.1}).missed
    assert judged(row(bounds={"click": AsLong(2)}), {"gradcli": 2.1, "click": 1.0}).missed
    assert not judged(row(budget=Budget(1e-6)), {"gradcli": 1.0}).missed
    assert judged(row(budget=Budget(300, "bytes", everywhere=True)), {"gradcli": 301}).missed


def test_a_missed_time_is_shown_all_the_same():
    """The table says MISSED beside a budget that was not met."""
    lines = judged(row(budget=Budget(9e-6)), {"gradcli": 12e-6, "jax": 24e-6}).lines()

    assert lines[1].split() == ["gradcli", "12", "µs", "under", "9", "µs", "MISSED"]
    assert lines[2].split() == ["jax", "24", "µs", "2x", "as", "fast"]


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [(2.5, "s", "2.5 s"), (0.0123, "s", "12.3 ms"), (4.7e-6, "s", "4.7 µs"), (139.4, "bytes", "139 bytes")],
)
def test_amounts_carry_their_unit(number, unit, text):
    assert text == amount(number, unit)


@pytest.mark.parametrize("shown", [each for each in ROWS if f"\n{each.name}: " in PAGE], ids=lambda each: each.name)
def test_the_page_shows_the_targets_of_a_row(shown):
    title, _, lines = PAGE.partition(f"\n{shown.name}: ")[2].partition("\n")
    targets = {who: str(target) for who, target in {shown.ours: shown.budget, **shown.bounds}.items() if target}

    assert shown.work == title
    assert targets == dict(TARGET.findall(lines.partition("\n\n")[0]))
