"""What people type out of habit from elsewhere is answered with what is typed here."""

import re

import pytest

from gradcli.errors import Exit, PointError
from gradcli.terminal.repl.foreign_syntax_hints import point

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
    ("f'(3)", "Type grad f --at 3."),
    ("area'(3)", "Type grad area --at width=3,length=1, with your own number for length."),
    ("area''(3)", "Type hessian area --at width=3,length=1, with your own number for length."),
    ("area'(3, 4)", "Type grad area --at 3,4."),
    ("area'(width=3, length=4)", "Type grad area --at width=3,length=4."),
    ("volume'(3)", "Type grad volume --at width=3,length=1, with your own number for length."),
    ("sum_of'(-1e3)", "Type grad sum_of --at x=-1e3,y=1, with your own number for y."),
    ("grad area 3", "Type grad area --at width=3,length=1, with your own number for length."),
    ("grad area(3)", "Type grad area --at width=3,length=1, with your own number for length."),
    ("box'(3, 4)", "Type grad box --at 3,4."),
    ("sin'(2)", "Type grad sin(x) --at 2."),
    ("sin'", "Type grad sin(x) for numbers, or symbolic sin(x) for the formula."),
    ("sin''(2)", "Type hessian sin(x) --at 2."),
    ("grad(sin)", "Type grad sin(x)."),
    ("find the slope of f at 3", "Type grad f --at 3."),
    ("plot f over [0, 10]", "Type plot f --range 0:10."),
    ("plot(f, -3 to 3)", "Type plot f --range -3:3."),
    ("draw", "Type plot."),
    ("unheard'(2)", "Type unheard(x) = x^2, for example."),
    ("f'(x)", "Type grad f for numbers, or symbolic f for the formula."),
    ("f''", "Type hessian f."),
    ("df/dx", "Type grad f --wrt x for numbers, or symbolic f for the formula."),
    ("d/dx x^2", "Type grad x^2 --wrt x for numbers, or symbolic x^2 for the formula."),
    ("diff(f, x)", "Type grad f for numbers, or symbolic f for the formula."),
    ("derivative f", "Type grad f for numbers, or symbolic f for the formula."),
    ("grad(f)", "Type grad f."),
    ("grad(f)(3)", "Type grad f --at 3."),
    ("grad f at 3", "Type grad f --at 3."),
    ("grad f -at 3", "Type grad f --at 3."),
    ("grad f(3)", "Type grad f --at 3."),
    ("grad f x=3", "Type grad f --at x=3."),
    ("grad f height", "Type grad f --at height."),
    ("tape f at height", "Type tape f --at height."),
    ("grad box.py:box 1 2", "Type grad box.py:box --at 1,2."),
    ("tape box (1, 2)", "Type tape box --at 1,2."),
    ("box(1, 2)", "Type box([1,2]) for an array, or grad box --at 1,2."),
    ("area(1)", "Type area(width, length)."),
    ("area(1, 2, 3)", "Type area(width, length)."),
    ("area([1, 2])", "Type area(width, length)."),
    ("volume(1, 2, 3, 4)", "Type volume(width, length)."),
    ("sum_of(1)", "Type sum_of(x, y)."),
    ("height += 1", "Type height = height + 1."),
    ("height *= 2 + height", "Type height = height * (2 + height)."),
    ("names()", "Type names."),
    ("env()", "Type env."),
    ('load("box.py")', 'Type load "box.py".'),
    ("at(x=3)", "Type at x=3."),
    ("compare(f, x^3)", "Type compare 'f' 'x^3'."),
    ("check(f, 2*x)", "Type check f --against 2*x."),
    ("plot(f, -3, 3)", "Type plot f --range -3:3."),
    ("plot(f, [0, 1])", "Type plot f --range 0:1."),
    ("run(2)", "Type run 2."),
    ("y**2 at 3", "Type grad y**2 --at 3."),
    ("y**2 --at 3", "Type grad y**2 --at 3."),
    ("y**2, y=3", "Type grad y**2 --at y=3."),
    ("at x=1 y=2", "Type at x=1,y=2."),
    ("x = 3, y = 4", "Type at x=1,y=2 for several values."),
    ("x, y = 3, 4", "Type at x=1,y=2 for several values."),
    ("x = 3; y = 4", "Type at x = 3,y = 4 for several values."),
    ("x = 3;", "Type x = 3 and Enter."),
    ("let x = 3", "Type x = 3."),
    ("x := 3", "Type x = 3."),
    ("3 = x", "Type x = 3."),
    ("-1.5e3 = height", "Type height = -1.5e3."),
    ("set x 3", "Type x = 3 to give x a value."),
    ("g = y^2", "Type g(y) = y^2 for a function, or first y = 1."),
    ("g = g + 1", "Type g = 1."),
    ("g = g + y", "Type g = 1."),
    ("del height", "Type forget height."),
    ("print(height)", "Type height."),
    ("clear", "Type Ctrl-L to clear the screen, or forget x to take a name back."),
    ("who", "Type names."),
    ("q", "Type quit."),
    ("man grad", "Type help grad."),
    ("gard x^2", "Did you mean grad x^2?"),
    ("tpae f", "Did you mean tape f?"),
    ("chek f --at 1", "Did you mean check f --at 1?"),
    ("jac f", "Did you mean jacobian f?"),
    ("cat box.py", "Type help."),
    ("watch f", "Type gradcli watch … in a shell."),
    ("watch", "Type gradcli watch … in a shell."),
    ("import box.py", "Type load box.py."),
    ("load box.py:box", "Type load box.py."),
    ("import numpy as", "Type import numpy as np, or load file.py."),
    ("class G:", "Type def f(x): and the lines of the function, or load file.py."),
    ("!ls", "Type help."),
    ("derivative of x^2 at 3", "Type grad x^2 --at 3."),
    ("what is the gradient of x^2", "Type grad x^2."),
    ("D[x^2, x]", "Type grad x^2 for numbers, or symbolic x^2 for the formula."),
    ("Sin[x]", "Type sin(x)."),
    ("x.^2 .* y", "Type x^2 * y."),
    ("h = lambda x: x**2", "Type h(x) = x**2."),
    ("h = @(x) x.^2", "Type h(x) = x^2."),
    ("h(x_) := x^2", "Type h(x) = x^2."),
    ("x = sympy.symbols('x')", "Type x^2 or another formula, or x = 1 for a value."),
    ("5 mod 3", "Type 5 % 3."),
    ("ans * 2", "Type _ * 2."),
    ("graph x^2", "Type plot x^2."),
    ("f''(x)", "Type hessian f."),
    ("f''(3)", "Type hessian f --at 3."),
    ("plot f 0 10", "Type plot f --range 0:10."),
    ("tape f > f.txt", "Type tape f -o f.txt."),
    ("check f height", "Type check f --against height."),
    ("load s.gradcli", "Type run s.gradcli."),
    ("plot sin(x) from -3 to 3", "Type plot sin(x) --range -3:3."),
    ("integrate(x^2, x)", "Type symbolic x^2 for the formulas of its derivatives."),
    (
        "minimize f",
        "Type derive f --value --vector -o grad_f.py for a function of a vector, which scipy.optimize.minimize takes "
        "with jac=True.",
    ),
    (
        "minimize(area, [1, 2])",
        "Type derive area --value --vector --at 1,2 -o grad_f.py for a function of a vector, which "
        "scipy.optimize.minimize takes with jac=True.",
    ),
    ("ones((2, 2))", "Type [2, 2] for a list."),
    ("zeros((2,3)) + 1", "Type [2,3] for a list."),
    ("norm((3, 4))", "Type [3, 4] for a list."),
    ("(1, height)", "Type [1, height] for a list."),
    ("w = [1,2;3,4]", "Type w = [[1, 2], [3, 4]]."),
    ("w = [1 2; 3 4];", "Type w = [[1, 2], [3, 4]]."),
    ("[1, 2; 3, -4] @ [1; 2]", "Type [[1, 2], [3, -4]] @ [[1], [2]]."),
    ("w = [1 2 -3e2]", "Type w = [1, 2, -3e2]."),
    ("norm([3 4])", "Type norm([3, 4])."),
    ("height'", "Type transpose(height)."),
    ("height' * 2 + 1", "Type transpose(height) * 2 + 1."),
    ("2 * height.T @ height", "Type 2 * transpose(height) @ height."),
    ("height(2)", "Type height*2."),
    ("sides(1, 2)", "Type sides[0] for the first."),
    ("hessian logsumexp", "Type logsumexp(…)."),
    ("grad norm --at [3,4]", "Type norm(…)."),
    ("solve x^2 = 2", "Type symbolic x^2 for the formulas of its derivatives."),
    ("clear all", "Type forget x y, with the names; `names` lists them."),
]


