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


def test_an_absolute_path(hyperbox):
    assert resolve(f"{hyperbox}:f4").name == "f4"


def test_a_path_with_spaces(write):
    """The shell's quotes are gone when the text arrives."""
    write("my folder/my file.py", "def f(x): return x")

    assert resolve("my folder/my file.py:f").function(2.0) == 2.0


def test_a_path_from_the_home_folder(write, folder, monkeypatch):
    """`~` is the home folder, as in a shell."""
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    write("at_home.py", "def f(x): return x")

    assert resolve("~/at_home.py:f").function(2.0) == 2.0


def test_the_text_is_kept_as_typed(hyperbox):
    assert resolve("hyperbox.py::f4").text == "hyperbox.py::f4"


def test_where_a_function_is_defined(hyperbox):
    target = resolve("hyperbox.py:f4")

    assert (str(hyperbox), 7) == (target.file, target.line)


def test_an_expression_has_a_tree_and_a_function_has_none(hyperbox):
    assert (resolve("x + 1").tree is not None, resolve("hyperbox.py:f4").tree is not None) == (True, False)


@pytest.mark.parametrize("text", [
    "nothing.py", "nothing.py:f", "C:\\folder\\nothing.py:f", "C:/folder/nothing.py:f", "C:\\folder\\nothing",
    "./nothing", "../nothing:f", "/nothing/there:f", "~/nothing_there", "folder\\file", "folder/file:f", "x:y",
    "lambda x: x**2", "x[1:2]", ":f", "x:", "::", "not-a-module:f", ".relative:f", "numpy.sin", "f(x).py",
])  # fmt: skip
def test_what_looks_like_a_path_or_has_a_colon_is_never_an_expression(text):
    with pytest.raises(TargetError):
        resolve(text)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_target(text):
    with pytest.raises(TargetError, match=r"empty(.|\n)*file.py:function, package.module:function"):
        resolve(text)


@pytest.mark.parametrize("text", ["2x", "sin x", "__import__('os')", "x +", "a.b + c", "x/2.e5.e"])
def test_what_is_no_target_is_answered_as_an_expression(text):
    with pytest.raises(ExpressionError):
        resolve(text)


def test_a_dotted_name_is_answered_with_a_colon():
    with pytest.raises(TargetError, match=r"math:sin"):
        resolve("math.sin")


def test_a_file_that_is_no_python(write):
    write("data.json", "{}")

    with pytest.raises(TargetError, match=r"'data.json' is not a Python file \(.py\)"):
        resolve("data.json")


@pytest.mark.parametrize("text", ["folder/hyperbox", "./folder/hyperbox", "folder/hyperbox:f"])
def test_a_path_without_its_extension(write, text):
    write("folder/hyperbox.py", "def f(x): return x")

    with pytest.raises(TargetError, match=r"Did you mean .*folder/hyperbox.py"):
        resolve(text)


@pytest.mark.parametrize("text", [".", "..", "./", "inner", "inner/", "inner/deep", "./inner"])
def test_a_folder_is_said_to_be_one(write, text):
    write("inner/deep/f.py", "def f(x): return x")

    with pytest.raises(TargetError, match=r"is a folder\.\n.*:function"):
        resolve(text)


def test_a_letter_beside_a_folder_of_that_name_is_an_input(write):
    write("x/f.py", "def f(x): return x")

    assert resolve("x").reading == "f(x) = x"


def test_a_quotient_is_an_expression():
    assert resolve("a/b").reading == "f(a, b) = a/b"


def test_a_name_beside_a_file_of_that_name_is_an_expression(write):
    """`x` stays an input although there is an x.py."""
    write("x.py", "")

    assert resolve("x").names == ("x",)


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


@pytest.mark.parametrize("text", ["x", "1*nosuch", "nosuch + 1"])
def test_a_letter_alone_is_an_input(text):
    assert len(resolve(text).names) == 1


@pytest.mark.parametrize("text", ["x²", "x²+1", "xy³"])
def test_a_power_in_small_digits_is_no_name(text):
    """It is an expression, and the error says how a power is typed."""
    with pytest.raises(ExpressionError, match=r"has no meaning in a formula[\s\S]*Type \^[23] instead"):
        resolve(text)


@pytest.mark.parametrize("text", ["if", "None", "True", "lambda", "not"])
def test_a_word_of_python_is_no_name(text):
    """No file is suggested for it, and no product with it."""
    with pytest.raises(ExpressionError) as caught:
        resolve(text)

    assert "1*" not in str(caught.value)
