"""Twenty derived programs as a person reads them, who judges each change of them by the difference of the files."""

import re
from pathlib import Path

import numpy as np
import pytest

import gradcli
from examples import correlated_noise, kalman, logistic, perceptron, power, softmax
from tests.answers.derivation import array_programs, language_programs, scalar_programs

GOLDENS = Path(__file__).parent / "goldens"
A = np.array
EXAMPLES = {
    "misfit": (kalman.misfit, (A([0.0, 1.0]), 0.1, 0.5, A([0.3]))),
    "softmax": (softmax.loss, (A([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]), A([0.0, 0.1, 0.2]))),
    "logistic": (logistic.loss, (A([0.1, 0.2]), 0.3)),
    "perceptron": (perceptron.error, (A([[0.1, 0.2], [0.3, 0.4]]), A([0.0, 0.1]), A([[0.5, 0.6]]), A([0.1]))),
    "energy": (correlated_noise.energy, (A([1.0, 2.0, 0.5]), A([1.0, 1.0, 2.0]))),
    "twelfth": (power.twelfth, (1.3,)),
}
OF_TESTS = {
    array_programs: (
        *("attention", "columns", "convolution", "cumulative", "gathered"),
        *("heat", "kalman", "least_squares", "recurrent"),
    ),
    scalar_programs: ("edit_distance", "horner", "runge_kutta", "running_maximum"),
    language_programs: ("written_in_place",),
}
FUNCTIONS = {name: getattr(module, name) for module, names in OF_TESTS.items() for name in names}
POINTS = {each.__name__: points[0] for module in OF_TESTS for each, points in module.PROGRAMS.items()}
PROGRAMS = EXAMPLES | {name: (function, POINTS[name]) for name, function in FUNCTIONS.items()}


def derived(name: str) -> str:
    """The text of a derived program, without the version of gradcli and the line of the user's function."""
    function, point = PROGRAMS[name]
    text = str(gradcli.derive(function, at=point if len(point) > 1 else point[0]))
    return re.sub(r"(?<=gradcli) [^:]+(?=:)|(?<=\.py):\d+", "", text)


def golden(name: str) -> Path:
    """The file with the text of a derived program, which `python -m tests.write` writes anew."""
    return GOLDENS / f"{name}.py"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_derived_program_reads_as_it_was_read(name):
    assert derived(name) == golden(name).read_text(encoding="utf-8")


def test_every_golden_is_that_of_a_program():
    assert {path.stem for path in GOLDENS.glob("*.py")} == set(PROGRAMS)
