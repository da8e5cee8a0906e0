"""Libraries: how they are built and kept, and what a gradient runs without them."""

import math
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

import gradcli
from gradcli.answers.compilation import shared_libraries, specialisations
from gradcli.answers.compilation.shared_libraries import BuildError, library

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.sampled(3),  # each case builds a library
]

TEXT = "double twice(double x) { return 2.0 * x; }\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """C is taken also where it is not faster."""
    monkeypatch.setattr(specialisations, "QUICK", 0.0)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """An empty folder of libraries."""
    monkeypatch.setenv("GRADCLI_CACHE", str(tmp_path))
    return tmp_path / "compiled"


def square(x):
    return x * x * x


def compiled():
    """A compiled gradient after its first call, and the text of its report."""
    gradient = gradcli.grad(square, compile=True)
    assert gradient(2.0) == 12.0
    assert gradient(3.0) == 27.0
    return str(gradient.report())


def fake(tmp_path, monkeypatch, script):
    """A compiler that is a shell script."""
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o700)
    monkeypatch.setenv("CC", str(compiler))


def test_a_library_is_its_owners_alone(own):
    library(TEXT)
    (file,) = own.iterdir()

    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_library_is_built_once(own, monkeypatch):
    library(TEXT)
    monkeypatch.setattr(subprocess, "run", None)

    library(TEXT)


def test_another_compiler_builds_another_library(own, tmp_path, monkeypatch):
    library(TEXT)
    fake(tmp_path, monkeypatch, f'exec {shutil.which("cc")} "$@"')
    library(TEXT)
    monkeypatch.setattr(shared_libraries, "_processor", lambda: "another processor")
    library(TEXT)

    assert len(list(own.iterdir())) == 3


def test_a_library_that_others_may_write_is_built_again(own):
    library(TEXT)
    (file,) = own.iterdir()
    file.unlink()  # it is loaded, and must not be written into
    file.write_bytes(b"not a library")
    file.chmod(0o666)
    library(TEXT)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_folder_that_others_may_write(own):
    own.mkdir()
    own.chmod(0o777)

    with pytest.raises(BuildError, match="can be written by others"):
        library(TEXT)


def test_half_a_library(own):
    text = TEXT.replace("twice", "half")  # a library that this process has not loaded
    own.mkdir(mode=0o700)
    file = own / f"{shared_libraries._key(text, [*shared_libraries._compiler(), *shared_libraries.OPTIONS])}.so"
    file.write_bytes(b"\x7fELF")
    file.chmod(0o600)

    with pytest.raises(BuildError, match="cannot be loaded"):
        library(text)
    library(text)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo broken >&2; exit 1", "the compiler fails: broken"),
        ("kill -9 $$", "the compiler fails: exit -9"),
        ("exit 0", "the library cannot be built"),
        ('while [ "$1" != -o ]; do shift; done; echo nonsense > "$2"', "the library cannot be loaded"),
    ],
)
def test_a_broken_compiler(own, tmp_path, monkeypatch, script, reason):
    fake(tmp_path, monkeypatch, script)

    assert f"float: Python, {reason}" in compiled()
    assert not list(own.iterdir())


@pytest.mark.parametrize("named", ["no-such-compiler", "no-such-compiler -O3", 'cc "'])
def test_no_compiler(own, monkeypatch, named):
    monkeypatch.setenv("CC", named)

    assert f"float: Python, there is no C compiler: CC is {named!r}, which is no command" in compiled()


@pytest.mark.parametrize("named", ["cc -O2", "{folder}/cc -DNAME='of two words'", "{folder}/cc", ""])
def test_a_compiler_with_options(own, tmp_path, monkeypatch, named):
    folder = tmp_path / "of tools"
    folder.mkdir()
    fake(folder, monkeypatch, f'exec {shutil.which("cc")} "$@"')
    shown = str(folder) if named.endswith("/cc") else shlex.quote(str(folder))
    monkeypatch.setenv("CC", named.format(folder=shown))

    assert "float: C" in compiled()


def test_a_slow_compiler(own, tmp_path, monkeypatch):
    fake(tmp_path, monkeypatch, "exec sleep 5")
    monkeypatch.setattr(shared_libraries, "SECONDS", 0.05)

    assert "float: Python, the compiler takes more than" in compiled()


def test_a_full_disk(own, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    assert "float: Python, the library cannot be built: No space left on device" in compiled()


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRADCLI_CACHE", str(tmp_path / "file"))

    assert "cannot be made: Not a directory" in compiled()


def test_the_oldest_libraries_go(own, monkeypatch):
    monkeypatch.setattr(shared_libraries, "MOST_FILES", 2)
    for n in range(4):
        library(f"int number(void) {{ return {n}; }}\n")

    assert len(list(own.iterdir())) == 2


@pytest.mark.parametrize("kept", ["C", "Python", "else"])
def test_the_faster_backend_is_kept(own, monkeypatch, kept):
    """The times are taken by the first process, and again where the file is none of gradcli's."""
    monkeypatch.setattr(specialisations, "QUICK", math.inf)
    monkeypatch.setattr(specialisations, "_seconds", lambda *_, **options: 0.0)
    compiled()
    (choice,) = own.glob("*.choice")
    assert choice.read_text() == "C"
    choice.write_text(kept)

    assert f"float: {'Python, which is faster' if kept == 'Python' else 'C'}" in compiled()
    assert choice.read_text() == ("Python" if kept == "Python" else "C")


def test_a_slow_gradient_is_not_timed(own, monkeypatch):
    monkeypatch.setattr(specialisations, "QUICK", 0.0)
    monkeypatch.setattr(specialisations, "_seconds", lambda *_, **options: pytest.fail("timed"))

    assert "float: C" in compiled()


PROGRAM = """
import sys, gradcli
from gradcli.answers.compilation import specialisations
specialisations.QUICK = 0.0
sys.path.insert(0, {folder!r})
from shared_program import square
gradient = gradcli.grad(square, compile=True)
gradient(2.0)
print(gradient(3.0), gradient.report().programs[0].backend)
"""


@pytest.mark.long
def test_a_killed_process(own, tmp_path, monkeypatch):
    """What it leaves disturbs no later build, and goes with one."""
    (tmp_path / "shared_program.py").write_text("def square(x):\n    return x * x * x\n")
    command = [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path))]
    fake(tmp_path, monkeypatch, "exec sleep 20")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    while not (own.exists() and any(own.iterdir())):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (left,) = own.iterdir()
    os.utime(left, (0, 0))
    monkeypatch.delenv("CC")

    assert "float: C" in compiled()
    assert [file.suffix for file in own.iterdir()] == [".so"]


@pytest.mark.long
def test_two_processes_on_one_folder(own, tmp_path):
    (tmp_path / "shared_program.py").write_text("def square(x):\n    return x * x * x\n")
    command = [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path))]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]

    assert [process.communicate()[0] for process in both] == ["27.0 C\n"] * 2
    assert len([file for file in own.iterdir() if file.suffix == ".so"]) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process(own):
    gradient = gradcli.grad(square, compile=True)
    gradient(2.0)
    child = os.fork()
    if not child:
        os._exit(0 if gradient(3.0) == 27.0 else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
