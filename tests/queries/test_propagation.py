"""The propagation of uncertainty: published examples, samples, shares, and where linear is not enough."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.errors import PointError, UnsupportedError, UsageError


class Example(NamedTuple):
    """A published example: its formula, the inputs with their standard deviations, and what was published."""

    source: str
    formula: str
    inputs: dict[str, tuple[float, float]]
    value: float
    uncertainty: float
    digits: float = 0.02  # relative error of the published uncertainty, which has two digits
    correlations: Mapping[tuple[str, str], float] = MappingProxyType({})
    bends: bool = False

    @property
    def point(self) -> dict[str, float]:
        return {name: value for name, (value, _) in self.inputs.items()}

    @property
    def covariance(self) -> Any:
        names = list(self.inputs)
        deviations = np.array([self.inputs[name][1] for name in names])
        matrix = np.eye(len(names))
        for (a, b), correlation in self.correlations.items():
            i, j = names.index(a), names.index(b)
            matrix[i, j] = matrix[j, i] = correlation
        return matrix * np.outer(deviations, deviations)


IMPEDANCE = {"V": (4.9990, 0.0032), "I": (19.6610e-3, 0.0095e-3), "phi": (1.04446, 0.00075)}
OF_IMPEDANCE = {("V", "I"): -0.36, ("V", "phi"): 0.86, ("I", "phi"): -0.65}
MASS = {"r": (100_000.0, 0.05), "d": (1.234, 0.02), "a": (1.2, 0.1 / 3**0.5), "w": (8000.0, 1e3 / 3**0.5),
    "s": (8000.0, 50 / 3**0.5)}  # fmt: skip
EXAMPLES = [
    Example("GUM H.1, an end gauge", "l + d - l*(da*t + a*dt)",
        {"l": (50_000_623.0, 25.0), "d": (215.0, 9.7), "da": (0.0, 0.58e-6), "t": (-0.1, 0.41),
         "a": (11.5e-6, 1.2e-6), "dt": (0.0, 0.029)}, 50_000_838.0, 32.0, bends=True),
    Example("GUM H.2, a resistance", "V/I*cos(phi)", IMPEDANCE, 127.732, 0.071, 0.02, OF_IMPEDANCE),
    Example("GUM H.2, a reactance", "V/I*sin(phi)", IMPEDANCE, 219.847, 0.295, 0.01, OF_IMPEDANCE),
    Example("GUM H.2, an impedance", "V/I*cos(0*phi)", IMPEDANCE, 254.260, 0.236, 0.01, OF_IMPEDANCE),
    Example("GUM H.3, a thermometer", "y + s*(30 - 20)", {"y": (-0.1712, 0.0029), "s": (0.00218, 0.00067)},
        -0.1494, 0.0041, 0.02, {("y", "s"): -0.930}),
    Example("EA-4/02 S2, a weight of 10 kg", "m + dd + d + dc + db",
        {"m": (10_000_005.0, 22.5), "dd": (0.0, 8.95), "d": (20.0, 14.4), "dc": (0.0, 5.77), "db": (0.0, 5.77)},
        10_000_025.0, 29.3),
    Example("EA-4/02 S3, a resistor of 10 kΩ", "(s + d + ts)*c*r - tx",
        {"s": (10_000.053, 2.5e-3), "d": (0.020, 5.8e-3), "ts": (0.0, 1.6e-3), "c": (1.0, 0.41e-6),
         "r": (1.0000105, 0.07e-6), "tx": (0.0, 3.2e-3)}, 10_000.178, 8.33e-3),
    Example("Taylor, a pendulum", "4*pi**2*l/t**2", {"l": (92.95, 0.1), "t": (1.936, 0.004)}, 979.0, 4.0, 0.05),
    Example("Taylor, a glass by Snell's law", "sin(i)/sin(r)",
        {"i": (math.radians(20), math.radians(1)), "r": (math.radians(13), math.radians(1))}, 1.52, 0.14, 0.04,
        bends=True),
    Example("NIST TN 1900, an expansion", "(b - a)/(a*(t - s))",
        {"b": (1.5021, 2e-4), "a": (1.4999, 1e-4), "t": (373.10, 0.05), "s": (288.15, 0.02)}, 1.727e-5, 1.8e-6, 0.03),
    Example("Eurachem A1, a calibration standard", "1000*m*p/v",
        {"m": (100.28, 0.05), "p": (0.9999, 0.000058), "v": (100.0, 0.07)}, 1002.7, 0.9, 0.08),
    Example("Eurachem A2, sodium hydroxide", "1000*k*m*p/(M*v)",
        {"k": (1.0, 0.0005), "m": (0.3888, 0.00013), "p": (1.0, 0.00029), "M": (204.2212, 0.0038),
         "v": (18.64, 0.013)}, 0.10214, 0.0001, 0.05),
    Example("GUM S1 9.3, a mass in air", "(r + d)*(1 + (a - 1.2)*(1/w - 1/s)) - 100000", MASS, 1.234, 0.0539,
        bends=True),
    Example("GUM S1 9.4, a comparison loss", "x**2 + y**2", {"x": (0.01, 0.005), "y": (0.0, 0.005)},
        100e-6, 100e-6, bends=True),
]  # fmt: skip
IDS = [example.source for example in EXAMPLES]


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_what_was_published(example):
    (result,) = queries.propagate(example.formula, example.point, example.covariance).results

    assert abs(result.value - example.value) <= 0.05 * example.uncertainty
    assert abs(result.uncertainty - example.uncertainty) <= example.digits * example.uncertainty
    assert sum(part.share for part in result.contributions) == pytest.approx(1)


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_finding_says_where_linear_is_not_enough(example):
    findings = queries.propagate(example.formula, example.point, example.covariance).findings

    assert [finding.code for finding in findings] == (["G604"] if example.bends else [])


@pytest.mark.parametrize(("source", "mean", "uncertainty"), [
    ("GUM H.1, an end gauge", 50_000_838.0, 34.0),
    ("GUM S1 9.3, a mass in air", 1.234, 0.0750),
    ("GUM S1 9.4, a comparison loss", 150e-6, 112e-6),
])  # fmt: skip
def test_the_published_uncertainty_to_second_order(source, mean, uncertainty):
    example = EXAMPLES[IDS.index(source)]
    (result,) = queries.propagate(example.formula, example.point, example.covariance).results

    assert abs(result.mean - mean) < 0.01 * uncertainty
    assert abs(result.second_order - uncertainty) < 0.01 * uncertainty


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_a_million_samples(example):
    """The mean and the deviation of samples differ by their own error, and by the terms of third order.

    Where linear propagation is not enough, these are up to 2 % of the deviation in the examples.
    """
    count = 1_000_000
    (result,) = queries.propagate(example.formula, example.point, example.covariance).results
    normal = np.random.default_rng(7).normal(size=(count, len(example.inputs)))
    scale = np.sqrt(np.diag(example.covariance))
    root = np.linalg.cholesky(example.covariance / np.outer(scale, scale) + 1e-14 * np.eye(len(scale)))
    columns = dict(zip(example.inputs, (normal @ root.T * scale).T, strict=True))
    names = {name: example.point[name] + column for name, column in columns.items()}
    values = eval(example.formula, {"cos": np.cos, "sin": np.sin, "pi": math.pi}, names)
    off = values - result.value
    deviation = np.std(off)
    error = math.sqrt((np.mean((off - np.mean(off)) ** 4) / deviation**4 - 1) / 4 / count)
    third = 0.02 if example.bends else result.bend**2

    assert abs(np.mean(off) + result.value - result.mean) <= (4 / math.sqrt(count) + third) * deviation
    assert abs(deviation - result.second_order) <= (4 * error + third) * deviation


def test_several_results():
    """The covariance of the results, of the published resistance and reactance."""

    def parts(V, I, phi):  # noqa: E741 - the names of the guide
        return {"R": V / I * math.cos(phi), "X": V / I * math.sin(phi)}

    example = EXAMPLES[1]
    found = gradcli.propagate(parts, tuple(example.point.values()), example.covariance)
    (of_r, of_both), (_, of_x) = found.covariance

    assert found.uncertainty == pytest.approx({"R": math.sqrt(of_r), "X": math.sqrt(of_x)}, rel=1e-14)
    assert [result.name for result in found.results] == ["value.R", "value.X"]
    assert of_both / math.sqrt(of_r * of_x) == pytest.approx(-0.588, abs=0.005)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.outer(x, x), np.array([1.0, 2.0])),
        (lambda x: [x[0] * x[1], {"a": np.sin(x)}], np.array([0.3, 0.4])),
        (lambda p: p["a"] * p["b"][0] ** 2, {"p": {"a": 2.0, "b": [3.0]}}),
        (lambda x, y: x @ y, (np.ones((2, 2)), np.array([1.0, 2.0]))),
        (lambda x: x**2, 3.0),
    ],
    ids=range(5),
)
def test_points_and_results_of_every_structure(f, x):
    """The covariance is J C Jᵀ of differences of the plain function, for any C."""
    size = 2 if isinstance(x, np.ndarray) else 2 if isinstance(x, dict) else 6 if isinstance(x, tuple) else 1
    root = np.random.default_rng(3).normal(size=(size, size))
    found = gradcli.propagate(f, x, root @ root.T)
    slopes = [gradcli.propagate(f, x, np.outer(unit, unit)).covariance for unit in np.eye(size)]

    assert np.diag(found.covariance) == pytest.approx([r.uncertainty**2 for r in found.results])
    assert np.linalg.eigvalsh(found.covariance)[0] > -1e-9
    for n, slope in enumerate(slopes):
        squares = [result.contributions[n].derivative ** 2 for result in found.results]
        assert np.diag(slope) == pytest.approx(squares)


def test_standard_deviations_alone():
    by_text = queries.propagate("x*y", "1,2", std="y=0.2,x=0.1")
    by_object = gradcli.propagate(lambda x, y: x * y, (1.0, 2.0), std=(0.1, 0.2))

    assert by_text.uncertainty == by_object.uncertainty == pytest.approx(math.sqrt(0.08))
    assert [part.share for part in by_text.results[0].contributions] == pytest.approx([0.5, 0.5])


def test_exact_inputs():
    found = queries.propagate("x*y", "1,2", cov="0.04", wrt="y")

    assert found.uncertainty == pytest.approx(0.2)
    assert [part.inputs for part in found.results[0].contributions] == [("y",)]


def test_a_matrix_in_a_file(folder):
    np.save("c.npy", np.diag([0.01, 0.04]))

    assert queries.propagate("x + y", "1,2", cov="@c.npy").uncertainty == pytest.approx(math.sqrt(0.05))


def test_flat_and_kinked_points():
    """The linear uncertainty is 0; the findings say that it is not enough."""
    flat, kink = queries.propagate("x**2", "0", std="0.1"), queries.propagate("abs(x)", "0", std="0.1")

    assert (flat.uncertainty, flat.results[0].bend) == (0.0, math.inf)
    assert flat.results[0].second_order == pytest.approx(math.sqrt(2) * 0.01)
    assert [finding.code for finding in kink.findings] == ["G201", "G604"]


@pytest.mark.parametrize(
    ("uncertainty", "message"),
    [
        ({}, "one of --cov and --std"),
        ({"cov": "1", "std": "1,1"}, "one of --cov and --std"),
        ({"cov": "[1,2]"}, "a 2 by 2 matrix, and 1 by 2 came"),
        ({"cov": "[[1,2],[3,9]]"}, "not symmetric: its entries for x and y differ"),
        ({"cov": "[[1,2],[2,1]]"}, "a variance would be negative"),
        ({"cov": "[[-1,0],[0,1]]"}, "The variance of x is negative: -1.0"),
        ({"cov": [[math.nan, 0], [0, 1]]}, "not finite"),
        ({"x": "y=2,x=1", "cov": "[[1,0],[0,1]]"}, "The point has the order y, x, and the function x, y"),
        ({"std": "1,-2"}, "The standard deviation of y is negative: -2.0"),
        (
            {"std": "1"},
            "--std does not fit: one value came, 2 are needed.\nThe expression takes 2 inputs x, y: --std 1,2",
        ),
        ({"std": "1,[2,3]"}, "2 uncertain numbers, and --std has x, y"),
    ],
)
def test_uncertainty_that_does_not_fit(uncertainty, message):
    with pytest.raises((PointError, UsageError), match=message.replace("[", r"\[")):
        queries.propagate("x*y", **{"x": "1,2", **uncertainty})


def test_complex_numbers_are_refused():
    with pytest.raises(UnsupportedError, match="complex"):
        gradcli.propagate(lambda z: abs(z), 1j, np.eye(2))


def test_second_derivatives_that_are_too_many(monkeypatch):
    monkeypatch.setattr("gradcli.queries.propagation.MOST_SECOND", 3)
    (result,) = queries.propagate("x*y", "1,2", std="1,1").results

    assert (result.mean, result.second_order, result.bend) == (None, None, None)
