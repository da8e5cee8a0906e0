"""Files as targets: how they are loaded, and each way in which that can fail."""

from __future__ import annotations

import os
import pickle
import sys

import pytest

from gradcli.answers.targets import python_files, resolve
from gradcli.answers.targets.python_file_errors import SourceError
from gradcli.answers.targets.python_files import load
from gradcli.errors import Exit, TargetError, UserCodeError


def test_a_file_is_a_module_of_its_own_and_loaded_once(hyperbox):
    module = load("hyperbox.py")

    assert module.__name__ not in {"hyperbox", "__main__"}
    assert load("./hyperbox.py") is module


def test_a_changed_file_is_loaded_again(write):
    """An edit in the middle of a session is seen."""
    path = write("f.py", "def f(x): return x")
    load("f.py")
    write("f.py", "def f(x): return 2 * x")
    os.utime(path, ns=(1, 1))

    assert resolve("f.py:f").function(3.0) == 6.0


LOADED = {
    "it imports what is beside it": (
        "from beside_it import twice\ndef f(x): return twice(x)",
        {"beside_it": "def twice(x): return 2 * x"}, 6.0,
    ),
    "its function imports what is beside it when it is called": (
        "def f(x):\n    import beside_later\n    return beside_later.factor * x", {"beside_later": "factor = 2"}, 6.0,
    ),
    "it changes the path of imports": ("import sys\nsys.path[:] = []\ndef f(x): return x", {}, 3.0),
    "it is not run as a program": ('def f(x): return x\nif __name__ == "__main__":\n    raise SystemExit(1)', {}, 3.0),
    "its math computes": (
        "import math\nfrom math import sqrt\ndef f(x): return math.floor(sqrt(float(x)))", {}, 1,
    ),
    "it says itself that it is in another encoding": (
        '# coding: latin-1\nname = "é"\ndef f(x): return len(name) * x'.encode("latin-1"), {}, 3.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "beside", "expected"), LOADED.values(), ids=LOADED)
def test_a_file_is_loaded(write, text, beside, expected):
    for name, other in beside.items():
        write(f"folder/{name}.py", other)
    write("folder/f.py", text)

    assert resolve("folder/f.py:f").function(3.0) == expected


def test_the_folder_of_a_file_hides_nothing_after_loading(write):
    """A file called random.py beside it must not break what is imported later."""
    write("folder/f.py", "def f(x): return x")
    load("folder/f.py")

    assert sys.path[-1].endswith("folder")


def test_neighbours_of_one_name_in_two_folders_are_not_mixed_up(write):
    for folder, factor in (("left", 2), ("right", 3)):
        write(f"{folder}/beside_both.py", f"factor = {factor}")
        write(f"{folder}/f.py", "import beside_both\ndef f(x): return beside_both.factor * x")

    assert [resolve(f"{folder}/f.py:f").function(1.0) for folder in ("left", "right", "left")] == [2.0, 3.0, 2.0]


def test_dataclasses_and_pickle_work_in_a_file(write):
    write(
        "f.py",
        """
        from __future__ import annotations
        from dataclasses import dataclass, field
        from typing import ClassVar

        @dataclass
        class Pair:
            x: float
            kind: ClassVar[str] = "pair"

        def f(x):
            return Pair(x)
        """,
    )

    assert pickle.loads(pickle.dumps(resolve("f.py:f").function(2.0))).x == 2.0


@pytest.mark.parametrize(
    ("file", "text", "target", "message"),
    [
        ("hyperbox.py", "", "hyprbox.py:f4", r"There is no file 'hyprbox.py'.\nDid you mean hyperbox.py\?"),
        ("folder/hyperbox.py", "", "folder/hyprbox.py:f4", r"Did you mean folder/hyperbox.py\?"),
        ("doc.py", "", "./nope.py:f", r"There is no file './nope.py'.\nThe Python files there are doc.py."),
        ("f.py", "", "nowhere/f.py:f", r"no folder '.*nowhere'"),
        ("folder/f.py", "", "./folder", r"'./folder' is a folder.\nA target is file.py:function."),
        ("notes.txt", "def f(x): return x", "./notes.txt:f", "'./notes.txt' is not a Python file"),
        ("f.py", b"x = 1\n\n# \xff\ndef f(x): return x", "f.py:f", "f.py is not UTF-8 text: byte 0xff in line 3"),
        ("f.py", b"x = 1\n\n\n# \xff", "f.py:f", "f.py is not UTF-8 text: byte 0xff in line 4"),
        ("f.py", b"# \xff\n", "f.py:f", "byte 0xff in line 1"),  # Python looks for a declaration there
        ("f.py", "x = [1 2]\n", "f.py:f", r"f.py does not parse: invalid syntax. Perhaps you forgot a comma\?\n"),
        ("f.py", "# coding: klingon\n", "f.py:f", "f.py does not parse: unknown encoding: klingon"),
        ("f.py", b"x = 1\0\n", "f.py:f", "f.py does not parse: .*null bytes"),
        pytest.param("f.py", "x = " + "-" * 100_000 + "1", "f.py:f", "f.py does not parse", id="nested too deeply"),
    ],
)
def test_what_is_no_file_of_python(write, file, text, target, message):
    write(file, text)

    with pytest.raises(TargetError, match=message):
        resolve(target)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_not_read(folder):
    os.mkfifo(folder / "pipe.py")

    with pytest.raises(TargetError, match=r"'pipe.py' is a named pipe, not a regular file"):
        resolve("pipe.py:f")


