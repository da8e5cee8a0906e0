"""Earlier lines, in a file that outlives sessions."""

import pytest

from gradcli.terminal.repl.settings_file import history_path, settings_path
from gradcli.terminal.repl.terminal.editor import BlockHistory


def earlier(path):
    """The blocks of a file, the latest first."""
    return list(BlockHistory(str(path)).load_history_strings())


def test_whole_blocks_come_back(tmp_path):
    """The latest first; one that comes twice in a row, once."""
    history = BlockHistory(str(tmp_path / "new" / "history"))
    for block in ("x = 1", "f(x) = (x +\n 1)", "f(x) = (x +\n 1)", " ", "+y\n", "+y"):
        history.store_string(block)

    assert earlier(history.path) == ["+y", "f(x) = (x +\n 1)", "x = 1"]


def test_two_sessions_at_once(tmp_path):
    one, other = (BlockHistory(str(tmp_path / "history")) for _ in range(2))
    one.store_string("1")
    other.store_string("2\n2")
    one.store_string("3")

    assert earlier(one.path) == ["3", "2\n2", "1"]


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\n+\xff\n", b"+cut short", b"no block\n# none\n"])
def test_a_file_that_is_broken_is_no_error(text, tmp_path):
    path = tmp_path / "history"
    path.write_bytes(text)
    history = BlockHistory(str(path))
    history.store_string("x = 1")

    assert earlier(path)[0] == "x = 1"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    history = BlockHistory(str(tmp_path / "file" / "history"))
    history.store_string("x = 1")

    assert earlier(history.path) == []


def at_home(monkeypatch, environ):
    """Somebody's folder, and these variables of the environment alone."""
    for name in ("GRADCLI_HISTORY", "GRADCLI_SETTINGS", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/x", **environ}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("expected", "environ"),
    [
        ("/h", {"GRADCLI_HISTORY": "/h", "XDG_STATE_HOME": "/s"}),
        ("/s/gradcli/history", {"XDG_STATE_HOME": "/s"}),
        ("/home/x/.local/state/gradcli/history", {}),
    ],
)
def test_where_it_lies(expected, environ, monkeypatch):
    at_home(monkeypatch, environ)

    assert history_path() == expected


@pytest.mark.parametrize(
    ("expected", "environ"),
    [
        ("/c", {"GRADCLI_SETTINGS": "/c", "XDG_CONFIG_HOME": "/d"}),
        ("/d/gradcli/settings", {"XDG_CONFIG_HOME": "/d"}),
        ("/home/x/.config/gradcli/settings", {}),
    ],
)
def test_where_settings_lie(expected, environ, monkeypatch):
    at_home(monkeypatch, environ)

    assert settings_path() == expected
