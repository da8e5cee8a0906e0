"""Python functions that are typed: what they see, what they are called, and where their lines are found."""

import linecache
import math

import pytest

from gradcli import queries
from gradcli.answers.targets.python_file_errors import SourceError
from gradcli.answers.targets.session_functions import Written
from gradcli.errors import TargetError, UsageError, UserCodeError
from gradcli.queries.session_workspace import Workspace

F = "def f(x):\n    y = math.sin(x)  # a half of it\n    return np.exp(y)"


def test_it_is_a_function_of_the_session():
    """Its name has a meaning, and its derivative is taken, `math` or not."""
    workspace = Workspace()
    known = workspace.define(F)

    assert (known.name, known.kind, known.meaning, known.file) == ("f", "function", "f(x)", None)
    assert queries.gradient(workspace.target("f"), {"x": 0.0}).gradient["x"] == 1.0


def test_its_lines_are_shown():
    """In the tape and in the explanation, by what stands for its file, for each version its own."""
    workspace = Workspace()
    workspace.define(F.replace("f(", "shown("))
    nodes = queries.tape(workspace.target("shown"), {"x": 0.0}).nodes
    assert ("def shown", 2, "y = math.sin(x)  # a half of it") == next(
        (node.file, node.line, node.source) for node in nodes if node.name == "y"
    )

    statements = queries.explain(workspace.target("shown"), {"x": 0.0}).statements
    assert [(3, "return np.exp(y)"), (2, "y = math.sin(x)  # a half of it")] == [
        (each.line, each.source) for each in statements
    ]

    workspace.define("def shown(x):\n    return x")
    assert workspace.target("shown").file == "def shown 2"
    linecache.checkcache()
    assert linecache.getline("def shown 2", 2) == "    return x\n"


def test_it_sees_what_the_session_knows():
    """Values, formulas and other functions as they are when it is called; what is forgotten no more."""
    workspace = Workspace()
    workspace.define("def f(x):\n    return a * g(x) + h(x)")
    for text in ("a = 2", "g(x) = x^2", "def h(x): return 5 * x"):
        workspace.define(text)
    assert workspace.value("f(3)") == 33.0
    workspace.move("a=3")
    assert workspace.value("f(3)") == 42.0

    workspace.forget("a")
    with pytest.raises(UserCodeError, match="'a' is not defined"):
        workspace.value("f(3)")


def test_a_name_that_hid_numpy_is_forgotten():
    workspace = Workspace()
    workspace.define("def f(x): return np.square(x)")
    workspace.define("np = 3")
    workspace.forget("np")

    assert workspace.value("f(3)") == 9.0


@pytest.mark.parametrize(("kind", "said", "text"), [
    (SourceError, "f does not parse: expected ':'.\n  def f…:1: def f(x) return x\n", "def f(x) return x"),
    (SourceError, "does not parse: expected an indented block", "def f(x):"),
    (SourceError, "The function does not parse", "@cached"),
    (UsageError, "f does not parse: source code string cannot contain null bytes", "def f(x): return \0"),
    (UsageError, "f and something else were typed together.\nType one function at a time.",
        "def f(x): return x\nf(3)"),
    (UsageError, "'sin' is a function of the formula language", "def sin(x): return x"),
    (UsageError, "f is a property, not a function: its decorator made it one.", "@property\ndef f(x): return x"),
    (UsageError, "f is a classmethod, not a function", "@classmethod\ndef f(x): return x"),
    (UsageError, "f is a float, not a function", "@lambda f: 3.0\ndef f(x): return x"),
    (UserCodeError, "ZeroDivisionError while f is defined: division by zero", "def f(x=1/0): return x"),
    (UserCodeError, "ModuleNotFoundError while f is defined", "import nothing_here\ndef f(x): return x"),
])  # fmt: skip
def test_what_is_no_function(kind, said, text):
    """The error says why, and no name is given."""
    workspace = Workspace()
    with pytest.raises(kind) as raised:
        workspace.define(text)

    assert all(part in str(raised.value) for part in said.split("…"))
    assert workspace.known() == []


def test_imports_hold_for_functions_typed_later():
    workspace = Workspace()
    workspace.define("def g(x): return co(x)")

    assert workspace.take("import math as m\nfrom math import cosh as co") == ["m", "co"]
    workspace.define("def f(x): return m.sinh(x) + g(x)")
    assert {"x": math.exp(1.0)} == pytest.approx(dict(queries.gradient(workspace.target("f"), {"x": 1.0}).gradient))


def test_an_import_is_the_meaning_of_its_name():
    workspace = Workspace()
    workspace.define("m = 3")
    workspace.take("import math as m")
    workspace.define("def f(x): return m.exp(x)")

    assert workspace.value("f(0)") == 1.0
    assert [known.name for known in workspace.known()] == ["f"]


@pytest.mark.parametrize(
    ("kind", "said", "text"),
    [
        (TargetError, "There is no module 'nummpy'.\nDid you mean numpy?", "import nummpy as np"),
        (TargetError, "There is no module 'nothing' in numpy.", "from numpy.nothing import f"),
        (UserCodeError, "cannot import name 'sine' from 'math'", "from math import sine"),
    ],
)
def test_what_cannot_be_imported(kind, said, text):
    """Told as of a module that is a target."""
    with pytest.raises(kind) as raised:
        Workspace().take(text)

    assert said in f"{raised.value.message}\n{raised.value.hint or ''}"


def test_a_body_that_is_not_indented():
    with pytest.raises(SourceError) as raised:
        Workspace().define("def g(a, b):\nc = a*b")

    assert raised.value.hint.startswith("The body of a function is indented")


@pytest.mark.parametrize(
    ("said", "line", "text"),
    [
        ("duplicate argument 'x'", 1, "def f(x, x):\n    return x"),
        ("'break' outside loop", 2, "def f(x):\n    break"),
        ("assigned to before global", 3, "def f(x):\n    y = x\n    global y\n    return y"),
        ("no binding for nonlocal", 2, "def f(x):\n    nonlocal y\n    return y"),
        ("'continue' not properly in loop", 2, "def f(x):\n    continue"),
        ("__debug__", 2, "def f(x):\n    __debug__ = x\n    return x"),
    ],
)
def test_what_parses_and_cannot_be_compiled(said, line, text):
    with pytest.raises(SourceError, match=said) as raised:
        Written().define(text)
    assert line == raised.value.line


def test_names_are_read_as_python_reads_them():
    assert Written().define("def \ufb01(\uff58): return x * x")[0] == "fi"


@pytest.mark.parametrize("text", ["def h:2", "def h", "def h(x)", "def h(x) return x", "def h = 2", "def h(x) = x^2"])
def test_a_definition_that_is_not_complete(text):
    with pytest.raises(SourceError) as raised:
        Workspace().define(text)

    assert raised.value.hint == "A function is typed def h(x): return x**2, or as a formula, h(x) = x^2."


@pytest.mark.parametrize("straight", [False, True])
def test_a_derived_program_says_where_the_function_was_typed(straight):
    session = Workspace()
    for text in ("def h(x): return x", "def h(x): return x**3"):
        session.define(text)

    found = queries.derive(session.target("h"), "2", straight=straight)
    assert "The gradient of h (typed at the prompt) by x" in found.source
