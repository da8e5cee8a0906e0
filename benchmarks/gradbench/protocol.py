"""GradBench's protocol, from the side of a tool: a message of JSON a line comes in, and its answer goes out."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import IO, Any

from benchmarks.gradbench.evaluation import Evaluation, Module, Transforms

NAMES = ("ba", "det", "gmm", "hello", "ht", "kmeans", "llsq", "lse", "lstm", "ode", "particle", "saddle")


def module(name: str) -> Module:
    """The module of an evaluation.

    Raises:
        ImportError: there is none of that name.
    """
    if name not in NAMES:
        raise ImportError(f"there is no evaluation {name}")
    return import_module(f"benchmarks.gradbench.programs.{name}").MODULE  # type: ignore[no-any-return]


def answers(lines: IO[str], transforms: Transforms) -> Iterator[dict[str, Any]]:
    """Yield the answer to each message."""
    for line in lines:
        message = json.loads(line)
        yield {"id": message["id"], **answer(message, transforms)}


def answer(message: dict[str, Any], transforms: Transforms) -> dict[str, Any]:
    """The answer to one message, without its number."""
    if message["kind"] == "start":
        return {"tool": "gradcli compiled" if transforms.is_compiled else "gradcli"}
    if message["kind"] == "define":
        return tried(lambda: {"timings": []} if module(message["module"]) else {"success": False})
    if message["kind"] == "evaluate":
        return tried(lambda: evaluated(module(message["module"])[message["function"]], message["input"], transforms))
    return {}


def tried(action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What an action gives, or the error that it raises."""
    try:
        return {"success": True, **action()}
    except Exception:  # whatever a program raises is the answer
        return {"success": False, "error": traceback.format_exc()}


def evaluated(evaluation: Evaluation, given: Any, transforms: Transforms) -> dict[str, Any]:
    """The output and the time of each run: as many as are asked for, and until they take the seconds asked for."""
    arguments, function = evaluation.arguments(given), evaluation.made(transforms)
    runs, seconds = (given["min_runs"], given["min_seconds"]) if isinstance(given, dict) else (1, 0.0)
    times: list[int] = []
    while len(times) < runs or sum(times) < seconds * 1e9:
        started = time.perf_counter_ns()
        result = function(*arguments)
        times.append(time.perf_counter_ns() - started)
    timings = [{"name": "evaluate", "nanoseconds": nanoseconds} for nanoseconds in times]
    return {"output": evaluation.output(result), "timings": timings}
