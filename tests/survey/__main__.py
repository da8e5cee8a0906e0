"""`python -m tests.survey PACKAGE…`: sweep packages and print a table, with every answer that is not as declared.

Exits with 1 where a gradient is wrong, a verdict is not the declared one or a mutant survives, with 2 where a package
is not installed.
"""

import argparse
import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tests.survey import packages
from tests.survey.judged import Outcome, outcomes

NAMES = sorted(module.name for module in pkgutil.iter_modules(packages.__path__))
COLUMNS = {
    "gradients": ("right", "wrong", "warned", "refused"),
    "derivatives": ("right", "wrong", "undecided"),
    "mutants": ("failed", "survived"),
}


def main(arguments: list[str] | None = None) -> int:
    """Sweep the named packages; returns the exit code."""
    options = parser().parse_args(arguments)
    surveys = [importlib.import_module(f"tests.survey.packages.{name}") for name in options.packages or NAMES]
    if absent := [survey.RELEASE for survey in surveys if not installed(survey)]:
        print(f"not installed: pip install {' '.join(absent)}", file=sys.stderr)
        return 2
    rows, surprises = [], []
    for survey in surveys:
        answers = swept(survey, options)
        rows.append(row(survey, answers))
        surprises += [answer for answer in answers if answer.reason]
    print(table(rows))
    for answer in surprises:
        print(f"\n{answer.name}: {answer.asked[:-1]} {answer.verdict}: {answer.reason}")
    return int(any(answer.verdict not in ("warned", "refused") for answer in surprises))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    build = argparse.ArgumentParser(prog="python -m tests.survey", description="Sweep published packages.")
    build.add_argument(
        "packages", nargs="*", metavar="PACKAGE", choices=[*NAMES, []], help=f"of {', '.join(NAMES)}; default: all"
    )
    build.add_argument(
        "--mutants", type=int, default=3, metavar="N", help="changed copies of each derivative (default: 3)"
    )
    build.add_argument("--only", default="", metavar="TEXT", help="the cases whose names contain it")
    return build


def installed(survey: Any) -> bool:
    """Whether the package of a survey is installed, in any release."""
    try:
        return bool(version(survey.RELEASE.partition("==")[0]))
    except PackageNotFoundError:
        return False


def swept(survey: Any, options: argparse.Namespace) -> list[Outcome]:
    """The answers on all cases of a package."""
    answers = []
    for case in (case for case in survey.cases() if options.only in case.name):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{case.name}", end="", file=sys.stderr, flush=True)
        answers += outcomes(case, options.mutants)
    return answers


def row(survey: Any, answers: list[Outcome]) -> list[str]:
    """The package, its installed release, and the numbers of each verdict."""
    name = survey.RELEASE.partition("==")[0]
    counts = Counter((answer.asked, answer.verdict) for answer in answers)
    numbers = [" / ".join(str(counts[asked, each]) for each in verdicts) for asked, verdicts in COLUMNS.items()]
    return [name, version(name), *numbers]


def table(rows: Iterable[list[str]]) -> str:
    heading = ["package", "version", *(f"{asked} {' / '.join(verdicts)}" for asked, verdicts in COLUMNS.items())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heading, ["---"] * len(heading), *rows])


if __name__ == "__main__":
    sys.exit(main())
