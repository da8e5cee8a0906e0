"""A session: lines in, answers out, and what is remembered between them."""

import weakref
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.errors import Exit
from gradcli.shared.records.checks import Comparison
from gradcli.shared.records.tapes import TapeListing
from gradcli.terminal.cli.exit_errors import as_error
from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.render import Look
from gradcli.terminal.repl.command_descriptions import OWN
from gradcli.terminal.repl.input_blocks import read_lines
from gradcli.terminal.repl.session import Session
from gradcli.terminal.repl.text_output import answer_objects, shown

HYPERBOX = Path(gradcli.__file__).parents[1] / "examples" / "hyperbox.py"


def answers(session, *lines):
    """The answers to some lines, none of which may fail."""
    found = [session.run(line) for line in lines]
    assert [answer.error for answer in found if answer.error] == []
    return found


# Files of the session's folder, for the tables below.
FILES = {
    "point.json": '{"x": 3, "v": [1, 2]}',
    "w.json": "[1, 2]",
    "own.py": "def f(x):\n    return x * x\n",
    "empty.py": "",
    "m.py": "class Model:\n    w = 2.0\n    def loss(self, x): return self.w * x ** 2\n"
    "model = Model()\ndef f(x): return x\n",
}


@pytest.fixture
def files(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    np.save(tmp_path / "w.npy", np.array([1.0, 2.0]))


DOT = "f(v) = v[0]^2 * v[1]"
GRADIENTS = [
    ("x = 3; y = 2; x^2 * y", {"x": 12.0, "y": 9.0}),
    ("f(x, y) = x^2 * y; at x=3,y=2; grad f", {"x": 12.0, "y": 9.0}),
    ("f(x, y) = x^2 * y; at x=3,y=2; grad f --at 1, 5 --wrt y", {"y": 1.0}),
    *((f"y = [1, 2]; z = 2; {DOT}; grad f --at {at}", {"v": [4.0, 1.0]}) for at in (
        "y", "v=y", "[1, 2]", "v=[1, 2]", "[1, z]", "v=[z - 1, z]", "y * 1", "v=y + 0 * z", "[1, sqrt(2 * z)]"
    )),
    ("z = 2; def f(a, b):\n    return a * b[1]; at z, [z, 3 * z]; grad f", {"a": 6.0, "b": [0.0, 2.0]}),
    ("at @point.json; x * sum(v)", {"x": 3.0, "v": [3.0, 3.0]}),
    ("w = @w.npy; sum(w^2)", {"w": [2.0, 4.0]}),
    ("w = @w.json; sum(w^2)", {"w": [2.0, 4.0]}),
    ("f(π) = π^2; grad f --at 2", {"pi": 4.0}),
    ("load m.py; grad model.loss --at 3", {"x": 12.0}),
    ("load m.py; model.loss; grad --at 3", {"x": 12.0}),
]  # fmt: skip
VALUES = [
    ("2 + 3", 5.0),
    ("x = 3; y = 2; x^2 * y", 18.0),
    ("A = [[1, 2], [3, 4]]; A[:, 1]", [2.0, 4.0]),
    ("A = [[1, 2], [3, 4]]; sum(A[0, :]^2)", 5.0),  # at the prompt a colon in brackets belongs to no file
    ("π = 2; π * pi", 4.0),
    ("at π=2; π * pi", 4.0),
    ("pi = 3; forget pi; 2 * pi", 6.283185307179586),
    ("x = [1, 2]; 1 / (x - 1); 0 * _[1] + 1", 1.0),
    ("x = [1, 2]; log(x - 1); 0 * _[1] + 1", 1.0),
]
REFUSED = [
    *((line, "is not a function.", "the expression of one input is typed 1*") for line in (
        "grad f --at 1", "tape f", "check f --at f=1", "explain ff --at 2"
    )),
    *((line, "There is no", "") for line in ("_7 + 1", "%3 * x", "_ + 1")),
    ("height = 3; 2 * heigth", "heigth has no value", "heigth = 1"),
    ("height = 3; 2 * heigth", "heigth has no value", "Did you mean height?"),
    ("forget", "needs a name", ""),
    ("w = @no.npy", "There is no file 'no.npy'", ""),
    *((line, "There is no setting 'foo'.",
        "The settings are keys emacs or vi, preview on or off, digits all or 2 to 16.") for line in (
        "set foo=1", "set foo = 1", "set foo 1"
    )),
    ("set keys=wordstar", "keys is emacs or vi, not wordstar.", "Type set keys vi, for example."),
    ("digits 1", "digits is all or 2 to 16, not 1.", "Type set digits 16, for example."),
    ("def grad(x): return x", "grad is a command, so it cannot be a name.", ""),
    ("def f(x):\nreturn x", "f does not parse: expected an indented block after function definition on line 1.", ""),
    *((line, "quit takes no argument", "") for line in ("quit now", "exit --force")),
    *((f"1 + 1; {line}", "", "") for line in ("run a\0b", "run \ud800", "save a\0b", "save \ud800", "load \ud800.py")),
    ("A = [[1, 2], [3, 4]]; A[0, x]", "An index is a whole number or a slice", ""),
    *((line, "Unable to allocate", "") for line in (
        "np.zeros(10**10)", "a = linspace(0, 1, 10**11)"
    )),
    ("none.py:f", "There is no file", ""), ("own.py:h", "There is no 'h' in", ""), ("own.py", "", "load"),
    ("grad", "grad needs a function or an expression, and none came.",
        "Type grad x^2 --at x=3, or first f(x) = x^2 and x = 3."),
    ("grad x --at", "The option --at of grad needs a value, and none came.",
        "For example: grad x**2 + sin(y) --at 1,2"),
    ("grad x --json y", "grad takes one target; 'y' is an extra argument.",
        "Quote an expression that has spaces: grad 'x + y' --at '1, 2'. `grad --help` lists its arguments and "
        "options."),
    ("load m.py; grad model.gain --at 1", "There is no 'model.gain'", ""),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "gradient"), GRADIENTS)
