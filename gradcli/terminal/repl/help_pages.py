"""The help pages on the session: lines, session commands and keys."""

from __future__ import annotations

import sys

from gradcli import queries
from gradcli.queries.session_workspace import Workspace
from gradcli.terminal.render.topics.page_parts import Examples, Page, Part, Terms, view
from gradcli.terminal.repl.command_descriptions import OWN

LINES: tuple[Part, ...] = (
    "A line is one of the following:",
    Terms(
        ("x = 3", "a value; also v = [1, 2], y = 2*x, z = linspace(0, 1, 5)"),
        ("f(x, y) = x^2 * sin(y)", "a function; other names in it take their values when it is called"),
        ("def f(x): return np.sin(x)", "a Python function, of one line or several; np and math are available"),
        ("x^2 + 1", "an expression: prints its value and its gradient at the current values"),
        ("v[0] + norm(A @ v[1:])", "elements, slices, matrix products and functions of NumPy, also np.linalg.norm"),
        ("grad f --at 1,2", "a gradcli command with its options, applied to the names of the session"),
    ),
    "Text after # is a comment. An open bracket continues on the next line; so does a function, until it returns or "
    "until an empty line. The last result is _, the third result is _3, and node 7 of the last tape is %7. A command "
    "without a target applies to the last function or expression, at its last point.",
)

FIRST = Examples(
    "f(x, y) = x^2 * sin(y)",
    "at x=3,y=2",
    "grad",
    "explain",
    "plot --along y -o f.svg",
    "load examples/hyperbox.py",
    "check f4 --against grad_f4 --at 1,2,3,4",
    "save session.gradcli",
)

KEYS = Terms(
    ("Enter", "run the line; inside an open bracket or a function, start a new, indented line"),
    ("Alt-Enter", "start a new line"),
    ("Tab", "complete commands, names, options, files and, after file.py:, functions"),
    ("Up, Down, Ctrl-R", "recall earlier lines and blocks; Ctrl-R searches"),
    ("Right", "accept the suggestion from earlier lines"),
    ("Ctrl-X Ctrl-E", "edit the line in $EDITOR"),
    (
        "Ctrl-C",
        "clear the line, or the lines of an open bracket; stop a computation, as soon as Python regains control",
    ),
    ("Ctrl-Z", "suspend gradcli; fg in the shell resumes it"),
    ("Ctrl-D", "leave, as quit does"),
)

PAGE = Page(
    "The session",
    *LINES,
    "To start with:",
    FIRST,
    "Session commands:",
    Terms(*tuple((own.usage, own.help) for own in OWN.values())),
    "Keys:",
    KEYS,
    "While you type, the bottom line shows the value and the partial derivatives of the line, and kinks. Pasted "
    "text runs only after Enter. The history is kept in ~/.local/state/gradcli/history, or in the file named by "
    "GRADCLI_HISTORY. `set` lists the settings; they are kept for later sessions in ~/.config/gradcli/settings, "
    "or in the file named by GRADCLI_SETTINGS.",
)


OVERVIEW = Page(
    "What can be typed",
    Terms(
        ("x = 3", "a value; also v = [1, 2], or at x=1,y=2 for several"),
        ("x^2 + 1", "an expression: prints its value and gradient; _ is the last result"),
        ("f(x, y) = x^2 * sin(y)", "a function; also def f(x): in Python, or load file.py"),
        ("f, f?", "the definition of f and the commands for it"),
        ("grad", "the gradient of the last function or expression; also grad f --at 1,2"),
    ),
    "In place of grad:",
    Terms(
        ("explain, tape, step", "each step of the gradient"),
        ("check, compare, precision", "whether it is right, and to how many digits"),
        ("plot, symbolic, derive", "a plot, the formulas, a Python program"),
        ("jacobian, hessian", "more derivatives; propagate: uncertainty"),
        ("names, forget", "list or remove names"),
        ("load, run", "load functions; run a script"),
        ("save, set, quit", "save a script; change settings; leave"),
    ),
    "help grad explains a command, help repl the keys, help topics the rest.",
)
"""The page that `help` alone shows in a session; it fits a small screen."""


GUIDED = ("repl", "session", "keys")
WORDS = (*OWN, *GUIDED)
"""The words that have a help page in a session only."""


def text(word: str) -> str:
    """The help page of a session command or of the session; without a word, the overview."""
    from gradcli.terminal import render

    look = render.look_of(sys.stdout)
    page = PAGE if word in GUIDED else OVERVIEW
    if own := OWN.get(word):
        page = Page(
            word,
            own.help,
            Examples(own.usage),
        )
    return render.as_text(view(page, look), look)


MOST_LINES = 40  # lines shown of a function


def source(name: str, workspace: Workspace) -> str:
    """The source of a Python function, shortened if it is long; empty for other names."""
    lines = workspace.source(name).splitlines()
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"… {more} more lines"]
    return "".join(f"{line}\n" for line in lines)


def applicable_commands(name: str, workspace: Workspace) -> str:
    """The commands that apply to a name; empty for a value."""
    if not workspace.means_function(name):
        return ""
    return f"grad {name}, tape {name}, explain {name}, symbolic {name} and check {name} apply to it.\n"


def of_language(name: str) -> str:
    """The signature of a function of the formula language; empty for other names."""
    signature = queries.prompt_functions().get(name)
    if signature is None:
        return ""
    if signature == "(...)":
        return f"{name}{signature}: an array function of NumPy or SciPy, with its arguments by position.\n"
    return f"{name}{signature}: a function of formulas; `symbolic {name}{signature}` differentiates it.\n"
