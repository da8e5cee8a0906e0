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
    """As text, and in JSON as one field beside what it was held to."""
    body = json.loads(call("derive", "x**2", "--at", "3", "--json").out)

    assert call("derive", "x**2", "--at", "3") == (0, SQUARE, "")
    assert (body["command"], body["language"], body["source"]) == ("derive", "python", SQUARE)
    assert body["agrees_with_tape"] > 5
    assert json.loads(call("derive", "x**2", "--at", "3", "--lang", "c", "--json").out)["language"] == "c"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("x**2 --box x=0:1", "return 2 * x"),  # a box says where numbers may be taken from
        ("x**2*y --at 3,4 --wrt y", "# Derived by gradcli 0.1.0: gradcli derive 'x**2*y' --at 3,4 --wrt y\n"),
        ("x**2*y --at 3,4 --wrt y", "    return x**2\n"),
        ("examples/rosenbrock.py:rosen --at 1.3,0.7,0.8", "def grad_rosen("),
        ("examples/logistic.py:loss --at w=[0.1,0.2],b=0.3", "def grad_loss("),
    ],
)
def test_programs(call: Call, arguments: str, expected: str) -> None:
    answer = call("derive", *arguments.split())

    assert (answer.code, expected in answer.out) == (0, True)


@pytest.mark.parametrize(
    ("name", "end", "other"),
    [("square.py", "    return 2 * x\n", "x = 1\n"), ("square.c", "return 2 * x;\n}\n", "int x;\n")],
)
def test_into_a_file(call: Call, tmp_path: Path, name: str, end: str, other: str) -> None:
    """Its ending says the language; it is written anew, and a file of somebody else is not."""
    path = tmp_path / name
    for _ in range(2):
        assert call("derive", "x**2", "--at", "3", "-o", str(path))[:2] == (0, f"wrote {path}\n")
    assert path.read_text().endswith(end)
    path.write_text(other)
    answer = call("derive", "x**2", "--at", "3", "-o", str(path))

    assert (answer.code, path.read_text()) == (2, other)
    assert "was not written by gradcli" in answer.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        *((f"-o {path}", "--out writes a .py, .c, .tex, .txt or .json file") for path in ("square.h", "square")),
        ("-o square.c --lang numba", "--lang says"),
        ("--format c --lang python", "--lang says"),
        *((f"--lang c {option}", "") for option in ("--jacobian", "--hessian", "--vector")),
        ("--jacobian --hessian", "--jacobian and --hessian ask for two programs"),
    ],
)
def test_options_that_do_not_fit(call: Call, options: str, said: str) -> None:
    answer = call("derive", "x**2", "--at", "3", *options.split())

    assert (answer.code, said in answer.err) == (2, True)


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
