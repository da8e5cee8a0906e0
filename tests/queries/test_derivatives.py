"""Gradients, Jacobians and Hessians as records: structure, names, findings."""

import math

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.targets.functions import function_target
from gradcli.engine.running import program_state
from gradcli.errors import ResultError, UserCodeError
from gradcli.shared.records.json_form import as_json

F4 = """
def f(side_lengths):
    a, b, c, d = side_lengths
    return 2.0 * (a*b*c + a*b*d + a*c*d + b*c*d)
"""


def test_the_gradient_mirrors_the_point(program):
    """Dictionaries, lists and arrays come back as such, and JSON is strict."""
    target = program("import numpy as np\ndef f(p, s): return np.sum(p['w'] ** 2) * p['b'] + s\n")
    found = queries.gradient(target, '{"p": {"w": [[1, 2]], "b": 3}, "s": 4}')

    assert found.gradient == {"p": {"w": [[6.0, 12.0]], "b": 5.0}, "s": 1.0}
    assert as_json(found)["gradient"] == {"p": {"w": [[6.0, 12.0]], "b": 5.0}, "s": 1.0}


@pytest.mark.parametrize(
    ("query", "target", "at", "expected"),
    [
        ("gradient", "x^2 + sin(y)", "2,0", {"x": 4.0, "y": 1.0}),
        ("gradient", F4, "1,2,3,4", {"side_lengths": [52.0, 38.0, 28.0, 22.0]}),
        ("gradient", "x*x", "3", {"x": 6.0}),
        ("jacobian", "def f(x, k): return [x[0] * x[1], k * x[0]]\n", "[2,3],4",
            {"x": [[3.0, 2.0], [4.0, 0.0]], "k": [0.0, 2.0]}),
        ("jacobian", "x*y", "2,3", {"x": 3.0, "y": 2.0}),
        ("hessian", "x**2 * y", "2,3", {"x": {"x": 6.0, "y": 4.0}, "y": {"x": 4.0, "y": 0.0}}),
        ("hessian", "def f(p): return p['a'] * p['w'][0] * p['w'][1]\n", '{"p": {"a": 2, "w": [3, 5]}}', {
            "p.a": {"p.a": 0.0, "p.w": [5.0, 3.0]},
            "p.w": {"p.a": [5.0, 3.0], "p.w": [[0.0, 2.0], [2.0, 0.0]]},
        }),
    ],
)  # fmt: skip
def test_derivatives_by_name(program, query, target, at, expected):
    found = getattr(queries, query)(program(target) if "def " in target else target, at)

    assert getattr(found, query) == expected


def test_what_stands_beside_a_derivative(program):
    """How the text was understood, the point by name and as floats, values and gradients."""
    of_text, of_file = queries.gradient("x^2 + sin(y)", "2,0"), queries.gradient(program(F4), "1,2,3,4")
    hessian = queries.hessian("x**2 * y", "2,3")

    assert (of_text.value, of_text.reading) == (4.0, "f(x, y) = x**2 + sin(y)")
    assert (of_file.value, of_file.point) == (100.0, {"side_lengths": [1.0, 2.0, 3.0, 4.0]})
    assert (hessian.value, hessian.gradient) == (12.0, {"x": 12.0, "y": 4.0})


def test_some_inputs_only():
    assert queries.gradient("x*y*z", "1,2,3", wrt="z,x").gradient == {"x": 6.0, "z": 2.0}
    assert queries.jacobian("x*y", "2,3", wrt="y").jacobian == {"y": 2.0}


@pytest.mark.parametrize(
    ("target", "at"),
    [
        *((f"import numpy as np\ndef f(x): return {line}\n", "[1, 0, 2]") for line in (
            "np.sum(1.0 / x)", "np.sum(x / x[1])", "np.sum(x / np.zeros(3))", "np.sum(x[1] / x)"
        )),
        ("x^99999999999999999999", "2"),
        *((text, "1") for text in (
            "(x-3)**0.5", "(x-3)^1.5", "(x-3)**(1/3)", "1/(x-3)**0.5", "abs((x-3)**0.5)*2", "((x-3)**0.5)**2",
            "2**((x-3)**0.5)",
        )),
    ],
)  # fmt: skip
def test_values_that_are_not_finite(program, target, at):
    """A quotient by a zero, a huge exponent, a power of a negative number, which has no gradient either."""
    with np.errstate(all="ignore"):
        found = queries.gradient(program(target) if "def " in target else target, at)

    assert not np.isfinite(found.value)
    assert {"G101", "G108"} & {finding.code for finding in found.findings}
    assert "(x-3)" not in target or math.isnan(found.gradient["x"])


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
    assert [finding.code for finding in queries.gradient(target, at).findings] == expected


