"""What can be typed next, from the text and the cursor alone."""

import sys
from pathlib import Path

import pytest

from gradcli.terminal.repl.command_descriptions import OWN
from gradcli.terminal.repl.completion import functions_in, suggestions

pytestmark = pytest.mark.sampled(4)  # many like cases

SQUARES = """\
import nothing_of_the_kind

raise SystemExit("this file must not be run")


def square(x, *, scale=1.0):
    return scale * x * x


def _private(x):
    return x


class Square:
    def method(self):
        return 1
"""


@pytest.fixture
def known(session):
    """A session that knows some names, beside files that were not loaded."""
    Path("squares.py").write_text(SQUARES)
    Path("point.json").write_text("{}")
    Path("notes.txt").write_text("")
    Path(".hidden.py").write_text("")
    Path("folder").mkdir()
    for line in ("height = 3", "v = [1, 2]", "area(width, height) = width * height"):
        assert session.run(line).error is None
    return session


def words(session, text):
    """The suggested words where `|` is the cursor, or at the end."""
    cursor = text.find("|") if "|" in text else len(text)
    return [each.text for each in suggestions(text.replace("|", ""), cursor, session)]


@pytest.mark.parametrize(("expected", "text"), [
    (["grad"], "gra"),
    (["hessian", "help", "height", "heaviside"], "he"),
    (["height"], "2 * hei"),
    (["linspace"], "x = lins"),
    (["norm"], "2 * norm"),
    (["height"], "f(x) = hei"),
    (["height"], "(1 +\nhei"),
    (["height"], "hei| + 1"),
    (["svg", "html", "png", "md", "csv", "dot", "mermaid", "text", "json"], "tape area --format "),
    (["latex"], "explain area --format la"),
    (["cpu", "gpu"], "grad area --device "),
    (["width", "height"], "plot area --along "),
    (["area"], "grad are"),
    (["--at", "--wrt", "--device", "--cost", "--out", "--format", "--width", "--json", "--help"], "grad area --"),
    (["--wrt"], "grad area --at 1,2 --wr|"),
    (["width", "height"], "grad area --wrt "),
    (["height"], "grad area --wrt width,h"),
    (["x", "y"], "grad x*y --wrt "),
    (["x"], "grad squares.py:square --wrt x"),
    (["square"], "grad squares.py:"),
    (["square"], "squares.py:sq"),
    (["squares.py"], "grad sq|"),
    (["squares.py"], "load s"),
    (["folder/", "squares.py"], "load "),
    (["folder/", "notes.txt", "point.json", "squares.py"], "save "),
    (["point.json"], "grad area --at @p"),
    (["height=", "v="], "at "),
    (["height", "v"], "forget "),
    (["keys", "preview", "digits"], "set "),
    (["emacs", "vi"], "set keys "),
    (["vi"], "set keys v"),
    (["points", "precision"], "help p"),
    (["expressions", "exit", "exit-codes"], "help ex"),
    ([], "x = 3 # hei"),
    ([], "load squares.py:squ# x"),
    (["height"], "tape = hei"),
    (["height"], "tape * hei"),
    ([], "%1"),
    ([], "names "),
    ([], ""),
])  # fmt: skip
def test_words(expected, text, known):
    """Commands, names, functions, options, files, and functions in files, where each may stand."""
    found = words(known, text)

    assert sorted(set(expected)) == sorted(each for each in found if each in expected)
    if not text.startswith(("he", "help", "grad sq", "(", "2", "f(")):
        assert sorted(expected) == sorted(found)


@pytest.mark.parametrize("line", ["grad ", "tape ", "check area --against "])
def test_where_a_target_stands_what_the_session_knows_comes_first(line, known):
    assert words(known, line) == ["area", "height", "v", "folder/", "squares.py"]


def test_quantities_are_those_of_the_last_tape(known):
    assert words(known, "explain area --node ") == []
    Path("two.py").write_text("def two(x):\n    t_a = x * x\n    t_b = t_a + x\n    return t_b * t_b\n")
    for line in ("load two.py", "tape two --at 3", "at x=2"):
        assert known.run(line).error is None

    assert words(known, "explain two --node ") == ["x", "t_a", "t_b", "result"]
    assert words(known, "explain two --perturb t_") == ["t_a", "t_b"]
    assert words(known, "explain two --at 3 --node t_b") == ["t_b"]


def test_they_say_what_they_are(known):
    """A name has its value, a function its signature, an option and a command their help."""
    said = {
        each.text: (each.kind, each.meaning)
        for text in ("hei", "are", "grad x --w", "loa", "sq", "sqrt")
        for each in suggestions(text, len(text), known)
    }

    assert said["height"] == ("name", "3")
    assert said["area"] == ("function", "area(width, height) = width * height")
    assert said["sqrt"] == ("function", "sqrt(x)")
    assert said["--wrt"] == ("option", "Differentiate with respect to these inputs only: x,y.")
    assert said["load"] == ("command", OWN["load"].help)


def test_they_begin_where_the_word_begins(known):
    for text, word in (("(1 +\nhei", "hei"), ("grad area --wrt width,hei", "hei"), ("grad squares.py:squ", "squ")):
        assert [text.rindex(word)] == [each.start for each in suggestions(text, len(text), known)]


def test_files_are_not_run(known):
    """Their functions are found in their text, with signatures; classes and private functions are left out."""
    before = set(sys.modules)

    assert functions_in("squares.py") == {"square": ["x"]}
    assert before >= {name for name in sys.modules if "squares" in name}


@pytest.mark.parametrize("text", ["def f(x:", "\0", "\ud800"])
def test_a_file_that_is_no_python_has_none(text, known):
    Path("broken.py").write_bytes(text.encode("utf-8", "surrogatepass"))

    assert words(known, "grad broken.py:") == []
    assert words(known, "grad nowhere.py:") == []


def test_in_a_function_names_are_suggested(known):
    assert words(known, "def f(x):\n    he") == ["height", "heaviside"]
    assert words(known, "he") == ["hessian", "help", "height", "heaviside"]
