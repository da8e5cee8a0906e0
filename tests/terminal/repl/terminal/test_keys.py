"""Keystrokes at the prompt, through prompt_toolkit's own pipe."""

import re
import threading
import time

import pytest
from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gradcli.terminal.repl.terminal.editor import editor
from gradcli.terminal.repl.terminal.prompt_loop import converse
from gradcli.terminal.repl.terminal.toolbar import Toolbar

pytestmark = pytest.mark.sampled(3)  # many like cases

ENTER, META, TAB, UP, RIGHT, BACKSPACE = "\r", "\x1b", "\t", "\x1b[A", "\x1b[C", "\x7f"
CTRL_C, CTRL_D, CTRL_E, CTRL_R, CTRL_X, CTRL_Z = "\x03", "\x04", "\x05", "\x12", "\x18", "\x1a"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"


@pytest.fixture
def typed(session, tmp_path, monkeypatch, capsys):
    """Type keys into a session until it is over; returns what it has answered, without prompts and colours."""
    monkeypatch.setenv("GRADCLI_HISTORY", str(tmp_path / "history"))
    monkeypatch.setenv("GRADCLI_SETTINGS", str(tmp_path / "settings"))

    session.shell.described()  # imports the commands, as the thread of the toolbar does

    def typed(*keys: str) -> str:
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()) as terminal:
            sender = threading.Thread(target=send, args=(pipe, terminal, [*keys, CTRL_C, CTRL_D]), daemon=True)
            sender.start()
            assert 0 == converse(session)
            sender.join()
        return re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out.partition("\n")[2])

    return typed


def send(pipe, terminal, keys):
    """Send keys; between them wait for what happens beside typing, by conditions on the prompt."""
    for key in keys:
        if callable(key):
            eventually(lambda key=key: terminal.app is not None and key(terminal.app))  # what lacks, the test shows
        else:
            pipe.send_text(key)


def reads(text):
    return lambda app: app.current_buffer.text == text


def remembers(count):
    """Until so many earlier blocks can be gone back to, besides the line at the prompt."""
    return lambda app: len(app.current_buffer._working_lines) > count


def is_completing(app):
    return app.current_buffer.complete_state is not None


def suggests(app):
    """Until history suggests how the line goes on."""
    return app.current_buffer.suggestion is not None and app.current_buffer.suggestion.text


