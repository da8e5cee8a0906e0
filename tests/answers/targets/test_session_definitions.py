"""Names that were defined: values, formulas as functions, functions of files."""

import numpy as np
import pytest

from gradcli import grad
from gradcli.answers.targets import resolve
from gradcli.answers.targets.missing_values import point_of
from gradcli.answers.targets.session_definitions import Names, is_definition
from gradcli.errors import ExpressionError, PointError, UsageError
from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.repl.session import Session


@pytest.fixture
def names():
    return Names()


def defined(names, *texts):
    for text in texts:
        names.define(text)
    return names


DEFINITIONS = ["x = 3", "f(x, y) = x*y", "f(x)=x", " v=[1,2]", "f() = 3"]
OTHERS = ["x == 3", "x + y", "f(2) = 3", "2 = x", "f(x", "grad f --at x=1", "x <= 3"]


@pytest.mark.parametrize("text", [*DEFINITIONS, *OTHERS])
def test_the_form_of_a_definition(text):
    """A name, or a name with names in brackets, and an equals sign."""
    assert is_definition(text) == (text in DEFINITIONS)


def test_a_value_is_computed_at_once(names):
    """A formula of known names is a number from then on."""
    defined(names, "x = 3", "y = 2*x^2", "x = 5")

    assert names.values == {"y": 18.0, "x": 5.0}


def test_values_are_structures_as_in_a_point(names):
    defined(names, "v = [1, 2]", 'p = {"w": [[1,2],[3,4]], "b": 2}')

    np.testing.assert_array_equal([1.0, 2.0], names.values["v"])
    assert names.values["p"]["b"] == 2.0


def test_a_function_is_a_target(names):
    target = resolve("f", defined(names, "f(y, x) = x^2 * y"))

    assert target.names == ("y", "x")
    assert target.reading == "f(y, x) = x**2*y"
    assert grad(target.function, (0, 1))(2.0, 3.0) == (9.0, 12.0)


def test_functions_call_functions(names):
    defined(names, "a = 2", "g(x) = a * x", "f(x) = g(x)^2 + g(1)")

    assert names.functions["f"](3.0) == 38.0
    assert resolve("g(1) * f(x)", names).function(3.0) == 76.0
    defined(names, "a = 1", "g(x) = a + x")
    assert names.functions["f"](3.0) == 18.0


def test_a_function_of_a_file_can_be_called_in_a_formula(names):
    names.loaded["h"] = lambda x, y=1.0: x * x * y
    target = resolve("3 * h(x)", names)

    assert target.function(2.0) == 12.0
    assert grad(target.function)(2.0) == 12.0
    assert resolve("h", names).names == ("x", "y")


def test_the_current_values_are_a_point(names):
    names.loaded["h"] = lambda x, y=1.0: x * y
    defined(names, "x = 3")

    assert point_of(resolve("h", names), names.values) == {"x": 3.0}
    with pytest.raises(PointError, match="y has no value"):
        point_of(resolve("x * y", names), names.values)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("x = y + 1", ExpressionError, "y has no value"),
        ("x =", UsageError, "Nothing follows"),
        ("sin = 3", UsageError, "is a function of the formula language"),
        ("if = 3", UsageError, "cannot be a name"),
        ("__x = 3", UsageError, "cannot be a name"),
        ("f(x, x) = x", UsageError, "Two parameters of f have the same name"),
        ("f() = 3", UsageError, "takes no argument"),
        ("f(x) = f(x - 1)", UsageError, "would call itself: f -> f"),
        ("g(x) = h(x)", ExpressionError, "h is not a function"),
        ("x = 2y", ExpressionError, "An operator is missing"),
        ("x = [1, [2]]", UsageError, "unlike|ragged|parts"),
        ("x = [[1, 2]", UsageError, "The bracket \\[ in column 1 of the value is not closed"),
        ("x = [1; 2]", UsageError, "One expression at a time"),
        ("x = [1, 2], 3", UsageError, "is more than one value"),
        ("x = [1, y]", ExpressionError, "y has no value"),
        ("x", UsageError, "is not a definition"),
    ],
)
def test_what_cannot_be_defined(names, text, error, said):
    with pytest.raises(error, match=said):
        names.define(text)
    assert not names.values
    assert not names.formulas


@pytest.mark.parametrize(
    "text", ["f(1)", "y = f(1)", "2*f(1) + 1", "g(1)", "grad g --at 1", "grad f(x)*w --at x=1,w=2"]
)
@pytest.mark.parametrize("lines", [("f(x) = z*x",), ("z = 1", "f(x) = z*x", "forget z")])
def test_a_free_name_without_a_value(text, lines):
    """The error is the user's: it shows the formula that asks for the name."""
    session = Session(Shell(program))
    for line in (*lines, "g(x) = f(x) + 1"):
        assert session.run(line).error is None
    error = session.run(text).error

    assert (error.message, error.text, error.hint) == ("z has no value.", "z*x", "Type z = 1 first.")


@pytest.mark.parametrize(
    ("definitions", "error", "said"),
    [
        (["f(x, y) = x*y", "g(x) = f(x)"], ExpressionError, r"f takes 2 arguments \(x, y\), not 1"),
        (["f(x, y) = x*y", "g(x) = f + x"], ExpressionError, "needs brackets"),
        (["v = [1, 2]", "w = [1, 2, 3]", "y = v*w"], PointError, r"v has the shape \(2,\), w has the shape \(3,\)"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, definitions, error, said):
    with pytest.raises(error, match=said):
        defined(names, *definitions)


def test_a_circle_is_refused(names):
    """Functions that call one another in a circle have no value."""
    defined(names, "f(x) = x", "g(x) = f(x)")

    with pytest.raises(UsageError, match="f -> g -> f"):
        names.define("f(x) = g(x)")
    assert names.functions["g"](3.0) == 3.0


def test_a_parameter_hides_a_function_of_its_name(names):
    defined(names, "g(x) = x", "f(g) = g^2")

    assert names.functions["f"](3.0) == 9.0


def test_a_long_chain_of_functions_is_refused(names):
    names.define("f0(x) = x")
    with pytest.raises(UsageError, match="more than 100 functions in turn"):
        defined(names, *(f"f{n}(x) = f{n - 1}(x)" for n in range(1, 200)))


@pytest.mark.parametrize("text", ["2*x", "x", "sin(x)", "1 and x", "where(1, x, 2)", "g(1)", "h(x)"])
@pytest.mark.parametrize("value", ['{"a": 1}', '[{"a": 1}, {"b": 2}]'])
def test_an_object_is_no_number_of_a_formula(names, value, text):
    defined(names, f"x = {value}", "g(t) = t*x", "h(x) = x")

    with pytest.raises(PointError, match="takes a number or an array for x, not a"):
        names.value("y", text)


def test_a_function_of_a_file_takes_objects_in_a_formula(names):
    names.loaded["loss"] = lambda p: p["a"] ** 2
    defined(names, 'x = {"a": 3}', "y = 2*loss(x)")

    assert names.values["y"] == 18.0
