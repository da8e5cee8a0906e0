"""Every example runs, and its values and gradients are those worked out elsewhere."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradcli
from examples import (
    backpropagation,
    correlated_noise,
    hyperbox,
    kalman,
    kepler,
    logistic,
    newton_sqrt,
    perceptron,
    power,
    rosenbrock,
    softmax,
    training,
)

ROOT = Path(__file__).resolve().parents[1]
BOX = [1.0, 2.0, 3.0, 4.0]


def test_the_box_in_four_dimensions_is_that_of_the_seeds():
    assert hyperbox.f4(BOX) == 100.0
    assert gradcli.grad(hyperbox.f4)(BOX) == [52.0, 38.0, 28.0, 22.0]


def test_the_gradient_by_hand_is_right():
    assert hyperbox.grad_f4(BOX) == [52.0, 38.0, 28.0, 22.0]


def test_the_slip_is_in_one_component():
    comparison = gradcli.check(hyperbox.f4, at=BOX, against=hyperbox.grad_f4_slip)

    assert comparison.verdict == "fail"
    assert [each.verdict.value for each in comparison.components if each.verdict.value != "PASS"] == ["FAIL"]
    assert "[3]" in comparison.components[0].name


def test_the_distance_of_a_planet_is_that_of_its_equation():
    """The solution of Kepler's equation, and its derivatives by the implicit function theorem."""
    value, (by_mean, by_eccentricity) = gradcli.value_and_grad(kepler.distance, argnums=(0, 1))(1.5, 0.2)
    anomaly = math.acos((1 - value) / 0.2)

    assert anomaly - 0.2 * math.sin(anomaly) == pytest.approx(1.5, rel=1e-12)
    assert by_mean == pytest.approx(0.2 * math.sin(anomaly) / value, rel=1e-9)
    assert by_eccentricity == pytest.approx(0.2 * math.sin(anomaly) ** 2 / value - math.cos(anomaly), rel=1e-9)


def test_the_box_in_three_dimensions():
    assert hyperbox.f3(1.0, 2.0, 3.0) == 22.0
    assert gradcli.grad(hyperbox.f3, argnums=(0, 1, 2))(1.0, 2.0, 3.0) == (10.0, 8.0, 6.0)


def test_rosenbrock():
    """The well-known point of SciPy's manual, and the valley's floor."""
    x = np.array([1.3, 0.7, 0.8, 1.9, 1.2])

    np.testing.assert_allclose(rosenbrock.rosen(x), 848.22, rtol=1e-12)
    np.testing.assert_allclose(gradcli.grad(rosenbrock.rosen)(x), rosenbrock.grad_rosen(x), rtol=1e-13)
    np.testing.assert_array_equal(np.zeros(3), gradcli.grad(rosenbrock.rosen)(np.ones(3)))


@pytest.mark.parametrize("a", [0.01, 1.0, 2.0, 1e6])
def test_newtons_square_root(a):
    """The iteration's slope is that of the square root, although the program never says so."""
    assert math.isclose(math.sqrt(a), newton_sqrt.newton_sqrt(a), rel_tol=1e-12)
    assert math.isclose(0.5 / math.sqrt(a), gradcli.grad(newton_sqrt.newton_sqrt)(a), rel_tol=1e-10)


def test_logistic_regression():
    """Every label counts by the probability that it is missed."""
    w, b = np.array([0.4, 0.7]), -1.5
    missed = 1.0 / (1.0 + np.exp(logistic.LABELS * (logistic.SAMPLES @ w + b)))
    by_w, by_b = gradcli.grad(logistic.loss, argnums=(0, 1))(w, b)

    np.testing.assert_allclose(by_w, -(missed * logistic.LABELS) @ logistic.SAMPLES, rtol=1e-13)
    np.testing.assert_allclose(by_b, -np.sum(missed * logistic.LABELS), rtol=1e-13)


def test_the_library_example_prints_what_it_promises():
    run = subprocess.run(
        [sys.executable, "-m", "examples.library"], check=True, capture_output=True, text=True, cwd=ROOT
    )
    *printed, last = run.stdout.splitlines()

    assert printed == ["gradient: [52.0, 38.0, 28.0, 22.0]", "grad_f4: pass", "grad_f4_slip: fail"]
    assert math.isclose(3.0 / (1.0 + math.exp(-3.0)) + 1.0, float(last.removeprefix("slope of cost at 1: ")))


