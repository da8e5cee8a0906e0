"""Calls of functions of libraries as single steps: values, sensitivities and lines stay what they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli import queries
from gradcli.engine.traces.library_folding import FoldedTrace, fold_library_calls
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.terminal.render import Look, record_text
from tests.queries.conftest import folder

__all__ = ["folder"]

PROGRAM = """
import numpy as np
from scipy import integrate, interpolate, optimize, stats


def rosen(x):
    y = 2.0 * x
    r = optimize.rosen(y)
    return r * r


def density(x, s):
    z = s * 2
    return np.sum(stats.norm.logpdf(x, loc=1.0, scale=z))


def spline(x, t):
    s = interpolate.CubicSpline([0.0, 1.0, 2.0, 3.0], x)
    return s(t) * 2


def decay(k):
    path = integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], rtol=1e-3)
    return path.y[0, -1]


def root(a):
    r = optimize.newton(lambda t: t**3 - a, 1.0)
    return r * a


def twice(x):
    total = 0.0
    for n in range(2):
        total = total + stats.skew(x * (n + 1.0)) + stats.zscore(x)[0]
    return total


def branches(x):
    if x[0] > 0:
        return stats.entropy(x) if x[1] > 0 else x[0]
    return x[1]
"""
POINTS = {
    "rosen": "x=[1,2,3]",
    "density": "x=[1,2],s=2.0",
    "spline": "x=[1,2,4,3],t=0.5",
    "decay": "k=1.0",
    "root": "a=2.0",
    "twice": "x=[1,2,4]",
    "branches": "x=[1,2,4]",
}


@pytest.fixture
def program(folder: Path) -> str:
    (folder / "p.py").write_text(PROGRAM)
    return "p.py"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", POINTS)
def test_sensitivities_are_those_of_the_results(name: str, program: str) -> None:
    """A call has the value and the sensitivity that its result has among all the steps, as have all other nodes."""
    few = queries.tape(f"{program}:{name}", POINTS[name]).nodes
    every = {node.index: node for node in queries.tape(f"{program}:{name}", POINTS[name], libraries=True).nodes}

    assert len(few) < len(every)
    assert any(node.operation == "call" for node in few)
    for node in few:
        assert every[node.index].value == node.value
        np.testing.assert_allclose(np.asarray(node.sensitivity), np.asarray(every[node.index].sensitivity), 1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", POINTS)
def test_what_the_lines_add_is_the_gradient(name: str, program: str) -> None:
    """The additions of an explanation come to the sensitivities of its statements and to the gradient."""
    explanation = queries.explain(f"{program}:{name}", POINTS[name])
    last = {each.node: each.after for statement in explanation.statements for each in statement.additions}
    told = {statement.index: statement for statement in explanation.statements}
    places = {each.node for s in explanation.statements for each in s.additions if "[" in each.name}

    assert any("vjp(" in each.term for s in explanation.statements for each in s.additions)
    for node in told.keys() & last.keys() - places:
        np.testing.assert_allclose(np.asarray(last[node]), np.asarray(told[node].sensitivity), 1e-9, 1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", POINTS)
def test_the_tangent_is_that_of_the_run(name: str, program: str) -> None:
    """The forward sweep goes through a call as through all its steps."""
    few = queries.forward_sweep(f"{program}:{name}", POINTS[name])

    every = queries.forward_sweep(f"{program}:{name}", POINTS[name], libraries=True)
    assert every.derivative == pytest.approx(few.derivative, rel=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", POINTS)
def test_the_shares_of_a_call_are_the_sum_of_its_steps(name: str, program: str) -> None:
    """What the steps of a call cost in digits is what the call costs: nothing is lost from the table."""
    few = queries.precision(f"{program}:{name}", POINTS[name])
    every = queries.precision(f"{program}:{name}", POINTS[name], libraries=True)

    assert (every.value, every.gradient) == (few.value, few.gradient)
    assert sum(loss.of_value for loss in few.nodes) >= sum(loss.of_value for loss in every.nodes) - 1e-9
    assert sum(loss.of_value for loss in few.nodes) <= 1 + 1e-9


def test_a_call_is_written_as_the_user_wrote_it(program: str) -> None:
    written = {
        name: [node.expression for node in queries.tape(f"{program}:{name}", POINTS[name]).nodes if node.inputs]
        for name in ("rosen", "decay", "twice")
    }

    assert "optimize.rosen(y)" in written["rosen"]
    assert "integrate.solve_ivp(…)" in written["decay"]
    assert "stats.skew(x * (n + 1.0))" in written["twice"]


def test_the_products_are_explained(program: str) -> None:
    """What `vjp(call, x)(s)` means stands below the lines, with the way to what is inside."""
    backwards = record_text(queries.explain(f"{program}:rosen", POINTS["rosen"]), Look())
    forwards = record_text(queries.forward_sweep(f"{program}:rosen", POINTS["rosen"]), Look())

    assert "s_y += vjp(optimize.rosen(y), y)(s_r)" in backwards
    assert "vjp(call, x)(s): s times the Jacobian of the call by x; --libraries shows what is inside" in backwards
    assert "jvp(call, x)(d): the Jacobian of the call by x times d; --libraries shows what is inside" in forwards


def test_a_result_keeps_its_name(program: str) -> None:
    assert "r" in {node.name for node in queries.tape(f"{program}:root", "a=2.0").nodes}


def test_outcomes_of_a_library_are_a_part_of_the_call(program: str) -> None:
    outcomes = queries.tape(f"{program}:branches", POINTS["branches"]).outcomes

    lines = PROGRAM.splitlines()
    assert ["if x[0] > 0:", "return stats.entropy(x) if x[1] > 0 else x[0]"] == [
        lines[outcome.line - 1].strip() for outcome in outcomes if outcome.line
    ]


def test_a_step_inside_has_no_name(program: str) -> None:
    with pytest.raises(Exception, match="inside of a library") as caught:
        queries.explain(f"{program}:rosen", POINTS["rosen"], node="%5")

    assert getattr(caught.value, "hint", None) == "--libraries shows these steps."


def run(function: Callable[..., Any], *arguments: Any) -> Trace:
    return record_trace(function, arguments, names=True)


def test_a_run_without_libraries_is_itself() -> None:
    trace = run(lambda x: x * x, 2.0)

    assert trace is fold_library_calls(trace)


def test_a_folded_run_is_replayed_whole() -> None:
    from scipy import optimize

    trace = fold_library_calls(run(lambda x: optimize.rosen(x * 2.0), np.array([1.0, 2.0])))
    last = trace.result_index()

    assert isinstance(trace, FoldedTrace)
    assert optimize.rosen(np.array([2.0, 2.0])) == trace.values_at({0: np.array([1.0, 1.0])})[last or 0]