def test_gradients(session, files, lines, gradient):
    *_, answer = answers(session, *lines.split("; "))

    assert dict(answer.record.gradient) == gradient


@pytest.mark.parametrize(("lines", "value"), VALUES)
def test_values(session, lines, value):
    """Of the last line."""
    *_, answer = answers(session, *lines.split("; "))

    assert (answer.value if answer.record is None else answer.record.value) == value


@pytest.mark.parametrize(("lines", "message", "hint"), REFUSED)
def test_refusals(session, files, lines, message, hint):
    """What came, what was needed and what to type, in the words of the session, which goes on."""
    *first, last = lines.split("; ")
    answers(session, *first)
    answer = session.run(last)

    assert (answer.exit, answer.quits) == (Exit.USAGE, False)
    assert message in answer.error.message
    assert hint in (answer.error.hint or "")
    assert session.run("1 + 1").value == 2.0


def test_digits(session):
    """`digits 6`: numbers are shown rounded; what later lines compute with, and JSON, is not."""
    for line in ("digits 6", "x = 1/3"):
        session.run(line)

    def text(line):
        return "".join(map("".join, shown(session.run(line), session.shell.error, Look(width=80, terminal=True))[0]))

    assert text("x") == "x = 0.333333\n"
    assert text("2/3") == "= 0.666667  _1\n"
    assert text("x^2").splitlines()[0] == "= 0.111111  _2"
    assert "x     0.333333  0.666667\n" in text("grad x^2")
    assert "0.3333333333333333" in text("grad x^2 --json")
    assert session.run("_1").value == 2 / 3
    assert text("[x, 1e-20/3, 1e20/3, nan]").startswith("= [0.333333, 3.33333e-21, 3.33333e+19, nan]")
    session.run("set digits all")
    assert text("x") == "x = 0.3333333333333333\n"


