"""A worker: one case's way to end is its own, and the next case is judged as if nothing had been."""

from pathlib import Path

import pytest

from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.worker_process import WorkerProcess
from tests.verification.conftest import PROJECT

pytestmark = pytest.mark.sampled(2)  # many like cases


def judged(worker: WorkerProcess, name: str, **options: object) -> CaseResult:
    """What becomes of a function of the project."""
    return worker.judged(GradientCase(name, f"hard.py:{name}", options={"at": "2", **options}, folder=str(PROJECT)))


@pytest.mark.parametrize(
    ("name", "outcome", "message"),
    [
        ("crashing", "crashed", "the interpreter ended: Aborted (SIGABRT)"),
        ("closing", "raised", "OSError"),
        ("interrupting", "raised", "KeyboardInterrupt"),
        ("raising", "raised", "KeyError"),
    ],
)
def test_the_next_case_is_judged(name: str, outcome: str, message: str, worker: WorkerProcess) -> None:
    result = judged(worker, name)

    assert (outcome, True) == (result.outcome, result.message.startswith(message))
    assert judged(worker, "fine").outcome == "pass"


def test_a_call_that_nothing_interrupts_is_ended(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """By ending the process, soon after its time; the line where it waited is told."""
    monkeypatch.setattr("gradcli.verification.worker_process.GRACE", 0.4)
    result = judged(worker, "waiting", max_seconds=0.1)

    assert result.outcome == "timeout"
    assert result.message.startswith("still running after 0.1 s, in ")
    assert "hard.py" in result.message
    assert judged(worker, "fine").outcome == "pass"


def test_what_is_printed_belongs_to_its_case(worker: WorkerProcess) -> None:
    assert judged(worker, "crashing").output == "about to crash\n"
    assert judged(worker, "fine").output == ""


def test_a_mark_is_read_in_the_worker(worker: WorkerProcess) -> None:
    text = "src/shapes/area.py:ring_gradient"
    case = GradientCase("ring", "src/shapes/area.py:ring", text, {}, "marked", str(PROJECT), marked=text)
    result = worker.judged(case)

    assert result.comparison is not None
    assert (result.outcome, dict(result.comparison.point)) == ("pass", {"radii": [1.0, 2.0]})
    assert result.derivative is not None
    assert (Path(result.derivative.file).name, result.derivative.line) == ("area.py", 32)
