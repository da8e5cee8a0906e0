"""The pages on the session: how a line is read, the commands with a memory, and the keys of the prompt."""

from __future__ import annotations

import sys

from gradcli.render.topics.help_page import Examples, Page, Part, Terms, view
from gradcli.repl.builtin_commands import OWN, Own

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
    "of the third _3, and the node 7 of the last tape %7. A command without a target is about the last function or "
    "expression, at the point that it was asked about.",
)

FIRST = Examples(
    (
        "f(x, y) = x^2 * sin(y)",
        "at x=3,y=2",
        "grad",
        "explain",
        "plot --along y -o f.svg",
        "load examples/hyperbox.py",
        "check f4 --against grad_f4 --at 1,2,3,4",
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
        "While you type, the bottom line shows the value and the partials of the line at the current values, which "
        "names have none, and where the function has a kink. What is pasted waits for Enter. "
        "Earlier lines are kept in ~/.local/state/gradcli/history; GRADCLI_HISTORY names "
        "another file. `set` shows what can be set; it holds in later sessions too, kept in "
        "~/.config/gradcli/settings or the file that GRADCLI_SETTINGS names.",
    ),
)


OVERVIEW = Page(
    "What can be typed",
    (
        Terms(
            (
                ("x = 3", "a value; also v = [1, 2], or at x=1,y=2 for several"),
                ("x^2 + 1", "an expression: its value and its gradient; _ is the last result"),
                ("f(x, y) = x^2 * sin(y)", "a function; also def f(x): in Python, or load file.py"),
                ("f, f?", "what f means, and what can be asked about it"),
                ("grad", "asks about the last function or expression; also grad f --at 1,2"),
            )
        ),
        "In place of grad:",
        Terms(
            (
                ("explain, tape, step", "how the gradient comes about"),
                ("check, compare, precision", "whether it is right, and how many digits are"),
                ("plot, symbolic, derive", "a drawing, the formulas, a Python program"),
                ("jacobian, hessian", "more derivatives"),
                ("names, forget, load, run", "what is known; files of functions and of lines"),
                ("save, export, set, quit", "keep the session, as lines or as tests; how it works; leave"),
            )
        ),
        "help grad says more of a command, help repl of the keys, help topics of the rest.",
    ),
)
"""The page that `help` alone shows in a session: no longer than a small screen."""


GUIDED = ("repl", "session", "keys")
WORDS = (*OWN, *GUIDED)
"""Words that have a page of the session."""


def text(word: str) -> str:
    """The page of a command of the session, that on the session, or without a word what can be typed."""
    from gradcli import render

    look = render.look_of(sys.stdout)
    page = PAGE if word in GUIDED else page_of(word, OWN[word]) if word else OVERVIEW
    return render.as_text(view(page, look), look)


def page_of(word: str, own: Own) -> Page:
    """The page of a command of the session."""
    return Page(word, (own.help, Examples((own.usage,))))
