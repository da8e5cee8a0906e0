"""The check as a command asks for it: targets as typed, the user's code guarded."""

import importlib.util
import signal
import time

import pytest

from gradcli import queries
from gradcli.errors import OutOfTimeError, TargetError, UserCodeError
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.json_form import as_json

PROGRAM = """
import numpy as np
def f(x): return np.sum(x ** 3)
def good(x): return 3 * x ** 2
def bad(x): return 3 * x
def raises(x): return 1 / 0
def fails_later(x):
    if x[0] != 1.0: raise RuntimeError("moved")
    return np.sum(x ** 2)
"""


@pytest.mark.parametrize(("name", "expected"), [(None, "pass"), ("good", "pass"), ("bad", "fail")])
def test_a_gradient_in_the_same_file(program, name, expected):
    target = program(PROGRAM)
    found = queries.check(target, "[1,2]", CheckRequest(against=name and f"p.py:{name}"))

    assert (expected, name and f"p.py:{name}") == (found.verdict, found.against)


@pytest.mark.parametrize(("against", "expected"), [("2*x", "pass"), ("2*x + 1e-5", "fail"), ("x**2 - x**2", "fail")])
def test_a_gradient_as_an_expression(against, expected):
    assert queries.check("x^2", "3", CheckRequest(against=against)).verdict == expected


@pytest.mark.parametrize(
    ("target", "at", "against", "expected"),
    [
        ("x^2", "3", "6", "pass"),
        ("x^2", "3", "-6", "fail"),
        ("x*y", "2,3", "3,2", "pass"),
        ("x*y", "2,3", "y=2,x=3", "pass"),
        ("x*y", "2,3", "2,3", "fail"),
        ("x^2", "3", "6e0 ", "pass"),
    ],
)
def test_a_gradient_as_its_numbers(target, at, against, expected):
    assert queries.check(target, at, CheckRequest(against=against)).verdict == expected


def test_an_expression_of_some_of_the_inputs():
    assert queries.check("x*y", "2,3", CheckRequest(against="y", wrt="x")).verdict == "pass"


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="SciPy is not installed")
@pytest.mark.parametrize("at", ["1,1", "1.3,0.7,0.8,1.9,1.2", "[0,0,0]"])
def test_functions_of_scipy(at):
    assert queries.check("scipy.optimize:rosen", at, CheckRequest(against="scipy.optimize:rosen_der")).verdict == "pass"


def test_a_gradient_that_raises_is_the_users(program):
    target = program(PROGRAM)
    with pytest.raises(UserCodeError, match="ZeroDivisionError in raises") as error:
        queries.check(target, "[1,2]", CheckRequest(against="p.py:raises"))

    assert [line for _, line, _ in error.value.frames] == [6]


def test_a_function_that_raises_beside_the_point(program):
    program(PROGRAM)

    assert queries.check("p.py:fails_later", "[1,2]").verdict == "pass"


def test_no_such_gradient(program):
    target = program(PROGRAM)
    with pytest.raises(TargetError, match="There is no 'godo'"):
        queries.check(target, "[1,2]", CheckRequest(against="p.py:godo"))


def test_json(program):
    found = as_json(queries.check(program(PROGRAM), "[1,2]", CheckRequest(against="p.py:bad")))

    assert (found["command"], found["verdict"], found["schema"]) == ("check", "fail", "gradcli/1")
    assert [
        "name", "verdict", "candidate", "reference", "reverse", "symbolic", "differences", "differences_error",
        "tolerance", "reason", "exact",
    ] == list(found["components"][0])  # fmt: skip


def test_a_method_that_withdrew_is_null():
    (row,) = as_json(queries.check("sqrt(x)", "0"))["components"]

    assert (row["verdict"], row["candidate"]) == ("NONFINITE", "Infinity")
    assert (row["symbolic"], row["tolerance"]) == (None, None)


def test_a_point_that_the_box_gave_is_named_where_the_function_raises(program):
    target = program("def f(x):\n    return x[0] * x[1]\n")
    with pytest.raises(UserCodeError) as error:
        queries.check(target, None, CheckRequest(box=["x=1:2"]))

    assert error.value.hint is not None
    assert error.value.hint.startswith("The box gives the point x=1.735, at 0.735, 0.621, 0.806, … of its intervals.")
    assert queries.check(target, "[1,2]", CheckRequest(box=["x=1:2"], points=2)).verdict == "pass"


@pytest.mark.parametrize(
    "blocks",
    [
        "while True: pass",
        pytest.param(
            "import time; time.sleep(20)",
            marks=pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="it ends when the call returns"),
        ),
    ],
)
def test_the_time_begins_before_the_file_is_loaded(blocks, program):
    target, started = program(f"{blocks}\ndef f(x): return x * x\n"), time.monotonic()
    with pytest.raises(OutOfTimeError):
        queries.check(target, "1", CheckRequest(max_seconds=0.1))

    assert time.monotonic() - started < 10.0
