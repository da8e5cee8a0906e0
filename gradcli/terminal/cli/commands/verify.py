"""`gradcli verify`: a check of every gradient in a project, in worker processes, with machine-readable reports."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import Exit, UsageError
from gradcli.shared.message_wording import clean
from gradcli.terminal.cli.help_option import ALL_EXITS, CommandWithHelp
from gradcli.terminal.cli.options import json_flag, read_by, width
from gradcli.terminal.cli.streams import write

if TYPE_CHECKING:
    from gradcli.shared.records.verification import VerifyRequest
    from gradcli.verification.case_collection import Collected
    from gradcli.verification.cluster_workers import ClusterWorkers

NOTHING = (
    "There is no case. Mark a gradient with @gradcli.gradient_of(f, at=…), put # gradcli: --at POINT above it, or list "
    "it in [[tool.gradcli.check]] of pyproject.toml; `gradcli verify --list` shows what there is."
)


def report(values: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pairs of a format and a file from --report."""
    from gradcli.shared.records.verification import FORMATS

    reports = []
    for value in values:
        form, equals, path = value.partition("=")
        if form not in FORMATS or not equals or not path:
            needed = f"FORMAT=FILE, such as junit=gradients.xml; FORMAT is one of {', '.join(FORMATS)}"
            raise click.BadParameter(f"{value!r} is not {needed}.")
        reports.append((form, os.path.expanduser(path)))
    return reports


def workers(value: str) -> int:
    """The number of processes; 0 for one per processor."""
    if value == "auto":
        return 0
    if value.isdecimal() and int(value[:6]) > 0:
        return int(value[:6])
    raise click.BadParameter(f"{value!r} is not a number of processes; type 2 or auto.")


def size(value: str) -> int:
    """A size in bytes, such as 2G or 500M."""
    import re

    if match := re.fullmatch(r"([1-9]\d{0,14})([KMGT]?)B?", value, re.IGNORECASE | re.ASCII):
        return int(match[1]) * int(1024 ** " KMGT".find(match[2].upper() or " "))
    raise click.BadParameter(f"{value!r} is not a size; type 2G or 500M.")


@click.command(
    "verify",
    cls=CommandWithHelp,
    short_help="Check every gradient in a project; for CI.",
    examples=(
        "gradcli verify --list",
        "gradcli verify src -n auto --report junit=gradients.xml",
        "gradcli verify --list --format toml",
    ),
    exits=ALL_EXITS,
)
@click.argument("paths", nargs=-1, metavar="[FILE | FOLDER | TARGET]...")
@click.option("--list", "lists", is_flag=True, help="List the cases without running them.")
@click.option("--format", "form", type=click.Choice(["toml"]), help="With --list: print configuration entries.")
@click.option("--config", metavar="FILE", help="Configuration file (default: the nearest one upwards).")
@click.option("-k", "select", metavar="TEXT", help="Run only cases whose name, target or derivative contains TEXT.")
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first failure.")
@click.option(
    "-n", "--workers", callback=read_by(workers), metavar="N", help="Number of processes (default 1), or auto."
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers run the cases: tcp://HOST:PORT.")
@click.option("--max-memory", callback=read_by(size), metavar="SIZE", help="Memory that a case may use, such as 2G.")
@click.option("-q", "--quiet", is_flag=True, help="Show only failures and the summary.")
@click.option("-v", "--verbose", is_flag=True, help="Show the components and notes of each case.")
@click.option("--report", "reports", multiple=True, callback=read_by(report), metavar="FORMAT=FILE",
              help="Write a report: junit, sarif, gitlab, json, markdown, html; - is stdout. Repeatable.")  # fmt: skip
@click.option("--baseline", metavar="FILE", help="Accept the failures listed in FILE.")
@click.option("--update-baseline", is_flag=True, help="Write the failures to the baseline file.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if checks fail.")
@json_flag
@width
def command(paths: tuple[str, ...], lists: bool, form: str | None, config: str | None, **options: Any) -> Exit:
    """Check every gradient that the project lists, marks or comments.

    \b
    Listed:     [[tool.gradcli.check]] in pyproject.toml, or gradcli.toml
    Marked:     @gradcli.gradient_of(f, at=(1.0, 2.0)) above the gradient
    Commented:  # gradcli: --at 1,2 above a function
    """  # noqa: D301 - click's own mark
    from gradcli.shared.records.verification import VerifyRequest
    from gradcli.verification.case_collection import collected

    request = VerifyRequest(whole=not paths and options["select"] is None, **options)
    if form and not lists:
        raise UsageError("--format says how --list writes the cases.", hint="Add --list.")
    if request.update_baseline and not request.baseline:
        raise UsageError("--update-baseline needs the file.", hint="Add --baseline FILE.")
    collection = collected(paths, config, request.select)
    for path in collection.unread:
        write(sys.stderr, f"{clean(os.path.relpath(path))} is no regular file, so it is not read.\n")
    return listed(collection, form, request) if lists else verified(collection, request)


def listed(collected: Collected, form: str | None, request: VerifyRequest) -> Exit:
    """List the cases without running them."""
    from gradcli.terminal import render
    from gradcli.terminal.render import verification
    from gradcli.verification.case_collection import as_toml
    from gradcli.verification.reports.json import cases_as_json

    if form == "toml":
        entries = as_toml(collected.cases, collected.configuration)
        write(sys.stdout, entries)
        if not entries:
            why = "the configuration lists each case" if collected.cases else "no case was found"
            write(sys.stderr, f"There is no entry to paste: {why}.\n")
    elif request.as_json:
        import json

        write(sys.stdout, json.dumps(cases_as_json(collected.cases), allow_nan=False) + "\n")
    else:
        look = render.look_of(sys.stdout, request.width)
        write(sys.stdout, render.as_text(verification.cases_view(collected.cases, look), look))
    return Exit.PASS


def verified(collected: Collected, request: VerifyRequest) -> Exit:
    """Run the cases, show the results and write the reports."""
    from gradcli.terminal import render
    from gradcli.terminal.cli import report_files
    from gradcli.terminal.cli.exit_errors import answer
    from gradcli.terminal.cli.verify_output import Screen
    from gradcli.verification.baseline import accepted
    from gradcli.verification.reports import root_of
    from gradcli.verification.worker_pool import run

    report_files.refuse(request)
    if not collected.cases:
        unmatched = f"None of {collected.count} cases matches {request.select!r}; `gradcli verify --list` shows them."
        look = render.look_of(sys.stderr, request.width)
        write(sys.stderr, render.sentence_text(unmatched if collected.count else NOTHING, look))
    screen = Screen(request)
    workers: int | ClusterWorkers = next(
        count for count in (request.workers, collected.configuration.workers, 1) if count is not None
    )
    if request.scheduler is not None:
        from gradcli.verification.cluster_workers import ClusterWorkers

        workers = ClusterWorkers(request.scheduler)
    try:
        report = run(
            collected.cases,
            workers=workers,
            max_memory=request.max_memory,
            stops_early=request.exitfirst,
            accepted=accepted(request.baseline) if request.baseline and not request.update_baseline else frozenset(),
            watcher=screen,
        ).changed(
            root=root_of(collected.configuration.folder),
            require_points=collected.configuration.require_points,
            exit_zero=request.exit_zero or request.update_baseline,
        )
    finally:
        screen.line.clear()
    errors = [error for error in (screen.shows(report), *report_files.write_all(report, request)) if error is not None]
    codes = [answer(error, as_json=request.as_json) for error in errors]
    return Exit(report.exit or next(iter(codes), 0))
