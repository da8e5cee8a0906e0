"""`gradcli verify` as a command: what it asks for, what it prints, its exit code."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradcli.terminal.cli import main
from gradcli.verification import worker_pool
from gradcli.verification.worker_process import WorkerProcess
from tests.verification.conftest import environment

TEXT = """
def f(x):
    return x * x


# gradcli: --at 3
def grad_f(x):
    return 2 * x


# gradcli: --at 3 --target f
def slip(x):
    return 3 * x


def g(x):
    return x


def g_grad(x):
    return 1.0
"""

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], worker: WorkerProcess
) -> Call:
    """The command in this process, in a folder with a file; the worker is lent."""
    lent = SimpleNamespace(judged=worker.judged, end=lambda: None)
    monkeypatch.setattr(worker_pool, "WorkerProcess", lambda max_memory: lent)
    (tmp_path / "a.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["verify", *arguments])
        out, err = capsys.readouterr()
        return int(code), out, err

    return call


def test_the_list(call: Call) -> None:
    code, out, err = call("--list")

    assert (code, err) == (0, "")
    assert [
        "case              by         of        point",
        "────────────────  ─────────  ────────  ────────",
        "a.py:f by grad_f  commented  gradient  3",
        "a.py:f by slip    commented  gradient  3",
        "a.py:g by g_grad  paired     gradient  no point",
        "",
        "3 cases, 1 without a point",
    ] == out.splitlines()


def test_the_list_as_entries(call: Call) -> None:
    out = call("--list", "--format", "toml", "-k", "g_grad")[1]

    assert out == '[[tool.gradcli.check]]\ntarget = "a.py:g"\nagainst = "a.py:g_grad"\n# at = "x=1"\n'


def test_no_entry_to_paste_is_said(call: Call, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("def h(x):\n    return x\n")
    assert call("--list", "--format", "toml", "b.py")[1:] == ("", "There is no entry to paste: no case was found.\n")

    (tmp_path / "gradcli.toml").write_text('[[check]]\ntarget = "b.py:h"\nat = "1"\n')
    said = "There is no entry to paste: the configuration lists each case.\n"
    assert call("--list", "--format", "toml", "b.py")[1:] == ("", said)


def test_the_list_as_json(call: Call) -> None:
    found = json.loads(call("--list", "--json")[1])

    assert found["schema"] == "gradcli/1"
    assert [each["origin"] for each in found["cases"]] == ["commented", "commented", "paired"]
    assert found["cases"][0]["options"] == {"at": "3"}


def test_a_run_as_json_ends_with_zero_if_asked(call: Call) -> None:
    code, out, err = call("--json", "--exit-zero")
    found = json.loads(out)

    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (found["verdict"], found["counts"]) == ("fail", {"fail": 1, "pass": 1, "unchecked": 1})


def test_on_github(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failures are marked in the change; every line stands alone."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    code, out, _ = call("a.py", "-q")

    assert code == 1
    assert out.splitlines()[-1] == (
        "::error file=a.py,line=12,endLine=13,title=gradcli%3A a.py%3Af by slip::FAIL x 9.0 for 6.0; "
        "the gradient by x is 1.5 times the derivative"
    )


@pytest.mark.long
def test_a_case_without_a_point_fails_where_points_are_required(call: Call, tmp_path: Path) -> None:
    assert call("-k", "grad")[0] == 0
    (tmp_path / "gradcli.toml").write_text("require-points = true\n")
    assert call("-k", "grad")[0] == 6


def test_no_case_matches(call: Call) -> None:
    code, out, err = call("-k", "zzz")

    assert (code, out.strip().split(" · ")[0]) == (6, "0 cases")
    assert err == "None of 3 cases matches 'zzz'; `gradcli verify --list` shows them.\n"


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", ["inf", "nan"])
def test_a_tolerance_of_a_check_is_finite(
    name: str, value: str, call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["a.py:f", "--against", "a.py:slip", "--at", "3", f"--{name}", value]
    assert (main(["check", *typed]), f"{value} is not finite" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", ["inf", "nan"])
def test_a_tolerance_of_the_configuration_is_finite(name: str, value: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "gradcli.toml").write_text(f"{name} = {value}\n")
    code, out, err = call()

    assert (code, out) == (2, "")
    assert "it has to be a finite number from 0 on" in " ".join(err.split())


@pytest.mark.parametrize("value", ["-1", "nan", '"long"', "true"])
def test_a_time_is_a_number(value: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "gradcli.toml").write_text(f"max-seconds = {value}\n")
    code, out, err = call()

    assert (code, out) == (2, "")
    assert "it has to be a number from 0 on, or inf for no limit" in " ".join(err.split())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_infinite_time_is_no_limit(workers: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "gradcli.toml").write_text("max-seconds = inf\n")

    assert call("-n", workers, "-k", "slip")[0] == 1


@pytest.mark.long
def test_a_product_takes_a_vector(call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What takes the inputs alone is refused with its line; the other cases are judged."""
    said = "grad_f (a.py:7) takes x; a Hessian-vector product must take (x, v)."
    typed = ["a.py:f", "--against", "a.py:grad_f", "--at", "3", "--of", "hvp"]
    assert main(["check", *typed]) == 2
    assert said in " ".join(capsys.readouterr().err.split())

    (tmp_path / "gradcli.toml").write_text(
        '[[check]]\ntarget = "a.py:f"\nagainst = "a.py:grad_f"\nof = "hvp"\nat = "3"\n'
    )
    found = json.loads(call("--json", "-k", "hvp")[1])
    assert [each["outcome"] for each in found["cases"]] == ["error"]
    assert "must take (x, v)" in found["cases"][0]["message"]


