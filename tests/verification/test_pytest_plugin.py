"""The plugin for pytest: the cases as items, the fixture, what is shown of a failure."""

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.verification.conftest import environment

INSTALLED = any(each.value == "gradcli.pytest_plugin" for each in entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "gradcli.pytest_plugin"]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Pytest as a process of its own, in a folder."""
    command = [sys.executable, "-m", "pytest", *PLUGIN, "-p", "no:cacheprovider", "-rA", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.long
def test_the_cases_are_items(project: Path) -> None:
    """By two processes: the outcomes of `gradcli verify`; those allowed pass, what lacks a point is skipped."""
    done = run(project, "--gradcli", "-n", "2", "--junit-xml=reports/pytest.xml")
    suite = ElementTree.parse(project / "reports" / "pytest.xml").getroot()[0]
    counts = {word: int(suite.get(word, "")) for word in ("tests", "failures", "errors", "skipped")}

    assert done.returncode == 1
    assert counts == {"tests": 40, "failures": 6, "errors": 0, "skipped": 5}
    assert "crashed: crashes" not in done.stdout
    assert "FAIL     x[0]        8.0       4.0        off by 4, where 4e-07 is allowed" in done.stdout
    assert "the interpreter ended: Aborted (SIGABRT), in hard.py:25 in crashing" in done.stdout
    assert "def runtest" not in done.stdout
    assert "INCONCLUSIVE another value each time" in done.stdout  # it warns


@pytest.mark.long
def test_items_are_selected(project: Path) -> None:
    done = run(project, "--gradcli", "-k", "problem and hessian")

    assert (done.returncode, "1 passed, 39 deselected" in done.stdout) == (0, True)


NOISY = """
import random
# gradcli: --at 1
def noise(x): return x * random.random()
def grad_noise(x): return 0.5
"""


@pytest.mark.long
def test_cases_beside_tests_where_warnings_are_errors(tmp_path: Path) -> None:
    """The cases are counted, and an inconclusive one fails with its table."""
    (tmp_path / "noisy.py").write_text(NOISY)
    (tmp_path / "test_noise.py").write_text("def test_one(): pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    done = run(tmp_path, "--gradcli", "test_noise.py")

    assert "collected 2 items" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "INCONCLUSIVE noisy.py:noise by grad_noise" in done.stdout
    assert "warn_explicit" not in done.stdout


@pytest.mark.long
def test_without_the_option(project: Path) -> None:
    code = "import sys, pytest; pytest.main(sys.argv[1:]); print([m for m in sys.modules if 'gradcli' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code, *PLUGIN, "-q", "-p", "no:cacheprovider", "models.py"],
        cwd=project, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    loaded = done.stdout.splitlines()[-1]

    assert "gradcli.pytest_plugin" in loaded
    assert "verification" not in loaded


TESTS = """
import random
import gradcli

def test_right(check_grad):
    check_grad(lambda x: x**2, at=3.0, against=lambda x: 2 * x)

def test_wrong(check_grad):
    check_grad(lambda x: x**2, at=3.0, against=lambda x: x, points=2, seed=7)

def test_drawn():
    gradcli.assert_grad(lambda x: x**2, at=0.0, against=lambda x: abs(2 * x), points=5, seed=7)

def test_raises():
    gradcli.assert_grad(lambda x: 1 / 0, at=3.0)

def test_undecided(check_grad):
    check_grad(lambda x: x * random.SystemRandom().random(), at=3.0, against=lambda x: 1.0)
"""


@pytest.mark.parametrize(
    ("way", "failed"),
    [("warn", 3), *(pytest.param(*each, marks=pytest.mark.long) for each in (("fail", 4), ("pass", 3)))],
)
def test_the_fixture(way: str, failed: int, tmp_path: Path) -> None:
    (tmp_path / "test_gradients.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\ngradcli_inconclusive = {way}\n")
    done = run(tmp_path, "-q")

    assert f"{failed} failed, {5 - failed} passed" in done.stdout
    assert ("1 warning" in done.stdout) is (way == "warn")
    assert "gradcli/answers/checks/python_api.py" not in done.stdout
    assert ": fail at x=3.0" in done.stdout
    assert re.search(r"point \d of 5 \(seed 7\) fails, at x=-", done.stdout)
    assert "ZeroDivisionError" in done.stdout


@pytest.mark.long
def test_a_setting_that_there_is_not(tmp_path: Path) -> None:
    (tmp_path / "test_gradients.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\ngradcli_inconclusive = maybe\n")

    assert "gradcli_inconclusive is 'maybe'; it has to be one of fail, warn, pass." in run(tmp_path, "-q").stdout


@pytest.mark.long
def test_a_configuration_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "gradcli.toml").write_text("sed = 1\n")
    done = run(tmp_path, "--gradcli")

    assert done.returncode == 4
    assert "there is no key 'sed'" in done.stdout + done.stderr