WHERE = "import numpy as np\ndef f(x):\n    return np.where(x > 0, x**2, x)\n"
HIGHER = "def f(x, y):\n    if x > y:\n        return x\n    return y\n"
HUBER = "def f(x): return x*x/2 if abs(x) <= 1 else abs(x) - 0.5\n"


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        (WHERE, "0", [("G206", 3, "the derivative by x ranges from 0 to 1 nearby; ")]),
        (HIGHER, "1,1", [("G206", 2, "the derivative by x ranges from 0 to 1 nearby; ")]),
        (WHERE, "1", []),
        (HIGHER, "1,2", [("G205", 2, "x acts only through comparisons")]),
        (HUBER, "1", []),
    ],
    ids=["where", "if", "off a where", "off an if", "where the slopes meet"],
)
def test_a_run_that_stands_on_a_switch(program, text, at, expected):
    """It is said with the line of the comparison, and not that an input is cut, which holds on the side taken alone."""
    found = [(x.code, x.line, x.message) for x in queries.gradient(program(text), at).findings]

    assert [each[:2] for each in expected] == [each[:2] for each in found]
    assert all(said.startswith(words) for (_, _, words), (_, _, said) in zip(expected, found, strict=True))


def test_many_outcomes_are_not_asked():
    """A loop of thousands of comparisons does not wait for them."""
    found = queries.gradient("x if x > 0 else 0", "0")
    long = queries.gradient(function_target("f", "f", counted), "1")

    assert [each.code for each in found.findings] == ["G206"]
    assert long.findings == ()


def counted(x):
    """Compares 2000 times, the last time at a tie."""
    for n in range(2000, 0, -1):
        y = x if x > n else 2 * x
    return y


@pytest.mark.parametrize(
    ("target", "at", "expected"),
    [
        ("x^2*y", "1,2", []),
        ("abs(x)*y", "0,2", ["G201", "G213"]),
        ("relu(x)**2 + relu(-x)**2", "0", []),
        ("abs(x)**3", "0", []),
        ("x if x > 0 else 2*x", "0", ["G206", "G213"]),
        ("x^1.5", "0", ["G104"]),
        ("log(x)", "-1", ["G101"]),
        ("x*y + 0*floor(z)", "1,2,0.5", ["G205"]),
    ],
)
def test_the_findings_of_a_hessian(target, at, expected):
    assert [each.code for each in queries.hessian(target, at).findings] == expected


def test_where_a_second_derivative_is_born_not_finite(program):
    target = program("import numpy as np\ndef f(x):\n    u = x * 2\n    return np.sum(u ** 1.5)\n")
    (found,) = queries.hessian(target, "[0,1]").findings

    assert found.line == 4


def test_an_input_that_is_not_used(program):
    found = queries.gradient(program("def f(x, w):\n    t = w * w\n    return x\n"), "1,2")

    assert [
        (
            "G401",
            2,
            "w is used, but does not affect the result, as t does not reach it: its derivative is exactly 0",
        )
    ] == [(finding.code, finding.line, finding.message) for finding in found.findings]


def test_only_wanted_inputs_are_told_of(program):
    assert queries.gradient(program("def f(x, w): return x\n"), "1,2", wrt="x").findings == ()


def test_the_birth_of_nan_has_its_line(program, folder):
    target = program("import numpy as np\ndef f(x):\n    t = x - 5\n    u = np.log(t)\n    return u * u\n")
    (finding,) = queries.gradient(target, "1").findings

    assert (str(folder / "p.py"), 4) == (finding.file, finding.line)
    assert finding.message.startswith("u = log(-4.0) = nan is the first value that is not finite")


def test_numpy_does_not_warn_beside_the_finding(program, recwarn):
    queries.gradient(program("import numpy as np\ndef f(x): return np.log(x)\n"), "-1")

    assert list(recwarn) == []


