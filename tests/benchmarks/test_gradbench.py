"""The programs of GradBench: their answers in its protocol, and their gradients beside differences."""

from __future__ import annotations

import io
import json
import math
import subprocess

import numpy as np
import pytest

from benchmarks.gradbench.evaluation import Transforms
from benchmarks.gradbench.programs import ba
from benchmarks.gradbench.protocol import NAMES, answers, module
from benchmarks.gradbench.sessions import last_line, tools
from gradcli.answers.compilation import derivative_at_points

RANDOM = np.random.default_rng(7)
LEFT = "make: Leaving directory 'a'"
NOT_THERE = "it has no such evaluation"
RUNS = {"min_runs": 2, "min_seconds": 0.0}


def numbers(*shape):
    return RANDOM.uniform(0.2, 1.0, shape).tolist()


MODEL = {
    "parents": [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0],
    "base_relatives": [np.eye(4).tolist()] * 22,
    "inverse_base_absolutes": [np.eye(4).tolist()] * 22,
    "base_positions": [[*numbers(3), 1.0] for _ in range(5)],
    "weights": numbers(5, 22),
    "triangles": [[0, 1, 2], [2, 3, 4]],
    "is_mirrored": True,
}
HAND = {"model": MODEL, "correspondences": [0, 1, 1], "points": numbers(3, 3)}

INPUTS = {
    "ba": {"n": 2, "m": 3, "p": 4, "cam": numbers(11), "x": numbers(3), "w": 0.9, "feat": numbers(2)},
    "det": {"A": numbers(16), "ell": 4},
    "gmm": {"d": 3, "k": 2, "n": 4, "x": numbers(4, 3), "m": 1, "gamma": 1.5}
    | {"alpha": numbers(2), "mu": numbers(2, 3), "q": numbers(2, 3), "l": numbers(2, 3)},
    "ht": {"theta": numbers(26), "us": numbers(3, 2), "data": HAND},
    "kmeans": {"points": numbers(9, 2), "centroids": numbers(2, 2)},
    "llsq": {"x": numbers(4), "n": 9},
    "lse": {"x": numbers(6)},
    "lstm": {"main_params": numbers(4, 8), "extra_params": numbers(3, 2), "state": numbers(4, 2)}
    | {"sequence": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]},
    "ode": {"x": numbers(5), "s": 6},
}


def evaluated(name, function, given, *, is_compiled=False):
    message = {"id": 3, "kind": "evaluate", "module": name, "function": function, "input": given}
    (answer,) = answers(io.StringIO(json.dumps(message)), Transforms(is_compiled))
    assert answer["success"], answer["error"]
    return answer


def sloped(name, function, given, path):
    """The slope of a function by one number of the input."""
    *way, last = path

    def at(x):
        moved = json.loads(json.dumps(given))
        holder = moved
        for key in way:
            holder = holder[key]
        holder[last] += x
        return np.array(evaluated(name, function, moved)["output"], float)

    return (at(1e-6) - at(-1e-6)) / 2e-6


@pytest.mark.parametrize("name", NAMES)
def test_each_evaluation_has_a_module(name):
    assert len(module(name)) >= 2


