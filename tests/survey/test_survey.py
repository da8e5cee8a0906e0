"""The survey of published packages: what it counts, on functions of its own in place of a package's."""

import types

import numpy as np
import pytest

from tests.survey import __main__ as survey
from tests.survey.case import Case, elementwise
from tests.survey.differences import jacobian
from tests.survey.judged import outcomes
from tests.survey.mutants import in_place, mutants


def wave(x):
    return x**2 * np.sin(x)


def wave_slope(x):
    return 2.0 * x * np.sin(x) + x**2 * np.cos(x)


def counted(case, count=4):
    return [(each.asked, each.verdict) for each in outcomes(case, count)]


def test_differences_have_twelve_digits() -> None:
    slopes, error = jacobian(lambda x: np.array([x[0] * x[1], np.exp(x[1])]), np.array([2.0, 0.5]))

    np.testing.assert_allclose(slopes, [[0.5, 2.0], [0.0, np.exp(0.5)]], rtol=1e-11, atol=1e-11)
    assert np.all(error < 1e-10)


def test_a_right_derivative_passes_and_its_mutants_fail() -> None:
    case = elementwise("wave", wave, wave_slope, [0.7, 1.9])

    assert counted(case) == [("gradients", "right"), ("derivatives", "right"), *[("mutants", "failed")] * 4]


def test_a_vector_has_a_jacobian() -> None:
    case = Case("waves", wave, np.array([0.7, 1.9]), lambda x: np.diag(wave_slope(x)))

    assert counted(case, 0) == [("gradients", "right"), ("derivatives", "right")]


def test_a_wrong_derivative_is_wrong() -> None:
    case = Case("wave", wave, 0.7, lambda x: 2.1 * wave_slope(x))
    declared = Case("wave", wave, 0.7, lambda x: 2.1 * wave_slope(x), wrong="twice too large")

    assert counted(case) == [("gradients", "right"), ("derivatives", "wrong")]
    assert "FAIL" in list(outcomes(case, 4))[1].reason
    assert list(outcomes(declared, 4))[1].reason == ""


def test_a_function_off_the_tape_is_refused_and_judged() -> None:
    case = Case("off the tape", lambda x: np.float64(str(wave(x))), 0.7, wave_slope)

    assert counted(case, 1) == [("gradients", "refused"), ("derivatives", "right"), ("mutants", "failed")]


def test_a_point_off_the_domain_is_a_mistake_of_the_declaration() -> None:
    with pytest.raises(ValueError, match="declared at a point beside which"):
        counted(Case("root", np.sqrt, -1.0, lambda x: 0.5 / np.sqrt(x)))


def test_every_mutant_is_one_change() -> None:
    """Of a sign, a factor, a term, a power, a function; the function is itself again afterwards."""
    right = wave_slope(0.7)
    changed = {}
    for mutant in mutants(wave_slope):
        with in_place(mutant, wave_slope):
            changed[mutant.change.partition(" in line")[0]] = float(wave_slope(0.7))

    kinds = {"sign", "term dropped", "inverted", "factor dropped", "power dropped", "factor 2", "function"}
    assert set(changed) == kinds
    assert right not in changed.values()
    assert wave_slope(0.7) == right


def test_an_absent_package_is_named(monkeypatch, capsys) -> None:
    absent = types.SimpleNamespace(RELEASE="no-such-package==1.0", cases=list)
    monkeypatch.setattr(survey.importlib, "import_module", lambda name: absent)

    assert survey.main(["ase"]) == 2
    assert capsys.readouterr().err == "not installed: pip install no-such-package==1.0\n"


def test_the_table_counts_verdicts(monkeypatch, capsys) -> None:
    """A row for each package; the exit code is 0 where all is as declared."""
    swept = types.SimpleNamespace(RELEASE="numpy==2.2", cases=lambda: [Case("wave", wave, 0.7, wave_slope)])
    monkeypatch.setattr(survey.importlib, "import_module", lambda name: swept)

    assert survey.main(["ase", "--mutants", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[2].endswith("| 1 / 0 / 0 / 0 | 1 / 0 / 0 | 2 / 0 |")


def test_a_surprise_is_an_exit_code(monkeypatch, capsys) -> None:
    swept = types.SimpleNamespace(RELEASE="numpy==2.2", cases=lambda: [Case("wave", wave, 0.7, wave)])
    monkeypatch.setattr(survey.importlib, "import_module", lambda name: swept)

    assert survey.main(["ase"]) == 1
    assert "wave: derivative wrong: x: FAIL" in capsys.readouterr().out
