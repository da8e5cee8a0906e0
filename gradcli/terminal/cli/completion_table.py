"""The commands and options, for completion in a shell without importing them.

`completion_table.tsv` is written by `python -m tests.write`: the commands with their help; the options, each with its
help, the values that it takes (- for a flag) and the commands that have it; and the words that `help` takes.
"""

from __future__ import annotations

import os

with open(os.path.splitext(__file__)[0] + ".tsv", encoding="utf-8") as _file:
    _commands, _options, HELP = _file.read().split("\n\n")

COMMANDS: dict[str, str] = dict(line.split("\t") for line in _commands.split("\n"))
ROWS: list[list[str]] = [line.split("\t") for line in _options.split("\n")]
