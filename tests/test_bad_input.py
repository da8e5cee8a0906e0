"""Bad input, end to end: the exit code, what is said, no frame of ours, and the same in JSON."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gradcli
from gradcli.terminal.cli import main
from tests import interrupts

pytestmark = pytest.mark.sampled(8)  # many like cases

PROGRAMS = """\
import array, math, pathlib, sys
import numpy as np
def f(x): return x * x
def two(a, b): return a * b
def none(x): x * x
def text(x): return "abc"
def vector(x): return x * np.ones(3)
def pair(x): return x, x
def raises(x):
    y = x - 2
    raise ValueError(f"x is {x}")
def outer(x): return inner(x)
def inner(x): return math.log(x - 100)
def kept(x): return array.array("d", [x])[0]
def deep(x): return deep(0.5 * x) + 1
def leaves(x): sys.exit(3)
def interrupts(x): raise KeyboardInterrupt
def asks(x): return x * float(input())
def forever(x):
    print("running", flush=True)
    while True:
        x = x * 1.0000001
def prints(x):
    print("from f")
    return x * x
def changes_path(x):
    sys.path.insert(0, "/nowhere")
    return x * x
def reads(x): return x * float(pathlib.Path("number.txt").read_text())
number = 5
def nothing(): return 3.0
def broad(x): return np.sum(x[:2] + x[:3])
def index(x): return x[7]
def inverse(x): return np.linalg.inv(x).sum()
def data(x): return np.sum(x * np.array([1.0, np.nan]))
def ragged(x): return x * np.array([[1, 2], [3]]).sum()
async def later(x): return x
def yields(x): yield x
def by_name(*, x): return x * x
def named(**options): return sum(options.values())
def by_key(p): return p.w * p.b
def counts(x, n): return sum(x * k for k in range(n))
def picks(x, n): return [x, x * x][n]
def slices(x, n): return sum([x, x, x][:n])
def repeats(x, n): return sum([x] * n)
def indexes(x, n): return np.ones(4)[n] * x
def pieces(x, n): return np.ones(4)[:n].sum() * x
"""

ABSURD = """\
import math, sys
import numpy as np
class Silent(Exception):
    def __str__(self): raise ValueError("no text")
def leaves(x): sys.exit(3)
def base(x): raise BaseException("base")
def ends(x): raise GeneratorExit
def silent(x): raise Silent
def several(x): raise ExceptionGroup("both", [ValueError("a"), TypeError("b")])
def letters(x): raise ValueError("\\ud800 \\x1b[31m")
async def later(x): return x
def yields(x): yield x
def module(x): return np
def kind(x): return int
def itself(x): return itself
def many(x): return {1, 2}
def empty(x): return x * np.zeros(0)
def nothing(x): return []
def nested(x): return [[x, [None]]]
def truth(x): return x > 1
def odd(x): return complex(x, 1)
def closes(x):
    sys.stdout.close()
    return x * x
"""

PACKAGE = """\
import math
FUNCTIONS = {math.sin}
def kept(x): return sum(s(x) for s in FUNCTIONS)
def fine(x): return math.sin(x)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with programs that are odd in one way each."""
    folder = tmp_path_factory.mktemp("bad")
    files = {
        "p.py": PROGRAMS,
        "absurd.py": ABSURD,
        "syntax.py": "def f(x)\n    return x\n",
        "boom.py": "import math\n1/0\n",
        "missing.py": "import nothing_like_this\n",
        "leaves.py": "import sys\nsys.exit(2)\n",
        "empty.py": "",
        "loud.py": "print('loading')\ndef f(x): return x * x\n",
        "number.txt": "2.5\n",
        "bad_package/__init__.py": "",
        "bad_package/m.py": PACKAGE,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    """The folder is the current one, and a test leaves `sys.path` as it was."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setattr(sys, "stdin", io.StringIO())