def test_without_a_case(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    code, out, err = call()

    assert (code, out.strip().split(" · ")[0]) == (6, "0 cases")
    assert err.startswith("There is no case. Mark a gradient with @gradcli.gradient_of(f, at=…)")


@pytest.mark.parametrize(
    ("options", "outcome", "expected"),
    [("--at 0", "pass", 0), ("--at 0 --strict", "inconclusive", 3), ("--at 0 --box x=-1:1", "inconclusive", 3)],
)
def test_a_gradient_that_is_wrong_beside_the_point(
    options: str, outcome: str, expected: int, call: Call, tmp_path: Path
) -> None:
    text = f"def s(x):\n    return x * x\n\n\n# gradcli: {options}\ndef grad_s(x):\n    return 6 * x\n"
    (tmp_path / "b.py").write_text(text)
    code, out, _ = call("b.py")

    assert code == expected
    assert f"{outcome:<12} b.py:s by grad_s  right at the point, but wrong" in out
    assert "also checked at x=" in " ".join(out.split())
    assert "[G305]" in out


@pytest.mark.long
def test_every_case_in_full(call: Call) -> None:
    out = call("-v", "a.py:grad_f")[1]

    assert "PASS     x          6.0        6.0        exact\n" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("b.py",), "error: There is no file 'b.py'."),
        (("a.py:h",), "error: There is no case for 'a.py:h'."),
        (("--format", "toml"), "error: --format says how --list writes the cases."),
        (("--update-baseline",), "error: --update-baseline needs the file."),
        (("--baseline", "b.json"), "error: There is no baseline 'b.json'."),
        (("--report", "xml=a"), "error: --report: 'xml=a' is not FORMAT=FILE, such as junit=gradients.xml; "),
        (("--report", "junit=no/where.xml"), "error: The report 'no/where.xml' cannot be written"),
        (("-n", "0"), "error: -n/--workers: '0' is not a number of processes; type 2 or auto."),
        (("--config", "no.toml"), "error: The configuration 'no.toml' cannot be read"),
    ],
)
def test_what_cannot_be_meant(arguments: tuple[str, ...], said: str, call: Call) -> None:
    code, out, err = call(*arguments)

    assert (code, out) == (2, "")
    assert err.startswith(said)