def test_the_tool_answers_each_message():
    messages = [
        {"id": 0, "kind": "start", "eval": "hello"},
        {"id": 1, "kind": "define", "module": "hello"},
        {"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 3.0},
        {"id": 3, "kind": "analysis", "of": 2, "valid": True},
        {"id": 4, "kind": "define", "module": "none"},
    ]
    start, define, evaluate, analysis, none = answers(
        io.StringIO("\n".join(map(json.dumps, messages))), Transforms(False)
    )
    assert (start, analysis) == ({"id": 0, "tool": "gradcli"}, {"id": 3})
    assert (define["success"], none["success"]) == (True, False)
    assert evaluate["output"] == 6.0
    assert len(evaluate["timings"]) == 1


@pytest.mark.parametrize(
    ("name", "value", "derivative", "path"),
    [
        ("det", "primal", "gradient", ("A",)),
        ("llsq", "primal", "gradient", ("x",)),
        ("lse", "primal", "gradient", ("x",)),
        ("gmm", "objective", "jacobian", ("alpha",)),
        ("gmm", "objective", "jacobian", ("l", 1)),
        ("gmm", "objective", "jacobian", ("q", 0)),
        ("lstm", "objective", "jacobian", ("main_params", 0)),
    ],
)
@pytest.mark.parametrize("is_compiled", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_gradient_has_the_slopes_of_its_function(name, value, derivative, path, is_compiled):
    given = INPUTS[name] | RUNS
    output = evaluated(name, derivative, given, is_compiled=is_compiled)["output"]
    for key in path if isinstance(output, dict) else ():
        output = output[key]
    slopes = [sloped(name, value, given, (*path, n)) for n in range(2)]
    np.testing.assert_allclose(output[:2], slopes, 1e-6, 1e-8)


def test_the_last_value_of_the_equations_has_the_slopes():
    given = INPUTS["ode"] | RUNS
    slopes = [sloped("ode", "primal", given, ("x", n))[-1] for n in range(5)]
    np.testing.assert_allclose(evaluated("ode", "gradient", given)["output"], slopes, 1e-6, 1e-9)


def test_the_jacobian_of_a_hand_has_the_slopes_of_pose_and_places():
    given = INPUTS["ht"] | RUNS
    matrix = np.array(evaluated("ht", "jacobian", given)["output"])
    assert matrix.shape == (9, 28)
    for n in (0, 3, 7, 25):
        np.testing.assert_allclose(matrix[:, 2 + n], sloped("ht", "objective", given, ("theta", n)), 1e-5, 1e-8)
    np.testing.assert_allclose(matrix[3:6, 1], sloped("ht", "objective", given, ("us", 1, 1))[3:6], 1e-6, 1e-9)


@pytest.mark.parametrize("places", [INPUTS["ht"]["us"], []], ids=["in triangles", "at vertices"])
def test_a_hand_has_the_same_jacobian_in_c(places):
    given = INPUTS["ht"] | RUNS | {"us": places}
    eager, compiled = (evaluated("ht", "jacobian", given, is_compiled=c)["output"] for c in (False, True))
    np.testing.assert_allclose(compiled, eager, rtol=1e-12, atol=1e-14)


def test_a_hand_that_is_not_turned_has_the_slopes_of_its_turn():
    given = INPUTS["ht"] | RUNS | {"theta": [0.0] * 3 + INPUTS["ht"]["theta"][3:]}
    matrix = np.array(evaluated("ht", "jacobian", given)["output"])
    for n in range(3):
        np.testing.assert_allclose(matrix[:, 2 + n], sloped("ht", "objective", given, ("theta", n)), 1e-5, 1e-8)


def test_bundles_have_a_sparse_jacobian():
    output = evaluated("ba", "jacobian", INPUTS["ba"] | RUNS)["output"]
    assert output["rows"][:3] == [0, 15, 30]
    assert output["cols"][:15] == [*range(11), 22, 23, 24, 31]
    assert (len(output["vals"]), output["vals"][-1]) == (31, -2 * 0.9)


def test_bundles_have_the_same_jacobian_from_gradients_in_c(monkeypatch):
    monkeypatch.setattr(derivative_at_points, "WORTH", 0.0)
    given = ba.arguments(INPUTS["ba"])
    eager, compiled = (ba.jacobian(Transforms(is_compiled))(*given)[0] for is_compiled in (False, True))
    np.testing.assert_allclose(compiled.toarray(), eager.toarray(), rtol=1e-12, atol=1e-15)


def test_a_step_of_newton_meets_the_means():
    given = INPUTS["kmeans"] | RUNS
    centroids, points = np.array(given["centroids"]), np.array(given["points"])
    nearest = np.argmin(((points[:, None] - centroids) ** 2).sum(axis=2), axis=1)
    means = [points[nearest == n].mean(axis=0) for n in range(2)]
    np.testing.assert_allclose(centroids - evaluated("kmeans", "dir", given)["output"], means, 1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("name", "given", "expected"), [("particle", {"w": 0.0}, 0.2071918746486116)])
def test_nested_gradients_meet_the_origin(name, given, expected):
    assert math.isclose(evaluated(name, "rr", given | RUNS | {"min_runs": 1})["output"], expected, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["make: Entering directory 'a'", "make: *** No rule to make target 'bin/ode'.  Stop.", LEFT], NOT_THERE),
        (["f.cpp:3: error: no such name", LEFT, ""], "f.cpp:3: error: no such name"),
        (["make[1]: Entering directory 'a'", "ld: not found", "make[1]: Leaving directory 'a'", LEFT], "ld: not found"),
        (["Traceback", "ValueError: no"], "ValueError: no"),
        (["make: *** [bin/ode] Error 1", LEFT], "make: *** [bin/ode] Error 1"),
        ([LEFT], ""),
    ],
)
def test_a_failure_is_shown_without_the_folders_of_make(lines, shown):
    assert last_line("\n".join(lines)) == shown


def test_the_tool_of_jax_waits_for_its_results(tmp_path):
    pytest.importorskip("jax")
    program = tmp_path / "python/gradbench/gradbench/tools/jax/run.py"
    program.parent.mkdir(parents=True)
    program.with_name("beside.py").write_text(
        "import jax\nwaits = not jax.config.read('jax_cpu_enable_async_dispatch')\n"
    )
    program.write_text("import beside, sys\nprint(sys.argv[1:], beside.waits)\n")
    shown = subprocess.run(tools(tmp_path)["jax"], capture_output=True, text=True, check=True).stdout
    assert shown == "[] True\n"