# What is typed after `gradcli`, the exit code, and the whole of what is said.  HERE is the folder.
CASES = [
    ("no file", ["grad", "nothing.py:f", "--at", "2"], 2, "There is no file 'nothing.py'.\n…"),
    ("no function", ["grad", "p.py:none_such", "--at", "2"], 2, "There is no 'none_such' in p.py; …"),
    ("no function at all", ["grad", "empty.py:f", "--at", "2"], 2,
     "There is no 'f' in empty.py, and no function at all."),
    ("no name of a point file", ["grad", "p.py:f", "--at", "@"], 2,
     "After @ comes the name of a file.\nType --at @point.json."),
    ("a script that is a folder", ["run", "."], 2, "'.' cannot be read: Is a directory.\n"
     "`save session.gradcli` at the prompt writes a script that run reads."),
    ("no script", ["run", "no.gradcli"], 2,
     "'no.gradcli' cannot be read: No such file or directory.\n"
     "`save session.gradcli` at the prompt writes a script that run reads."),
    ("no folder to draw into", ["tape", "p.py:f", "--at", "2", "--out", "no/where.html"], 2,
     "'no/where.html' cannot be written: there is no folder 'no'.\n"
     "Make it with mkdir -p no, or type where.html alone."),
    ("no module", ["grad", "no_such.module:f", "--at", "2"], 2, "There is no module 'no_such.module'."),
    ("no callable", ["grad", "p.py:number", "--at", "2"], 2, "number in p.py is not a function: its type is int."),
    ("no target", ["grad", "", "--at", "2"], 2, "The target is empty.\n…"),
    ("does not parse", ["grad", "syntax.py:f", "--at", "2"], 2,
     "syntax.py does not parse: expected ':'.\n  HERE/syntax.py:1: def f(x)\n…^"),
    ("raises on import", ["grad", "boom.py:f", "--at", "2"], 5,
     "ZeroDivisionError while boom.py is loaded: division by zero\n  HERE/boom.py:2 in <module>: 1/0"),
    ("imports what is not there", ["grad", "missing.py:f", "--at", "2"], 5,
     "ModuleNotFoundError while missing.py is loaded: No module named 'nothing_like_this'\n"
     "  HERE/missing.py:1 in <module>: import nothing_like_this"),
    ("exits on import", ["grad", "leaves.py:f", "--at", "2"], 5,
     "SystemExit while leaves.py is loaded: 2\n  HERE/leaves.py:2 in <module>: sys.exit(2)\n"
     'Put the code that runs as a program under if __name__ == "__main__":.'),
    ("too few values", ["grad", "p.py:two", "--at", "1"], 2,
     "The point does not fit: one value came, 2 are needed.\ntwo takes 2 parameters a, b: --at 1,2 or --at a=1,b=2."),
    ("too many values", ["grad", "p.py:two", "--at", "1,2,3"], 2,
     "The point does not fit: 3 values came, 2 are needed.\ntwo takes 2 parameters a, b: --at 1,2 or --at a=1,b=2."),
    ("an unknown name", ["grad", "p.py:two", "--at", "a=1,c=2"], 2,
     "There is no input named 'c'.\nThe inputs are a, b."),
    ("no numbers", ["grad", "p.py:f", "--at", "hello"], 2,
     "The value of x is 'hello', a word; a number is needed.\n"
     "Write a function of the numbers alone that passes 'hello', and name that."),
    ("no point", ["grad", "p.py:f"], 2,
     "There is no point.\nf takes one parameter x: --at 3 for a number, --at 1,2,3,4 for an array."),
    ("no parameters", ["grad", "p.py:nothing"], 2,
     "nothing takes no parameters, so it has no gradient.\n"
     "Give it a parameter to differentiate by: def nothing(x)."),
    ("a constant", ["grad", "pi*2"], 2,
     "The expression has no inputs, so it has no gradient.\n"
     "Name a constant in the point to make it an input: --at pi=3."),
    ("an expression without a point", ["grad", "-x*y"], 2,
     "There is no point.\nThe expression takes 2 inputs x, y: --at 1,2 or --at x=1,y=2."),
    ("shapes that do not broadcast", ["grad", "p.py:broad", "--at", "1,2,3"], 5,
     "ValueError in broad: operands could not be broadcast together with shapes (2,) (3,)\n"
     "  HERE/p.py:32 in broad: def broad(x): return np.sum(x[:2] + x[:3])\n"
     "In x[:2] + x[:3], x has the shape (3,)."),
    ("an index out of range", ["grad", "p.py:index", "--at", "1,2,3"], 5,
     "IndexError in index: index 7 is out of bounds for axis 0 with size 3\n"
     "  HERE/p.py:33 in index: def index(x): return x[7]"),
    ("a singular matrix", ["grad", "p.py:inverse", "--at", "[[1,2],[2,4]]"], 5,
     "numpy.linalg.inv met a singular matrix: its rank is 1 of 2\n  HERE/p.py:34: …\n…pinv…"),
    ("a matrix that is not square", ["grad", "p.py:inverse", "--at", "[[1,2,3],[4,5,6]]"], 5,
     "numpy.linalg.inv needs a square matrix, and got one of shape (2, 3)\n  HERE/p.py:34: …"),
    ("ragged lists", ["grad", "p.py:ragged", "--at", "2"], 5,
     "ValueError in ragged: setting an array element with a sequence. …\n  HERE/p.py:36 in ragged: …"),
    ("a ragged point", ["grad", "p.py:f", "--at", "[[1,2],[3]]"], 2,
     "The parts of x have different lengths.\nThey are a list of 2, a list of 1; …"),
    ("an asynchronous function", ["grad", "p.py:later", "--at", "2"], 2,
     "later returned a coroutine; grad needs one real number\n"
     "An `async` function has no result yet: differentiate lambda x: asyncio.run(f(x))."),
    ("a generator", ["grad", "p.py:yields", "--at", "2"], 2,
     "yields returned a generator; grad needs one real number\n`yield` makes a generator of the function: …"),
    ("any names", ["grad", "p.py:named", "--at", "2"], 2,
     "The point does not fit: one value came, 0 are needed.\nnamed takes any named values: --at a=1,b=2."),
    ("an unknown device", ["grad", "p.py:f", "--at", "2", "--device", "tpu"], 2,
     "there is no device 'tpu'\nThe devices are cpu, gpu."),
    ("two names with a space", ["grad", "p.py:two", "--at", "a=1 b=2"], 2,
     "The character = is not allowed in column 6 of the point, at '=2'.\nA point is typed 1,2 or x=[1,2],y=3."),
    ("a tuple", ["grad", "p.py:f", "--at", "(1,2)"], 2,
     "In the value of x: …\n…^\nNumbers are typed 1,2 and an array [1,2]."),
    ("an array of NumPy's", ["grad", "p.py:f", "--at", "np.array([1,2])"], 2,
     "In the value of x: …\n…^\nNumbers are typed 1,2 and an array [1,2]."),
    ("a space for a colon", ["grad", "p.py f", "--at", "2"], 2,
     "Attributes are not allowed in formulas.\n  p.py f\n   ^^^\n…grad file.py:f."),
    ("two words for a colon", ["grad", "p.py", "f", "--at", "2"], 2,
     "gradcli grad takes one target; 'f' is an extra argument.\nA function of a file is typed p.py:f."),
    ("an exit of C", ["grad", "sys:exit", "--at", "2"], 5, "SystemExit in exit: 2.0"),
    ("an exit of C for a gradient", ["check", "p.py:f", "--at", "2", "--against", "sys:exit"], 5,
     "SystemExit in exit: 2.0"),
    ("a coroutine for a gradient", ["check", "p.py:f", "--at", "2", "--against", "p.py:later"], 2,
     "later returned a coroutine; a gradient consists of numbers\n…"),
    ("an interval without ends", ["plot", "x", "--at", "1", "--range", ":"], 2,
     "--range : is not an interval: a number is missing.\nType two numbers, such as --range 0:1."),
    ("any names, written out", ["symbolic", "p.py:named"], 2,
     "There is no point.\nnamed takes any named values: --at a=1,b=2."),
    ("an empty point", ["grad", "p.py:f", "--at", ""], 2, "The point is empty.\n…"),
    ("NaN", ["grad", "p.py:f", "--at", "nan"], 4, "The value of x is NaN; a gradient needs a finite point."),
    ("nothing returned", ["grad", "p.py:none", "--at", "2"], 2,
     "none returned None; grad needs one real number\nIs a `return` missing?"),
    ("text returned", ["grad", "p.py:text", "--at", "2"], 2,
     "text returned a str; grad needs one real number\n"
     "Return the number itself, not its text."),
    ("array returned", ["grad", "p.py:vector", "--at", "2"], 2,
     "vector returned an array of shape (3,); grad needs one real number\n"
     "For all derivatives of all results use `jacobian`, or return a number such as its sum."),
    ("array to check", ["check", "p.py:vector", "--at", "2"], 2, "…vector returned an array …`check --of jacobian`…"),
    ("tuple returned", ["grad", "p.py:pair", "--at", "2"], 2, "pair returned a tuple of 2; …`jacobian`…"),
    ("a dictionary for an object", ["grad", "p.py:by_key", "--at", 'p={"w": 1, "b": 2}'], 5,
     "AttributeError in by_key: 'dict' object has no attribute 'w'\n"
     "  HERE/p.py:41 in by_key: def by_key(p): return p.w * p.b\n"
     "An object of the point is a dictionary: write p['w'] for p.w, or give the parameter the type of a dataclass, "
     "def f(p: Params), and it is made one."),
    *((f"a float where {name} takes a whole number", ["check", f"p.py:{name}", "--at", "x=1,n=1"], 5,
       f"{kind} in {name}: …\nNumbers to differentiate by are floats: leave a whole number n out of --wrt, …")
      for name, kind in [("counts", "TypeError"), ("picks", "TypeError"), ("slices", "TypeError"),
                         ("repeats", "TypeError"), ("indexes", "IndexError"), ("pieces", "TypeError")]),
    ("raises", ["grad", "p.py:raises", "--at", "2"], 5,
     'ValueError in raises: x is 2.0\n  HERE/p.py:11 in raises: raise ValueError(f"x is {x}")'),
    ("raises in a call", ["grad", "p.py:outer", "--at", "2"], 5,
     "ValueError in outer: math domain error\n  HERE/p.py:12 in outer: def outer(x): return inner(x)\n"
     "  HERE/p.py:13 in inner: def inner(x): return math.log(x - 100)\n"
     "In math.log(x - 100), x is 2.0."),
    ("calls exit", ["grad", "p.py:leaves", "--at", "2"], 5,
     "SystemExit in leaves: 3\n  HERE/p.py:16 in leaves: def leaves(x): sys.exit(3)"),
    ("asks where nobody answers", ["grad", "p.py:asks", "--at", "2"], 5, "EOFError in asks: …\n…"),
    ("a C function", ["grad", "p.py:kept", "--at", "2"], 5, "a recorded value is …\n  HERE/p.py:14: …\n…G402…"),
    ("a function in a set", ["grad", "bad_package.m:kept", "--at", "2"], 5,
     "a recorded value is …\n  HERE/bad_package/m.py:3: def kept(x): return sum(s(x) for s in FUNCTIONS)\n…G402…"),
    ("deep recursion", ["grad", "p.py:deep", "--at", "2"], 5,
     "RecursionError in deep: …\n  HERE/p.py:15 in deep, … times: def deep(x): return deep(0.5 * x) + 1"),
    ("another gradient's inputs", ["check", "p.py:f", "--at", "2", "--against", "p.py:two"], 2,
     "two takes a, b; the point gives x.\n"
     "A gradient takes what its function takes, in the same order or by the same names."),
    ("a gradient of nothing", ["check", "p.py:f", "--at", "2", "--against", "p.py:none"], 2,
     "none returned None; a gradient consists of numbers\nIs a `return` missing?"),
    ("a gradient that raises", ["check", "p.py:f", "--at", "2", "--against", "p.py:raises"], 5,
     "ValueError in raises: x is 2.0\n…"),
    ("a gradient of another shape", ["check", "p.py:two", "--at", "2,3", "--against", "a + b"], 2,
     "a + b returned one number; 2 are needed: a, b\n"
     "A gradient has one derivative for each number of the point, in order, as in '2*x*y, x**2'."),
    ("a call into Python", ["grad", "__import__('os')", "--at", "2"], 2, "…\n  __import__('os')\n  ^^^^^^^^^^\n…"),
    ("an attribute", ["grad", "(x).real", "--at", "2"], 2, "…\n  (x).real\n     ^…"),
    ("a tower of powers", ["grad", "9**9**9**9", "--at", "2"], 2, "…\n  9**9**9**9\n     ^^^^^^^\n…"),
    ("brackets", ["grad", "(" * 10_000 + "x" + ")" * 10_000, "--at", "2"], 2, "…"),
    ("a megabyte", ["grad", "x+" * 500_000 + "x", "--at", "2"], 2, "…"),
    ("an unknown function", ["grad", "sine(x)", "--at", "2"], 2,
     "There is no function sine.\n  sine(x)\n  ^^^^\n…sin?…"),
    ("no operator", ["grad", "2x", "--at", "2"], 2, "…\n  2x\n  ^^\nType 2*x."),
    ("a blank expression", ["grad", "  ", "--at", "2"], 2, "The target is empty.\n…"),
]  # fmt: skip
PARAMETERS = pytest.mark.parametrize(("typed", "code", "said"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])