def test_a_file_that_is_no_baseline(call: Call, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("[]")
    code, _, err = call("--baseline", "b.json")

    assert (code, err.startswith("error: 'b.json' is no baseline")) == (2, True)


def test_a_report_is_written_anew_beside_one_in_json(call: Call) -> None:
    """The module of the format has the name of the one that reads JSON."""
    for _ in range(2):
        assert call("-k", "grad_f", "--report", "json=r.json", "--report", "sarif=r.sarif")[0] == 0


FORMS = ("junit", "sarif", "gitlab", "json", "markdown", "html")


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_a_report_replaces_no_file_of_the_user(form: str, call: Call, tmp_path: Path) -> None:
    """What is missing, empty or was written by gradcli is replaced; a source stays as it is."""
    (tmp_path / "r").touch()
    for selected in ("slip", "grad_f", "grad_f"):
        assert 2 != call("-k", selected, "--report", f"{form}=r")[0]

    before = (tmp_path / "a.py").read_bytes()
    code, out, err = call("--report", f"{form}=a.py")
    assert (2, "", before) == (code, out, (tmp_path / "a.py").read_bytes())
    assert err.startswith("error: 'a.py' exists and was not written by gradcli")
    assert f"Type --report {form}=a_2.py" in " ".join(err.split())


@pytest.mark.long
def test_the_summary_of_a_job_is_appended_to(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "summary.md").write_text("# Build\n")
    (tmp_path / "other.md").write_text("# Build\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    summary = ("-k", "grad_f", "--report", "markdown=./summary.md")

    assert (call(*summary)[0], call(*summary)[0]) == (0, 0)
    text = (tmp_path / "summary.md").read_text()
    assert (text.startswith("# Build\n## gradcli verify: pass"), text.count("## gradcli verify")) == (True, 2)
    assert call("-k", "grad_f", "--report", "markdown=other.md")[0] == 2
    assert (tmp_path / "other.md").read_text() == "# Build\n"


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize(("selected", "expected"), [("grad_f", 2), ("slip", 1)])
def test_a_report_that_cannot_be_written_costs_no_other(
    selected: str, expected: int, call: Call, tmp_path: Path
) -> None:
    """Nor does a full disk of standard output; a failure has its own exit code."""
    reports = ("--report", "json=/dev/full", "--report", "junit=r.xml")
    code, _, err = call("-k", selected, *reports)
    full = Path("/dev/full").open("w")
    done = subprocess.run(
        [sys.executable, "-m", "gradcli", "verify", "-k", selected, "--report", "html=r.html"],
        env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    full.close()

    assert (code, done.returncode) == (expected, expected)
    assert "'/dev/full' cannot be written: No space left on device." in err
    assert "The result cannot be written: No space left on device." in done.stderr
    assert all((tmp_path / name).stat().st_size for name in ("r.xml", "r.html"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("markdown", "## gradcli"),
        *(
            pytest.param(*each, marks=pytest.mark.long)
            for each in (
                ("json", "{"),
                ("junit", "<?xml"),
                ("gitlab", "["),
                ("sarif", "{"),
                ("html", "<!doctype html>"),
            )
        ),
    ],
)
def test_a_report_on_stdout(form: str, start: str, call: Call, tmp_path: Path) -> None:
    """It is alone there, and the lines of the cases go to stderr; no file is written."""
    before = sorted(tmp_path.iterdir())
    code, out, err = call("-k", "slip", "--report", f"{form}=-")

    assert code == 1
    assert out.lstrip().lower().startswith(start.lower())
    assert "1 case: 1 fail" in err
    assert "1 cases" not in out
    assert before == sorted(each for each in tmp_path.iterdir() if each.name != "__pycache__")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--report", "json=-", "--report", "html=-"), "Two reports go to stdout."),
        (("--report", "json=-", "--json"), "--json and a report both go to stdout."),
    ],
)
def test_two_outputs_on_stdout(arguments: tuple[str, ...], said: str, call: Call) -> None:
    code, out, err = call(*arguments)

    assert (code, out) == (2, "")
    assert said in err


def test_two_reports_into_one_file(call: Call, tmp_path: Path) -> None:
    code, out, err = call("--report", "json=r.json", "--report", "gitlab=./r.json")

    assert (code, out, (tmp_path / "r.json").exists()) == (2, "", False)
    assert err.startswith("error: Two reports go into './r.json'.")


@pytest.mark.long
def test_a_baseline_replaces_none_but_a_baseline(call: Call, tmp_path: Path) -> None:
    assert call("--baseline", "a.py", "--update-baseline")[:2] == (2, "")
    assert (tmp_path / "a.py").read_text() == TEXT
    (tmp_path / "b.json").touch()
    assert call("--baseline", "b.json", "--update-baseline", "-k", "slip")[0] == 0
    assert call("--baseline", "b.json", "--update-baseline")[0] == 0


def test_a_folder_for_check(call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--at", "1"]) == 2
    assert f"gradcli verify {tmp_path} checks all gradients in it." in " ".join(capsys.readouterr().err.split())


@pytest.mark.long
def test_an_update_of_the_baseline_says_what_it_accepts(call: Call) -> None:
    """The exit code in the summary is that of the run."""
    code, out, err = call("--baseline", "b.json", "--update-baseline")

    assert (code, err) == (0, "b.json accepts 1 failure.\n")
    assert out.endswith(" · exit 0\n")


@pytest.mark.parametrize("value", ["0", "-1", "2X", "G", "1.5G", "2 G", "", "1_0G", "²G"])
def test_what_is_no_size(value: str, call: Call) -> None:
    code, out, err = call("--max-memory", value)

    assert (code, out, "is not a size; type 2G or 500M." in err) == (2, "", True)
