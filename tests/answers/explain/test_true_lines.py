"""Every line that `explain` prints is true: computed with the operands beside it, it gives the number printed."""

import inspect
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import UnsupportedError, UserCodeError
from tests import array_forms
from tests.answers.explain import lines
from tests.answers.explain.programs import EXPRESSIONS, Program, every
from tests.mathematics.rules import test_breadth as breadth
from tests.queries.conftest import folder

pytestmark = pytest.mark.sampled(2)  # many like cases

__all__ = ["folder"]

PROGRAMS = every()
OF_NAMES = (
    "versions", "shadow", "symbols", "symbols 2", "symbols 3", "functions", "where", "linalg", "e", "list then array",
    "array then list", "dicts", "constants", "constants by names", "result", "grid", "lanes", "lost lanes",
)  # fmt: skip
CASES = [program for program in PROGRAMS if program[0] not in OF_NAMES]


def test_there_are_many_programs() -> None:
    """The lines of at least 300 are computed again."""
    assert len(PROGRAMS) >= 300


@pytest.mark.sampled(48)
@pytest.mark.parametrize("program", [pytest.param(each, id=each[0]) for each in CASES])
def test_a_program(program: Program, folder: Path) -> None:
    """Backwards, forwards along its first input, and node by node."""
    is_true(program, folder)


def arrays_of(text: str, number: int) -> tuple[np.ndarray, ...]:
    """The arguments for a function: a scalar, arrays that broadcast, by columns or square, in turn."""
    arrays = breadth.SQUARES if breadth.ALL[text][1] in array_forms.OF_MATRICES else breadth.ARRAYS
    kinds = [kind for kind in ("a number", "broadcast", "by columns", "square") if kind in arrays]
    return arrays[kinds[number % len(kinds)]]


@pytest.mark.long
@pytest.mark.parametrize(("number", "text"), list(enumerate(breadth.ALL))[::5], ids=[*breadth.ALL][::5])
def test_a_function(text: str, number: int, folder: Path) -> None:
    """Every fifth of the functions of NumPy and SciPy that are followed, over every kind of array."""
    point = {name: np.asarray(x).tolist() for name, x in zip("xy", arrays_of(text, number), strict=False)}
    helpers = "".join(map(inspect.getsource, (array_forms.parts, array_forms.positive)))
    weights = "np.cos(np.arange(float(np.size(r)))).reshape(np.shape(r))"
    body = f"    r = np.asarray({text}) * 1.0\n    return np.sum(r * {weights}) + np.sum({' * '.join(point)})\n"
    imports = "from typing import Any\nimport numpy as np\nfrom scipy import special\n"
    module = f"{imports}{helpers}\ndef f({', '.join(point)}):\n{body}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            is_true((text, module, point), folder)
        except UserCodeError:
            pytest.skip("NumPy refuses such an array")
        except UnsupportedError:
            pytest.skip("gradcli refuses the function")


@pytest.mark.parametrize("label", OF_NAMES)
def test_names_that_could_be_taken_for_each_other(label: str, folder: Path) -> None:
    """Each stands for one quantity: versions of a variable, sensitivities, functions of NumPy's, items of a list."""
    is_true(next(program for program in PROGRAMS if program[0] == label), folder)


def is_true(program: Program, folder: Path) -> None:
    """Compute every line about a program again."""
    _, text, point = program
    (folder / "p.py").write_text(text)
    at = json.dumps(point)
    nodes = queries.tape("p.py:f", at).nodes

    assert lines.check(queries.explain("p.py:f", at), nodes)
    lines.check(queries.forward_sweep("p.py:f", at, next(iter(point))), nodes)
    lines.check_steps(queries.steps("p.py:f", at))


@pytest.mark.parametrize(("expression", "point"), EXPRESSIONS)
def test_an_expression(expression: str, point: dict[str, object]) -> None:
    """A typed one, which is one statement as far as it stays short."""
    at = json.dumps(point)
    nodes = queries.tape(expression, at).nodes

    assert lines.check(queries.explain(expression, at), nodes)
    assert lines.check(queries.forward_sweep(expression, at), nodes)
    assert lines.check_steps(queries.steps(expression, at))