def test_an_unreadable_file(write, monkeypatch):

    def refuse(path, mode):
        raise PermissionError(13, "Permission denied")

    write("f.py", "")
    monkeypatch.setattr("gradcli.answers.targets.python_files.open", refuse, raising=False)

    with pytest.raises(TargetError, match=r"'f.py' cannot be read: Permission denied"):
        resolve("f.py:f")


def test_a_file_that_does_not_parse_shows_the_place(write):
    """The file, the line, and a caret under the fault."""
    path = write("f.py", "def f(x):\n    return (x +* 2)\n")

    with pytest.raises(SourceError) as caught:
        resolve("f.py:f")

    assert (str(path), 2, Exit.USAGE) == (caught.value.file, caught.value.line, caught.value.exit)
    line, caret = caught.value.excerpt()
    assert f"{path}:2: return (x +* 2)" == line
    assert line[caret.index("^")] == "*"


def test_a_file_that_does_not_parse_after_an_edit_shows_the_new_text(write):
    path = write("f.py", "def f(x): return x\n")
    resolve("f.py:f")
    import linecache

    linecache.getline(str(path), 1)
    write("f.py", "def f(x): return $$$\n")

    with pytest.raises(SourceError, match=r"return \$\$\$"):
        resolve("f.py:f")


def test_a_file_that_raises_shows_the_users_frames_only(write):
    """Exit 5, and nothing of gradcli or of the import machinery."""
    path = write("f.py", "def broken():\n    return 1 / 0\n\nbroken()\n")

    with pytest.raises(UserCodeError, match=r"ZeroDivisionError while f.py is loaded: division by zero") as caught:
        resolve("f.py:f")

    assert ((str(path), 4, "<module>"), (str(path), 2, "broken")) == caught.value.frames
    assert (str(path), 2, Exit.USER_CODE) == (caught.value.file, caught.value.line, caught.value.exit)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("f.py", "import sys\nsys.exit(0)\n", r'SystemExit while f.py is loaded: 0(.|\n)*if __name__ == "__main__"'),
        ("package/f.py", "from . import other\n", "__init__.py"),
        (
            "f.py",
            "from gradcli.errors import PointError\nraise PointError('no')\n",
            "PointError while f.py is loaded: no",
        ),
    ],
    ids=["exits", "a relative import", "our own error"],
)
def test_a_file_that_raises(write, file, text, message):
    write(file, text)

    with pytest.raises(UserCodeError, match=message):
        resolve(f"{file}:f")


@pytest.mark.parametrize(
    ("text", "message", "frames"),
    [
        ("import no_such_module_anywhere\n", "No module named 'no_such_module_anywhere'", [("f.py", 1)]),
        ("import does_not_parse\n", "SyntaxError while f.py is loaded: invalid syntax",
            [("f.py", 1), ("does_not_parse.py", 1)]),
        ("\nraise ValueError", "ValueError while f.py is loaded", [("f.py", 2)]),
    ],
)  # fmt: skip
def test_the_frames_of_a_file_that_raises(write, text, message, frames):
    """The innermost is the line that raises or does not parse; no module is left behind."""
    write("does_not_parse.py", "x =\n")
    folder = write("f.py", text).parent
    before = set(sys.modules)

    with pytest.raises(UserCodeError, match=message) as caught:
        resolve("f.py:f")

    assert [(file, line) for file, line, _ in caught.value.frames] == [(str(folder / name), n) for name, n in frames]
    assert set(sys.modules) == before


def test_an_interrupt_while_loading_passes(write):
    write("f.py", "raise KeyboardInterrupt")

    with pytest.raises(KeyboardInterrupt):
        resolve("f.py:f")


@pytest.fixture
def package(tmp_path):
    """A package in a src layout."""
    folder = tmp_path / "src" / "shapes_of_a_test"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "sizes.py").write_text("SCALE = 2.0\n")
    (folder / "area.py").write_text("from .sizes import SCALE\n\n\ndef square(x):\n    return SCALE * x * x\n")
    return folder


def test_a_file_of_a_package_is_its_module(package):
    """Relative imports work, and its name is that of the module."""
    target = resolve(f"{package}/area.py:square")

    assert target.function(3.0) == 18.0
    assert python_files.load(str(package / "area.py")).__name__ == "shapes_of_a_test.area"


def test_a_change_beside_it_is_seen(package):
    assert resolve(f"{package}/area.py:square").function(3.0) == 18.0
    (package / "sizes.py").write_text("SCALE = 10.0\n")

    assert resolve(f"{package}/area.py:square").function(3.0) == 90.0


def test_two_packages_of_one_name(tmp_path, package):
    other = tmp_path / "other" / "shapes_of_a_test"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    (other / "area.py").write_text("def square(x):\n    return x * x\n")

    assert resolve(f"{package}/area.py:square").function(3.0) == 18.0
    assert resolve(f"{other}/area.py:square").function(3.0) == 9.0
