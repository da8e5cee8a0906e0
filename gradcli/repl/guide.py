"""The pages on the session: how a line is read, the commands with a memory, and the keys of the prompt."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.render.topics.page import Examples, Page, Part, Terms
from gradcli.repl.own import OWN, Own

LINES: tuple[Part, ...] = (
    "A line is one of",
    Terms(
        (
            ("x = 3", "a value; also v = [1, 2], y = 2*x"),
            ("f(x, y) = x^2 * sin(y)", "a function, with the names that have values at the time it is called"),
            ("def f(x): return np.sin(x)", "a function in Python, of one line or of several; it knows np and math"),
            ("x^2 + 1", "an expression: its value, and its gradient, at the values of the names"),
            ("grad f --at 1,2", "a command of the shell with its options, on the names of the session"),
        )
    ),
    "and what comes after # is a comment. An open bracket goes on in the next line, and so does a function until it "
    "returns, or until an empty line. The result of a line is _, that "
    "of the third _3, and the node 7 of the last tape %7.",
)

FIRST = Examples(
    (
        "load examples/hyperbox.py",
        "at 1,2,3,4",
        "grad f4",
        "tape f4",
        "check f4 --against grad_f4",
        "f(x, y) = x^2 * sin(y)",
        "symbolic f",
        "save session.gradcli",
    )
)

KEYS = Terms(
    (
        ("Enter", "run the line; while a bracket is open or a function goes on, a new line with its indentation"),
        ("Alt-Enter", "a new line"),
        ("Tab", "complete: commands, names, options, files, the functions of a file after file.py:"),
        ("Up, Down, Ctrl-R", "earlier lines, whole blocks of them; Ctrl-R searches"),
        ("Right", "take what is suggested from earlier lines"),
        ("Ctrl-X Ctrl-E", "edit the line in $EDITOR"),
        ("Ctrl-C", "clear the line; stop a computation, as soon as Python has control"),
        ("Ctrl-Z", "go back to the shell for a while; fg comes back"),
        ("Ctrl-D", "leave"),
    )
)

PAGE = Page(
    "The session",
    (
        *LINES,
        "For a start:",
        FIRST,
        "Commands that need a memory:",
        Terms(tuple((own.usage, own.help) for own in OWN.values())),
        "Keys:",
        KEYS,
        "While you type, the bottom line shows the value and the partials of the line at the current values. What is "
        "pasted waits for Enter. Earlier lines are kept in ~/.local/state/gradcli/history; GRADCLI_HISTORY names "
        "another file. `set` shows what can be set; it holds in later sessions too, kept in "
        "~/.config/gradcli/settings or the file that GRADCLI_SETTINGS names.",
    ),
)


def overview(shell: Mapping[str, str]) -> Page:
    """The page that `help` alone shows in a session, with the commands of the shell and what each does."""
    return Page(
        "What can be typed",
        (
            *LINES,
            "Commands:",
            Terms((*shell.items(), *((word, own.help) for word, own in OWN.items() if word != "exit"))),
            "`help WORD` or `WORD --help` says more; `help repl` has the keys and a first session.",
        ),
    )


def page_of(word: str, own: Own) -> Page:
    """The page of a command of the session."""
    return Page(word, (own.help, Examples((own.usage,))))
