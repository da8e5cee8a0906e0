"""A claimed gradient as it is typed: numbers, formulas, functions."""

import math

import pytest

import gradcli
from examples import hyperbox
from gradcli.answers.checks.candidate_parsing import candidate_target
from gradcli.answers.targets import resolve
from gradcli.errors import ExpressionError, GradcliError
from gradcli.queries.session_workspace import Workspace

TARGET = "x**2 * y"


def judged(against, at="2,3"):
    """The verdict on the gradient of x**2 * y, which is 12, 4."""
    return gradcli.check(TARGET, at=at, against=against).verdict


@pytest.mark.parametrize("against", [
    "12,4", "[12,4]", "[12, 2*2]", "x=12,y=4", '{"x": 12, "y": 4}',
])  # fmt: skip
def test_numbers_in_every_spelling(against):
    assert judged(against) == "pass"
    assert judged(against, at="2,3.1") == "fail"


@pytest.mark.parametrize("against", [
    "2*x*y, x^2", "[2*x*y, x**2]", "(2*x*y, x**2)", "y=x^2, x=2*x*y", '{"x": 2*y*x, "y": x**2}',
    "max(2*x*y, x), where(x >= 1, x*x, y)", "2*sin(x)*y/sin(x)*x, x*x", "exp(0)*y*2*x, (x) * x",
])  # fmt: skip
def test_a_formula_for_each_number_in_every_spelling(against):
    assert judged(against) == "pass"
    assert judged(against, at="3,5") == "pass"
    assert judged(against.replace("2*", "3*")) == "fail"


def test_a_bare_name_is_a_function_of_the_same_module(tmp_path):
    """A method of an object of the module too; an input of that name comes first."""
    path = tmp_path / "neighbours_of_a_target.py"
    path.write_text(
        "class Square:\n    def value(self, x): return x * x\n    def slope(self, x): return 2 * x\n"
        "def f(x): return x**2 / 2\ndef g(x): return x\ndef x(y): return y\nbox = Square()\n"
    )

    assert gradcli.check(f"{path}:f", at=3.0, against="g").verdict == "pass"
    assert gradcli.check(f"{path}:box.value", at=3.0, against="box.slope").verdict == "pass"
    assert candidate_target("x", resolve(f"{path}:f")).text == "x"
    with pytest.raises(GradcliError, match=r"no 'box\.slop'"):
        gradcli.check(f"{path}:box.value", at=3.0, against="box.slop")
    with pytest.raises(GradcliError, match=r"'h' is no function in .*, and no input of f"):
        gradcli.check(f"{path}:f", at=3.0, against="h")


def test_one_formula_is_a_gradient_of_one_input():
    assert gradcli.check("max(x, 0)", at="2", against="where(x >= 0, 1, 0)").verdict == "pass"
    assert gradcli.check("sum(x**2)", at="1,2,3", against="2*x").verdict == "pass"


def test_a_file_of_numbers(tmp_path):
    path = tmp_path / "gradient.json"
    path.write_text('{"x": 12, "y": 4}')

    assert judged(f"@{path}") == "pass"


def test_a_claim_that_is_not_finite_is_judged():
    """The candidate is what is wrong, not the point."""
    found = gradcli.check(TARGET, at="2,3", against="12,nan")

    assert found.verdict == "fail"
    assert {row.name: row.verdict.value for row in found.components} == {"x": "PASS", "y": "NONFINITE"}


@pytest.mark.parametrize(
    ("against", "place", "hint"),
    [
        ("2*X*y, x**2", (2, 3), "Did you mean x? The inputs are x, y."),
        ("2*u", (2, 3), "The inputs are x, y."),
        ("x=2*x*z,y=1", (4, 5), "The inputs are x, y."),
    ],
)
def test_a_name_that_is_no_input_is_refused(against, place, hint):
    """Formulas take their inputs by name; only functions take them in order."""
    with pytest.raises(ExpressionError, match="is not an input of") as caught:
        judged(against)

    assert (place, hint) == ((caught.value.start, caught.value.end), caught.value.hint)