def matches(pattern: str, text: str) -> bool:
    """Whether a text is the pattern, in which … stands for anything."""
    first, *rest = pattern.split("…")
    if not rest:
        return pattern == text
    if not text.startswith(first) or not text.endswith(rest[-1]):
        return False
    place = len(first)
    for part in rest:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


@PARAMETERS
def test_a_clear_answer(typed, code, said, capsys, folder):
    """The exit code, and on stderr what came, what was needed and what to type; nothing on stdout."""
    answered = main(typed)
    out, err = capsys.readouterr()
    shown = " ".join(err.replace(str(folder), "HERE").split())

    assert (code, "") == (answered, out)
    assert matches(" ".join(f"error: {said}".split()), re.sub(r"^error\[G\d+\]:", "error:", shown)), err
    assert str(Path(gradcli.__file__).parent) not in err
    assert "Traceback" not in err


@PARAMETERS
def test_the_same_in_json(typed, code, said, capsys, folder):
    answered = main([*typed, "--json"])
    out, err = capsys.readouterr()
    error = json.loads(err)["error"]

    assert (code, code, "") == (answered, error["exit"], out)
    assert error["message"].startswith(said.partition("\n")[0].partition("…")[0])
    assert error["line"] is None or error["file"].startswith(str(folder))


COMMANDS = (
    *(["grad"], ["jacobian"], ["hessian"], ["tape"], ["explain"], ["symbolic"], ["check"], ["precision"]),
    ["plot", "--range", "0:1"],
)
NAMES = tuple(re.findall(r"(?m)^(?:async )?def (\w+)", ABSURD))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("name", NAMES)
def test_an_absurd_function_is_answered(name, command, capsys):
    """By every command: with a documented exit code and a sentence, and never as a fault of ours."""
    code = main([*command, f"absurd.py:{name}", "--at", "2"])
    out, err = capsys.readouterr()

    assert code in {0, 2, 5, 6}
    assert out if code == 0 else err.startswith(("error", "note", "warning"))
    assert "Traceback" not in err
    assert str(Path(gradcli.__file__).parent) not in err


