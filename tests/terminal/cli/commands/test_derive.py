"""`gradcli derive`: the program on stdout or in a file, which is never one that gradcli did not derive."""

import json
from pathlib import Path

import pytest

from tests.terminal.cli.conftest import Call

SQUARE = '''\
# Derived by gradcli 0.1.0: gradcli derive 'x**2' --at 3


def grad_f(x):
    """The gradient of x**2 by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    # return x ** 2
    return 2 * x
'''


def test_a_program(call: Call) -> None:
    answer = call("derive", "x**2", "--at", "3")

    assert (answer.code, answer.out, answer.err) == (0, SQUARE, "")


def test_into_a_file(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "square.py"
    for _ in range(2):
        answer = call("derive", "x**2", "--at", "3", "-o", str(path))

        assert (0, f"wrote {path}\n") == (answer.code, answer.out)
    assert path.read_text().endswith("    return 2 * x\n")


def test_a_file_of_somebody_else(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n")
    answer = call("derive", "x**2", "--at", "3", "-o", str(path))

    assert (answer.code, path.read_text()) == (2, "x = 1\n")
    assert "was not written by gradcli" in answer.err


@pytest.mark.parametrize("path", ["square.h", "square"])
def test_a_file_of_another_kind(call: Call, path: str) -> None:
    answer = call("derive", "x**2", "--at", "3", "-o", path)

    assert answer.code == 2
    assert "--out writes a .py, .c, .tex, .txt or .json file" in answer.err


def test_without_a_point(call: Call) -> None:
    """A box says where numbers may be taken from."""
    assert "return 2 * x" in call("derive", "x**2", "--box", "x=0:1").out


def test_json(call: Call) -> None:
    """The program is one field, and what it was held to are two."""
    body = json.loads(call("derive", "x**2", "--at", "3", "--json").out)

    assert (body["command"], body["language"], body["source"]) == ("derive", "python", SQUARE)
    assert body["agrees_with_tape"] > 5


def test_what_is_refused(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "tries.py"
    tried = "    try:\n        return math.sqrt(x - 2.9)\n    except ValueError:\n        return x\n"
    path.write_text(f"import math\ndef f(x):\n{tried}")
    answer = call("derive", f"{path}:f", "--at", "3")

    assert answer.code == 5
    assert "derive does not know a try statement" in answer.err
    assert f"{path}:3: try:" in answer.err


OF_LIBRARIES = """import math
import numpy as np
from numpy import exp
def f(x):
    return np.exp(x) + math.log(x, 2) * exp(x) + np.sum(np.array([x, x]))
"""


def test_a_file_that_uses_libraries(call: Call, tmp_path: Path) -> None:
    """What a loaded file holds in place of NumPy's functions is known as what it stands for."""
    path = tmp_path / "libraries.py"
    path.write_text(OF_LIBRARIES)
    answer = call("derive", f"{path}:f", "--at", "1.5")

    assert (answer.code, answer.err) == (0, "")
    assert "from numpy import exp\n" in answer.out


@pytest.mark.parametrize(
    ("target", "at"),
    [("examples/rosenbrock.py:rosen", "1.3,0.7,0.8"), ("examples/logistic.py:loss", "w=[0.1,0.2],b=0.3")],
)
def test_an_example(call: Call, target: str, at: str) -> None:
    assert call("derive", target, "--at", at).code == 0


def test_the_ending_says_the_language(call: Call, tmp_path: Path) -> None:
    """A file of C is replaced by another of gradcli's alone."""
    path = tmp_path / "square.c"
    for _ in range(2):
        assert call("derive", "x**2", "--at", "3", "-o", str(path)).code == 0
    assert "double grad_f(double x)" in path.read_text()
    path.write_text("int x;\n")

    assert call("derive", "x**2", "--at", "3", "-o", str(path)).code == 2


@pytest.mark.parametrize("options", [("-o", "square.c", "--lang", "numba"), ("--format", "c", "--lang", "python")])
def test_two_languages(call: Call, options: tuple[str, ...]) -> None:
    answer = call("derive", "x**2", "--at", "3", *options)

    assert answer.code == 2
    assert "--lang says" in answer.err


def test_in_json(call: Call) -> None:
    assert json.loads(call("derive", "x**2", "--at", "3", "--lang", "c", "--json").out)["language"] == "c"


@pytest.mark.parametrize("option", ["--jacobian", "--hessian", "--vector"])
def test_what_c_has_no_form_of(call: Call, option: str) -> None:
    assert call("derive", "x**2", "--at", "3", "--lang", "c", option).code == 2


def test_two_programs(call: Call) -> None:
    answer = call("derive", "x*y", "--at", "1,2", "--jacobian", "--hessian")

    assert answer.code == 2
    assert "--jacobian and --hessian ask for two programs" in answer.err


def test_the_inputs_to_differentiate_by(call: Call) -> None:
    """--wrt names them, and the command in the file does too."""
    answer = call("derive", "x**2 * y", "--at", "3,4", "--wrt", "y")

    assert answer.code == 0
    assert answer.out.startswith("# Derived by gradcli 0.1.0: gradcli derive 'x**2 * y' --at 3,4 --wrt y\n")
    assert answer.out.endswith("    return x**2\n")