@pytest.mark.parametrize(("line", "hint"), HABITS)
def test_a_habit_is_answered(begun, line, hint):
    answer = begun.run(line)

    assert (Exit.USAGE, hint) == (answer.exit, answer.error.hint)


ERRORS = [
    "2x + 3y", "2x(1 + y)(3)", "z = 2height + 3f(2)", "f(x) = 3x y", "grad 2x + 3y", "A @ 2x", "sin height", "height!",
    "|height|", "x << 2", "f{1}", "derivative of 2x", "diff(2x, x)", "h = lambda x: 2x", "compare(f, 2x)",
    "plot(2x, 0, 1)", "logsum([1, 2])", "softplus_of(1)", "arry([1, 2])", "np.arry([1, 2])", "area.sum()",
    "height = 2x",
]  # fmt: skip

PROSE = ("class G:", "clear all")  # answered in words
ADVICE = re.compile(
    r"(?:Type|Did you mean) (?:first )?(.+?)(?:,? (?:for|and Enter|to give|with your own|with the names|or) .*|\?.*|\.)"
)


@pytest.mark.parametrize("line", [*(line for line, _ in HABITS if line not in PROSE), *ERRORS])
def test_what_a_hint_says_to_type_works(begun, line):
    """It may need a value or a file yet, but is no error of its form, and does not ask for the same again."""
    error = begun.run(line).error
    match = ADVICE.fullmatch(error.hint or "")
    if match is None or "…" in match[1] or "Ctrl-" in match[1]:
        return
    begun.run("1 + 1")
    followed = begun.run(match[1]).error

    assert (
        followed is None
        or (followed.message != error.message and isinstance(followed, PointError))
        or "no value" in followed.message
        or "There is no file" in followed.message
    ), (match[1], str(followed))


