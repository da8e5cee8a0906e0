"""A line that cannot be understood is answered with what is typed here."""

import pytest

from gradcli.errors import Exit
from gradcli.terminal.repl.line_hints import advice

pytestmark = pytest.mark.sampled(4)  # many like cases


@pytest.fixture
def begun(session, tmp_path):
    """A session with a formula, a function of a file and a value."""
    (tmp_path / "box.py").write_text("def box(sides):\n    a, b = sides\n    return a * b\n")
    area = "def area(width, length): return width * length"
    volume = "def volume(width, length, height=1.0): return width * length * height"
    for line in ("f(x) = x^2", "load box.py", "height = 3", "sides = [1, 2]", area, volume, "sum_of(x, y) = x + y"):
        assert session.run(line).error is None
    return session


HABITS = [
    ("diff(f, x)", "Type grad f for numbers, or symbolic f for the formula."),
    ("derivative f", "Type grad f for numbers, or symbolic f for the formula."),
    ("d/dx x^2", "Type grad x^2 for numbers, or symbolic x^2 for the formula."),
    ("∂/∂x (x^2 + 1)", "Type grad x^2 + 1 for numbers, or symbolic x^2 + 1 for the formula."),
    ("x^2*y at 3,4", "Type grad x^2*y --at 3,4, or first at 3,4."),
    ("grad(f)", "Type grad f."),
    ("grad f at 3", "Type grad f --at 3."),
    ("grad f 3", "Type grad f --at 3."),
    ("tape f -at x=3", "Type tape f --at x=3."),
    ("g = y^2", "Type g(y) = y^2 for a function, or first y = 1."),
    ("g = g + y", "Type g = 1."),
    ("h = lambda x: x**2", "Type h(x) = x**2."),
    ("gard x^2", "Did you mean grad x^2?"),
    ("tpae f", "Did you mean tape f?"),
    ("jac f", "Did you mean jacobian f?"),
    ("integrate x^2", "`help` lists what can be typed."),
    ("hessian logsumexp", "Type logsumexp(…)."),
    ("grad norm --at [3,4]", "Type norm(…)."),
    ("area(1)", "Type area(width, length)."),
    ("area(1, 2, 3)", "Type area(width, length)."),
    ("sum_of(1)", "Type sum_of(x, y)."),
    (
        "minimize f",
        "Type derive f --value --vector -o grad_f.py for a function of a vector, which scipy.optimize.minimize takes "
        "with jac=True.",
    ),
]


@pytest.mark.parametrize(("line", "hint"), HABITS)
def test_a_habit_is_answered(begun, line, hint):
    answer = begun.run(line)

    assert (Exit.USAGE, hint) == (answer.exit, answer.error.hint)


@pytest.mark.parametrize(("line", "message", "hint"), [
    ("2x + 3y", "An operator is missing between these.", "Type 2*x + 3*y."),
    ("grad f(g(x))", "g is not a function.", "To multiply, type g*(…); to define a function, g(x) = …"),
    ("logsumexpp([1,2])", "There is no function logsumexpp.", "Did you mean logsumexp?"),
])  # fmt: skip
def test_an_error_that_a_hint_does_not_replace(begun, line, message, hint):
    error = begun.run(line).error

    assert message in error.message
    assert hint is None or error.hint == hint


@pytest.mark.parametrize(
    ("line", "as_if"),
    [
        ("?", "help"),
        ("help()", "help"),
        ("?f", "help f"),
        ("f?", "help f"),
        ("help(f)", "help f"),
        ("?grad", "help grad"),
    ],
)
def test_another_spelling_of_help_is_help(begun, line, as_if):
    asked, meant = begun.run(line), begun.run(as_if)

    assert asked.error is None
    assert (meant.text, meant.known, as_if) == (asked.text, asked.known, asked.line)


@pytest.mark.parametrize("line", ["exit()", "quit()", ":q"])
def test_another_spelling_of_quit_leaves(begun, line):
    assert begun.run(line).quits


def test_a_command_copied_from_a_page_for_the_shell_runs(begun):
    assert dict(begun.run("gradcli grad f --at 3").record.gradient) == {"x": 6.0}


def test_a_page_on_a_name(begun):
    """What it means and what can be asked; of a function of formulas, how its derivative is seen."""
    assert begun.run("help f").text == "grad f, tape f, explain f, symbolic f and check f apply to it.\n"
    assert [known.name for known in begun.run("help height").known] == ["height"]
    assert begun.run("help sin").text == "sin(x): a function of formulas; `symbolic sin(x)` differentiates it.\n"
    assert (
        begun.run("norm?").text == "norm(...): an array function of NumPy or SciPy, with its arguments by position.\n"
    )


@pytest.mark.parametrize("line", ["x +", "f(1, 2)", "2x", "sin x", "f = 1 +", "x" * 500 + " at 3", "y at\n3"])
def test_other_errors_stay_as_they_are(begun, line):
    """A slip is no habit: its place in the line says more."""
    assert advice(line, begun.workspace, begun.commands) is None


def test_only_names_without_a_value_are_asked_for(begun):
    error = begun.run("y = height*x*z").error

    assert ("x and z have no value yet.", "Type y(x, z) = height*x*z for a function, or first x = 1.") == (
        error.message,
        error.hint,
    )


def test_an_error_of_a_definition_whose_names_have_values_is_kept(begun):
    for line in ("v = [1, 2]", "w = [1, 2, 3]"):
        begun.run(line)

    assert "The shapes do not fit together" in begun.run("y = v*w").error.message


@pytest.mark.parametrize("line", [
    "[1,2] + [1,2,3]", "eye(3) @ [1,2]", "maximum([1,2], [1,2,3])", "ones(2) * ones(3)", "arange(0, 10, 0)",
    "dot([1,2], [1,2,3])",
])  # fmt: skip
def test_what_numpy_cannot_compute_is_an_error_of_the_line(begun, line):
    error = begun.run(line).error

    assert error.message.startswith("The formula cannot be computed: ")
    assert error.exit == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("inv([1,2])", "inv: 1-dimensional array given. Array must be at least two-dimensional."),
        ("inv([[1,2],[2,4]])", "inv: Singular matrix."),
        ('"hi"', "Text in quotes is not allowed in formulas."),
        ("digits abc", "digits is all or 2 to 16, not abc."),
        ("preview maybe", "preview is on or off, not maybe."),
    ],
)
def test_what_is_wrong_with_a_line_that_is_understood(begun, line, message):
    begun.run("A = [[1, 2], [3, 4]]")

    assert begun.run(line).error.message == message


@pytest.mark.parametrize("line", ["mean(v[0:0])", "std(v[2:1])", "var(v[0:0])", "median(v[0:0])"])
def test_numpys_warnings_are_not_shown(begun, line, recwarn):
    """What is not finite is a finding."""
    begun.run("v = [1, 2, 3]")
    answer = begun.run(line)

    assert answer.error is None
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("name", ["x\u0302", "ŵ", "θ_1", "ä"])
def test_a_letter_with_an_accent_is_a_name(begun, name):
    for line in (f"{name} = 3", f"sq({name}) = {name}^2"):
        assert begun.run(line).error is None

    assert list(begun.run(f"{name}^2").record.gradient.values()) == [6.0]
    assert list(begun.run(f"grad sq --at {name}=2").record.gradient.values()) == [4.0]
