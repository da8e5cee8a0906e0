"""Which form a target has: a file, a module or an expression, and what is none of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.answers.targets import resolve
from gradcli.answers.targets.session_definitions import Names
from gradcli.errors import ExpressionError, TargetError


@pytest.mark.parametrize(
    "text",
    ["hyperbox.py:f4", "hyperbox.py::f4", "./hyperbox.py:f4", " hyperbox.py:f4 ", "hyperbox:f4", "hyperbox.py: f4"],
)
def test_a_function_of_a_file_has_several_spellings(hyperbox, text):
    assert resolve(text).function([1.0, 2.0, 3.0, 4.0]) == 24.0


def test_paths(hyperbox, write, folder, monkeypatch):
    """Absolute, with spaces, whose quotes the shell has taken, and from the home folder."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    write("my folder/my file.py", "def f(x): return x")

    assert resolve(f"{hyperbox}:f4").name == "f4"
    assert resolve("my folder/my file.py:f").function(2.0) == 2.0
    assert resolve("~/my folder/my file.py:f").function(2.0) == 2.0


def test_what_is_known_of_a_target(hyperbox):
    target = resolve("hyperbox.py::f4")

    assert (target.text, target.file, target.line, target.tree) == ("hyperbox.py::f4", str(hyperbox), 7, None)
    assert resolve("x + 1").tree is not None


@pytest.mark.parametrize("text", [
    "nothing.py", "nothing.py:f", "C:\\folder\\nothing.py:f", "C:/folder/nothing.py:f", "C:\\folder\\nothing",
    "./nothing", "../nothing:f", "/nothing/there:f", "~/nothing_there", "folder\\file", "folder/file:f", "x:y",
    "lambda x: x**2", "x[1:2]", ":f", "x:", "::", "not-a-module:f", ".relative:f", "numpy.sin", "f(x).py",
])  # fmt: skip
def test_what_looks_like_a_path_or_has_a_colon_is_never_an_expression(text):
    with pytest.raises(TargetError):
        resolve(text)


FOLDER = r"is a folder\.\n.*:function"
NEAR = r"Did you mean .*folder/hyperbox.py"
SMALL = r"has no meaning in a formula[\s\S]*Type \^[23] instead"
REFUSED = [
    *((text, TargetError, r"empty(.|\n)*file.py:function, package.module:function") for text in ("", "   ", "\n")),
    ("math.sin", TargetError, "math:sin"),
    ("data.json", TargetError, r"'data.json' is not a Python file \(.py\)"),
    *((text, TargetError, NEAR) for text in ("folder/hyperbox", "./folder/hyperbox", "folder/hyperbox:f")),
    *((text, TargetError, FOLDER) for text in (".", "..", "./", "inner/", "inner/deep", "./inner")),
    *((text, ExpressionError, r"\S") for text in ("2x", "sin x", "__import__('os')", "x +", "a.b + c", "x/2.e5.e")),
    *((text, ExpressionError, SMALL) for text in ("x²", "x²+1", "xy³")),  # a power, and no name
    # No file is suggested for a word of Python, and no product with it.
    *((text, ExpressionError, r"^((?!1\*)[\s\S])*$") for text in ("if", "None", "True", "lambda", "not")),
]


@pytest.fixture
def files(write):
    for name in ("folder/hyperbox.py", "inner/deep/f.py", "x/f.py", "y.py"):
        write(name, "def f(x): return x")
    write("data.json", "{}")


@pytest.mark.parametrize(("text", "error", "said"), REFUSED)
def test_refusals(files, text, error, said):
    with pytest.raises(error, match=said):
        resolve(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [("x", ["x"]), ("y", ["y"]), ("a/b", ["a", "b"]), ("1*nosuch", ["nosuch"]), ("nosuch + 1", ["nosuch"])],
)
def test_expressions(files, text, names):
    """A letter is an input although there is a folder or a file of that name, and a quotient is no path."""
    assert list(resolve(text).names) == names


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000 + ".py:f", "x:" * 300_000, "/" * 1_000_000, "a.b" * 300_000, "\0.py:f"]
)
def test_a_huge_or_odd_target_is_refused(text):
    with pytest.raises(TargetError) as caught:
        resolve(text)

    assert 400 > len(str(caught.value))


@pytest.mark.parametrize("code", [
    "import gradcli.answers.targets", "from gradcli.answers.targets import resolve; resolve('2*x + sin(y)')",
    "from gradcli.answers.targets import parse_point, resolve; parse_point('x=0.5,y=2', resolve('2*x + sin(y)'))",
])  # fmt: skip
def test_nothing_heavy_is_imported(code):
    heavy = "{'numpy', 'sympy', 'mpmath', 'click', 'rich'}"
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(sorted({heavy} & set(sys.modules)))"]
    result = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[3])

    assert result.stdout == "[]\n"


@pytest.mark.parametrize("name", ["nosuch", "stpe", "Loss", "f4", "größe"])
def test_a_word_alone_is_a_misspelt_function(name):
    with pytest.raises(TargetError, match=f"{name} is not a function") as caught:
        resolve(name)

    assert f"1*{name}" in caught.value.hint


def test_the_nearest_function_is_named():
    names = Names()
    names.loaded["step"] = lambda x: x

    with pytest.raises(TargetError) as caught:
        resolve("stpe", names)

    assert caught.value.hint.startswith("Did you mean step?")
