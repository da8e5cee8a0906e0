"""`python -m benchmarks.compiled_equality`: compiled derivatives against eager ones.

Each random program, and each function of the corpus of claims, is called at its point, at points nearby and at points
with zeros. Value and gradient, the Jacobian or the Hessian that is claimed, agree within rounding, and exceptions and
warnings are the same. The cases run in a child
process, which ends at one that takes longer than the limit; such a case is reported and counted, and the next ones run
in another process. Exits 1 on a difference, and where a case ends its process in another way.

`--programs 0 1000` and `--claims 0 2000` take a part of either; with only one of them, there are none of the other.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import random
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

import gradcli
from gradcli.answers.compilation.comparison_with_eager import agrees
from gradcli.answers.derivation.trial_points import nearby_points
from gradcli.answers.targets import as_point
from gradcli.answers.targets.functions import function_target
from gradcli.methods.transforms import derivative_warnings
from tests.corpus import CLAIMS
from tests.generated.numeric_programs import ArrayWriter, ScalarWriter
from tests.generated.programs import Writer, function_of, point_of

MOST_REASONS = 20  # that are shown
MOST_INPUTS = 4  # of a program, by which it is differentiated
PROGRAMS = (0, 2000)  # the seeds
TRANSFORMS: dict[str, Callable[..., Any]] = {
    "gradient": gradcli.value_and_grad,
    "jacobian": partial(gradcli.jacobian, with_value=True),
    "hessian": gradcli.hessian,
    "hvp": gradcli.hessian,
}
"""The transforms that are compared, by the derivative that is claimed."""
LIMIT = 20.0  # seconds of processor time of a case
WAIT = 20  # times the limit after which a case ends that waits for something
OVER, ENDED = "over the limit", "its process ended"


class Case(NamedTuple):
    """A function and the point at which it is differentiated.

    Attributes:
        name: the name.
        f: the function.
        argnums: the arguments that it is differentiated by.
        point: the arguments.
        count: the number of claims about it; 0 for a program.
        of: the derivative, one of `TRANSFORMS`.
    """

    name: str
    f: Callable[..., Any]
    argnums: Any
    point: list[Any]
    count: int = 0
    of: str = "gradient"


def outcome(call: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, list[str]]:
    """What a derivative returns, or the exception as text, with the warnings."""
    for memory in (derivative_warnings._times, derivative_warnings._looked_at, derivative_warnings._warned):
        memory.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call(*copy.deepcopy(list(arguments)))
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, sorted({f"{w.category.__name__}: {w.message}" for w in caught})


def with_zeros(value: Any, generator: random.Random) -> Any:
    """A value in which some numbers are 0."""
    if isinstance(value, (list, tuple)):
        return getattr(type(value), "_make", type(value))([with_zeros(item, generator) for item in value])
    if isinstance(value, dict):
        return {key: with_zeros(item, generator) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.where(np.random.default_rng(generator.getrandbits(32)).uniform(size=value.shape) < 0.3, 0.0, value)
    return 0.0 if type(value) is float and generator.random() < 0.3 else value


def points(first: list[Any]) -> Iterator[list[Any]]:
    """The point twice, points nearby, and points with zeros."""
    generator = random.Random(0)
    yield from (first, first)
    yield from islice(nearby_points(first), 4)
    yield from ([with_zeros(value, generator) for value in first] for _ in range(3))


def difference(f: Callable[..., Any], argnums: Any, first: list[Any], of: str = "gradient") -> tuple[str, str]:
    """What runs, and the first difference from the eager derivative; empty if there is none."""
    compiled, eager = (TRANSFORMS[of](f, argnums, compile=compile) for compile in (True, False))
    if repr(outcome(eager, first)) != repr(outcome(eager, first)):
        return "random", ""
    for point in points(first):
        (ours, said), (theirs, eager_said) = outcome(compiled, point), outcome(eager, point)
        is_same = ours == theirs if isinstance(theirs, str) or isinstance(ours, str) else agreeing(ours, theirs)
        if not is_same or said != eager_said:
            return "different", f"at {point}: {ours} {said}, and eager {theirs} {eager_said}"
    return backend(compiled.report()), ""


def backend(report: Any) -> str:
    """What runs, and if it is not C, why."""
    if not report.programs:
        return f"eager: {report.eager[0][1] if report.eager else 'each call raises'}"
    program = report.programs[0]
    return program.backend + (f": {program.reason}" if program.reason else "")


def agreeing(ours: Any, theirs: Any) -> bool:
    """Whether two results agree within rounding; those that are not finite are equal."""
    return agrees(ours, theirs) or repr(ours) == repr(theirs)


def programs(first: int, last: int) -> Iterator[Case]:
    """The random programs of some seeds, most of them numeric."""
    for seed in range(first, last):
        if seed % 5:
            numeric = ScalarWriter(seed) if seed % 5 == 1 else ArrayWriter(seed)
            text, point = numeric.text(), numeric.point()
        else:
            text, point = Writer(seed).text(), point_of(seed)
        yield Case(f"program {seed}", function_of(text), tuple(range(len(point)))[:MOST_INPUTS], [*point.values()])


def claims(first: int, last: int) -> Iterator[Case]:
    """The functions and points of some claims of the corpus, each once."""
    counts = Counter((id(claim.f), id(claim.at), claim.of) for claim in CLAIMS[first:last])
    for number, claim in enumerate(CLAIMS[first:last], first):
        if not (count := counts.pop((id(claim.f), id(claim.at), claim.of), 0)):
            continue
        try:
            point = as_point(claim.at, function_target("f", "f", claim.f))
        except Exception:  # a claim of something else
            continue
        places = tuple(range(len(point)))
        yield Case(f"claim {number} {claim.name}", claim.f, places, [*point.values()], count, claim.of)


def results(cases: Sequence[Case], limit: float) -> Iterator[tuple[str, str]]:
    """What runs and the difference for each case, from child processes that end at a case over the limit."""
    context, done = multiprocessing.get_context("fork"), 0
    while done < len(cases):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=send_results, args=(cases[done:], limit, sender))
        child.start()
        sender.close()
        try:
            while done < len(cases) and receiver.poll(WAIT * limit):
                yield receiver.recv()
                done += 1
        except EOFError:
            pass
        if done < len(cases):
            child.kill()  # which does nothing to one that has ended
        child.join()
        if done < len(cases):
            done += 1
            is_late = child.exitcode in (-signal.SIGPROF, -signal.SIGKILL)
            yield (OVER, "") if is_late else (ENDED, f"its process ended with {child.exitcode}")


def send_results(cases: Sequence[Case], limit: float, sender: Connection) -> None:
    """Send what runs and the difference for each case; the process ends at one over the limit."""
    for case in cases:
        signal.setitimer(signal.ITIMER_PROF, limit)
        result = difference(case.f, case.argnums, case.point, case.of)
        signal.setitimer(signal.ITIMER_PROF, 0)
        sender.send(result)


def parsed(arguments: list[str]) -> tuple[list[Case], float]:
    """The cases that are asked for, and the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiled_equality", description="See the module.")
    parser.add_argument("--programs", nargs=2, type=int, metavar=("FIRST", "LAST"))
    parser.add_argument("--claims", nargs=2, type=int, metavar=("FIRST", "LAST"))
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of processor time of a case")
    asked = parser.parse_args(arguments)
    is_whole = asked.programs is None and asked.claims is None
    seeds, numbers = asked.programs or (0, 0), asked.claims or (0, 0)
    if is_whole:
        seeds, numbers = PROGRAMS, (0, len(CLAIMS))
    return [*programs(*seeds), *claims(*numbers)], asked.limit


def main(arguments: list[str]) -> int:
    """Print the differences, what runs and why nothing faster, and a summary."""
    cases, limit = parsed(arguments)
    counts, reasons = Counter[str](), Counter[str]()
    for case, (what, text) in zip(cases, results(cases, limit), strict=True):
        counts[what.partition(":")[0]] += 1
        reasons.update([what] if ":" in what else [])
        if text or what == OVER:
            sys.stdout.write(f"{case.name}: {text or what}\n")
            sys.stdout.flush()
    sys.stdout.write("".join(f"{count:6} {what}\n" for what, count in reasons.most_common(MOST_REASONS)))
    differences = counts["different"] + counts[ENDED]
    sys.stdout.write(
        f"{sum(not case.count for case in cases)} programs, {sum(case.count for case in cases)} claims: "
        f"C backend {counts['C']}, Python {counts['Python']}, eager {counts['eager'] + counts['random']}, "
        f"over the limit {counts[OVER]}, differences {differences}\n"
    )
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
