"""`gradcli explain`: what it asks, what it prints."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def test_an_explanation(call: Call, queries: Queries) -> None:
    queries.answers("explain", samples.EXPLANATION)
    answer = call("explain", "f.py:f", "--at", "2,3", "--wrt", "x")

    assert (answer.code, answer.err) == (0, "")
    assert "  s_x += y * s_p  3.0\n" in answer.out
    assert queries.asked == [("explain", ("f.py:f", "2,3"), {"wrt": "x", "node": None, "libraries": False})]


def test_every_turn(call: Call, queries: Queries) -> None:
    """A loop is folded; with --expand it is not."""
    queries.answers("explain", samples.EXPLAINED_LOOP)

    assert call("explain", "f.py:f", "--at", "2").out.count("x = 2 * x") == 1
    assert call("explain", "f.py:f", "--at", "2", "--expand").out.count("x = 2 * x") == 4
    assert "→ x#3 = 8.0" in call("explain", "f.py:f", "--at", "2", "--iteration", "3").out


@pytest.mark.parametrize("text", ["0", "x", "2.", "5"])
def test_no_iteration(text: str, call: Call, queries: Queries) -> None:
    queries.answers("explain", samples.EXPLAINED_LOOP)

    assert call("explain", "f.py:f", "--at", "2", "--iteration", text).code == 2


def test_json(call: Call, queries: Queries) -> None:
    queries.answers("explain", samples.EXPLAINED_LOOP)
    body = json.loads(call("explain", "f.py:f", "--at", "2", "--json").out)
    addition = {"node": 3, "name": "s_x#3", "term": "2 * s_x#4", "amount": 2.0, "before": 0.0, "after": 2.0}
    addition["part"] = None

    assert (body["command"], len(body["statements"]), body["gradient"]) == ("explain", 4, 16.0)
    assert [addition] == body["statements"][0]["additions"]


def test_what_is_not_finite(call: Call, queries: Queries) -> None:
    """It has its own exit code, as `grad` has."""
    queries.answers("explain", samples.EXPLANATION.changed(gradient={"x": float("nan"), "y": 1.0}))

    assert call("explain", "f.py:f", "--at", "2,3").code == 4


def test_one_sensitivity(call: Call, queries: Queries) -> None:
    queries.answers("explain", samples.EXPLANATION.changed(gradient={"s_p": 1.0}, of="p"))
    answer = call("explain", "f.py:f", "--at", "2,3", "--node", "p")

    assert answer.out.endswith("\ns_p = 1.0\nadd ε to p, and the result changes by 1.0 ε\n")
    assert queries.asked == [("explain", ("f.py:f", "2,3"), {"wrt": None, "node": "p", "libraries": False})]


@pytest.mark.parametrize(
    ("along", "options"), [(None, ["--forward"]), ("x", ["--along", "x"]), ("x", ["--forward", "--along", "x"])]
)
def test_forwards(along: str | None, options: list[str], call: Call, queries: Queries) -> None:
    queries.answers("forward_sweep", samples.FORWARD_SWEEP)
    answer = call("explain", "f.py:f", "--at", "2,3", *options)

    assert (answer.code, answer.out.splitlines()[-1]) == (0, "the derivative in this direction  3.0")
    assert [("forward_sweep", ("f.py:f", "2,3"), {"along": along, "wrt": None, "libraries": False})] == queries.asked


def test_a_trial(call: Call, queries: Queries) -> None:
    """--perturb shows the results beside the sensitivity; in JSON all of it."""
    queries.answers("perturb", samples.PERTURBATION)

    assert "its sensitivity says 2.0\n" in call("explain", "f.py:f", "--at", "2,3", "--perturb", "p").out
    assert len(json.loads(call("explain", "f.py:f", "--at", "2,3", "--perturb", "p", "--json").out)["pushes"]) == 2
    assert queries.asked[0] == ("perturb", ("f.py:f", "2,3"), {"node": "p", "wrt": None, "libraries": False})


def test_options_that_exclude_each_other(call: Call) -> None:
    answer = call("explain", "f.py:f", "--at", "2,3", "--node", "p", "--along", "x")

    assert (answer.code, answer.err) == (2, "error: --node and --along ask for different things.\nGive one of them.\n")


def test_a_format(call: Call, queries: Queries) -> None:
    """--format md writes Markdown; a word that is no format is refused."""
    queries.answers("explain", samples.EXPLANATION)

    assert "| `s_y` | `x * s_p` | 2.0 |  |\n" in call("explain", "f.py:f", "--at", "2,3", "--format", "md").out
    assert call("explain", "f.py:f", "--at", "2,3", "--format", "pdf").code == 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize(
    ("target", "at"),
    [
        ("examples/hyperbox.py:f4", "1,2,3,4"),
        ("x * sin(x) / sqrt(y)", "2,3"),
        ("examples/rosenbrock.py:rosen", "[1,2,3]"),
    ],
)
def test_latex_compiles(target: str, at: str, call: Call, tmp_path: Path) -> None:
    code, body, _ = call("explain", target, "--at", at, "--format", "latex")
    head = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
    (tmp_path / "f.tex").write_text(f"{head}\n{body}\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "f.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (code, run.returncode) == (0, 0), run.stdout
