"""`python -m benchmarks.compiled_equality [FIRST LAST]`: compiled gradients against eager ones.

Each random program, and each function of the corpus of claims, is called at its point, at points nearby and at points
with zeros. Value and gradient agree within rounding, and exceptions and warnings are the same. Exits 1 on a difference.
"""

from __future__ import annotations

import copy
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

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


def outcome(call: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, list[str]]:
    """The value and the gradient, or the exception as text, with the warnings."""
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


def difference(f: Callable[..., Any], argnums: Any, first: list[Any]) -> tuple[str, str]:
    """What runs, and the first difference from the eager gradient; empty if there is none."""
    compiled, eager = (gradcli.value_and_grad(f, argnums, compile=compile) for compile in (True, False))
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


def programs(first: int, last: int) -> Iterator[tuple[str, Callable[..., Any], Any, list[Any]]]:
    """The random programs of some seeds, most of them numeric, and if they start at 0 the functions of the corpus."""
    for seed in range(first, last):
        if seed % 5:
            numeric = ScalarWriter(seed) if seed % 5 == 1 else ArrayWriter(seed)
            text, point = numeric.text(), numeric.point()
        else:
            text, point = Writer(seed).text(), point_of(seed)
        yield f"program {seed}", function_of(text), tuple(range(len(point)))[:MOST_INPUTS], list(point.values())
    for number, claim in enumerate(CLAIMS if not first else ()):
        try:
            point = as_point(claim.at, function_target("f", "f", claim.f))
        except Exception:  # a claim of something else
            continue
        yield f"claim {number} {claim.f}", claim.f, tuple(range(len(point))), list(point.values())


def main(arguments: list[str]) -> int:
    """Print the differences, and how many programs run compiled."""
    first, last = map(int, arguments) if arguments else (0, 2000)
    counts, reasons, failures = Counter[str](), Counter[str](), 0
    for name, f, argnums, point in programs(first, last):
        what, text = difference(f, argnums, point)
        counts[what.partition(":")[0]] += 1
        reasons.update([what] if ":" in what else [])
        failures += bool(text)
        if text:
            sys.stdout.write(f"{name}: {text}\n")
    shown = [*sorted(counts.items()), *reasons.most_common(MOST_REASONS)]
    sys.stdout.write("".join(f"{count:6} {what}\n" for what, count in shown))
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