@pytest.mark.parametrize(
    ("line", "gradient"),
    [
        ("grad sum(A @ v) --at v=[1, 2]", {"A": [[1.0, 2.0], [1.0, 2.0]], "v": [4.0, 6.0]}),
        ("grad sum(A @ v) --at v=[1, 2] --wrt v", {"v": [4.0, 6.0]}),
        ("grad f --at x=3", {"x": 2.0, "y": 3.0}),
        ("grad f --at y=3", None),
        ('grad f --at {"x": 3}', None),
        ("grad w^2*y --at w=3", {"w": 12.0, "y": 9.0}),
    ],
)
def test_a_point_by_name_is_completed_by_the_values_of_the_session(session, line, gradient):
    answers(session, "A = [[1, 2], [3, 4]]", "y = 2", "f(x, y) = x*y")
    answer = session.run(line)

    assert (None if answer.error else dict(answer.record.gradient)) == gradient


def test_a_hand_written_gradient_of_the_session_is_judged(session):
    *_, right, wrong = answers(
        session, f"load {HYPERBOX}", "at 1,2,3,4", "check f4 --against grad_f4", "check f4 --against grad_f4_slip"
    )

    assert isinstance(right.record, Comparison)
    assert (Exit.PASS, Exit.FAIL) == (right.exit, wrong.exit)


def test_what_was_answered_can_be_referred_to(session):
    """`_` is the last value, `_1` the first, `%2` a node of the last tape; after a value `%` is the remainder."""
    *_, listing, node, last, first, rest = answers(
        session, "x = 3", "x * 2", "tape x^2 * x", "%1 + 0", "_ + 1", "_1 + 0", "7 % 4"
    )

    assert isinstance(listing.record, TapeListing)
    assert (node.value, last.value, first.value, rest.value) == (9.0, 10.0, 6.0, 3.0)


def test_an_error_leaves_everything_as_it_was(session):
    answers(session, "x = 3")
    assert Exit.USAGE == session.run("x = 3 +").exit
    assert session.run("x^2").record.value == 9.0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("at q=1,p=zz", "zz has no value"),
        ("at q=1,lambda=2", "cannot be a name"),
        ("at @missing.json", "There is no file 'missing.json'"),
        ("at @bad.json", "cannot be read as json"),
        ("at @parts.json", "The parts of x have different lengths"),
        ("at @missing.py:make", "There is no file 'missing.py'"),
    ],
)
def test_a_point_that_is_refused_defines_nothing(line, said, session, tmp_path):
    for name, text in (("bad", '{"x": 1,}'), ("parts", '{"x": [[1, 2], [3]]}')):
        (tmp_path / f"{name}.json").write_text(text)
    answers(session, "x = 1", "at 4,5")
    error = session.run(line).error

    assert said in error.message
    assert [(known.name, known.meaning) for known in session.workspace.known()] == [("x", 1.0)]
    assert session.workspace.at == "4,5"


def test_a_formula_of_several_lines_is_shown_in_one(session):
    (answer,) = answers(session, "f(a, b) = (a +\n            b)  * 2")

    assert answer.known[0].meaning == "f(a, b) = (a + b)  * 2"


def test_a_function_of_a_file_is_called_with_an_array(session):
    line = "f4([1, 2, 3, 4])"
    *_, answer, again, named = answers(session, f"load {HYPERBOX}", line, "_ + 1", f"a = {line}")

    assert (answer.value, again.value, named.known[0].meaning) == (100.0, 101.0, 100.0)
    assert "not enough values to unpack" in session.run("f4([1, 2])").error.message
    assert session.run("f4(w=[1, 2])").error.message == "Formulas have no assignments, and no arguments by name."


@pytest.mark.parametrize(
    ("expected", "number", "line", "said"),
    [
        ([1.0, 4.0, 9.0], 1, "a^2", "`jacobian a^2` has its derivatives"),
        (True, 0, "x < 3", "a comparison is true or false"),
        ([True, False, False], 0, "a < 2", "a comparison is true or false"),
    ],
)
def test_a_value_that_is_no_number_is_shown(expected, number, line, said, session):
    *_, answer = answers(session, "x = 2", "a = [1, 2, 3]", line)

    assert (expected, number) == (answer.value, answer.number)
    assert said in "".join(err for _, err in shown(answer, session.shell.error, Look())[0])


