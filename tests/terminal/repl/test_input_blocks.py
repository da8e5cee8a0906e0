"""Where one thing that was typed ends: brackets that are closed, and functions that are whole."""

import time

import pytest

from gradcli.terminal.repl.input_blocks import as_they_come, entered, is_open, margin_after, whole_lines

pytestmark = pytest.mark.sampled(2)  # many like cases

F = "def f(x):\n    y = x * x\n\n    # half\n    return y / 2"
G = "def g(x): return f(x)"


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([F], F),
        ([F], F + "\n\n    "),
        ([F, "f(3)"], F + "\nf(3)"),
        ([F, F, "f(3)", G, "g(3)"], "\n".join((F, "", F, "f(3)", G, "g(3)"))),
        (["import math\n\n" + F, "f(3)"], "import math\n\n" + F + "\nf(3)"),
        (["import math", "x = 3"], "import math\nx = 3"),
        (["@cache\n" + F], "@cache\n" + F),
        ([F, G], "".join(f"    {line}\n" if line else "\n" for line in (F + "\n" + G).split("\n"))),
        ([F, "f(3)"], ">>> " + F.replace("\n", "\n... ") + "\n>>> f(3)"),
        ([F, "f(3)"], "> " + F.replace("\n", "\n. ") + "\n> f(3)"),
        (["def f(x):\n# half\n    return x", "# of it", "f(3)"], "def f(x):\n# half\n    return x\n# of it\nf(3)"),
        (["def f(\n    x,\n):\n    return x", "f(3)"], "def f(\n    x,\n):\n    return x\nf(3)"),
        (['def f(x):\n    """Of\n\nx"""\n    return x', "f(3)"], 'def f(x):\n    """Of\n\nx"""\n    return x\nf(3)'),
        (["def f(x):\nreturn x"], "def f(x):\nreturn x"),
        (["x = (1", G, "y = 2"], f"x = (1\n{G}\ny = 2"),
        (["f(x) = (x +\n 1)", "f(2)"], "f(x) = (x +\n 1)\nf(2)\n"),
        (["g(x) = f(x", "x = 3", "y = (x +\n 1)"], "g(x) = f(x\nx = 3\ny = (x +\n 1)\n"),
    ],
)
def test_a_function_is_one_line_of_the_session(expected, text):
    """With the imports and decorators before it; what follows at its margin is another line.

    Brackets join lines as well; one that is never closed spoils its own line only.
    """
    assert [line for line in whole_lines(text) if line.strip()] == expected


LONG = ("(\n" * 5000, "import a\n" * 5000, f"{F}\n" * 1000, "def f(x):\n'''\n" + "a\n" * 5000, "[\n1\n]\n" * 1000)


