"""Pipes and devices in place of files: a pipe would be waited for, and a device may never end."""

import io
import os
import signal
import sys

import pytest

from gradcli.terminal.cli import main
from gradcli.terminal.repl.terminal.editor import BlockHistory

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")

KINDS = {"pipe": "a named pipe", "zero": "a device"}
COMMANDS = [
    "verify f.py --config {}.toml",
    "verify f.py --baseline {}.json",
    "verify {}.py",
    "verify {}.py:f",
    "check {}.py:f --at 1",
    "check f.py:f --against {}.py:f --at 1",
    "check f.py:f --points-file {}.csv",
    "check f.py:f --points-file {}.jsonl",
    "check f.py:f --points-file {}.npy",
    "grad f.py:f --at @{}.json",
    "grad f.py:f --at @{}.npy",
    "grad f.py:f --at @{}.py:point",
    "explain {}.py:f --at 1",
    "derive {}.py:f --at 1",
    "compare f.py:f {}.py:f --at 1",
    "run {}.gradcli",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a program, and pipes and devices with all endings; a test that waits for one of them fails."""
    (tmp_path / "f.py").write_text("def f(x):\n    return x * x\n")
    for ending in ("py", "toml", "json", "jsonl", "csv", "npy", "gradcli"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
        (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])

    def waited(*_):
        pytest.fail("it waits")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(3)
    yield tmp_path
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_named_and_refused(command, kind, capsys):
    assert main(command.format(kind).split()) == 2
    assert KINDS[kind] in (error := capsys.readouterr().err)
    assert f"{kind}." in error


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_goes_on_without_its_files(kind, folder, monkeypatch, capsys):
    """The history and the settings are those of no session before; lines, and scripts in lines, are answered."""
    monkeypatch.setenv("GRADCLI_HISTORY", str(folder / f"{kind}.json"))
    monkeypatch.setenv("GRADCLI_SETTINGS", str(folder / f"{kind}.toml"))
    history = BlockHistory(os.environ["GRADCLI_HISTORY"])
    history.store_string("2 + 3")

    assert list(history.load_history_strings()) == []
    monkeypatch.setattr("sys.stdin", io.StringIO(f"2 + 3\nload {kind}.py\n"))
    assert main(["repl"]) == 2
    assert KINDS[kind] in capsys.readouterr().err