def test_data_that_is_not_finite(capsys):
    answered = main(["grad", "p.py:data", "--at", "2"])

    assert answered == 4
    said = " ".join(capsys.readouterr().err.split())
    assert "G110 not finite from outside] p.py:35: an array created by the program contains nan at [1]" in said


def test_what_goes_by_name_only_may_come_in_order(capsys):
    assert main(["grad", "p.py:by_name", "--at", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["point"] == {"x": 2.0}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("command", "code"), [("grad 'x^' --at 1", 2), ("grad 'sqrt(x)' --at 0", 4), ("check 'x*x' --at 1 --strict", 0)]
)
def test_where_stderr_cannot_be_written_the_exit_code_stays(command, code):
    env = {**os.environ, "PYTHONPATH": str(Path(gradcli.__file__).parents[1])}
    shell = f"{sys.executable} -m gradcli {command} 2>/dev/full >/dev/null"

    assert code == subprocess.run(shell, shell=True, env=env, check=False).returncode


def test_a_process_without_streams():
    env = {**os.environ, "PYTHONPATH": str(Path(gradcli.__file__).parents[1])}
    shell = f"{sys.executable} -m gradcli grad p.py:prints --at 2 >&- 2>&-"

    assert subprocess.run(shell, shell=True, env=env, check=False).returncode == 0


@pytest.mark.parametrize("name", ["brackets", "a megabyte", "a tower of powers"])
def test_what_is_too_large_is_refused_at_once(name, capsys):
    typed = next(case[1] for case in CASES if case[0] == name)
    start = time.perf_counter()
    main(typed)

    assert time.perf_counter() - start < 1.0
    assert len(capsys.readouterr().err) < 1000


def test_the_user_may_raise_an_interrupt(capsys):
    answered = main(["grad", "p.py:interrupts", "--at", "2"])

    assert (answered, tuple(capsys.readouterr())) == (130, ("", "interrupted\n"))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("command", ["grad", "jacobian", "tape", "check"])
def test_an_endless_loop_ends_with_ctrl_c(command):
    with interrupts.heard():
        process = subprocess.Popen(
            [sys.executable, "-m", "gradcli", command, "p.py:forever", "--at", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(gradcli.__file__).parents[1])},
        )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()  # it would record for ever

    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize("command", ["grad", "jacobian", "tape", "symbolic", "check"])
@pytest.mark.parametrize("program", ["p.py:prints", "loud.py:f"])
def test_what_the_user_prints_does_not_spoil_json(command, program, capsys):
    answered = main([command, program, "--at", "3", "--json"])
    out, _ = capsys.readouterr()

    assert (0, command) == (answered, json.loads(out)["command"])


@pytest.mark.parametrize("command", ["grad", "jacobian", "tape", "symbolic", "check"])
def test_what_the_user_prints_is_shown_once(command, capsys):
    main([command, "p.py:prints", "--at", "3"])

    assert capsys.readouterr().err.count("from f") == 1


def test_a_function_may_change_the_path(capsys):
    assert main(["grad", "p.py:changes_path", "--at", "2"]) == 0
    assert main(["grad", "bad_package.m:fine", "--at", "2"]) == 0


def test_files_are_found_from_the_current_folder(capsys):
    """A function that reads one by a relative name runs as it would on its own."""
    answered = main(["grad", "p.py:reads", "--at", "2", "--json"])

    assert (answered, json.loads(capsys.readouterr().out)["gradient"]) == (0, 2.5)
