"""What a command without a target is about: the last function or expression, and the point that it was asked about."""

import pytest

HYPERBOX = "def f4(a):\n    return a[0] * a[1]\n"


def asked(session, *lines):
    """The target and the point of the record of the last line."""
    *_, last = [session.run(line) for line in lines]
    assert last.error is None, last.error
    return last.record.target, last.record.point


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        (("x^2*sin(y)", {"x": 1.0, "y": 2.0}), ["x^2*sin(y)", "at x=1,y=2", "grad"]),
        (("x^2", {"x": 3.0}), ["x = 3", "x^2", "grad"]),
        (("f", {"x": 3.0}), ["x = 3", "x^2", "f(x) = x^3", "explain"]),
        (("x^2", {"x": 3.0}), ["x = 3", "f(x) = x^3", "x^2", "tape"]),
        (("f", {"x": 3.0}), ["x = 3", "f(x) = x^3", "x^2", "f", "check"]),
        (("f", {"x": 5.0}), ["x = 3", "f(x) = x^3", "f(5)", "grad"]),
        (("p", {"x": 5.0}), ["def p(x): return x * x", "p(5)", "grad"]),
        (("f", {"x": 4.0}), ["f(x) = x^3", "grad --at 4"]),
        (("x*y", {"x": 3.0, "y": 4.0}), ["grad x*y --at 3,4", "explain"]),
        (("x*y", {"x": 1.0, "y": 2.0}), ["grad x*y --at 3,4", "at x=1,y=2", "explain"]),
        (("x*y", {"x": 1.0, "y": 2.0}), ["y = 2", "grad x*y --at 3,4", "x = 1", "explain"]),
        (("x*y", {"x": 5.0, "y": 6.0}), ["grad x*y --at 3,4", "explain --at 5,6"]),
        (("x*y", {"x": 3.0, "y": 4.0}), ["grad x*y --at 3,4", "z", "z +", "grad"]),
        (("f4", {"a": [2.0, 3.0]}), ["load box.py", "at 2,3", "grad"]),
        # Each function keeps its own point
        (("f", {"x": 3.0}), ["f(x) = x^3", "g(u) = u^2", "grad f --at 3", "grad g --at 5", "grad f"]),
        (("g", {"u": 5.0}), ["f(x) = x^3", "g(u) = u^2", "grad f --at 3", "g(5)", "f(4)", "tape g"]),
        (("x*y", {"x": 3.0, "y": 4.0}), ["f(x) = x^3", "grad x*y --at 3,4", "f(2)", "check x*y"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "grad f --at 3", "k = 1", "grad"]),
        (("f", {"x": 2.0}), ["f(x) = x^3", "grad f --at 3", "f(x) = x^4", "x = 2", "grad"]),
        # A refused point is not kept
        (("f", {"x": 3.0}), ["f(x) = x^3", "grad f --at 3", "grad f --at 1,2", "grad"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "grad f --at 3", "grad f --at y=2", "grad f --at nan", "explain"]),
        (("f", {"x": 3.0}), ["x = 3", "f(x) = x^3", "grad f --at 1,2", "grad"]),
        (("p", {"v": [1.0, 2.0]}), ["def p(v): return v[0] * v[1]", "p([1, 2])", "grad p --at 1", "p([1])", "grad"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "at x=3", "at x=4,y=q", "grad"]),
        (("v*2", {"v": [1.0, 2.0]}), ["v = [1, 2]", "v*2", "jacobian"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "grad f --at 3", "grad f"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "f(3)", "grad f --wrt x"]),
        (("f", {"x": 3.0}), ["x = 1", "f(x) = x^3", "grad f --at=3", "check f --against 3*x^2"]),
        (("f", {"x": 1.0}), ["f(x) = x^3", "grad f --at 3", "x = 1", "grad f"]),
        (("f", {"x": 4.0}), ["f(x) = x^3", "grad f --at 3", "grad f --at=4", "tape"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "grad f --at 3", "f", "grad"]),
        (("f", {"x": 3.0}), ["f(x) = x^3", "f(3)", "f?", "f", "grad f"]),
        (("step", {"u": 3.0}), ["load step.py", "grad step --at 3", "explain step"]),
        (("step", {"u": 3.0}), ["load step.py", "grad step --at 3", "explain"]),
        (("check", {"u": 3.0}), ["load step.py", "check check --at 3", "check check"]),
        (("x*y", {"x": 3.0, "y": 4.0}), ["grad x*y --at 3,4", "grad x*y --wrt x"]),
        (("x * y", {"x": 3.0, "y": 4.0}), ["grad x * y --at 3,4", "check x * y"]),
    ],
)
def test_the_last_function_or_expression(expected, lines, session, tmp_path):
    """Whatever came last, at the point that it was asked about unless values were given since."""
    (tmp_path / "box.py").write_text(HYPERBOX)
    (tmp_path / "step.py").write_text("def step(u):\n    return u * u\n\n\ndef check(u):\n    return 2 * u\n")

    assert asked(session, *lines) == expected


