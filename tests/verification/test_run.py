"""A run over a project of forty cases: every case has its line, and the failures all that is known."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradcli.shared.records.verification import GradientCase
from gradcli.verification.case_judgement import run_case
from gradcli.verification.worker_pool import run
from tests.interrupts import heard
from tests.verification.conftest import Finished, environment, gradcli

OUTCOMES = {
    "wrong loss": "fail",
    "wrong method": "fail",
    "not finite": "fail",
    "known slip": "fail",
    "gone": "error",
    "infinite": "nonfinite",
    "raises": "raised",
    "crashes": "crashed",
    "hangs": "timeout",
    "another value each time": "inconclusive",
    "shapes.area:disc by grad_disc": "skipped",
    "formulas.py:lonely by lonely_grad": "unchecked",
    "formulas.py:parabola by parabola_prime": "unchecked",
    "hard.py:noisy by noisy_grad": "unchecked",
    "src/shapes/area.py:volume by Box.gradient": "unchecked",
}


def test_every_case_has_its_line(finished: Finished) -> None:
    """Forty cases; one's crash or hang is its own."""
    lines = finished.lines()

    assert len(lines) == 40
    assert {name: outcome for name, outcome in lines.items() if outcome != "pass"} == OUTCOMES


def test_the_summary_and_the_exit_code(finished: Finished) -> None:
    """Counts from best to worst; a failure is 1."""
    last = finished.out.splitlines()[-1]

    assert finished.code == 1
    assert last.startswith(
        "40 cases: 25 pass, 1 skipped, 4 unchecked, 1 inconclusive, 1 timeout, 1 crashed, 1 raised, "
    )
    assert ", 1 nonfinite, 1 error, 4 fail; 3 accepted · " in last
    assert last.endswith(" · exit 1")


def test_a_failure_in_full(finished: Finished) -> None:
    """The targets with their lines, the point, the components with both numbers, the finding, the command."""
    assert [
        "FAIL wrong method",
        "derivative at models.py:58, function at models.py:46",
        "at x=[1.0, 2.0]",
        "verdict  component  candidate  reference  reason",
        "───────  ─────────  ─────────  ─────────  ────────────────────────────────",
        "FAIL     x[0]        8.0       4.0        off by 4, where 4e-07 is allowed",
        "FAIL     x[1]       14.0       7.0        off by 7, where 7e-07 is allowed",
        "the gradient by x is twice the derivative [G312]",
        "reproduce gradcli check models.py:problem.fun --against problem.wrong --at 1,2",
    ] == finished.block("wrong method").splitlines()


def test_what_ended_otherwise_has_its_place(finished: Finished) -> None:
    """A crash and a hang have the line, what was raised its frame; what the code printed is shown."""
    assert "the interpreter ended: Aborted (SIGABRT), in hard.py:25 in crashing" in finished.block("crashes")
    assert "printed:\n  about to crash" in finished.block("crashes")
    assert re.search(r"hard\.py:(19|20) in hanging", finished.block("hangs"))
    assert 'hard.py:15 in raising: raise KeyError("no such parameter")' in finished.block("raises")


def test_what_lacks_a_point_has_the_line_to_add(finished: Finished) -> None:
    assert "lonely_grad  paired by name, no point; put # gradcli: --at x=1,y=1 above it" in finished.out


ENDS = [("wrong loss", 1), ("raises", 5), ("infinite", 4), ("crashes", 5), ("hangs", 7)]


@pytest.mark.sampled(2)
@pytest.mark.long
@pytest.mark.parametrize(("name", "expected"), ENDS)
def test_a_failure_is_reproduced_by_its_command(finished: Finished, name: str, expected: int) -> None:
    """The same verdict, by `check`; by `verify` where it ends its process."""
    command = finished.block(name).splitlines()[-1].removeprefix("reproduce ")
    done = gradcli(*shlex.split(command)[1:], cwd=finished.folder)

    assert done.returncode == expected


def test_no_result_hides_another() -> None:
    """Results are those of the cases in order, whatever the names."""
    made = [GradientCase("a", "x", skip=str(number)) for number in range(3)]

    assert [result.message for result in run(made).cases] == ["0", "1", "2"]


def test_what_is_undecided_has_its_reason() -> None:
    """Where the numbers agree, they say nothing."""
    jumping = GradientCase("jumping", "2.1*floor(x) + 0.79*x", "0.79", {"at": "1"})

    assert run_case(jumping).message == "JUMP x: the value jumps by 2.1 here, so there is no derivative"


