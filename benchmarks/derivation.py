"""`python -m benchmarks.derivation [FOLDER]`: the programs that `derive` derives, refuses, or gets wrong (none).

The programs are those of the corpus and of the tests, and, with FOLDER, the root of a SciPy clone, the classes of
SciPy's global-optimisation benchmarks. Each derived program is compared with the tape at ten more points.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import random
import signal
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import gradcli
from gradcli.answers.derivation.trial_points import moved
from gradcli.answers.derivation.verification import CLOSE, flat
from gradcli.answers.targets import as_point
from gradcli.answers.targets.functions import function_target
from gradcli.errors import GradcliError, InternalError, UnsupportedError

PATIENCE = 20  # seconds per program
POINTS = 10
OUTCOMES = ("source", "straight", "refused", "other", "late", "wrong", "fault")


class Subject(NamedTuple):
    """A program with a point, and a generator of further points."""

    name: str
    function: Callable[..., Any]
    point: dict[str, Any]
    other: Callable[[random.Random], dict[str, Any]]


def points_near(point: dict[str, Any]) -> Callable[[random.Random], dict[str, Any]]:
    """A generator of points near a point."""
    return lambda generator: {name: moved(value, generator, 0.3) for name, value in point.items()}


def of_tests() -> Iterator[Subject]:
    """The programs in the tests of derive."""
    for name in ("scalar_programs", "array_programs", "language_programs", "idiom_programs"):
        programs = importlib.import_module(f"tests.answers.derivation.{name}").PROGRAMS
        for function, points in programs.items():
            point = dict(zip(inspect.signature(function).parameters, points[0], strict=False))
            yield Subject(function.__name__, function, point, points_near(point))


def of_corpus() -> Iterator[Subject]:
    """The functions in the corpus, each at the first point of a claim."""
    from tests.corpus import CLAIMS

    seen = set()
    for claim in CLAIMS:
        if id(claim.f) not in seen:
            seen.add(id(claim.f))
            point = dict(as_point(claim.at, function_target("f", "f", claim.f)))
            yield Subject(claim.name, claim.f, point, points_near(point))


def of_scipy(folder: str) -> Iterator[Subject]:
    """The method `fun` of each class, at random points within its bounds, as a vector or, for one variable, a list."""
    place = os.path.join(folder, "benchmarks", "benchmarks")
    for name, path in (("_sp", place), ("_sp.functions", os.path.join(place, "go_benchmark_functions"))):
        package = types.ModuleType(name)
        package.__path__ = [path]
        sys.modules[name] = package
    common = types.ModuleType("_sp.common")
    common.safe_import = _Suppressing  # type: ignore[attr-defined]
    sys.modules["_sp.common"] = common
    base = importlib.import_module("_sp.functions.go_benchmark").Benchmark
    files = sorted(name[:-3] for name in os.listdir(package.__path__[0]) if name.startswith("go_funcs_"))
    for file in files:
        module = importlib.import_module(f"_sp.functions.{file}")
        for member in vars(module).values():
            if isinstance(member, type) and issubclass(member, base) and member is not base:
                yield _of_class(member())


class _Suppressing:
    """A context manager under which SciPy's benchmarks import SciPy."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, *rest: Any) -> bool:
        return kind is not None and issubclass(kind, ImportError)


def _of_class(instance: Any) -> Subject:
    def within(generator: random.Random) -> dict[str, Any]:
        return {"x": np.array([generator.uniform(*bounds) for bounds in instance.bounds])}

    return Subject(type(instance).__name__, instance.fun, within(random.Random(1)), within)


def judged(subject: Subject) -> tuple[str, str]:
    """The result for a program, and its message."""
    refusals = []
    for way in ("source", "straight"):
        try:
            source = gradcli.derive(subject.function, at=subject.point, straight=way == "straight")
        except UnsupportedError as error:
            place = f"{error.file}:{error.line}" if error.line else "no line"
            refusals.append(f"{error.message} ({place})")
        except InternalError as error:
            return "fault", f"{way}: {error.message}"
        except GradcliError as error:
            return "other", f"{type(error).__name__}: {error.message}"
        else:
            worse = difference(subject, source)
            return ("wrong", worse) if worse else (way, "; ".join(refusals))
    return "refused", "; ".join(refusals)


def difference(subject: Subject, source: gradcli.answers.derivation.derived_program.Source) -> str:
    """The difference between a derived program and the tape; empty if they agree."""
    generator = random.Random(2)
    bound = function_target("f", "f", subject.function).with_inputs(tuple(subject.point)).function
    truth = gradcli.grad(bound, tuple(range(len(subject.point))))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(POINTS):
            point = subject.other(generator)
            try:
                expected = flat(truth(*point.values()))
                actual = flat(source.function(**point))
            except (GradcliError, ArithmeticError, ValueError, AssertionError, np.linalg.LinAlgError):
                continue
            except Exception as error:
                return f"{type(error).__name__}: {error} at {point}"
            scale = max([abs(number) for number in expected if np.isfinite(number)], default=0.0)
            if not np.allclose(actual, expected, rtol=CLOSE, atol=CLOSE * scale, equal_nan=True):
                return f"{actual[:4]} for {expected[:4]} at {point}"
    return ""


def swept(subjects: Iterable[Subject], *, prints_all: bool) -> Counter[str]:
    """Judge programs, and print a line for each one that was not derived from its source."""
    counts: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _late)
    for subject in subjects:
        signal.alarm(PATIENCE)
        try:
            outcome, message = judged(subject)
        except TimeoutError:
            outcome, message = "late", f"over {PATIENCE} s"
        except Exception as error:
            outcome, message = "fault", f"{type(error).__name__}: {error}"
        finally:
            signal.alarm(0)
        counts[outcome] += 1
        if prints_all or outcome != "source":
            print(f"{outcome:9} {subject.name}: {message}", flush=True)
    return counts


def _late(*_: Any) -> None:
    raise TimeoutError


def main() -> int:
    """Run the sweep and print the counts; returns 1 if a derived program is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", help="the root of a clone of SciPy")
    parser.add_argument("--only", choices=("tests", "corpus", "scipy"), help="one of the sets of programs")
    parser.add_argument("--all", action="store_true", help="print the derived ones too")
    chosen = parser.parse_args()
    groups = {"tests": of_tests, "corpus": of_corpus}
    if chosen.folder:
        groups["scipy"] = lambda: of_scipy(chosen.folder)
    status = 0
    for name, subjects in groups.items():
        if chosen.only in (None, name):
            counts = swept(subjects(), prints_all=chosen.all)
            listed = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])
            print(f"{name}: {sum(counts.values())} programs: {listed}")
            status |= bool(counts["wrong"] or counts["fault"])
    return status


if __name__ == "__main__":
    sys.exit(main())
