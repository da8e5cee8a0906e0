"""What was seen in a session, as tests that pass, and fail when what they saw changes."""

import ast
from pathlib import Path

import pytest

import gradcli
from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.repl.session import Session

SQUARES = """\
def f(params, x):
    return params["w"] * x * x

def grad_f(params, x):
    return {"w": x * x}, 2 * params["w"] * x
"""

LINES = (
    "load squares.py", 'grad f --at params={"w": 2},x=3', "x = 3", "y = [1, 2]", "g(a) = a^2 * x", "grad g --at 2",
    "x = 5", "grad g --at 2", "sum(y^2) * x", "2 + 3", "tape x^2 * x", "_ + 1", "jacobian y^2", "hessian x * sum(y)",
    "check g --at 2", "check g --at 2 --points 2",
)  # fmt: skip


@pytest.fixture
def exported(tmp_path, monkeypatch):
    """The tests of an export by name, and the folder where they lie; it is not the current one when they run."""
    (tmp_path / "squares.py").write_text(SQUARES)
    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path)
    session = Session(Shell(program))
    assert [error for line in LINES if (error := session.run(line).error)] == []
    path = tmp_path / "tests" / "test_seen.py"
    answer = session.run("export tests/test_seen.py")
    assert answer.text == "9 tests in tests/test_seen.py; `pytest tests/test_seen.py` runs them.\n"
    monkeypatch.chdir("/")
    return path


def read_tests(path):
    names = {"__file__": str(path)}
    exec(compile(Path(path).read_text(), str(path), "exec"), names)
    return {name: test for name, test in names.items() if name.startswith("test_")}


def test_what_was_seen_holds(exported):
    """Every test passes, with the definitions as they were at the time; a line that refers back has none."""
    tests = read_tests(exported)
    for test in tests.values():
        test()

    assert len(tests) == 9
    assert "`grad g --at 2`" in tests["test_02_grad_g_at_2"].__doc__


def test_what_changes_is_noticed(exported):
    """A function of the file that is another one now fails its test, and only that."""
    (exported.parents[1] / "squares.py").write_text(SQUARES.replace("x * x", "x * x * x"))
    tests = read_tests(exported)
    with pytest.raises(AssertionError):
        tests.pop("test_01_grad_f_at_params")()
    for test in tests.values():
        test()


def test_only_public_names_are_written(exported):
    """A test that rests on what the library promises lasts as long as that."""
    tree = ast.parse(exported.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "gradcli" in node.module]

    assert [node.module for node in imports] == ["gradcli"]
    assert {alias.name for node in imports for alias in node.names} - set(gradcli.__all__) == set()
