"""Gradients, Jacobians and Hessians as records: structure, names, findings."""

from __future__ import annotations

import math

import pytest

from gradcli import queries
from gradcli.errors import ResultError, UserCodeError
from gradcli.records import as_json

F4 = """
def f(side_lengths):
    a, b, c, d = side_lengths
    return 2.0 * (a*b*c + a*b*d + a*c*d + b*c*d)
"""


def test_the_gradient_of_an_expression():
    """Value, gradient by name, and how the text was understood."""
    found = queries.gradient("x^2 + sin(y)", "2,0")

    assert (4.0, {"x": 4.0, "y": 1.0}, "f(x, y) = x**2 + sin(y)") == (found.value, found.gradient, found.reading)


def test_the_gradient_of_a_file(program):
    """A vector has a list."""
    found = queries.gradient(program(F4), "1,2,3,4")

    assert (100.0, {"side_lengths": [52.0, 38.0, 28.0, 22.0]}) == (found.value, found.gradient)
    assert {"side_lengths": [1.0, 2.0, 3.0, 4.0]} == found.point


def test_the_gradient_mirrors_the_point(program):
    """Dictionaries, lists and arrays come back as such, and JSON is strict."""
    target = program("import numpy as np\ndef f(p, s): return np.sum(p['w'] ** 2) * p['b'] + s\n")
    found = queries.gradient(target, '{"p": {"w": [[1, 2]], "b": 3}, "s": 4}')

    assert {"p": {"w": [[6.0, 12.0]], "b": 5.0}, "s": 1.0} == found.gradient
    assert {"p": {"w": [[6.0, 12.0]], "b": 5.0}, "s": 1.0} == as_json(found)["gradient"]


def test_some_inputs_only():
    """In the order of the point, whatever the order asked for."""
    assert {"x": 6.0, "z": 2.0} == queries.gradient("x*y*z", "1,2,3", wrt="z,x").gradient


@pytest.mark.parametrize(
    ("target", "at", "expected"),
    [
        ("x + y", "1,2", []),
        ("x + 0*floor(y)", "1,2.5", ["G205"]),
        ("log(x)", "-1", ["G101"]),
        ("sqrt(x)", "0", ["G104"]),
        ("sqrt(x)**2", "0", ["G102"]),
        ("where(x < 1, x, sqrt(x))", "0", ["G103"]),
        ("maximum(x, y)", "1,1", ["G203"]),
        ("x // 2 + 0", "3", ["G503"]),
    ],
)
def test_findings(target, at, expected):
    """What is worth knowing has its code."""
    assert expected == [finding.code for finding in queries.gradient(target, at).findings]


def test_an_input_that_is_not_used(program):
    """Its zero was not computed, and the note says so."""
    found = queries.gradient(program("def f(x, w):\n    t = w * w\n    return x\n"), "1,2")

    assert [
        (
            "G401",
            2,
            "w is used, but has no part in the result, and t does not arrive there: its derivative is exactly 0",
        )
    ] == [(finding.code, finding.line, finding.message) for finding in found.findings]


def test_only_wanted_inputs_are_told_of(program):
    """With --wrt the others are nobody's concern."""
    assert () == queries.gradient(program("def f(x, w): return x\n"), "1,2", wrt="x").findings


def test_the_birth_of_nan_has_its_line(program, folder):
    """By the user's name, file and line."""
    target = program("import numpy as np\ndef f(x):\n    t = x - 5\n    u = np.log(t)\n    return u * u\n")
    (finding,) = queries.gradient(target, "1").findings

    assert (str(folder / "p.py"), 4) == (finding.file, finding.line)
    assert finding.message.startswith("u = log(-4.0) = nan is the first value that is not finite")


def test_numpy_does_not_warn_beside_the_finding(program, recwarn):
    """What is not finite is said once, with the user's line."""
    queries.gradient(program("import numpy as np\ndef f(x): return np.log(x)\n"), "-1")

    assert [] == list(recwarn)


def test_the_jacobian(program):
    """The shape of the value, then that of the input."""
    found = queries.jacobian(program("def f(x, k): return [x[0] * x[1], k * x[0]]\n"), "[2,3],4")

    assert ([6.0, 8.0], {"x": [[3.0, 2.0], [4.0, 0.0]], "k": [0.0, 2.0]}) == (found.value, found.jacobian)


def test_the_jacobian_of_a_number_is_its_gradient():
    """By name."""
    assert {"x": 3.0, "y": 2.0} == queries.jacobian("x*y", "2,3").jacobian


def test_the_jacobian_by_some_inputs():
    """The others are left out."""
    assert {"y": 2.0} == queries.jacobian("x*y", "2,3", wrt="y").jacobian


def test_the_hessian():
    """By two names, symmetric."""
    found = queries.hessian("x**2 * y", "2,3")

    assert {"x": {"x": 6.0, "y": 4.0}, "y": {"x": 4.0, "y": 0.0}} == found.hessian
    assert (12.0, {"x": 12.0, "y": 4.0}) == (found.value, found.gradient)


def test_the_hessian_of_a_structure(program):
    """Its parts are named."""
    target = program("def f(p): return p['a'] * p['w'][0] * p['w'][1]\n")
    found = queries.hessian(target, '{"p": {"a": 2, "w": [3, 5]}}').hessian

    assert {"p.a": 0.0, "p.w": [5.0, 3.0]} == found["p.a"]
    assert {"p.a": [5.0, 3.0], "p.w": [[0.0, 2.0], [2.0, 0.0]]} == found["p.w"]


@pytest.mark.parametrize("query", [queries.gradient, queries.hessian])
def test_an_array_names_the_jacobian(program, query):
    """For several results there is a command."""
    with pytest.raises(ResultError, match="jacobian"):
        query(program("import numpy as np\ndef f(x): return x * np.ones(3)\n"), "1")


@pytest.mark.parametrize("query", [queries.gradient, queries.jacobian, queries.hessian, queries.tape, queries.symbolic])
def test_what_the_program_raises_has_its_frames(program, query, folder):
    """The user's alone, outermost first."""
    target = program("def g(x): raise RuntimeError('no')\ndef f(x): return g(x)\n")
    with pytest.raises(UserCodeError) as error:
        query(target, "1")

    assert [(2, "f"), (1, "g")] == [(line, name) for _, line, name in error.value.frames]


def test_a_file_is_run_once(program, capsys):
    """Two questions load it once, and a changed file again."""
    target = program("print('loaded')\ndef f(x): return x\n")
    queries.gradient(target, "1")
    queries.gradient(target, "2")

    assert "loaded\n" == capsys.readouterr().out


def test_whole_numbers_are_floats():
    """A point of integers has a gradient."""
    assert {"x": 6.0} == queries.gradient("x*x", "3").gradient
    assert math.isclose(3.0, queries.gradient("x*x", "3").point["x"])


@pytest.mark.parametrize("ask", [queries.gradient, queries.jacobian, queries.tape, queries.check])
@pytest.mark.parametrize(("target", "at"), [("math:log", "-1"), ("builtins:eval", "1"), ("os:system", "1")])
def test_a_function_written_in_c_that_raises_is_the_users(ask, target, at):
    """It leaves no frame, and is no fault of ours."""
    with pytest.raises(UserCodeError):
        ask(target, at)
