"""The end of each command's help: examples and the command's exit codes."""

from __future__ import annotations

from gradcli.errors import EXIT_MEANINGS, Exit
from gradcli.terminal.cli.click_errors import EXAMPLES

MORE_EXAMPLES = {
    "grad": ("gradcli grad file.py:f --at x=[1,2],y=3 --wrt y --json", "gradcli grad file.py:f --at - < points.jsonl"),
    "jacobian": ("gradcli jacobian file.py:f --at 1,2 --format csv",),
    "hessian": ("gradcli hessian file.py:f --at @point.json --wrt x",),
    "tape": ("gradcli tape file.py:f --at 1,2 --tree", "gradcli tape file.py:f --at 1,2 -o tape.html"),
    "derive": ("gradcli derive file.py:f --at 1,2 -o grad_f.py",),
    "symbolic": ("gradcli symbolic file.py:f --at 1,2 --format latex",),
    "check": (
        "gradcli check file.py:f --points 20 --box x=0:1 --box y=-1:1",
        "gradcli check --selftest",
        "gradcli check --selftest --device gpu",
    ),
    "compare": ("gradcli compare 'log(1 + x)' 'log1p(x)' --box x=1e-9:1 --points 100",),
    "verify": ("gradcli verify src -n auto --report junit=gradients.xml", "gradcli verify --list --format toml"),
    "plot": ("gradcli plot file.py:f --at 1,2 --bars", "gradcli plot file.py:f --at 3 --differences -o steps.svg"),
    "watch": ("gradcli watch file.py:f --at @point.json --interval 1",),
    "help": ("gradcli help all", "gradcli help G402"),
}

ANSWERING = (Exit.PASS, Exit.USAGE, Exit.NOT_FINITE, Exit.USER_CODE)
DRAWING = (Exit.PASS, Exit.USAGE, Exit.USER_CODE)
TALKING = (Exit.PASS, Exit.USAGE)
EXITS = {
    **dict.fromkeys(("grad", "jacobian", "hessian", "precision"), ANSWERING),
    "derive": (Exit.PASS, Exit.USAGE, Exit.INCONCLUSIVE, Exit.USER_CODE),
    "check": tuple(code for code in Exit if code < Exit.INTERNAL),
    "compare": (Exit.PASS, Exit.FAIL, Exit.USAGE, Exit.INCONCLUSIVE, Exit.NOT_FINITE, Exit.USER_CODE),
    "verify": tuple(code for code in Exit if code < Exit.INTERNAL),
    **dict.fromkeys(("tape", "explain", "symbolic", "plot", "step"), DRAWING),
    **dict.fromkeys(("watch", "env", "completion", "help"), TALKING),
    **dict.fromkeys(("repl", "run"), tuple(code for code in Exit if code < Exit.INTERNAL)),
}
MEANINGS = {
    "compare": {
        Exit.PASS: "values and gradients are equal within rounding",
        Exit.FAIL: "they differ",
        Exit.INCONCLUSIVE: "the difference may be rounding, or a convention at a kink",
        Exit.NOT_FINITE: "neither function has a finite value at any point",
    }
}
"""The meanings of exit codes that are special to a command."""
ALWAYS = "Any command may also exit with 70 (internal error) or 130 (Ctrl-C); see `gradcli help exit-codes`."


def closing(command: str) -> str:
    """The examples and exit codes of a command, marked for click as preformatted text."""
    examples = [EXAMPLES[command], *MORE_EXAMPLES.get(command, ())]
    meanings = {**EXIT_MEANINGS, **MEANINGS.get(command, {})}
    codes = [f"{int(code)}  {meanings[code]}" for code in EXITS.get(command, TALKING)]
    return f"{block('Examples', examples)}\n\n{block('Exit codes', codes)}\n\n{ALWAYS}"


def block(title: str, lines: list[str]) -> str:
    """A title and preformatted lines."""
    return "\n".join(["\b", f"{title}:", *(f"  {line}" for line in lines)])