CUT = "def f(x):\n    return [x // 1, 2.0 if x > 1 else 1.0]\ndef g(x):\n    return 2.0 if x > 1 else 1.0\n"


@pytest.mark.parametrize(
    ("query", "target", "line"),
    [
        (queries.jacobian, "f", 2),
        (queries.jacobian, "g", 4),
        (queries.hessian, "g", 4),
        (queries.jacobian, "floor(x)", None),
    ],
)
def test_what_the_library_warns_of_is_a_finding(query, target, line, program):
    """Once, at its line, and no warning, of whatever transform the command is made; warnings are errors here."""
    file = program(CUT).partition(":")[0]
    found = query(target if line is None else f"{file}:{target}", "1.5")

    assert [("G205", line)] == [(each.code, each.line) for each in found.findings]


@pytest.mark.parametrize(("needed_by", "query"), [("grad", queries.gradient), ("hessian", queries.hessian)])
def test_an_array_names_the_jacobian(program, needed_by, query):
    with pytest.raises(ResultError, match=f"; {needed_by} needs one real number\n.*jacobian"):
        query(program("import numpy as np\ndef f(x): return x * np.ones(3)\n"), "1")


@pytest.mark.parametrize("word", ["tape", "explain", "symbolic", "precision"])
def test_a_command_asks_for_one_number_by_its_own_name(program, word):
    with pytest.raises(ResultError, match=f"; {word} needs one real number\n.*lambda x: f\\(x\\)\\[0, 0\\]"):
        getattr(queries, word)(program("import numpy as np\ndef f(x): return x * np.ones((3, 2))\n"), "1")


@pytest.mark.parametrize("query", [queries.gradient, queries.jacobian, queries.hessian, queries.tape, queries.symbolic])
def test_what_the_program_raises_has_its_frames(program, query, folder):
    target = program("def g(x): raise RuntimeError('no')\ndef f(x): return g(x)\n")
    with pytest.raises(UserCodeError) as error:
        query(target, "1")

    assert [(line, name) for _, line, name in error.value.frames] == [(2, "f"), (1, "g")]


def test_a_file_is_run_once(program, capsys):
    target = program("print('loaded')\ndef f(x): return x\n")
    queries.gradient(target, "1")
    queries.gradient(target, "2")

    assert capsys.readouterr().out == "loaded\n"


@pytest.mark.parametrize("ask", [queries.gradient, queries.jacobian, queries.tape, queries.check])
@pytest.mark.parametrize(("target", "at"), [("math:log", "-1"), ("builtins:eval", "1"), ("os:system", "1")])
def test_a_function_written_in_c_that_raises_is_the_users(ask, target, at):
    with pytest.raises(UserCodeError):
        ask(target, at)


def test_a_path_that_is_taken_at_one_point():
    """The slope that it hides is told, also of second derivatives."""
    function = "(exp(x) - 1)/x if x != 0 else 1"
    for ask in (queries.gradient, queries.hessian):
        found = next(each for each in ask(function, "0").findings if each.code == "G206")

        assert found.severity == "warning"
        assert "that only this point takes; next to it the slope tends to 0.5" in found.message


def test_a_whole_number_beyond_the_floats(program):
    with pytest.raises(ResultError, match="an integer of 1329 bits"):
        queries.gradient(program("def f(x): return 10**400\n"), "2")


def test_state_is_saved_only_where_the_program_may_run_again(tmp_path, monkeypatch):
    """A program that counts its runs has counted one, whether it was run again for findings or not."""
    file = tmp_path / "counting.py"
    lines = ["runs = []", "def smooth(x):", "    runs.append(1)", "    return x * x / len(runs)"]
    lines += ["def branched(x):", "    runs.append(1)", "    return x if x <= 2.0 else 2.0 * x / len(runs)"]
    file.write_text("\n".join(lines), "utf-8")
    saved = []
    state = program_state.State
    monkeypatch.setattr(program_state, "State", lambda *asked: saved.append(asked) or state(*asked))

    assert queries.gradient(f"{file}:smooth", "3").gradient == {"x": 6.0}
    assert saved == []
    assert queries.gradient(f"{file}:branched", "2").findings
    assert saved
    assert queries.gradient(f"{file}:smooth", "3").gradient == {"x": 2.0}
