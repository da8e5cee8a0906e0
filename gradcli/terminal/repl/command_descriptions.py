"""The session commands and the settings: one table for the session, its help and its completion."""

from __future__ import annotations

from gradcli.shared.frozen_record import Frozen


class Own(Frozen):
    """A session command.

    Args:
        usage: an example of its use.
        help: what it does.
        takes: the kind of its argument, for completion: `file`, `name`, `setting`, `point` or empty.
    """

    usage: str
    help: str
    takes: str = ""


OWN = {
    "load": Own("load file.py", "Load the functions of a file; the file is reloaded when it changes.", "file"),
    "names": Own("names", "List every name with its value or definition."),
    "at": Own("at x=1,y=2", "Set the current point; without an argument, show it.", "point"),
    "forget": Own("forget x y", "Remove names.", "name"),
    "save": Own(
        "save session.gradcli",
        "Save the lines that ran without an error as a script; the previous file is kept as file~.",
        "file",
    ),
    "run": Own("run session.gradcli", "Run the lines of a script in this session.", "file"),
    "set": Own(
        "set digits 6",
        "Change a setting, also without the word set: keys, preview, digits of numbers; without arguments, list them.",
        "setting",
    ),
    "quit": Own("quit", "Leave, like exit and Ctrl-D."),
    "exit": Own("exit", "Leave."),
}

SETTINGS = {"keys": ("emacs", "vi"), "preview": ("on", "off"), "digits": ("all", *map(str, range(2, 17)))}
"""The settings with their values; the first value is the default."""