@pytest.mark.parametrize(("line", "message", "hint"), [
    ("2x + 3y", "An operator is missing between these.", "Type 2*x + 3*y."),
    ("grad f(g(x))", "g is not a function.", "To multiply, type g*(…); to define a function, g(x) = …"),
    ("logsumexpp([1,2])", "There is no function logsumexpp.", "Did you mean logsumexp?"),
    ("derivative of x +", "The expression ends where a value is expected.",
        "Type a value after the last operator."),
    ("plot(2x, 0, 1)", "A range follows --range.", "Type plot 2*x --range 0:1."),
    ("print(height, 2)", "A comma belongs between the arguments of a function.",
        "Type one expression; for a maximum, max(x, y)."),
    ("h = lambda x: sin x", "The function sin needs brackets.", "Type sin(x)."),
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
    from gradcli.terminal.repl import foreign_syntax_hints

    words = foreign_syntax_hints.Vocabulary(begun.workspace, begun.commands)

    assert foreign_syntax_hints.advice(line, words) is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("(1, 2)", "1,2"), ("1 2", "1,2"), ("x=1 y=2", "x=1,y=2"), ("x = 1, y = 2", "x = 1,y = 2"), ("[1, 2]", "[1,2]")],
)
def test_a_point_as_it_is_typed(typed, meant):
    assert meant == point(typed)


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
        ("solve(A, [1,2,3])", "solve does not fit arguments of the shapes (2, 2) and (3,)."),
        ("cross([1,2,3,4], [1,2])", "cross does not fit arguments of the shapes (4,) and (2,)."),
        ("inv([1,2])", "inv needs a matrix, and an array of the shape (2,) came."),
        ("ones(2, 2)", "ones takes one shape: type ones([2, 2])."),
        ("inv([[1,2],[2,4]])", "inv: Singular matrix."),
        ("max([1,2][0:0])", "amax of an empty array has no value."),
        ("amin([1,2][0:0])", "amin of an empty array has no value."),
        ('"hi"', "Text in quotes is not allowed in formulas."),
        ("print('hi')", "Text in quotes is not allowed in formulas."),
        ("echo 'hi'", "Text in quotes is not allowed in formulas."),
        ("digits abc", "digits is all or 2 to 16, not abc."),
        ("preview maybe", "preview is on or off, not maybe."),
    ],
)
def test_what_is_wrong_with_a_line_that_is_understood(begun, line, message):
    begun.run("A = [[1, 2], [3, 4]]")

    assert begun.run(line).error.message == message


def test_an_element_is_changed_with_the_whole(begun):
    error = begun.run("sides[0] = 5").error

    assert (error.message, error.hint) == ("An element cannot be set alone.", "Type edit sides to change it.")


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