@pytest.mark.parametrize("against", ["grad_f44", "los_grad", " grad_f44 ", "F4_GRAD"])
def test_a_name_alone_is_no_function_of_the_file(against):
    path = hyperbox.__file__
    with pytest.raises(ExpressionError) as caught:
        gradcli.check(f"{path}:f4", at="1,2,3,4", against=against)

    name = against.strip()
    assert caught.value.message == f"'{name}' is no function in {path}, and no input of f4."
    assert ("Did you mean grad_f4?" in caught.value.hint) == (name != "los_grad")


def test_a_name_alone_is_no_function_of_a_module():
    with pytest.raises(ExpressionError, match=r"'grad_g4' is no function in examples.hyperbox, and no input of"):
        gradcli.check("examples.hyperbox:f4", at="1,2,3,4", against="grad_g4")


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("2*x*y", "returned one number; 2 are needed: x, y"),
        ("12,4,3", "has 3 numbers; 2 are needed: x, y"),
        ("x=12", "has one number; 2 are needed: x, y"),
        ("12,", "A value is missing at the end of the gradient"),
        ("1,2)", "column 4 of the gradient"),
        ("'a',3", "a gradient consists of numbers and formulas"),
        ("x=12,z=4", "the gradient has the names x, z; the point has x, y"),
        ("", "The gradient to check is empty"),
        ("2*x*y,y=4", "The gradient mixes named and unnamed components"),
    ],
)
def test_what_does_not_fit(against, said):
    with pytest.raises(GradcliError) as caught:
        judged(against)

    assert said in caught.value.message


def test_the_hint_shows_how_two_components_are_typed():
    with pytest.raises(GradcliError) as caught:
        judged("2*x*y")

    assert "'2*x*y, x**2'" in caught.value.hint


def test_known_names_have_their_values():
    workspace = Workspace()
    workspace.define("a = 3")
    workspace.define("g(x) = 2 * a * x")
    target = workspace.target("a * x**2").with_inputs(["a", "x"])

    assert candidate_target("x^2, g(x)", target, workspace.names).function(2.0, 3.0) == [4.0, 12.0]
    assert math.isclose(12.0, candidate_target("2*a*x", workspace.target("x**2"), workspace.names).function(2.0))
    assert candidate_target("g", target, workspace.names).name == "g"


def test_a_function_of_a_file_takes_its_inputs_in_order(tmp_path):
    path = tmp_path / "byhand.py"
    path.write_text("def g(u, v):\n    return 2 * u * v, u * u\n")

    assert judged(f"{path}:g") == "pass"
    assert resolve(f"{path}:g").text == candidate_target(f"{path}:g", resolve(TARGET)).text


def test_a_misspelt_function_is_named():
    target = resolve("examples/hyperbox.py:f4")
    for typed, hint in {
        "grad_f4_slipp": "Did you mean grad_f4_slip?",
        "derivative": "the functions there",
    }.items():
        with pytest.raises(ExpressionError) as caught:
            candidate_target(typed, target)
        assert hint in caught.value.hint


def circle(π, r):  # noqa: PLC2401
    return π * r**2


def both(π, pi):  # noqa: PLC2401
    return π * pi**2


@pytest.mark.parametrize(
    ("function", "against"),
    [
        (circle, "r^2, 2*π*r"),
        (circle, "r^2, 2*pi*r"),
        (circle, "r^2, r*(π + \N{MATHEMATICAL ITALIC SMALL PI})"),
        (circle, "π=r^2, r=2*π*r"),
        (circle, "pi=r^2, r=2*π*r"),
        (circle, "r^2 + π - pi, π*r*2"),
        (both, "pi^2, 2*π*pi"),
    ],
)
def test_an_input_named_like_the_constant_pi_is_that_input(function, against):
    assert gradcli.check(function, at=(2.0, 3.0), against=against).verdict == "pass"


def test_pi_is_the_constant_of_a_target_without_such_an_input():
    def area(r):
        return math.pi * r**2

    assert gradcli.check(area, at=3.0, against="2*π*r").verdict == "pass"
