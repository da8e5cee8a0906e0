"""`python -m benchmarks.gradbench`: gradcli as a tool of GradBench, and its table beside others."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.gradbench.evaluation import Transforms
from benchmarks.gradbench.protocol import NAMES, answers
from benchmarks.gradbench.sessions import SMALL, WAYS, Outcome, session, tools


def main(arguments: list[str] | None = None) -> int:
    """Speak the protocol, or print the table; returns 1 if gradcli failed an evaluation."""
    options = parser().parse_args(arguments)
    if options.tool:
        for answer in answers(sys.stdin, Transforms(options.tool == "compiled")):
            print(json.dumps(answer), flush=True)
        return 0
    names = options.evals.split(",") if options.evals else NAMES
    commands = tools(options.repo)
    passed = dict.fromkeys(commands, 0)
    for name in names:
        sizes = [] if options.full else SMALL[name]
        outcomes = {
            tool: session(options.repo, name, command, sizes, options.seconds) for tool, command in commands.items()
        }
        print("\n".join(lines(name, outcomes)), flush=True)
        for tool, outcome in outcomes.items():
            passed[tool] += not outcome.failure
    print("\npassed: " + ", ".join(f"{tool} {count} of {len(names)}" for tool, count in passed.items()))
    return int(any(passed[f"gradcli {way}"] < len(names) for way in WAYS))


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    build = argparse.ArgumentParser(prog="python -m benchmarks.gradbench", description=__doc__)
    either = build.add_mutually_exclusive_group(required=True)
    either.add_argument("--tool", choices=WAYS, help="speak GradBench's protocol on stdin and stdout")
    either.add_argument("--repo", type=Path, help="print the table of the evaluations of this checkout of GradBench")
    build.add_argument("--evals", help="these evaluations alone: ba,ht")
    build.add_argument("--full", action="store_true", help="the suite's own sizes, which take hours")
    build.add_argument("--seconds", type=float, default=300.0, help="the most seconds of a session (default: 300)")
    return build


def lines(name: str, outcomes: dict[str, Outcome]) -> list[str]:
    """The table of one evaluation: a line per function and size, and the failures."""
    keys = list(dict.fromkeys(key for outcome in outcomes.values() for key in outcome.seconds))
    table = [["", *outcomes]]
    for key in keys:
        table.append([f"{key[0]} {key[1]}".strip(), *(_cell(outcome, key) for outcome in outcomes.values())])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    failures = [f"  {tool}: {outcome.failure}" for tool, outcome in outcomes.items() if outcome.failure]
    return [f"\n{name}", *rows, *failures]


def _cell(outcome: Outcome, key: tuple[str, str]) -> str:
    seconds = outcome.seconds.get(key)
    return "-" if seconds is None else f"{seconds * 1e3:.3g} ms"


if __name__ == "__main__":
    sys.exit(main())
