"""`gradcli completion`: the completion scripts for bash, zsh and fish."""

from __future__ import annotations

import json
import sys

import click

from gradcli.shared.records.json_form import SCHEMA
from gradcli.terminal.cli.help_option import CommandWithHelp
from gradcli.terminal.cli.options import json_flag
from gradcli.terminal.cli.streams import write

BASH = """\
_gradcli() {
    local IFS=$'\\n'
    COMPREPLY=($(gradcli __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null))
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]] && compopt -o nospace
    return 0
}
complete -F _gradcli gradcli
"""

ZSH = """\
#compdef gradcli
_gradcli() {
    local line
    local -a whole open
    for line in "${(@f)$(gradcli __complete zsh "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        line=${line%%$'\\t'*}
        [[ $line == *[/:=] ]] && open+=("$line") || whole+=("$line")
    done
    compadd -a whole
    compadd -S '' -a open
}
compdef _gradcli gradcli
"""

FISH = """\
complete -c gradcli -f -a '(gradcli __complete fish (commandline -opc) (commandline -ct) 2>/dev/null)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


HOW = """\b
In ~/.bashrc:                  eval "$(gradcli completion bash)"
In ~/.zshrc, after compinit:   eval "$(gradcli completion zsh)"
In ~/.config/fish/config.fish: gradcli completion fish | source
"""


@click.command(
    "completion",
    cls=CommandWithHelp,
    epilog=HOW,
    short_help="Print a completion script for bash, zsh or fish.",
    examples=("gradcli completion bash",),
)
@click.argument("shell", type=click.Choice([*SCRIPTS]))
@json_flag
def command(shell: str, as_json: bool) -> None:
    """Print the script that makes SHELL complete commands, options, files, functions and inputs."""
    if as_json:
        object_ = {"schema": SCHEMA, "command": "completion", "shell": shell, "script": SCRIPTS[shell], "findings": []}
        write(sys.stdout, json.dumps(object_) + "\n")
    else:
        write(sys.stdout, SCRIPTS[shell])
