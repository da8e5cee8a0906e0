"""Where the user's code runs: its exceptions, and the memory that they hold."""

import math
import weakref
from functools import partial

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.errors import UserCodeError
from gradcli.queries.bound_target import user_code
from gradcli.shared.records.check_request import CheckRequest

HELD = []


def exhausting():
    array = np.ones(3)
    HELD[:] = [weakref.ref(array)]
    raise MemoryError


def test_what_a_function_held_when_memory_ran_out_is_freed():
    """The error is told with the memory that is freed."""
    with pytest.raises(UserCodeError, match="MemoryError in f") as caught, user_code("in f"):
        exhausting()

    assert HELD[0]() is None
    assert caught.value.frames[-1][2] == "exhausting"


def test_a_result_beyond_float64_has_advice():
    """An overflow of `math` names the limit and what has none."""
    with pytest.raises(UserCodeError, match="math range error") as caught, user_code("in f"):
        math.exp(800)

    assert "numpy.exp gives inf" in caught.value.hint


POWER = """
import numpy as np


def power(x, n):
    v = 1.0
    for _ in range(n):
        v = v * x
    return v


def picked(x, n, order=2):
    return np.sum(np.sin(x)[n] ** order) * x[n + 1]


def of_power(x, n):
    return n * x ** (n - 1), 0.0


def halves(x, n):
    return x / n + 10 ** -n
"""

WITH_WRT = {
    "grad": queries.gradient,
    "jacobian": queries.jacobian,
    "hessian": queries.hessian,
    "explain": queries.explain,
    "tape": queries.tape,
    "graph": queries.tape_graph,
    "precision": queries.precision,
    "derive": queries.derive,
    "straight": partial(queries.derive, straight=True),
    "step": lambda target, at, wrt: queries.steps(target, at, wrt).tape,
    "perturb": partial(queries.perturb, node="v"),
    "forward": queries.forward_sweep,
    "symbolic": queries.symbolic,
    "plot": queries.curve,
    "differences": queries.differences,
    "bars": queries.bars,
    "compare": lambda target, at, wrt: queries.compare(target, at, target, CheckRequest(wrt=wrt, points=2)),
    "check": lambda target, at, wrt: queries.check(target, at, CheckRequest(wrt=wrt, points=2)),
    "against": lambda target, at, wrt: queries.check(target, at, CheckRequest(wrt=wrt, against="of_power")),
}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "w.py").write_text(POWER, encoding="utf-8")
    return tmp_path / "w.py"


@pytest.mark.parametrize("name", WITH_WRT)
def test_a_whole_number_that_is_not_differentiated_by_stays_one(file, name):
    answer = WITH_WRT[name](f"{file}:power", "x=2,n=3", wrt="x")

    assert repr(answer.point) == "{'x': 2.0, 'n': 3}"
    if name in ("grad", "explain"):
        assert answer.gradient == {"x": 12.0}
    if name == "symbolic":
        assert dict(answer.gradient) == {"x": "3*x**2"}
    if name in ("check", "against"):
        assert answer.verdict == "pass"


@pytest.mark.parametrize("at", ["x=[1,2,3],n=1", "x=[1,2,3],n=-3,order=2", '{"x": [1, 2, 3], "n": 0, "order": 3}'])
def test_a_whole_number_is_an_index_and_an_exponent(file, at):
    assert queries.gradient(f"{file}:picked", at, wrt="x").gradient.keys() == {"x"}
    assert queries.check(f"{file}:picked", at, CheckRequest(wrt="x")).verdict == "pass"


def test_a_whole_number_of_a_formula_is_a_float_and_so_is_one_that_is_differentiated_by(file):
    assert queries.gradient("x * n**-1", "x=1,n=3", wrt="x").point["n"].is_integer()
    assert type(queries.gradient("x * n", "x=1,n=3", wrt="x").point["n"]) is float
    assert type(queries.gradient(f"{file}:halves", "x=1,n=3").point["n"]) is float


def test_a_derived_path_holds_for_its_whole_number_alone(file):
    derived = {}
    exec(queries.derive(f"{file}:power", "x=2,n=3", wrt="x", straight=True).source, derived)

    assert derived["grad_power"](3.0, 3) == 27.0
    with pytest.raises(AssertionError, match="derived for another path"):
        derived["grad_power"](3.0, 4)


def test_a_whole_number_stays_one_in_the_library():
    def power(x, n):
        return math.prod([x] * n)

    for straight in (False, True):
        source = gradcli.derive(power, at={"x": 2.0, "n": 3}, wrt=["x"], straight=straight)
        assert source.function(2.0, 3) == gradcli.grad(power)(2.0, 3) == 12.0


def test_a_whole_number_keeps_its_name_in_an_explanation(file):
    text = str(queries.explain(f"{file}:halves", "x=1,n=3", wrt="x").statements)

    assert "1 / n" in text


@pytest.mark.parametrize(
    ("body", "at", "hint"),
    [
        ("x[0] * x[1]", "1", "type [1,2] for it"),
        ("len(x) * x", "1", "type [1,2] for it"),
        ("x.sum()", "1", "type [1,2] for it"),
        ("sum(y for y in x)", "1", "type [1,2] for it"),
        ("np.eye(2) @ x", "1", "type [1,2] for it"),
        ("x @ x", "1", "type [1,2] for it"),
        ("math.sqrt(x)", "1,2", "NumPy's take arrays too"),
        ("np.ones(3)[x]", "1", "leave a whole number n out of --wrt"),
    ],
)
def test_a_number_where_an_array_is_needed_and_the_reverse(tmp_path, body, at, hint):
    (tmp_path / "k.py").write_text(f"import math\nimport numpy as np\n\n\ndef f(x):\n    return {body}\n")

    with pytest.raises(UserCodeError) as caught:
        queries.gradient(f"{tmp_path}/k.py:f", at)

    assert hint in (caught.value.hint or "")


def test_a_default_that_the_point_leaves_out_is_differentiated_by_where_it_is_asked_for(tmp_path):
    (tmp_path / "m.py").write_text("def f(x, k=3.0, n=2): return k * x**n\n", encoding="utf-8")
    target = f"{tmp_path}/m.py:f"

    assert queries.gradient(target, "5").gradient == {"x": 30.0}
    assert queries.gradient(target, "5", wrt="k").gradient == {"k": 25.0}
    assert queries.gradient(target, "5", wrt="x,k").gradient == {"x": 30.0, "k": 25.0}