ENDINGS = """
import os, time

# gradcli: --at 1
def leaves(x):
    os._exit(0)

# gradcli: --at 1
def interrupts(x):
    raise KeyboardInterrupt

# gradcli: --at 1 --max-seconds 0.5
def sleeps(x):
    time.sleep(60)

# gradcli: --points 3
def pointless(x):
    return x
"""


ODD_ENDS = [
    (5, "leaves", "crashed"),
    (5, "interrupts", "raised"),
    (7, "sleeps", "timeout"),
    (6, "pointless", "unchecked"),
]


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize(("expected", "name", "outcome"), ODD_ENDS)
def test_an_odd_end_is_reproduced_by_its_command(expected: int, name: str, outcome: str, tmp_path: Path) -> None:
    """The command ends with the exit code that the case has."""
    (tmp_path / "ends.py").write_text(ENDINGS)
    report = json.loads(gradcli("verify", "-k", name, "--json", cwd=tmp_path).stdout)
    (case,) = report["cases"]
    done = gradcli(*shlex.split(case["command"])[1:], cwd=tmp_path)

    assert (outcome, expected) == (case["outcome"], done.returncode)


@pytest.mark.long
def test_a_mark_with_an_array_is_reproduced_by_verify(finished: Finished) -> None:
    (case,) = [each for each in finished.data("json")["cases"] if each["against"] == "src/shapes/area.py:ring_gradient"]
    done = gradcli(*shlex.split(case["command"])[1:], cwd=finished.folder)

    assert case["command"] == "gradcli verify src/shapes/area.py:ring_gradient"
    assert (done.returncode, done.stdout.count("pass  ")) == (0, 1)


@pytest.mark.long
def test_a_part_of_the_project(finished: Finished) -> None:
    """A file, and of it what a text selects; the first failure ends the run."""
    one = gradcli("verify", "models.py", "-k", "estimator", cwd=finished.folder)
    first = gradcli("verify", "models.py", "-x", "-q", cwd=finished.folder)

    assert (one.returncode, one.stdout.splitlines()[-1].split(" · ")[0]) == (0, "3 cases: 3 pass")
    assert (first.returncode, first.stdout.count("\n\nFAIL ")) == (1, 1)
    assert ", 9 not begun" in first.stdout.splitlines()[-1]


@pytest.mark.long
def test_accepted_failures_pass(finished: Finished) -> None:
    arguments = ("verify", "models.py", "-k", "wrong", "--baseline", "accepted.json")
    written = gradcli(*arguments, "--update-baseline", cwd=finished.folder)
    again = gradcli(*arguments, cwd=finished.folder)
    new = gradcli("verify", "hard.py", "-k", "infinite", "--baseline", "accepted.json", cwd=finished.folder)

    assert (written.returncode, again.returncode, new.returncode) == (0, 0, 4)
    names = [each["name"] for each in json.loads((finished.folder / "accepted.json").read_text())["accepted"]]
    assert names == ["wrong loss", "wrong method"]
    assert "fail         wrong loss  FAIL w[1]" in again.stdout
    assert "2 cases: 2 fail; 2 accepted" in again.stdout


@pytest.mark.long
def test_ctrl_c_shows_what_is_done(finished: Finished) -> None:
    with heard():
        process = subprocess.Popen(
            [sys.executable, "-m", "gradcli", "verify", "models.py", "hard.py"],
            cwd=finished.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(6)]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert any("models.py" in line for line in lines)
    assert process.returncode == 130
    assert "not begun (interrupted)" in out.splitlines()[-1]
    assert "Traceback" not in err
    time.sleep(0.3)
    running = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=False).stdout
    assert not any(line.split()[0] == str(process.pid) for line in running.splitlines()[1:])


@pytest.mark.long
def test_cheap_cases_cost_little(tmp_path: Path) -> None:
    """Thirty take at most four times as long as one check."""
    text = "".join(f"# gradcli: --at 2\ndef f{n}(x):\n    return x**2 + {n} * x\n\n\n" for n in range(30))
    (tmp_path / "cheap.py").write_text(text)

    def seconds(*arguments: str) -> float:
        started = time.perf_counter()
        assert 0 == gradcli(*arguments, cwd=tmp_path).returncode
        return time.perf_counter() - started

    one, many = ("check", "cheap.py:f0", "--at", "2"), ("verify", "cheap.py")
    assert any(seconds(*many) <= 4 * seconds(*one) for _ in range(3))
