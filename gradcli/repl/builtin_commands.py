"""The commands that need a memory, and what can be set: one table for the session, its help and its suggestions."""

from __future__ import annotations

from gradcli.record_base import Frozen


class Own(Frozen):
    """A command of the session.

    Args:
        usage: how it is typed.
        help: what it does.
        takes: what follows it, for suggestions: `file`, `name`, `setting`, `point` or nothing.
    """

    usage: str
    help: str
    takes: str = ""


OWN = {
    "load": Own("load file.py", "Make the functions of a file names; it is loaded again when it changes.", "file"),
    "names": Own("names", "Every name with what it means."),
    "at": Own("at x=1,y=2", "Set the current point; alone, show it.", "point"),
    "forget": Own("forget x y", "Take names back.", "name"),
    "save": Own(
        "save session.gradcli",
        "Write the lines that had an answer as a script; an edited one is kept as file~.",
        "file",
    ),
    "run": Own("run session.gradcli", "Run the lines of a script here.", "file"),
    "export": Own(
        "export test_f.py", "Write a pytest file that asserts what was seen; an edited one is kept as file~.", "file"
    ),
    "set": Own("set keys vi", "Change how the prompt works, from now on; alone, show what can be set.", "setting"),
    "quit": Own("quit", "Leave; so do exit and Ctrl-D."),
    "exit": Own("exit", "Leave."),
}

SETTINGS = {"keys": ("emacs", "vi"), "preview": ("on", "off")}
"""What can be set, each with its values, the first of them without being set."""
