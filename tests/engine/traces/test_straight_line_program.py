"""Programs: equal for runs along the same path, whatever their numbers; hashable, each operation and constant once."""

import math
from functools import partial

import numpy as np
import pytest
import scipy.linalg

from examples.hyperbox import f4
from gradcli import trace
from gradcli.engine.traces.straight_line_program import Constant
from gradcli.mathematics.rules.array_rule import ArrayRule

pytestmark = pytest.mark.sampled(4)  # many like cases


def newton(x):
    """A loop whose length depends on the value."""
    guess = x
    while abs(guess * guess - x) > 1e-9:
        guess = (guess + x / guess) / 2
    return guess


M = np.arange(1.0, 10.0).reshape(3, 3) + 4 * np.eye(3)
# By a name: the program, a point, one beside it on the same path.
PROGRAMS = {
    "f4": (f4, [2.0, 3.0, 4.0, 5.0], [2.5, 3.0, 4.5, 5.0]),
    "a loop": (newton, 2.0, 2.0 + 1e-6),
    "facts": (lambda x: x * math.floor(x) + round(x, 1) * math.modf(x)[1], 2.31, 2.32),
    "close": (lambda x: x if math.isclose(x, 2.0, rel_tol=0.1) else -x, 2.0, 2.1),
    "frexp": (lambda x: math.frexp(x)[0] + math.nextafter(x, 9.0), 2.31, 2.32),
    "slices": (lambda x: sum(x[i : i + 2].sum() for i in range(4)), np.arange(5.0), np.arange(5.0) + 0.1),
    "a mask": (lambda x: x[np.array([True, False, True])] * 2.0, np.arange(3.0), np.arange(3.0) + 1),
    "sorted": (lambda x: np.sort(x)[1:], np.array([3.0, 1.0, 2.0]), np.array([3.1, 1.1, 2.2])),
    "partition": (lambda x: np.partition(x, 1)[0], np.array([3.0, 1.0, 2.0]), np.array([3.1, 1.1, 2.2])),
    "unique": (lambda x: np.unique(x) * 2, np.array([3.0, 1.0, 2.0]), np.array([3.1, 1.1, 2.2])),
    "interp": (lambda x: np.interp(x, [0.0, 1.0, 2.0], [1.0, 3.0, 2.0]), np.array([0.5]), np.array([0.6])),
    "where": (lambda x: np.where(x > 0, x, 0.5), np.array([1.0, -1.0]), np.array([2.0, -2.0])),
    "all": (lambda x: x if np.all(x > 0) else -x, np.ones(3), np.ones(3) * 2),
    "count": (lambda x: x * np.count_nonzero(x > 0.5), np.ones(3), np.ones(3) * 2),
    "astype": (lambda x: x * x.astype(int), np.array([1.2, 2.2]), np.array([1.3, 2.3])),
    "frexp of arrays": (lambda x: np.frexp(x)[0] + np.nextafter(x, 9.0), np.array([2.31]), np.array([2.31])),
    "eigh": (lambda x: scipy.linalg.eigh(x + x.T)[1], M, M),
    "lu": (lambda x: scipy.linalg.lu(x)[1], M, M + 0.1 * np.eye(3)),
    "solve": (lambda x: np.linalg.solve(x, np.ones(3)), M, M + 0.1 * np.eye(3)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_along_the_same_path_have_the_same_program(name):
    """Equal, with equal hashes; recorded with names or without."""
    f, here, there = PROGRAMS[name]
    one, other = trace(f, here).program, trace(f, there, names=False).program

    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_outcome_holds_a_closure(name):
    f, here, _ = PROGRAMS[name]
    for guard in trace(f, here, names=False).program.outcomes:
        assert getattr(guard.function, "__closure__", None) is None
        assert getattr(guard.function, "__name__", "") != "<lambda>"
        assert hash(guard.function) == hash(guard.function)


@pytest.mark.parametrize(
    ("f", "here", "there"),
    [
        pytest.param(lambda x: x if x > 1 else -x, 2.0, 0.5, id="a branch"),
        pytest.param(newton, 2.0, 200.0, id="a longer loop"),
        pytest.param(lambda x: x * math.floor(x), 2.5, 3.5, id="a whole number"),
        pytest.param(np.sum, np.ones(2), np.ones((2, 2)), id="another shape of the point"),
    ],
)
def test_other_paths_are_other_programs(f, here, there):
    """By what the program was told; the shape of an input is none of its business where nobody asks."""
    same = trace(f, here, names=False).program == trace(f, there, names=False).program
    assert same is (f is np.sum)


def test_an_operation_stands_once():
    program = trace(lambda x: sum((x[i] * 2.0 + 3.0) * 2.0 for i in range(50)), np.arange(50.0), names=False).program

    assert {operation.name for operation in program.operations} == {"input", "index", "mul", "add"}
    assert 2 * 50 + 150 - 1 <= len(program.steps)
    assert len(program.operations) <= 7
    assert sum(constant == Constant(2.0) for constant in program.constants) == 1


def test_steps_and_constants():
    """Sources, the constants between them, and choices that are no constants."""
    program = trace(lambda x: np.sum(x * 2.0, axis=0)[1], np.ones((2, 3)), names=False).program
    product, total, item = program.steps[1:]
    names = [program.operations[step.operation].name for step in program.steps]

    assert names == ["input", "mul", "sum", "index"]
    assert product.arguments == (0, -1)
    assert total.arguments == (1,)
    assert ("axis", Constant(0)) in program.operations[total.operation].choices
    assert item.arguments == (2, -2)
    assert program.operations[item.operation].names == ("key",)
    assert [constant.value for constant in program.constants] == [2.0, 1]


def test_constants_are_told_apart():
    zeros = [0.0, -0.0, 0, np.float64(0.0), np.zeros(1), np.zeros((1, 1)), np.zeros(1, np.float32), [0.0], (0.0,), None]

    assert len(zeros) == len(set(map(Constant, zeros)))
    assert Constant(math.nan) == Constant(math.nan)
    assert Constant(np.array([1.0, math.nan])) == Constant(np.array([1.0, math.nan]))
    assert Constant({"a": [1.0]}) == Constant({"a": [1.0]})
    assert Constant(slice(1, None)) == Constant(slice(1, None))
    assert repr(Constant(2.0)) == "Constant(2.0)"


def test_choices_are_told_apart():
    scaled = ArrayRule("scaled", lambda x, *, by: x * by, (lambda ct, v, x, *, by: ct * by,), linear=True)
    programs = [trace(partial(scaled, by=by), np.ones(2), names=False).program for by in (0.0, -0.0, 0, math.nan)]

    assert len(set(programs)) == 4
    assert programs[-1] == trace(partial(scaled, by=float("nan")), np.ones(2), names=False).program