@pytest.mark.parametrize("line", ["at x=2,y=q", "at 1,oops", "load gone.py", "forget x gone"])
def test_a_refused_line_changes_nothing(session, line):
    for typed in ("x = 1", "f(x) = x^2", "at 7"):
        session.run(typed)
    before = session.workspace.known(), session.workspace.at

    assert session.run(line).error
    assert (session.workspace.known(), session.workspace.at) == before


def test_formulas_need_no_values(session):
    """`symbolic` answers for an expression that has none yet."""
    session.run("x^2*sin(y)")

    assert "2*x*sin(y)" in session.run("symbolic").record.gradient.values()


def test_a_drawing_needs_no_values(session):
    session.run("sin(x)")

    assert (session.run("plot").record.series[0].x[0], session.run("plot").record.series[0].x[-1]) == (-5.0, 5.0)


def test_which_of_several_functions_is_asked(session, tmp_path):
    (tmp_path / "two.py").write_text("def f(x):\n    return x\ndef g(x):\n    return x\n")
    session.run("x^2")
    session.run("load two.py")
    error = session.run("grad").error

    assert (error.message, error.hint) == ("Which function does grad ask about?", "Type grad f; there are f, g.")
    session.run("forget f")
    assert session.run("grad").error.hint == "Type grad g."


def test_a_name_that_was_forgotten_is_no_target(session):
    session.run("f(x) = x^2")
    session.run("forget f")

    assert session.run("grad").error.message == "grad needs a function or an expression, and none came."


def test_a_saved_line_names_its_target(session, tmp_path):
    """A line that failed is not saved, so that another one would be the last."""
    for line in (
        "x^2*y",
        "at x=1,y=2",
        "grad",
        "grad x*y --at 3,4",
        "explain --wrt x",
        "grad x*y",
        "compare x*y 'y * x'",
        "save s.gradcli",
    ):
        session.run(line)

    assert [
        "at x=1,y=2",
        "grad x^2*y",
        "grad x*y --at 3,4",
        "explain x*y --at 3,4 --wrt x",
        "grad x*y --at 3,4",
        "compare 'x*y' --at 3,4 'y * x'",
    ] == (tmp_path / "s.gradcli").read_text().splitlines()[1:]


@pytest.mark.parametrize(
    ("message", "hint", "line"),
    [
        ("q has no value.", "Type q = 1 first.", "q^2"),
        ("q and r have no value.", "Type at q=1,r=1 first.", "q^2 * r"),
        ("There is no command hlep, and no value of that name.",
         "Did you mean help? A value is given by hlep = 1.", "hlep"),
        ("There is no command theta, and no value of that name.",
         "`help` lists what can be typed. A value is given by theta = 1.", "theta"),
        ("There is no command tangent.", "`help` lists what can be typed.", "tangent f"),
    ],
)  # fmt: skip
def test_a_word_that_means_nothing(message, hint, line, session):
    error = session.run(line).error

    assert (message, hint) == (error.message, error.hint)


def test_the_definition_of_a_name(session, tmp_path):
    """A formula, the lines of a function, a value; by its name alone, and with what can be asked about it."""
    (tmp_path / "box.py").write_text(HYPERBOX)
    for line in ("f(x) = x^2", "def p(x):\n    y = x\n    return y", "load box.py", "x = 3"):
        session.run(line)

    assert [each.meaning for each in session.run("f").known] == ["f(x) = x^2"]
    assert session.run("p").text == "def p(x):\n    y = x\n    return y\n"
    assert session.run("p?").text == session.run("p").text + (
        "grad p, tape p, explain p, symbolic p and check p apply to it.\n"
    )
    assert session.run("f4").text == HYPERBOX
    assert [each.meaning for each in session.run("x").known] == [3.0]


def test_the_last_result_may_be_an_array(session):
    for line in ("v = [1, 2]", "v * 2"):
        session.run(line)

    assert session.run("sum(_)").value == 6.0
    assert session.run("_ + 1").value == 7.0
    assert session.run("sum(_1 * _1)").value == 20.0


def test_short_options(session, tmp_path):
    """`-o` is --out where a file follows; elsewhere it is a name that is subtracted."""
    for line in ("x = 3", "o = 2", "grad x^2 -o g.csv"):
        session.run(line)

    assert (tmp_path / "g.csv").read_text() == "name,point,gradient\nx,3.0,6.0\n"
    assert session.run("x -o").record.value == 1.0
    assert session.run("grad x -o").record.value == 1.0


def test_two_functions_are_compared(session):
    """A space parts them; the first is what later commands are about."""
    for line in ("f(x) = x^2", "g(x) = x*x", "x = 3"):
        session.run(line)

    assert session.run("compare f g").record.verdict == "equal"
    assert session.run("compare f 'x^2 + 1e-6' --points 0").record.verdict == "differ"
    assert asked(session, "grad") == ("f", {"x": 3.0})
    assert session.run("compare f x + 1").error.message == "compare takes two functions; '+ 1' is an extra argument."
    assert session.run("compare f").error.message == "compare takes two functions, or one with --engines."
