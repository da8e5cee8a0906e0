"""The command line: one command a file, each reads options, asks one question and hands the record to a writer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

from gradcli.cli import garbage_collection


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments`, or on those that the process was started with; returns the exit code."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        garbage_collection.wait()
    try:
        if typed[:1] == ["__complete"]:  # asked by a shell at the press of a key: nothing more is imported
            from gradcli.cli.shell_completion import answer as complete

            return complete(typed[1:])
        from gradcli.cli.root_command import run

        return run(list(typed))
    except BaseException as raised:  # every way out has its exit code, Ctrl-C and a fault of ours among them
        from gradcli.cli.exit_errors import answer

        return answer(raised, as_json=json_asked(typed))
    finally:
        garbage_collection.resume()


def json_asked(typed: Sequence[str]) -> bool:
    """Whether `--json` stands among the options: what cannot be parsed is answered in JSON too."""
    return any(word == "--json" and before != "--" for before, word in pairwise(["", *typed]))