@pytest.mark.parametrize("text", LONG, ids=["brackets", "imports", "functions", "a text", "lists"])
def test_a_long_text_is_taken_apart_in_time(text):
    """Whatever is never closed, or never comes: in half a second, where the square of its length would take minutes."""
    start = time.perf_counter()
    whole_lines(text)
    is_open(text)
    if not text.startswith(("import", "def")):
        list(as_they_come(text.splitlines(keepends=True)))

    assert time.perf_counter() - start < 5.0


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "def f(x):"),
        (True, "def f(x):\n"),
        (True, "def f(x):\n    "),
        (True, "def f(x,"),
        (True, "def f(x):\n    y = x"),
        (True, "def f(x):\n    if x > 0:\n        return x"),
        (True, 'def f(x):\n    """Of\n'),
        (True, "@cache"),
        (False, "def f(x):\n    y = x\n"),
        (False, "def f(x):\n    y = x\n    "),
        (False, "def f(x):\n    if x > 0:\n        return x\n    return -x"),
        (False, "    def f(x):\n        return x"),
        (False, "def f(x): return x"),
        (False, "def f(x) return x"),
        (False, "def f(x):\n    return x\nf(3)"),
        (True, "def f(x):\n    return x\nf(\n3"),
        (True, "(1 +"),
        (False, "(1 +\n2)"),
        (False, "(1 +\n"),
        (False, "(1 +\n2 +\n  "),
        (True, "(1 +\nx"),
        (True, "where(x\nif x > 0 else y,"),
        (True, "(a\nand b"),
        (True, "(1 +\ngrad x --at (3"),
        (True, "f(\nx = 3,"),
        (True, "def f(x):\n    exit"),
        (False, "))((("),
        (False, "x)(1 +"),
        (False, "(1 +\n2))("),
        (True, "(1 +\n2)("),
        (True, "(1 +\n')'"),
    ],
)
def test_what_goes_on(expected, text):
    """A function goes on until it returns; an empty line ends one that is whole."""
    assert is_open(text) is expected


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([F, "f(3)"], F + "\nf(3)\n"),
        (["import math\nimport os\n\n" + F, "f(3)"], "import math\nimport os\n\n" + F + "\n\nf(3)\n"),
        (["import math", "x = 3"], "import math\nx = 3\n"),
        (["def f(x):\n    x * x", "f(3)"], "def f(x):\n    x * x\nf(3)\n"),
        (["def f(x):\n    x * x"], "def f(x):\n    x * x\n"),
        (["x = (3 +", "y = 2", "y^2"], "x = (3 +\ny = 2\ny^2\n"),
        (["grad (x^2", "[1,2", "x"], "grad (x^2\n[1,2\nx\n"),
        (["x = 1", "y = {", "(x +\n2)", "z = ["], "x = 1\ny = {\n(x +\n2)\nz = [\n"),
        (["f(x) = (x", "def g(x):\n    return x", "g(2)"], "f(x) = (x\ndef g(x):\n    return x\ng(2)\n"),
        (["(1 +\n2)", "(", "3"], "(1 +\n2)\n(\n3\n"),
        (["(1 +\n\n2)", "3"], "(1 +\n\n2)\n3\n"),
        (["grad (x", "grad x --at 3", "(2\nx = 3)"], "grad (x\ngrad x --at 3\n(2\nx = 3)\n"),
        (["))(((", "1 + 1", "x)(", "2"], "))(((\n1 + 1\nx)(\n2\n"),
        (["(1\n))(", "3"], "(1\n))(\n3\n"),
        (["def f(x) = x:\n    return x", "f(3)"], "def f(x) = x:\n    return x\nf(3)\n"),
    ],
)
def test_a_stream_holds_functions(expected, text):
    """Empty lines do not end them there; a bracket that is never closed is the fault of its line alone."""
    assert [line for line in as_they_come(text.splitlines(keepends=True)) if line] == expected


def test_a_function_that_returns_waits_for_nothing():
    asked = []

    def stream():
        for line in F.splitlines(keepends=True):
            asked.append(line)
            yield line
        raise AssertionError("it asks for more")

    assert next(as_they_come(stream())) == F
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("text", "spaces"),
    [
        ("def f(x):", 4),
        ("import math\n\ndef f(x):", 4),
        ("def f(x):  # a comment", 4),
        ("def f(x):\n    y = x", 4),
        ("def f(x):\n    y = x[1:]", 4),
        ("def f(x):\n    if x > 0:", 8),
        ("def f(x):\n    if x > 0:\n        return x", 4),
        ("def f(x):\n    while x > 0:\n        break", 4),
        ("def f(x):\n    y = (x +", 8),
        ("def f(x):\n    y = {1:", 8),
        ("def f(x):\n    return (x +", 8),
        ('def f(x):\n    """Of:', 4),
        ("def f(x):\n    returned = x", 4),
        ("def f(x):\n    y = x\n    ", 4),
        ("@decorated", 0),
        ("(1 +", 0),
        ("x = 3:", 0),
        ("", 0),
    ],
)
def test_the_margin_of_the_next_line(text, spaces):
    """Of a function alone: deeper after a colon or an open bracket, less deep after what ends a block."""
    assert " " * spaces == margin_after(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1 +\n\n", ["(1 +"]),
        ("[1,\n2\n\n", ["[1,\n2"]),
        ("x = 3\n[1,\n2\n\n", ["x = 3", "[1,\n2"]),
        ("(1 +\n2)\nexit", ["(1 +\n2)", "exit"]),
        ("(exit", ["(exit"]),
        ("(1 +\n\n2)", ["(1 +\n\n2)"]),
        ("def f(x):\n    y = (\n    exit", ["def f(x):\n    y = (\n    exit"]),
        ("", []),
        ("(\n", ["("]),
    ],
)
def test_the_blocks_of_a_text(text, expected):
    assert entered(text) == expected
