"""The pytest plugin: `pytest --gradcli` runs the cases of `gradcli verify` as tests, and `check_grad` is a fixture.

No other module of gradcli is imported until it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gradcli.shared.records.verification import CaseResult, GradientCase

WAYS = ("fail", "warn", "pass")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line options and the ini setting."""
    group = parser.getgroup("gradcli", "gradients")
    group.addoption("--gradcli", action="store_true", help="run the cases of `gradcli verify` as tests")
    group.addoption("--gradcli-config", metavar="FILE", help="the configuration file (default: the nearest upwards)")
    help = f"the effect of an inconclusive check: one of {', '.join(WAYS)}"
    parser.addini("gradcli_inconclusive", help, default="warn")


@pytest.hookimpl(tryfirst=True)  # before -k and xdist select among the items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the project's gradient cases to the collected tests."""
    if not config.getoption("--gradcli"):
        return
    collector = GradientCases.from_parent(session, name="gradcli", nodeid="gradcli")
    cases = collector.collect()
    items += cases
    # Without a report, the terminal would not count them among the collected items.
    config.hook.pytest_collectreport(report=pytest.CollectReport(collector.nodeid, "passed", None, [*cases]))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Stop the worker process."""
    worker = session.config.stash.get(WORKER, None)
    if worker is not None:
        worker.end()


WORKER: pytest.StashKey[Any] = pytest.StashKey()


class GradientCases(pytest.Collector):
    """The gradient cases of the project at pytest's root folder."""

    def collect(self) -> list[pytest.Item]:
        """One test item for each case.

        Raises:
            pytest.UsageError: the configuration, a mark or a comment is invalid.
        """
        from gradcli.errors import UsageError
        from gradcli.verification.case_collection import collected

        try:
            collection = collected([str(self.config.rootpath)], self.config.getoption("--gradcli-config"))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        return [GradientItem.from_parent(self, name=case.name, case=case) for case in collection.cases]


class GradientItem(pytest.Item):
    """One gradient case, checked in a worker process so that a crash or a time-out does not end the test run."""

    def __init__(self, *, case: GradientCase, **known: Any) -> None:
        super().__init__(**known)
        self.case = case
        self.add_marker("gradcli")

    def runtest(self) -> None:
        """Check the case."""
        from gradcli.errors import FindingWarning
        from gradcli.verification.reproducing_commands import unrun

        result = unrun(self.case) or self._worker().judged(self.case)
        if result.outcome in self.case.allow:
            result = result.changed(accepted="allow")
        if (text := answered(result, inconclusive_of(self.config))) is not None:
            try:
                self.warn(FindingWarning(text))
            except FindingWarning:  # the project's filters make warnings errors
                raise CaseFailure(text) from None

    def _worker(self) -> Any:
        from gradcli.verification.worker_process import WorkerProcess

        if WORKER not in self.config.stash:
            self.config.stash[WORKER] = WorkerProcess()
        return self.config.stash[WORKER]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | Any:
        """The table of a failed case, without a traceback."""
        if isinstance(excinfo.value, CaseFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The file and line that ask for the case."""
        line = self.case.line
        return self.case.file or self.path, None if line is None else line - 1, f"gradcli {self.name}"


class CaseFailure(Exception):
    """A gradient case failed; the text is the table."""


def answered(result: CaseResult, inconclusive: str) -> str | None:
    """Skip or fail the test as the result requires; return the text of a warning if it is doubtful.

    Raises:
        CaseFailure: the case fails.
    """
    from gradcli.terminal import render
    from gradcli.terminal.render import verification as views

    if result.outcome in ("skipped", "unchecked"):
        pytest.skip(result.message)
    if not result.is_reported:
        return None
    text = render.as_text(views.failure_view(result, render.Look()), render.Look())
    if result.outcome not in ("inconclusive", "pass") or (result.is_failure and inconclusive == "fail"):
        raise CaseFailure(text)
    return text if inconclusive != "pass" else None


def inconclusive_of(config: pytest.Config) -> Any:
    """The configured response to an inconclusive check: one of `WAYS`.

    Raises:
        pytest.UsageError: the setting has another value.
    """
    way = str(config.getini("gradcli_inconclusive"))
    if way not in WAYS:
        raise pytest.UsageError(f"gradcli_inconclusive is {way!r}; it has to be one of {', '.join(WAYS)}.")
    return way


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker of the items."""
    config.addinivalue_line("markers", "gradcli: a case of gradcli verify")


@pytest.fixture
def check_grad(pytestconfig: pytest.Config) -> Callable[..., None]:
    """`check_grad(f, at=…, against=g)`: `gradcli.assert_grad`, with inconclusive checks as
    `gradcli_inconclusive` says.
    """
    import gradcli

    way = inconclusive_of(pytestconfig)

    def check(f: Any, **options: Any) -> None:
        __tracebackhide__ = True
        gradcli.assert_grad(f, **options, inconclusive=way)

    return check