def test_a_file_that_changes_is_loaded_again(session, tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def f(x):\n    return x * x\n")
    *_, before = answers(session, "load f.py", "at 3", "grad f")
    path.write_text("def f(x):\n    return x * x * x\n")
    after = session.run("grad f")

    assert (before.record.value, after.record.value) == (9.0, 27.0)
    assert after.notes == ("f.py has changed and was reloaded",)


def test_a_file_beside_a_loaded_one_counts_too(session, tmp_path):
    (tmp_path / "beside_it.py").write_text("def g(x):\n    return x * x\n")
    (tmp_path / "loaded.py").write_text("from beside_it import g\ndef f(x):\n    return g(x)\n")
    *_, before = answers(session, "load loaded.py", "at 3", "grad f")
    (tmp_path / "beside_it.py").write_text("def g(x):\n    return x * x * x\n")
    after = session.run("grad f")

    assert (before.record.value, after.record.value) == (9.0, 27.0)
    assert after.notes == ("loaded.py has changed and was reloaded",)


def test_half_a_program_is_no_end_of_the_session(session, tmp_path):
    """A file that is saved as it does not parse leaves its names as they were, with a note."""
    path = tmp_path / "f.py"
    path.write_text("def f(x):\n    return x * x\n")
    answers(session, "load f.py", "at 3", "grad f")
    path.write_text("def f(x):\n    return (\n")
    during = session.run("1 + 1")
    path.write_text("def f(x):\n    return x * x * x\n")

    assert (during.value, during.error) == (2.0, None)
    assert "f.py has changed but cannot be loaded" in during.notes[0]
    assert ": line 2: f.py does not parse" in during.notes[0]
    assert session.run("grad f").record.value == 27.0


@pytest.mark.parametrize("line", ["save my.py", "save notes", "save {folder}/notes"])
def test_no_file_of_the_user_is_written_over(session, tmp_path, line):
    """It is said what to type, and that works."""
    files = {"my.py": "def f(x):\n    return x * x\n", "notes": "mine\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    answers(session, "load my.py", "grad f --at 3")
    error = session.run(line.format(folder=tmp_path)).error

    assert files == {name: (tmp_path / name).read_text() for name in files}
    answers(session, error.hint.removeprefix("Type ").partition(",")[0])


def test_the_previous_script_is_kept(session, tmp_path):
    """One copy, and none of a script that says the same."""
    path = tmp_path / "s.gradcli"
    path.touch()
    first, same = answers(session, "1 + 1", "save s.gradcli", "save s.gradcli")[1:]
    before = path.read_text()
    *_, other = answers(session, "2 + 2", "save s.gradcli")

    assert [first.notes, same.notes, other.notes] == [(), (), ("the previous file is kept as s.gradcli~",)]
    assert (tmp_path / "s.gradcli~").read_text() == before
    assert "2 + 2" in path.read_text()


def test_a_full_disk_loses_nothing(session, tmp_path, monkeypatch):
    """The earlier file is whole, and nothing else is left behind."""
    answers(session, "1 + 1", "save s.gradcli")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    answers(session, "2 + 2")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)

    assert session.run("save s.gradcli").error.message == "'s.gradcli' cannot be written: No space left on device."
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_a_script_ends_at_its_first_error(session, tmp_path):
    (tmp_path / "s.gradcli").write_text("x = 3\ny = 2x\nz = 4\n")
    (answer,) = answers(session, "run s.gradcli")

    assert [inner.error is not None for inner in answer.inner] == [False, True]
    assert "z" not in session.workspace.names.values


def test_a_script_that_runs_itself_ends(session, tmp_path):
    (tmp_path / "s.gradcli").write_text("run s.gradcli\n")
    answer = session.run("run s.gradcli")
    while answer.inner:
        answer = answer.inner[-1]

    assert "more than 20 deep" in str(answer.error)


def test_short_answers(session, files):
    assert session.run("quit").quits
    assert session.run("exit").quits
    assert "There is no function in empty.py. Write one" in session.run("load empty.py").text


def test_an_interrupt_is_raised_with_what_the_line_has_recorded(session, monkeypatch):
    """So that it is told of before that is freed, which takes seconds for a long tape; the line has defined nothing."""

    class Tape:
        pass

    def interrupted(*_):
        tape = Tape()
        tapes.append(weakref.ref(tape))
        raise KeyboardInterrupt

    tapes = []
    answers(session, "x = 3")
    monkeypatch.setattr(session.workspace, "target", interrupted)
    try:
        session.run("x^2")
    except KeyboardInterrupt:
        held = tapes[0]() is not None

    assert (held, tapes[0](), session.entered) == (True, None, ["x = 3"])


def test_an_interrupted_script_keeps_what_its_lines_have_defined(session, monkeypatch, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    script = tmp_path / "script.gradcli"
    script.write_text("y = 4\nz = 5\nx^2\nv = 6\n")
    answers(session, "x = 3")
    monkeypatch.setattr(session.workspace, "target", interrupted)

    with pytest.raises(KeyboardInterrupt):
        session.run(f"run {script}")

    assert [known.name for known in session.workspace.known()] == ["x", "y", "z"]
    assert session.entered == ["x = 3"]


@pytest.mark.parametrize("line", ["grad f", "check f --rtol 1e-3"])
def test_a_command_about_a_number_says_how_its_formula_becomes_a_function(session, line):
    *_, answer = answers(session, "x = 2", "y = 3", "f = 1", "f = x*sin(y) + x^y", line)

    assert answer.notes == ("f holds a number; f(x, y) = x*sin(y) + x^y defines a function",)


@pytest.mark.parametrize("line", ["grad x", "grad f*x", "grad g", "grad h"])
def test_a_command_about_an_input_or_a_function_has_no_such_note(session, line):
    *_, answer = answers(session, "x = 2", "f = x^2", "g(x) = x^2", "h = 2", "h = h*2", line)

    assert answer.notes == ()


def test_a_long_point_in_order_is_shown_in_short(session):
    numbers = ",".join(str(n / 7) for n in range(100))
    answer, asked = answers(session, f"at [{numbers}]", "at")

    assert answer.text == asked.text
    assert len(asked.text) < 200
    assert " ... " in asked.text
    assert f"[{numbers}]" == session.workspace.at


@pytest.mark.parametrize("word", OWN)
def test_every_command_of_the_session_has_help(session, word):
    """By `help WORD` and by `WORD --help`; and `help` alone lists it."""
    asked, flagged, overview = answers(session, f"help {word}", f"{word} --help", "help")

    assert asked.text == flagged.text
    assert OWN[word].help in asked.text.replace("\n", " ")
    assert word in overview.text or word == "exit"  # quit is one word for it


def test_help_fits_a_small_screen(session):
    (page,) = (session.run("help"),)

    assert page.text.count("\n") < 23
    assert max(map(len, page.text.splitlines())) <= 80
    assert page.pages
    assert session.run("help grad").pages
    assert session.run("grad --help").pages


def test_every_command_of_the_session_is_in_the_table(session):
    assert list(session.own) == list(OWN)


@pytest.mark.parametrize("line", ["grad -h", "grad --help", "help grad"])
def test_help_of_a_command_knows_both_spellings(session, line):
    """As in the shell; click keeps the help option of the first context that asks."""
    assert "-h, --help" in session.run(line).text


def test_a_script_needs_no_key(session, monkeypatch):
    """What is kept leaves out the view of `step`, and pages of help."""
    from gradcli.terminal.repl.terminal.step_screen import StepScreen

    monkeypatch.setattr("gradcli.terminal.cli.commands.step.refuse_without_terminal", lambda: None)
    monkeypatch.setattr(StepScreen, "run", lambda view: None)
    monkeypatch.setattr(StepScreen, "__init__", lambda view, *_: None)
    *_, saved, again = answers(session, "x = 3", "step x^2", "help", "x^2", "save s.gradcli", "run s.gradcli")

    assert saved.text == "2 lines in s.gradcli; `run s.gradcli` runs them again.\n"
    assert [inner.line for inner in again.inner] == ["x = 3", "x^2"]


def test_how_to_refer_to_an_answer_is_said(session):
    """Below the record, to a person; not below JSON or a table for a program."""
    look = Look(width=80, terminal=True)
    gradient, listing, data, table = answers(
        session, "grad x^2 --at 3", "tape x^2 --at 3", "grad x^2 --at 3 --json", "grad x^2 --at 3 --format csv"
    )

    assert said(gradient, look).endswith("\nthe value is stored as _1\n")
    assert said(listing, look).endswith("\nthe value is stored as _2, its nodes as %0 to %1\n")
    assert all("is stored as" not in said(answer, look) for answer in (data, table))
    assert "is stored as" not in said(gradient, Look())


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("leaves(2)", 5, "SystemExit in leaves(2): 3"),
        ("ends(2)", 5, "GeneratorExit in ends(2)"),
        ("x = raises(2)", 5, "ValueError in x = raises(2): no"),
        ("g(2)", 5, "ValueError in g(2): no"),
        ("module(2)", 2, "module returned a module; a formula needs numbers"),
        ("x = pair(2)", 2, "'pair(2)' is a tuple of 2; a formula needs numbers"),
        ("later(2)", 2, "later returned a coroutine; a formula needs numbers"),
    ],
)
def test_what_a_function_of_a_file_does_in_a_formula(line, code, said, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(
        "import sys\n"
        "def leaves(x): sys.exit(3)\n"
        "def ends(x): raise GeneratorExit\n"
        "def raises(x): raise ValueError('no')\n"
        "def module(x): return sys\n"
        "def pair(x): return x, x\n"
        "async def later(x): return x\n"
    )
    session = Session(Shell(program))
    for each in (f"load {path}", "g(x) = raises(x)"):
        session.run(each)
    answer = session.run(line)

    assert (code, said) == (answer.exit, answer.error.message)
    assert session.run("2 + 2").value == 4.0


def said(answer, look):
    return "".join(out for out, _ in shown(answer, as_error, look)[0])


def test_the_letter_pi_is_a_parameter_of_a_python_function_too(session):
    *_, at_one, _, at_two = answers(session, "def q(π): return π*π", "check q --against 2*π --at 1", "at π=2", "grad q")

    assert at_one.record.verdict == "pass"
    assert dict(at_two.record.gradient) == {"π": 4.0}


TYPED = "def f(x):\n    # a cube\n\n    return x * x * x"


def test_a_python_function_is_a_line(session, tmp_path):
    """It is known by its name, saved as it was typed, and run again."""
    assert [answer.error for answer in map(session.run, (TYPED, "f(2)", "grad f --at 2"))] == [None] * 3
    session.run("save it.gradcli")
    assert f"\n{TYPED}\n\nf(2)\n" in (tmp_path / "it.gradcli").read_text()

    again = Session(Shell(program)).run("run it.gradcli").inner
    assert [answer.line for answer in again] == [TYPED, "f(2)", "grad f --at 2"]
    assert again[1].value == 8.0


def test_imports_are_answered_alone():
    """By one line; those of modules that are not there by an error that says so."""
    session = Session(Shell(program))

    assert session.run("import numpy as np; from math import erf").text == "np, erf: for functions typed with def\n"
    assert {"x": 2.0} == dict(
        (session.run("def f(x): return 2*np.sin(x)"), session.run("x = 0"), session.run("f(x)"))[2].record.gradient
    )
    assert session.run("import nunpy").error.message == "There is no module 'nunpy'."


def test_a_function_of_a_file_that_is_named_in_full(session, tmp_path):
    (tmp_path / "own.py").write_text("def square(x):\n    return x * x\n\ndef cube(x):\n    return x ** 3\n")
    first, *_, last = answers(session, f"{tmp_path}/own.py:cube", "x = 2", "grad")

    assert [known.name for known in first.known] == ["cube"]
    assert dict(last.record.gradient) == {"x": 12.0}
    assert session.run("square(2)").value == 4.0


def test_the_file_that_derive_writes_names_the_point_of_the_session(session):
    *_, typed, named = answers(
        session, "x = 3", "y = 2", "x^2*sin(y)", "derive", "f(a, b) = a^2*exp(b)", "derive f --at 1,2"
    )[3::2]

    assert "gradcli derive 'x^2*sin(y)' --at x=3.0,y=2.0\n" in typed.record.source
    assert "gradcli derive f --at 1,2\n" in named.record.source


@pytest.mark.parametrize("formula", ["x^2*sin(y)", "x*y", "exp(-x*y)/y", "log(x + y^2)", "x^y", "sqrt(x^2 + y^2)"])
def test_a_formula_with_a_name_is_derived(session, formula):
    *_, named, typed = answers(
        session, f"f(x, y) = {formula}", "derive f --at 0.7,1.3", f"derive '{formula}' --at x=0.7,y=1.3"
    )

    body = [each.record.source.partition(":\n")[2].partition('"""')[2] for each in (named, typed)]
    assert body[0].partition('"""')[2] == body[1].partition('"""')[2] != ""


def test_a_method_is_told_with_its_file(session, files, tmp_path):
    *_, answer = answers(session, f"load {tmp_path / 'm.py'}", "model.loss")

    assert (answer.known[0].meaning, answer.known[0].file) == ("model.loss(x)", str(tmp_path / "m.py"))


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        ("pi = 3", "pi no longer means 3.14159; forget pi restores it."),
        ("e = 2", "e no longer means 2.71828; forget e restores it."),
        ("tau = [1, 2]", "tau no longer means 6.28319; forget tau restores it."),
        ("pi = pi", ""),
        ("x = 3", ""),
        ("pi(x) = x^2", ""),
    ],
)
def test_a_name_that_replaces_a_constant(session, line, remark):
    assert remark == answers(session, line)[0].remark


