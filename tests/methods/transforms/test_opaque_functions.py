"""Functions whose derivative is measured by differences."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import errors

PAIR = np.array([1.0, 2.0])


def counted():
    """A function of a library, which takes plain numbers alone, and the list of its calls."""
    calls = []

    def simulated(x, scale):
        assert type(x) in (float, np.ndarray)
        calls.append(x)
        return np.sin(x) * scale["a"]

    return gradcli.opaque(simulated), calls


def test_a_gradient_takes_the_slopes_of_differences():
    simulated, calls = counted()

    by_x, by_a = gradcli.grad(lambda x, a: np.sum(simulated(x, {"a": a}) ** 2), (0, 1))(PAIR, 3.0)

    assert np.allclose(by_x, 18.0 * np.sin(PAIR) * np.cos(PAIR), rtol=1e-9)
    assert by_a == pytest.approx(6.0 * np.sum(np.sin(PAIR) ** 2), rel=1e-9)
    assert len(calls) < 40 * 3


def test_further_sweeps_over_a_run_cost_no_further_calls():
    simulated, calls = counted()
    _, pullback = gradcli.vjp(lambda x: simulated(x, {"a": 3.0}), PAIR)
    pullback(PAIR)
    before = len(calls)

    pullback(2.0 * PAIR)

    assert len(calls) <= before + 2


def test_forward_mode_takes_the_same_slopes():
    simulated, _ = counted()

    _, tangent = gradcli.jvp(lambda x: simulated(x, {"a": 3.0}), (PAIR,), (np.ones(2),))

    assert np.allclose(tangent, 3.0 * np.cos(PAIR), rtol=1e-9)


def test_second_derivatives_are_refused():
    opaque = gradcli.opaque(math.sin)

    with pytest.raises(errors.UnsupportedError, match="sin is opaque"):
        gradcli.grad(gradcli.grad(opaque))(1.0)


@pytest.mark.parametrize("derivative", [gradcli.grad, lambda f: lambda x: gradcli.jvp(f, (x,), (x,))])
def test_a_result_whose_length_changes_beside_the_point_is_refused(derivative):
    growing = gradcli.opaque(lambda x: np.ones(2 + int(x[0] > 1.0)) * x[1])

    with pytest.raises(errors.ResultError, match="the function returned 2 numbers, and 3 beside its arguments"):
        derivative(lambda x: np.sum(growing(x)))(PAIR)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (None, "pass"),
        (lambda x: 2.0 * math.sin(x) * math.cos(x), "pass"),
        (lambda x: 2.0001 * math.sin(x) * math.cos(x), "fail"),
    ],
)
def test_a_check_judges_a_program_with_an_opaque_step(claim, verdict):
    opaque = gradcli.opaque(math.sin)

    comparison = gradcli.check(lambda x: opaque(x) ** 2, at=1.0, against=claim)

    assert comparison.verdict == verdict
    assert any(finding.code == "G418" for finding in comparison.findings)


def test_the_error_of_the_slopes_reaches_the_verdict():
    noisy = gradcli.opaque(lambda x: math.sin(x) + 1e-6 * math.sin(1e9 * x))

    assert gradcli.check(lambda x: noisy(x) ** 2, at=1.0).verdict == "inconclusive"


def test_the_note_says_what_error_is_left():
    from gradcli import queries

    rounded = gradcli.opaque(lambda x: round(x, 3))

    (note,) = queries.gradient(lambda x: rounded(x), "0.5").findings
    assert note.code == "G418"
    assert "36 calls" in note.message
    assert 0.1 < float(note.message.rpartition(" ")[2]) < 1.0
