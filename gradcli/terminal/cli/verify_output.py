"""The output of `gradcli verify`, during the run and at its end."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TextIO

from gradcli.errors import UsageError
from gradcli.shared.records.verification import UNJUDGED, CaseResult, Verification, VerifyRequest
from gradcli.terminal import render
from gradcli.terminal.cli.progress import ProgressLine, rate_text
from gradcli.terminal.cli.report_files import STDOUT
from gradcli.terminal.cli.streams import write
from gradcli.terminal.render import verification as views
from gradcli.verification.reports import from_root
from gradcli.verification.reports.github import workflow_commands
from gradcli.verification.reports.json import report_as_json
from gradcli.verification.worker_pool import Watcher


class Screen(Watcher):
    """Prints one line per finished case, and a progress line on a terminal.

    The lines go to stdout, or to stderr if a report goes to stdout.
    """

    def __init__(self, request: VerifyRequest) -> None:
        self.request = request
        self.out = sys.stderr if any(path == STDOUT for _, path in request.reports) else sys.stdout
        self.look = render.look_of(self.out, request.width)
        self.line = ProgressLine(quiet=request.as_json)
        self.count = self.done = self.unrun = 0
        self.error: UsageError | None = None

    def begins(self, count: int) -> None:
        self.count = count

    def ends(self, result: CaseResult) -> None:
        self.done += 1
        self.unrun += result.outcome in UNJUDGED
        if self.request.as_json or (self.request.quiet and not result.is_reported):
            self.ticks()
            return
        self.line.clear()
        self._write(self.out, render.as_text(views.case_line(result, self.look), self.look))
        if self.request.verbose and result.comparison is not None and not result.is_reported:
            self._write(self.out, render.as_text(views.details(result, self.look), self.look))
        self.ticks()

    def _write(self, stream: TextIO | None, text: str) -> None:
        """Write a text, and keep the error of a stream that cannot be written: the run goes on."""
        try:
            write(stream, text)
        except UsageError as error:
            self.error = self.error or error

    def ticks(self) -> None:
        if self.line.is_due and self.done < self.count:
            run, seconds = self.done - self.unrun, time.monotonic() - self.line.started
            self.line.draw(rate_text(run, self.count - self.unrun, "cases", (run, seconds)))

    def shows(self, report: Verification) -> UsageError | None:
        """Print the failures in full and the summary, and return the error of a stream that could not be written."""
        if self.request.as_json:
            as_json = report_as_json(from_root(report))
            self._write(sys.stdout, json.dumps(as_json, allow_nan=False) + "\n")
            return self.error
        self._write(self.out, render.as_text(views.view(report, self.look), self.look))
        if os.environ.get("GITHUB_ACTIONS"):
            self._write(self.out, workflow_commands(report))
        return self.error
