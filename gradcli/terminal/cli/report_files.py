"""The reports and the baseline of a run: checked before the run, and written independently of each other after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

from gradcli.errors import GradcliError, UsageError
from gradcli.shared.file_replacement import replace_file
from gradcli.shared.records.verification import Verification, VerifyRequest
from gradcli.terminal.cli.exit_errors import as_error
from gradcli.terminal.cli.streams import write
from gradcli.verification.baseline import accepted, baseline_text
from gradcli.verification.reports import refuse_file, report_text, save_report

STDOUT = "-"  # as the file of a report


def refuse(request: VerifyRequest) -> None:
    """Refuse report files that cannot or must not be written, before the cases run.

    Raises:
        UsageError: a folder does not exist, gradcli did not write the file, or two reports name the same file.
    """
    taken: set[str] = set()
    files = [(form, path) for form, path in request.reports if path != STDOUT]
    aside = len(request.reports) - len(files)
    if aside > 1:
        raise UsageError("Two reports go to stdout.", hint="Name a file for all but one.")
    if request.as_json and aside:
        raise UsageError("--json and a report both go to stdout.", hint="Leave out --json, or name a file.")
    if request.update_baseline and request.baseline:
        files.append(("baseline", request.baseline))
    for form, path in files:
        folder, place = os.path.dirname(os.path.abspath(path)), os.path.realpath(path)
        if os.path.isdir(path):
            raise UsageError(f"The report {path!r} cannot be written: that is a folder.", hint="Name a file in it.")
        if not os.path.isdir(folder):
            raise UsageError(f"The report {path!r} cannot be written: there is no folder {folder!r}.")
        if place in taken:
            raise UsageError(f"Two reports go into {path!r}.", hint="Name a file for each.")
        if form != "baseline":
            refuse_file(path, form, f"--report {form}=")
        elif os.path.isfile(path) and os.path.getsize(path):
            accepted(path)  # which refuses another file
        if os.path.isfile(place) or not os.path.exists(place):  # a device such as /dev/null accepts several reports
            taken.add(place)


def write_all(report: Verification, request: VerifyRequest) -> Iterator[GradcliError | None]:
    """Write each report and the baseline, and yield an error for each one that cannot be written."""
    for form, path in request.reports:
        yield attempted(path, partial(_write_report, report, form, path))
    if request.baseline and request.update_baseline and not report.interrupted:
        yield attempted(request.baseline, partial(_write_baseline, report, request.baseline, request.whole))


def attempted(path: str, action: Callable[[], None]) -> GradcliError | None:
    """Write a file and return the error, if there is one."""
    try:
        action()
    except OSError as error:
        return UsageError(f"{path!r} cannot be written: {error.strerror}.")
    except Exception as error:
        return as_error(error)
    return None


def _write_report(report: Verification, form: str, path: str) -> None:
    if path == STDOUT:
        write(sys.stdout, report_text(report, form))
    else:
        save_report(report, form, path)


def _write_baseline(report: Verification, path: str, whole: bool) -> None:
    text = baseline_text(report, None if whole else path)
    replace_file(path, text.encode("utf-8", errors="backslashreplace"))
    count = len(accepted(path))
    write(sys.stderr, f"{path} accepts {count} failure{'s' if count != 1 else ''}.\n")