F = "def f(x):\n    y = x * x\n\n    return y / 2\n"
SHOWN = "> def f(x):\n.     y = x * x\n. \n.     return y / 2\nf(x)\n"
HEIGHTS = ("height = 2", ENTER, "heights = 3", ENTER)
TYPED = {
    "a line is answered": (("x = 3", ENTER, "9 + 0", ENTER), "x = 3.0\n= 9.0  _1\n"),
    "an open bracket goes on": (("(1 +", ENTER, "2)", ENTER), "= 3.0  _1\n"),
    # by the command on a line of its own; what follows is no longer read
    "quit": (("quit", ENTER, "1 + 1", ENTER), ""),
    "exit": (("exit", ENTER, "1 + 1", ENTER), ""),
    "what is pasted waits, whatever ends its lines": ((PASTE, "x = 1\ny = 2\n", PASTED, CTRL_C), ""),
    "functions and a call in one paste": (
        (PASTE, F + "def g(x): return f(x) + 1\ng(3)", PASTED, ENTER),
        f"{SHOWN}> def g(x): return f(x) + 1\ng(x)\n> g(3)\n= 5.5  _1\n",
    ),
    "a count holds for one sign alone": (("2", META, "2*3", ENTER), "= 8.0  _1\n"),  # Alt-2 * is two stars
    "Ctrl-C clears the line": (("nonsense", CTRL_C, "1 + 1", ENTER), "= 2.0  _1\n"),
    "a name is completed": (
        ("height = 2", ENTER, "heigh", TAB, reads("height"), " * 2", ENTER),
        "height = 2.0\n= 4.0  _1\nname    point  gradient\n──────  ─────  ────────\nheight  2.0    2.0\n",
    ),
    # Tab again goes through them; Enter takes the one that is chosen and runs nothing
    "a name of several is completed": (
        (*HEIGHTS, "heigh", TAB, is_completing, TAB, TAB, reads("heights"), ENTER, " + 2", ENTER),
        "height = 2.0\nheights = 3.0\n= 5.0  _1\n"
        "name     point  gradient\n───────  ─────  ────────\nheights  3.0    1.0\n",
    ),
    "earlier lines come back": (
        ("(1 +", ENTER, "2)", ENTER, "5 + 5", ENTER, remembers(2), "(", UP, reads("(1 +\n2)"), ENTER),
        "= 3.0  _1\n= 10.0  _2\n= 3.0  _3\n",
    ),
    "what a search finds is taken": (
        ("side = 3", ENTER, "2 + 2", ENTER, remembers(2), CTRL_R, "side", reads("side"), ENTER,
         reads("side = 3"), ENTER),
        "side = 3.0\n= 4.0  _1\nside = 3.0\n",
    ),
    # escape, then commands: the first sign replaced
    "keys of vi": (("set keys vi", ENTER, "1 + 6", META, "0r2", ENTER), "= 8.0  _1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "answer"), TYPED.values(), ids=TYPED)
def test_what_is_typed_is_answered(typed, keys, answer):
    assert typed(*keys) == answer


def test_an_option_is_completed(typed):
    assert "value  9.0\n" in typed("grad x^2 --a", TAB, reads("grad x^2 --at "), "3", ENTER)


def test_a_changed_file_is_told_of_before_the_answer(typed, session, tmp_path):
    path = tmp_path / "f.py"
    path.write_text("def f(x):\n    return x * x\n")
    session.run("load f.py")
    path.write_text("def f(x):\n    return x * x * x\n")

    assert typed("f(2)", ENTER) == "f.py has changed and was reloaded\n= 8.0  _1\n"


def test_an_empty_line_ends_an_open_bracket(typed):
    out = typed("(1 +", ENTER, reads("(1 +\n"), ENTER, reads(""), "3 + 3", ENTER)

    assert out.startswith("error: The expression ends where a value is expected.\n")
    assert out.endswith("= 6.0  _1\n")


def test_another_line_by_meta_enter(typed):
    """Each line of the block is a line of the session, and is shown with its answer."""
    assert "> x = 1\nx = 1.0\n> x + 1\n" in typed("x = 1", META, ENTER, "x + 1", ENTER)


def test_a_block_ends_at_its_first_error(typed, session):
    out = typed("x = 1", META, ENTER, "y +", META, ENTER, "z = 2", ENTER)

    assert "error: " in out
    assert list(session.workspace.names.values) == ["x"]


def test_an_error_shows_its_place(typed):
    assert "  2 * x +\n         ^\n" in typed("2 * x +", ENTER)


def test_what_is_pasted_runs_by_enter(typed, session):
    typed(PASTE, ">>> x = 1\n>>> y = 2", PASTED, ENTER)

    assert session.workspace.names.values == {"x": 1.0, "y": 2.0}


@pytest.mark.parametrize("more", ["", "    ", "\n\n"])
def test_a_function_that_is_pasted_runs_by_enter(typed, more):
    assert typed(PASTE, F + more, PASTED, ENTER, "f(3)", ENTER) == "f(x)\n= 4.5  _1\n"


def test_a_function_is_typed(typed, session):
    """Enter goes in; a `return` of its own ends it, else an empty line."""

    def knows(name):
        return lambda app: name in session.workspace.names.loaded

    one = ("def f(x):", ENTER, reads("def f(x):\n    "), "return x + 1", ENTER, knows("f"))
    head = "def g(x):\n    y = x"
    two = ("def g(x):", ENTER, reads("def g(x):\n    "), "y = x", reads(head), ENTER, reads(head + "\n    "))

    assert typed(*one, *two, ENTER, knows("g"), "f(3)", ENTER) == "f(x)\ng(x)\n= 4.0  _1\n"


def test_blocks_in_a_function_are_typed(typed):
    """Enter goes in after a colon and out after what ends a block; Backspace goes out, and Tab in, by a whole step."""
    lines = ["def f(x):", "    for n in range(3):", "        if n > 1:", "            continue", "        x = 2 * x"]
    waits = [reads("\n".join([*lines[:n], " " * margin])) for n, margin in enumerate((0, 4, 8, 12, 8, 8))]
    keys = [key for line, wait in zip(lines, waits[1:], strict=True) for key in (line.strip(), ENTER, wait)]
    outer = reads("\n".join([*lines, "    "]))
    less = (BACKSPACE, outer, TAB, waits[-1], BACKSPACE, outer, "return x", ENTER)

    assert typed(*keys, *less, "f(3)", ENTER) == "f(x)\n= 12.0  _1\n"


def test_ctrl_c_stops_a_computation(typed, session, monkeypatch):

    def stuck(text):
        raise KeyboardInterrupt

    monkeypatch.setitem(session.own, "names", stuck)

    assert typed("names", ENTER, "1 + 1", ENTER) == "interrupted\n= 2.0  _1\n"


def test_earlier_sessions_come_back(typed):
    typed("7 + 7", ENTER)

    assert typed(remembers(1), UP, reads("7 + 7"), ENTER) == "= 14.0  _2\n"


def test_a_suggestion_from_history_is_taken(typed, monkeypatch):
    """By the right key at the end of the line, where colours tell it from what was typed."""
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert "= 14.0  _1\n= 14.0  _2\n" == typed(
        "7 + 7", ENTER, remembers(1), "7", suggests, RIGHT, reads("7 + 7"), ENTER
    )


def test_without_colours_history_suggests_nothing(session, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert editor(session, Toolbar(session)).auto_suggest is None
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert editor(session, Toolbar(session)).auto_suggest


def test_what_is_set_holds_in_later_sessions(typed, tmp_path, session):
    """It is kept in a file, from which what is no setting is passed over."""
    typed("set keys vi", ENTER)
    assert (tmp_path / "settings").read_text() == "set keys vi\nset preview on\nset digits all\n"

    (tmp_path / "settings").write_text("set preview off\nset keys dvorak\nset\n\xff")
    session.settings["keys"] = "emacs"
    assert typed("set", ENTER) == "set keys emacs\nset preview off\nset digits all\n"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("", "Is a directory"),
        ("file/s", "File exists"),
        ("file/none/s", "Not a directory"),
        ("a\x1fb" * 100, "File name too long"),
    ],
)
def test_settings_that_cannot_be_kept(file, why, typed, tmp_path, monkeypatch):
    """They hold in this session; that they do so only here is said in one line, and why."""
    path = str(tmp_path / file)
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADCLI_SETTINGS", path)

    assert (
        f"the settings hold for this session only: {path!r} cannot be written: {why}\n"
        "set keys emacs\nset preview off\nset digits all\n"
    ) == typed("set preview off", ENTER, "set", ENTER)


def test_ctrl_z_goes_to_the_background(typed, monkeypatch):
    """It is no sign of the line; how the line stands is there again when the session comes back."""
    waits = []
    monkeypatch.setattr(Application, "suspend_to_background", lambda self: waits.append(self.current_buffer.text))

    assert typed("1 + ", CTRL_Z, "2", ENTER) == "= 3.0  _1\n"
    assert waits == ["1 + "]


def test_an_editor(typed, session, tmp_path, monkeypatch):
    """Ctrl-X Ctrl-E hands the text to $EDITOR and runs what comes back."""
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho "40 + 2" > "$1"\n')
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)

    assert typed("1 + 1", CTRL_X, CTRL_E, lambda app: session.results) == "= 42.0  _1\n"


def test_the_preview_is_below(session, typed):
    toolbar = Toolbar(session)
    toolbar.start()
    session.run("x = 3")
    try:
        assert eventually(lambda: toolbar.text("x^2") == "= 9  ∂x 6")
        assert toolbar.text("x^2 +") == ""
        session.settings["preview"] = "off"
        assert toolbar.text("x^2") == ""
    finally:
        toolbar.close()


def test_the_preview_outlives_a_screen_that_is_not_there(session):
    """Between two prompts nothing can be drawn: the next text is computed all the same."""
    drawn = []

    def shown():
        drawn.append(None)
        raise RuntimeError("no running event loop")

    toolbar = Toolbar(session, shown)
    session.run("x = 3")
    toolbar.start()
    try:
        assert eventually(lambda: toolbar.text("x^2") == "= 9  ∂x 6" and drawn)
        assert eventually(lambda: toolbar.text("x^3") == "= 27  ∂x 27")
    finally:
        toolbar.close()


def eventually(holds):
    """Whether something comes to hold within some seconds."""
    end = time.monotonic() + 10
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    return held
