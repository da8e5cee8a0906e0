"""`gradcli watch`: a gradient at every save, what has changed, and a clean end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.terminal.cli.commands.watch import follow, watched
from tests import interrupts
from tests.terminal.cli.conftest import Call

ROOT = Path(__file__).parents[4]

FIRST = """\
f.py:f
at x=2.0, y=3.0

value  6.0

name  point  gradient
────  ─────  ────────
x     2.0    3.0
y     3.0    2.0
"""

SECOND = """
f.py saved
value  12.0  was 6.0

   name  point  gradient  before
─  ────  ─────  ────────  ──────
*  x     2.0    12.0      3.0
*  y     3.0     4.0      2.0
"""


def save(path: Path, text: str) -> None:
    """Write a file as editors do: beside it first, then in its place."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(path)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The program at work on a file f.py."""
    save(tmp_path / "f.py", "def f(x, y):\n    return x * y\n")
    command = [sys.executable, "-m", "gradcli", "watch", "f.py:f", "--at", "2,3", "--interval", "0.01"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    pipe = subprocess.PIPE
    with interrupts.heard():
        process = subprocess.Popen(command, cwd=tmp_path, env=environ, stdout=pipe, stderr=pipe, text=True)
    with process:
        try:
            yield process
        finally:
            process.kill()


def read(process: subprocess.Popen[str], expected: str) -> str:
    assert process.stdout is not None
    return "".join(process.stdout.readline() for _ in expected.splitlines())


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_a_session_with_an_editor(watching: subprocess.Popen[str], tmp_path: Path) -> None:
    """Each save is answered, half a program by its error; what has changed is marked; Ctrl-C ends it well."""
    assert read(watching, FIRST) == FIRST

    save(tmp_path / "f.py", "def f(x, y):\n    return (\n")
    assert watching.stderr is not None
    assert "error: f.py does not parse" in watching.stderr.readline()

    save(tmp_path / "f.py", "def f(x, y):\n    return x * x * y\n")
    assert read(watching, SECOND) == SECOND

    save(tmp_path / "f.py", "def f(x, y):\n    return x * x * y  # the same\n")
    assert read(watching, "1\n2\n3\n") == "\nf.py saved\nnothing has changed\n"

    watching.send_signal(signal.SIGINT)
    assert watching.wait(10) == 130
    assert "Traceback" not in watching.stderr.read()


def test_a_file_that_it_imports_counts(tmp_path: Path, call: Call) -> None:
    """A helper beside it is watched too, and imported anew; one that it begins to import, from then on."""
    from gradcli import queries

    file = tmp_path / "user.py"
    save(file, "import watched_a\ndef f(x):\n    return watched_a.g(x)\n")
    save(tmp_path / "watched_a.py", "def g(x):\n    return x * 2\n")
    saves = iter(
        [
            (tmp_path / "watched_a.py", "import watched_b\ndef g(x):\n    return watched_b.h(x)\n"),
            (tmp_path / "watched_b.py", "def h(x):\n    return x * 77\n"),
        ]
    )
    (tmp_path / "watched_b.py").write_text("def h(x):\n    return x * x\n")
    found = []

    def show(answer: object) -> bool:
        found.append(answer)
        if (following := next(saves, None)) is not None:
            save(*following)
        return len(found) < 3

    follow(lambda: queries.gradient(f"{file}:f", "3"), show, [str(file)], 0.01, lambda: queries.dependencies(str(file)))

    assert [dict(each.gradient) for each in found] == [{"x": 2.0}, {"x": 6.0}, {"x": 77.0}]  # type: ignore[attr-defined]


def test_a_row_that_did_not_change_is_not_marked(tmp_path: Path, call: Call) -> None:
    from gradcli.terminal.render import Look, change_text
    from tests.terminal.render import samples

    after = samples.GRADIENT.changed(gradient={"side_lengths": [52.0, 38.0, 28.5, 22.0]})
    marked = [line for line in change_text(samples.GRADIENT, after, "f.py", Look()).splitlines() if line[:1] == "*"]

    assert marked == ["*  side_lengths[2]  3.0    28.5      28.0"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("x**2", "'x**2' is not a function in a file: watch waits for a file to be saved."),
        ("math:sin", "'math:sin' is not a function in a file: watch waits"),
        ("nosuch.py:f", "There is no file 'nosuch.py': watch waits"),
    ],
)
def test_what_has_no_file_to_save(target: str, said: str, call: Call) -> None:
    answer = call("watch", target, "--at", "1")

    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_reader_who_leaves_ends_it() -> None:
    follow(lambda: None, lambda _: False, [__file__], 100.0)  # type: ignore[arg-type, return-value]


def test_a_gradient_is_checked_at_each_save(call: Call) -> None:
    """A check that came out the same is not shown again."""
    from gradcli import queries
    from gradcli.shared.records.check_request import CheckRequest
    from gradcli.terminal.render import Look, change_text

    right, wrong = (queries.check("x*y", "1,2", CheckRequest(against=against)) for against in ("y,x", "y,y"))

    assert change_text(right, right, "f.py", Look(width=80)) == "\nf.py saved\nnothing has changed\n"
    assert "FAIL     y" in change_text(right, wrong, "f.py", Look(width=80))


def test_the_file_of_the_gradient_is_watched(tmp_path: Path) -> None:
    (tmp_path / "f.py").touch()

    assert watched(f"{tmp_path}/f.py:f", "@p.json", "g.py:g") == [f"{tmp_path}/f.py", "p.json", "g.py"]
    assert watched(f"{tmp_path}/f.py:f", "1", "g") == [f"{tmp_path}/f.py"]