@pytest.mark.parametrize(
    "optimizer",
    [training.GradientDescent(0.05), training.Momentum(0.01), training.Adam(0.1)],
    ids=lambda optimizer: type(optimizer).__name__,
)
def test_training(optimizer):
    """From w = 1 and b = 0 every optimiser comes within 0.02 of y = 2x - 1."""
    model, loss = training.train(optimizer)

    assert pytest.approx(float(model.w.numpy()), abs=0.02) == 2.0
    assert pytest.approx(float(model.b.numpy()), abs=0.02) == -1.0
    assert 1e-3 > loss


def test_the_check_of_many_parameters_fits_a_screen(monkeypatch):
    """Of 1,305 components the worst are shown, and the block with the mistake is named."""
    monkeypatch.delenv("COLUMNS", raising=False)
    shown = str(
        gradcli.check(backpropagation.loss, at=backpropagation.PARAMETERS, against=backpropagation.backpropagated)
    )
    lines = shown.splitlines()

    assert len(lines) < 40
    assert max(map(len, lines)) <= 80
    assert "w2: FAIL, all 2 times the derivative" in lines
    assert "w1, b1, b2: PASS" in lines


def test_every_example_has_a_test():
    """A new file in the folder must be run here."""
    tested = {"hyperbox", "kalman", "library", "logistic", "newton_sqrt", "perceptron", "power", "rosenbrock"}
    tested |= {"backpropagation", "correlated_noise", "kepler", "softmax", "training"}

    assert tested == {path.stem for path in (ROOT / "examples").glob("*.py")}


def test_softmax_regression():
    """The well-known formula: probabilities minus labels, over the number of samples."""
    w, b = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]), np.array([0.0, 0.1, 0.2])
    odds = np.exp(softmax.SAMPLES @ w + b)
    scores = (odds / odds.sum(axis=1, keepdims=True) - np.eye(3)[softmax.LABELS]) / 4
    found = gradcli.grad(softmax.loss, argnums=(0, 1))(w, b)

    np.testing.assert_allclose(softmax.SAMPLES.T @ scores, found[0], rtol=1e-12)
    np.testing.assert_allclose(scores.sum(axis=0), found[1], rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 5, 12])
def test_a_power_by_squaring(n):
    assert math.isclose(1.1**n, power.power(1.1, n), rel_tol=1e-12)
    assert math.isclose(n * 1.1 ** (n - 1), gradcli.grad(lambda x: power.power(x, n) + 0 * x)(1.1), rel_tol=1e-12)


def test_a_step_of_a_kalman_filter():
    """The misfit's slope by the measurement is the innovation over its variance; noise and drift have one slope."""
    *_, drift, noise, measured = gradcli.grad(kalman.misfit, argnums=(0, 1, 2, 3))(
        np.array([0.0, 1.0]), 0.1, 0.5, np.array([0.3])
    )

    np.testing.assert_allclose([0.2 / 1.13], measured, rtol=1e-12)
    np.testing.assert_allclose([0.5 / 1.13 - 0.5 * 0.2**2 / 1.13**2] * 2, [drift, noise], rtol=1e-12)


def test_a_perceptron():
    w1, b1, w2, b2 = (np.array(x) for x in ([[0.1, 0.2], [0.3, 0.4]], [0.0, 0.0], [[0.5, 0.6]], [0.1]))
    hidden = np.tanh(w1 @ perceptron.SAMPLE + b1)
    out = w2 @ hidden + b2 - perceptron.WANTED
    found = gradcli.grad(perceptron.error, argnums=(0, 2))(w1, b1, w2, b2)

    np.testing.assert_allclose(np.outer(w2.T @ out * (1 - hidden**2), perceptron.SAMPLE), found[0], rtol=1e-12)
    np.testing.assert_allclose(np.outer(out, hidden), found[1], rtol=1e-12)


def test_a_reading_with_correlated_noise():
    """The logarithm of the normal distribution's density, up to a constant, and differences."""
    reading, spread = np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.0, 2.0])
    covariance = np.diag(spread) + 0.5
    density = -0.5 * reading @ np.linalg.inv(covariance) @ reading - 0.5 * np.log(np.linalg.det(covariance))

    assert correlated_noise.energy(reading, spread) == pytest.approx(-density, rel=1e-12)
    assert gradcli.check(correlated_noise.energy, at=(reading, spread)).verdict == "pass"
