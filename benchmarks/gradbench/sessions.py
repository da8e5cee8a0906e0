"""A session of an evaluation of GradBench with a tool, both of which are processes that speak the suite's protocol."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

FIVE = ["--min-runs", "5"]  # runs at least, so that the median is not that of a call that compiles

# The size of each evaluation that a table takes; without, the suite's own sizes.
SMALL = {
    "ba": ["--min", "1", "--max", "1", *FIVE],
    "det": ["-l", "5", "7", *FIVE],
    "gmm": ["-d", "10", "-k", "10", "-n", "1000", *FIVE],
    "hello": [],
    "ht": ["--min", "1", "--max", "2", "--model", "small", *FIVE],
    "kmeans": ["-k", "100", "-n", "10000", "-d", "8", *FIVE],
    "llsq": ["-n", "1024", "16392", *FIVE],
    "lse": ["-n", "10000", "1280000", *FIVE],
    "lstm": ["-l", "2", "-c", "1024", *FIVE],
    "ode": ["-n", "1000", "-s", "100", *FIVE],
    "particle": [],
    "saddle": [],
}


@dataclass
class Outcome:
    """What came of a session.

    Attributes:
        seconds: the median of the times, by function and description of the input.
        failure: why the session ended early, or what an answer lacked; empty if all were valid.
    """

    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    failure: str = ""


def tools(repo: Path) -> dict[str, list[str]]:
    """The commands of gradcli and of the tools of a checkout that can run here, by name."""
    commands = {"C++ by hand": [sys.executable, "-m", "gradbench.cpp", "manual"]}  # first: it builds what validates
    commands |= {f"gradcli {way}": [sys.executable, "-m", "benchmarks.gradbench", "--tool", way] for way in WAYS}
    for name, package in (("jax", "jax"), ("pytorch", "torch")):
        program = repo / f"python/gradbench/gradbench/tools/{name}/run.py"
        if program.is_file() and _is_installed(package):
            commands[name] = [sys.executable, *(WAITING if name == "jax" else ()), str(program)]
    return commands


# The suite times a call until it returns, which in JAX is before its result is there, unless JAX is told to wait.
WAITING = (
    "-c",
    "import jax, os, runpy, sys; jax.config.update('jax_cpu_enable_async_dispatch', False); "
    "sys.path[0] = os.path.dirname(sys.argv[1]); runpy.run_path(sys.argv.pop(1), run_name='__main__')",
)

WAYS = ("eager", "compiled")


def _is_installed(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def session(repo: Path, name: str, tool: Sequence[str], sizes: Sequence[str], most_seconds: float) -> Outcome:
    """Run an evaluation with a tool, for a limited time; each forwards its lines to the other."""
    path = os.pathsep.join([str(ROOT), str(repo / "python/gradbench"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    asking = [sys.executable, "-m", f"gradbench.evals.{name}.run", *sizes]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, env=environment, cwd=repo, **pipes) for command in (asking, tool)]
    is_late = threading.Event()

    def end() -> None:
        for process in processes:
            process.kill()

    timer = threading.Timer(most_seconds, lambda: (is_late.set(), end()))
    timer.start()
    outcome = Outcome()
    try:
        _forward(*processes, outcome)
    except (OSError, ValueError) as error:  # a process ended, or what it wrote is no JSON
        outcome.failure = f"{type(error).__name__}: {error}"
    finally:
        timer.cancel()
        end()
    if not outcome.seconds and name != "hello":
        outcome.failure = outcome.failure or "it evaluated nothing"
    if is_late.is_set():
        outcome.failure = f"over {most_seconds:.0f} s"
    return outcome


def _forward(asker: Any, answerer: Any, outcome: Outcome) -> None:
    """Hand each message to the tool and each answer to the evaluation, and note what they say."""
    for line in asker.stdout:
        message = json.loads(line)
        print(line.strip(), file=answerer.stdin, flush=True)
        answer = json.loads(answerer.stdout.readline())
        if not answer.get("success", True):
            outcome.failure = outcome.failure or last_line(answer.get("error", "it failed"))
        if message["kind"] == "analysis" and not message["valid"]:
            outcome.failure = outcome.failure or f"wrong: {last_line(message.get('error', ''))}"
        if message["kind"] == "evaluate" and answer.get("timings"):
            times = [timing["nanoseconds"] for timing in answer["timings"] if timing["name"] == "evaluate"]
            outcome.seconds[message["function"], message.get("description", "")] = statistics.median(times) / 1e9
        print(json.dumps(answer), file=asker.stdin, flush=True)


def last_line(text: str) -> str:
    """The last line of an error that is not `make`'s own, which names folders; what failed is above those."""
    if "No rule to make target" in text:
        return "it has no such evaluation"
    return next((line for line in reversed(text.splitlines()) if not _OF_MAKE.match(line)), "")


_OF_MAKE = re.compile(r"make(\[\d+\])?: (Entering|Leaving) directory|\s*$")
