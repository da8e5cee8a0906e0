"""Findings on how the evidence came about."""

import math
import zlib

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.methods.adapters.adapted_object import of_plain_numbers
from gradcli.methods.numerics import rounding

OF_THE_WITNESSES = {"G301", "G302", "G303", "G304", "G601", "G602", "G803"}


def told(comparison):
    """The findings of this kind, by their codes."""
    return {each.code: each.message for each in comparison.findings if each.code in OF_THE_WITNESSES}


@pytest.mark.parametrize(
    ("target", "at", "code", "said"),
    [
        ("sin(x)", "1e20", "G303", "x: the numbers next to 1e+20 are 1.6e+04 apart"),
        ("sqrt(x - 1)", "1.00001", "G304", "x: the function has no finite value 2e-05 to the left"),
        ("log(1 - x)", "0.999999", "G304", "x: the function has no finite value 2e-06 to the right"),
        ("exp(x)", "709.7827", "G304", "x: the function has no finite value"),
        ("x**100000", "1.0070", "G304", "x: the function has no finite value"),
        ("log(exp(x) + 1)", "709.7827", "G304", "x: the function has no finite value"),
        ("x**100000", "1.00001", "G304", "x: the function has no finite value 0.03 to the right; differences keep"),
        ("x * sign(x)", "0", "G803", "sign(0.0) jumps, and SymPy's derivative of it contains DiracDelta"),
        ("(1 - cos(x))/x**2", "1e-8", "G601", "1.0 - 1.0 = 0.0 loses 15 digits, and so does the derivative"),
    ],
)
def test_what_is_said(target, at, code, said):
    found = told(queries.check(target, at))

    assert [code] == list(found)
    assert found[code].startswith(said)


@pytest.mark.parametrize(
    ("target", "at"),
    [("sin(x) + 3", "1"), ("exp(x)", "-700"), ("x**3", "1e8"), ("sqrt(x)", "0"), ("x + floor(x)", "2")],
)
def test_what_is_not_said(target, at):
    assert told(queries.check(target, at)) == {}


def test_rounding_is_no_noise():
    """A value that cancellation leaves few digits of scatters as much as that explains."""
    assert "G301" not in told(queries.check("(1 - cos(x))/x**2", "1e-4"))


def test_values_without_scatter_are_not_analysed(monkeypatch):
    analysed = []
    monkeypatch.setattr(rounding, "value_errors", lambda *arguments: analysed.append(arguments) or [0.0])

    assert (told(gradcli.check(lambda x: math.sin(x) * x, at=0.5)), analysed) == ({}, [])


def power_iteration(m):
    """The largest eigenvalue of a matrix."""
    v = np.ones(3)
    for _ in range(100):
        v = m @ v
        v = v / np.linalg.norm(v)
    return v @ m @ v


def test_where_the_rounding_of_the_value_is_not_known():
    comparison = gradcli.check(power_iteration, at=np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]))

    assert comparison.verdict == "pass"
    assert "G301" not in told(comparison)


def test_a_coarse_type():
    found = told(gradcli.check(lambda x: np.sum(x.astype(np.float16) ** 2), at=np.ones(2)))

    assert found["G302"].startswith("the program computes in float16: a correct gradient may differ by 0.01")


def test_noise_is_measured():
    f = lambda x: math.exp(float(repr(x))) + 1e-9 * (zlib.crc32(repr(x).encode()) % 7)
    found = told(gradcli.check(f, at=0.5, against=math.exp))

    assert "e-09 between neighbouring numbers" in found["G301"]


@pytest.mark.parametrize(("at", "expected"), [(np.array([0.3, 1.2]), ["G302"]), (np.array([0.3], np.float32), [])])
def test_another_library_that_computes_in_fewer_digits(at, expected):
    function = of_plain_numbers("a library", lambda x: np.sum(x.astype(np.float32) ** 3))

    comparison = gradcli.check(function, at=at, against=lambda x: 3 * x**2)

    assert [finding.code for finding in comparison.findings if finding.code == "G302"] == expected