@pytest.mark.parametrize(
    ("line", "script"),
    [
        (1, "grad y"),
        (3, "# a comment\n\ngrad y\n"),
        (4, "def f(x):\n    return x\n\ngrad y\n"),
        (3, "f(x) = (\n  x)\ngrad (\n  y)\n"),
        (2, "grad (1\ngrad y\n"),
        (2, "\r\ngrad y\r\n"),
    ],
)
def test_an_error_in_a_script_names_its_line(session, tmp_path, line, script):
    """As it is in the file: blank lines, comments and functions count."""
    path = tmp_path / "s.gradcli"
    path.write_text(script)

    answers = [session.run(block) for block in read_lines(str(path))]
    last = [each for each in answers if each.line][-1]

    ((_, text),), _ = shown(last, as_error, Look())
    assert text.startswith(f"error: s.gradcli:{line}: ")
    (as_json,) = answer_objects(last)
    assert (str(path), line) == (as_json["error"]["file"], as_json["error"]["line"])
    assert (str(path), line) == (as_json["input_file"], as_json["input_line"])


def test_an_error_in_a_script_that_a_script_runs(session, tmp_path):
    (tmp_path / "m.py").write_text("def f(x):\n    raise KeyError\n")
    (tmp_path / "inner.gradcli").write_text("x = 1\n\ngrad m.py:f --at 1\n")
    (tmp_path / "outer.gradcli").write_text("run inner.gradcli\n")

    (block,) = read_lines("outer.gradcli")
    *_, said = answer_objects(session.run(block))

    assert (said["input_file"], said["input_line"]) == ("inner.gradcli", 3)
    assert (Path(said["error"]["file"]).name, said["error"]["line"]) == ("m.py", 2)


def test_an_error_of_a_typed_line_names_no_line(session):
    (said,) = answer_objects(session.run("grad y"))

    assert (said["error"]["file"], said["error"]["line"]) == (None, None)
    assert "input_line" not in said
