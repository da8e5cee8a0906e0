"""The names of the commands, without an import, as a start asks for them before it imports anything."""

# The commands, each of which is the module of its name in `commands`, in the order of the help.
COMMANDS = (
    "grad",
    "jacobian",
    "hessian",
    "tape",
    "explain",
    "step",
    "derive",
    "symbolic",
    "check",
    "compare",
    "verify",
    "precision",
    "propagate",
    "plot",
    "repl",
    "run",
    "watch",
    "env",
    "completion",
    "help",
)

# These do not run the user's code and then end; at a prompt, in `step` and in `watch` the user sees the process end.
IN_THIS_PROCESS = frozenset(("step", "verify", "repl", "watch", "env", "completion", "help"))
