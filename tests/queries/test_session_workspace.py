"""What a session remembers."""

from pathlib import Path

import pytest

import gradcli
from gradcli.errors import GradcliError, PointError
from gradcli.queries import check, gradient, symbolic, tape
from gradcli.queries.session_workspace import Workspace
from gradcli.shared.records.check_request import CheckRequest

HYPERBOX = str(Path(gradcli.__file__).parents[1] / "examples" / "hyperbox.py")


@pytest.fixture
def workspace():
    return Workspace()


def test_a_defined_function_is_asked_as_any_other(workspace):
    """Its target goes into a query in place of a text, and so does its point."""
    workspace.define("f(x, y) = x^2 * y")
    workspace.move("x=3,y=2")
    target = workspace.target("f")
    found = gradient(target, workspace.point(target))

    assert (found.value, dict(found.gradient)) == (18.0, {"x": 12.0, "y": 9.0})
    assert (found.target, found.reading) == ("f", "f(x, y) = x**2*y")
    assert symbolic(target, workspace.point(target)).gradient["x"].replace(" ", "") == "2*x*y"
    assert tape(target, workspace.point(target)).value == 18.0


def test_the_functions_of_a_file_become_names(workspace):
    found = workspace.load(HYPERBOX)

    assert [known.name for known in found if known.name in ("f3", "f4")] == ["f3", "f4"]
    assert workspace.meaning("f4").file == HYPERBOX
    assert workspace.meaning("f4").meaning.startswith("f4(")
    workspace.move("1,2,3,4")
    target = workspace.target("f4")
    assert gradient(target, workspace.point(target)).gradient["side_lengths"] == [52.0, 38.0, 28.0, 22.0]


def test_values_in_order_go_to_functions(workspace):
    """They stay until values by name are given; the names of an expression need values of their own."""
    workspace.define("f(a, b) = a * b")
    workspace.move("2,3")
    assert workspace.point(workspace.target("f")) == {"a": 2.0, "b": 3.0}
    with pytest.raises(PointError, match="a and b have no value"):
        workspace.point(workspace.target("a * b"))
    workspace.move("a=5,b=6")
    assert {"a": 5.0, "b": 6.0} == workspace.point(workspace.target("f")) == workspace.point(workspace.target("a * b"))


def test_the_current_point(workspace):
    """A point of its own counts before it; what is missing is named."""
    workspace.move('x=1,p={"w": [1, 2], "b": 3}')
    assert workspace.meaning("p").meaning == {"w": [1.0, 2.0], "b": 3.0}
    assert workspace.point(workspace.target("x^2"), "7") == {"x": 7.0}
    with pytest.raises(PointError, match="y has no value") as raised:
        workspace.point(workspace.target("x*y"))
    assert "y = 1" in raised.value.hint


def test_everything_known_is_listed(workspace):
    workspace.load(HYPERBOX)
    workspace.define("g(x) = x^2")
    workspace.define("x = 3")
    kinds = [known.kind for known in workspace.known()]

    assert list(dict.fromkeys(kinds)) == ["value", "formula", "function"]
    workspace.forget("x")
    assert "x" not in [known.name for known in workspace.known()]


def test_a_file_that_is_not_there(workspace):
    with pytest.raises(GradcliError, match="no file"):
        workspace.load("nowhere.py")
    assert workspace.known() == []


def test_the_parts_of_a_defined_function_have_its_text(workspace):
    workspace.define("f(x, y) = x^2 * sin(y)")
    listing = tape(workspace.target("f"), {"x": 1.0, "y": 2.0})

    assert [node.name for node in listing.nodes] == ["x", "y", "x^2", "sin(y)", "x^2 * sin(y)"]


C, D = ("c(x) = k*x", "def c(x): return k*x"), ("d(x) = k*x", "def d(x): return k*x")
INPUTS = [  # definitions beside k = 10, a target, its value for some k, and its derivative by k
    *(((c,), text, 11.0, *numbers) for c in C for text, *numbers in (("c(2) + k", 33.0, 3.0), ("c(k)", 121.0, 22.0))),
    *(((d, c), "c(k)", 10.0, 200.0, 40.0) for d in D for c in ("c(x) = d(2)*x", "def c(x): return d(2)*x")),
    # A function reads the session's value, whatever the parameters of those that call it are called.
    *(((C[0], f), "f", 3.0, 23.0, 1.0) for f in ("f(k) = c(2) + k", "def f(k): return c(2) + k")),
    # A parameter hides the input of its name within the function that has it, and there alone.
    ((D[0], "c(k) = k + d(k)"), "c(2*k)", 3.0, 24.0, 14.0),
]


@pytest.mark.parametrize(("definitions", "text", "k", "value", "slope"), INPUTS)
def test_an_input_is_that_name_in_the_functions_that_are_called(workspace, definitions, text, k, value, slope):
    """The value is that of a session where the name has this value, and the derivative that of such values."""
    for definition in ("k = 10", *definitions):
        workspace.define(definition)
    target = workspace.target(text)
    found = gradient(target, {"k": k})

    assert (found.value, found.gradient["k"]) == (value, slope)
    assert check(target, {"k": k}).verdict == "pass"
    workspace.define(f"k = {k}")
    assert text == "f" or workspace.value(text) == value


def test_a_claim_reads_functions_as_its_target_does(workspace):
    """The name of an input is the input there too."""
    for text in ("k = 10", "c(x) = k*x"):
        workspace.define(text)
    target = workspace.target("c(k)")

    request = CheckRequest(against=workspace.claimed("c(2)", target))

    assert check(target, {"k": 3.0}, request).verdict == "pass"


def test_the_value_of_the_session_is_back_after_an_error(workspace):
    for text in ("k = 10", "def c(x): return [][0] * k"):
        workspace.define(text)
    with pytest.raises(GradcliError, match="IndexError"):
        gradient(workspace.target("c(k)"), {"k": 3.0})
    workspace.define("d(x) = k*x")
    workspace.define("def e(x): return k*x")

    assert (workspace.value("d(2)"), workspace.value("e(2)")) == (20.0, 20.0)
